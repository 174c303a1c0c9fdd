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

from lamc.exceptions import TrainingError
from lamc.labels import Labels
from lamc.learners import streams
from lamc.learners.devices import seed_draws
from lamc.learners.module.call import logits_of, scores_of
from lamc.learners.module.checkpoint import Best, ModuleCheckpoint
from lamc.learners.module.examples import Examples
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
    """A criterion on validation rows, for one module."""

    examples: Examples
    labels: Labels

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
            of="the validation rows",
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
    return ModuleTraining(kept, interruption)


def _epochs(
    course: Course, seed: int, rate: float, checkpoint: ModuleCheckpoint | None
) -> Iterator[Best]:
    """Train a module epoch by epoch, giving the best so far: first that of a checkpoint."""
    plan = course.plan
    module = course.fresh(seed)
    optimiser = optimiser_for(
        module, course.optimiser, learning_rate=rate, weight_decay=plan.weight_decay
    )
    best = Best() if checkpoint is None else checkpoint.resume(module, optimiser)
    yield best
    for epoch in range(len(best.history) + 1, plan.epochs + 1):
        if best.given_up(plan.patience):
            return
        _train_epoch(module, optimiser, course, seed, rate, epoch)
        value = float(epoch) if course.judge is None else course.judge.value(module, course)
        best.note(value, module)
        if checkpoint is not None:
            checkpoint.write(module, optimiser, best)
        yield best


def _train_epoch(
    module: nn.Module,
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
        loss = course.loss(logits, observed.to(logits.device), epoch)
        if not math.isfinite(float(loss.detach())):
            raise TrainingError(
                f"The loss is no longer a number in epoch {epoch}, batch {number}, with {where}."
                "\nUse a lower rate, or look for NaN and very large values in X."
            )
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
    if number == 0:
        raise TrainingError("X gave no rows, so there is nothing to learn from.")
    if _has_broken(module):
        raise TrainingError(
            f"Weights are no longer numbers after epoch {epoch}, with {where}.\nUse a lower rate, "
            "or look for NaN and very large values in X."
        )


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
