"""Train a torch module for each seed and learning rate, and keep of each seed the best.

A module is trained alone: nothing is known of what it does inside, so modules cannot be stacked.
Its start, its order of rows and what it draws depend on the seed alone, so that training which
resumes, or a rate that is tried in other company, ends with the same weights.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from lamc.exceptions import TrainingError, warn
from lamc.labels import Labels
from lamc.learners import streams
from lamc.learners.devices import seed_draws
from lamc.learners.module.call import logits_of, scores_of
from lamc.learners.module.checkpoint import (
    Best,
    ModuleCheckpoint,
    refuse_schedule,
    settings_of,
)
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import InMemory
from lamc.learners.module.loss import Activation, Loss, optimiser_for
from lamc.learners.module.making import put_weights
from lamc.learners.progress import Progress
from lamc.learners.selection import Choice, Criterion, criterion_for
from lamc.learners.trainer import Plan


@dataclass(frozen=True, eq=False)
class Course:
    """How modules are trained, on what, and judged by what.

    Attributes
    ----------
    fresh : callable
        Gives a module at its start, for a seed, in training mode.
    plan : Plan
        Epochs, size of batches, learning rates, weight decay and patience.
    loss : Loss
        What is minimised.
    optimiser : str or callable
        By what.
    activation : "sigmoid" or "softmax"
        How logits become scores.
    examples : Examples
        Rows to learn from.
    judge : Judge or None
        What to choose by; without it the last epoch is kept.
    device : str
        Where to train.
    """

    fresh: Callable[[int], nn.Module]
    plan: Plan
    loss: Loss
    optimiser: Any
    activation: Activation
    examples: Examples
    judge: "Judge | None"
    device: str


@dataclass(frozen=True, eq=False)
class Judge:
    """A criterion on validation rows, for one module.

    Attributes
    ----------
    examples : Examples
        The rows.
    labels : Labels
        What is known of them.
    called : str
        What the rows are numbered in: X of which they were held out, or X_val.
    """

    examples: Examples
    labels: Labels
    called: str

    @property
    def criterion(self) -> Criterion[Examples]:
        """What is measured: by all labels where they are known, else by the observed ones."""
        return criterion_for(self.examples, self.labels)

    def value(self, module: nn.Module, course: Course) -> float:
        """Value of a module; higher is better."""
        scores = scores_of(
            [module],
            self.examples,
            course.activation,
            course.device,
            course.plan.batch_size,
            of=self.called,
        )
        self.labels.require_rows(len(scores), of="X_val")
        return float(self.criterion.values(scores[None])[0])


@dataclass(frozen=True, eq=False)
class TrainedModule:
    """The module kept of one seed, in evaluation mode, and why."""

    module: nn.Module
    choice: Choice


@dataclass(frozen=True, eq=False)
class ModuleTraining:
    """The modules that training gave, and whether it was cut short from the keyboard."""

    modules: list[TrainedModule]
    interruption: KeyboardInterrupt | None


def train_modules(
    course: Course,
    seeds: Sequence[int],
    *,
    folder: Path | None = None,
    digest: str = "",
    progress: Progress | None = None,
) -> ModuleTraining:
    """Train a module for each seed and learning rate; return the best of each seed.

    When it is interrupted from the keyboard it returns what it has, and says so. With a folder,
    the state is written there after every epoch, and training goes on from what is there.
    """
    found: dict[int, dict[float, Best]] = {seed: {} for seed in seeds}
    interruption: KeyboardInterrupt | None = None
    tasks = [(rate, seed) for rate in course.plan.learning_rates for seed in found]
    for number, (rate, seed) in enumerate(tasks):
        place = None
        if folder is not None:
            place = ModuleCheckpoint(folder / f"module-{number}.safetensors", digest)
        best = Best()
        try:
            for step, best in enumerate(_epochs(course, seed, rate, place)):
                if progress is not None and step == 0:
                    progress.skip(len(best.history), 1)  # what a checkpoint holds
                elif progress is not None:
                    judged = [] if course.judge is None else [best.value]
                    progress.epoch(len(best.history), 1, judged)
        except KeyboardInterrupt as request:
            interruption = request
        if best.epoch > 0:
            found[seed][rate] = best
        if interruption is not None:
            break
        if progress is not None:
            progress.skip(course.plan.epochs - len(best.history), 1)  # what patience leaves out
    kept = [_chosen(seed, course, by_rate) for seed, by_rate in found.items() if by_rate]
    if interruption is not None and not kept:
        raise interruption
    if interruption is None:
        _tell_of_lost_state(kept, course)
    return ModuleTraining(kept, interruption)


def _epochs(
    course: Course, seed: int, rate: float, checkpoint: ModuleCheckpoint | None
) -> Iterator[Best]:
    """Train a module epoch by epoch, giving the best so far: first that of a checkpoint."""
    plan = course.plan
    module, loss = course.fresh(seed), course.loss.start(course.device)
    optimiser = optimiser_for(
        module, loss, course.optimiser, learning_rate=rate, weight_decay=plan.weight_decay
    )
    settings = settings_of(optimiser)
    best = Best() if checkpoint is None else checkpoint.resume(module, loss, optimiser)
    yield best
    for epoch in range(len(best.history) + 1, plan.epochs + 1):
        if best.given_up(plan.patience):
            return
        _train_epoch(module, loss, optimiser, course, seed, rate, epoch)
        value = float(epoch) if course.judge is None else course.judge.value(module, course)
        best.note(value, module)
        if checkpoint is not None:
            refuse_schedule(settings, settings_of(optimiser))
            checkpoint.write(module, loss, optimiser, best)
        yield best


def _train_epoch(
    module: nn.Module,
    loss: Loss,
    optimiser: torch.optim.Optimizer,
    course: Course,
    seed: int,
    rate: float,
    epoch: int,
) -> None:
    drawn = np.random.SeedSequence([seed, streams.MODULES, epoch]).generate_state(1)
    seed_draws(int(drawn[0]), course.device)
    where = f"learning rate {rate:g} and seed {seed}"
    batches = course.examples.shuffled(seed, epoch, course.plan.batch_size)
    number = 0
    for number, (x, observed) in enumerate(batches, start=1):
        logits = logits_of(module, x, course.device, course.examples.n_labels)
        value = loss(logits, observed.to(logits.device), epoch)
        if not math.isfinite(float(value.detach())):
            raise TrainingError(
                f"The loss is no longer a number in epoch {epoch}, batch {number}, with {where}."
                f"\n{_advice(module)}"
            )
        if not value.requires_grad:
            raise TrainingError(
                "The loss has no gradient, so there is nothing to learn from.\nLook for "
                "torch.no_grad() or detach() in the module or in the loss."
            )
        optimiser.zero_grad()
        torch.autograd.backward(value)
        optimiser.step()
    if number == 0:
        raise TrainingError("X gave no rows, so there is nothing to learn from.")
    if _has_broken(module):
        raise TrainingError(
            f"Weights are no longer numbers after epoch {epoch}, with {where}.\n{_advice(module)}"
        )


def _advice(module: nn.Module) -> str:
    if any(each.dtype is torch.float16 for each in module.parameters()):
        return (
            "Its weights are in half precision, in which small steps are lost and large ones have "
            "no number. Train it in single precision, module.float(), or in bfloat16."
        )
    return "Use a lower rate, or look for NaN and very large values in X."


def _has_broken(module: nn.Module) -> bool:
    """Whether a weight is no finite number; buffers may be infinite, as masks of attention are."""
    weights = any(not bool(each.isfinite().all()) for each in module.parameters())
    return weights or any(bool(each.isnan().any()) for each in module.buffers())


def _chosen(seed: int, course: Course, by_rate: dict[float, Best]) -> TrainedModule:
    """The best of the modules of a seed; of equal ones that with the first rate."""
    rate, best = max(by_rate.items(), key=lambda each: each[1].value)
    name = "the last epoch" if course.judge is None else course.judge.criterion.name
    choice = Choice(
        criterion=name,
        learning_rate=rate,
        epoch=best.epoch,
        value=None if course.judge is None else best.value,
        values={rate: each.history for rate, each in by_rate.items()},
    )
    return TrainedModule(put_weights(course.fresh(seed), best.state).eval(), choice)


def _tell_of_lost_state(kept: Sequence[TrainedModule], course: Course) -> None:
    """Warn if a module with the weights that were kept does other than what it was judged by."""
    if course.judge is None or not isinstance(course.judge.examples.inputs, InMemory):
        return  # what a Dataset gives may be drawn anew each time
    for each in kept:
        judged, found = each.choice.value, course.judge.value(each.module, course)
        if judged is None or math.isclose(judged, found, rel_tol=1e-3, abs_tol=1e-6):
            continue
        warn(
            f"The module was chosen for a value of {judged:.4g}, and with its weights put back it "
            f"has {found:.4g}. It may keep something outside its parameters and buffers, which is "
            "lost: register_buffer keeps a tensor with the weights. Or it draws at random in "
            "evaluation mode."
        )
        return
