"""Train many networks at once, and keep of each the epoch and rate that a criterion likes best.

Every network has a seed and a learning rate. Its start and its order of rows depend on the seed
alone, so it ends with the same weights in any company, up to rounding. Networks are trained in
groups: as many together as keep their weights in the processor's cache, where small ones share the
cost of a step and large ones do not evict each other.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import torch
from torch import Tensor

from lamc.exceptions import TrainingError
from lamc.learners import streams
from lamc.learners.checkpoint import Checkpoint
from lamc.learners.devices import own_draws, seed_draws
from lamc.learners.kept import Best, Kept, Task, Training, best_of_seed, has_an_epoch
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.observed_labels import ObservedLabels
from lamc.learners.progress import Progress
from lamc.learners.rows import Batch, Rows
from lamc.learners.selection import Criterion
from lamc.learners.stack import Shape, Stack
from lamc.learners.stack_adam import StackAdam

# Bytes that a group of networks may take, see `group_size`: of what every step goes through, and of
# what is kept for the rows. The first is the share of a large processor's cache that one can hope
# for; networks beyond it slow each other down.
CACHE_BYTES, ROW_BYTES = 12 << 20, 2 << 30
GATHERED = 8  # batches whose rows are gathered at once
NOTHING = Memory()
_ADVICE = "Use a lower rate, or look for very large values in X."


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes
    ----------
    epochs, batch_size : int
        Passes over the rows, and rows a step; the last batch of an epoch may be smaller.
    learning_rates : tuple of float
        Each seed is trained with each of them, and the best is kept.
    dropout, weight_decay : float
        Share of hidden units left out in a step, and decay of the weights.
    patience : int or None
        Give a network up when it has not improved for this many epochs.
    """

    epochs: int
    batch_size: int
    learning_rates: tuple[float, ...]
    dropout: float = 0.0
    weight_decay: float = 0.0
    patience: int | None = None


def group_size(shape: Shape, n_tasks: int, beside: Memory = NOTHING) -> int:
    """Networks to train together; the others wait, so memory does not grow with their number.

    A network of P parameters takes 20 P bytes in training: four each for the weight, its gradient,
    Adam's two moments, and the best weight so far; up to an eighth more where rows of weights are
    padded (:func:`lamc.learners.stack.held`). Every step goes through all but the last four, and
    through what the method has ``beside`` each network: for all networks of a group that stays
    within ``CACHE_BYTES``. What is kept for rows, with the rows of a batch (:func:`step_bytes`),
    stays within ``ROW_BYTES``. A network that takes
    more than either is trained alone. One that is done takes 4 P bytes. Groups are of equal size,
    the last apart.

    Examples
    --------
    >>> from lamc.learners.method import Memory
    >>> from lamc.learners.stack import Shape
    >>> from lamc.learners.trainer import group_size
    >>> group_size(Shape(103, 14, 14), n_tasks=15), group_size(Shape(500, 983, 983), n_tasks=15)
    (15, 1)
    >>> group_size(Shape(103, 14, 14), n_tasks=15, beside=Memory(rows=300_000_000))
    5
    """
    in_cache = CACHE_BYTES // (16 * shape.parameters + beside.each_step)
    in_memory = ROW_BYTES // max(1, beside.rows)
    most = max(1, min(n_tasks, in_cache, in_memory))
    return math.ceil(n_tasks / math.ceil(n_tasks / most))


def step_bytes(shape: Shape, batch_size: int) -> int:
    """Bytes of the rows of a batch, and about what a step computes for them, for one network.

    Examples
    --------
    >>> from lamc.learners.stack import Shape
    >>> from lamc.learners.trainer import step_bytes
    >>> step_bytes(Shape(500, 256, 100), batch_size=1000)
    5648000
    """
    return 4 * batch_size * (shape.features + 2 * shape.hidden + 4 * shape.labels)


def train(
    rows: Rows,
    observed: ObservedLabels,
    shape: Shape,
    seeds: Sequence[int],
    plan: Plan,
    method_for: Callable[[Group], Method],
    criterion: Criterion[Rows] | None,
    *,
    beside: Memory = NOTHING,
    checkpoint: Checkpoint | None = None,
    progress: Progress | None = None,
) -> Training:
    """Train a network for each seed and learning rate; return the best of each seed.

    When it is interrupted from the keyboard it returns what it has, and says so.

    Parameters
    ----------
    rows : Rows
        Training rows.
    observed : ObservedLabels
        The observed labels of each row.
    shape : Shape
        Shape of the networks.
    seeds : sequence of int
        One for each network to return.
    plan : Plan
        How to train.
    method_for : callable
        Gives the method for a group of networks.
    criterion : Criterion or None
        What to choose by. Without one the last epoch is kept, and there is one learning rate.
    beside : Memory
        What the method takes for each network.
    checkpoint : Checkpoint, optional
        Written after every epoch; training goes on from what it holds.
    progress : Progress, optional
        Told of every epoch.
    """
    tasks = [Task(seed, rate) for rate in plan.learning_rates for seed in seeds]
    of_scores = 0 if criterion is None else 4 * len(criterion.rows) * shape.labels
    of_batch = step_bytes(shape, min(plan.batch_size, len(rows)))
    size = group_size(shape, len(tasks), replace(beside, rows=beside.rows + of_scores + of_batch))
    found: dict[Task, Kept] = {}
    interruption: KeyboardInterrupt | None = None
    for start in range(0, len(tasks), size):
        together = tasks[start : start + size]
        group = Group(
            seeds=[task.seed for task in together],
            learning_rates=[task.learning_rate for task in together],
            shape=shape,
            rows=rows,
            observed=observed,
            epochs=plan.epochs,
        )
        place = None if checkpoint is None else replace(checkpoint, group=start)
        try:
            best = _train_group(group, plan, method_for(group), criterion, place, progress)
        except KeyboardInterrupt as request:  # before the first epoch
            interruption = request
            break
        found |= {task: best.of(model) for model, task in enumerate(together)}
        interruption = best.interruption
        if interruption is not None:
            break
    judged = criterion is not None
    name = "the last epoch" if criterion is None else criterion.name
    kept = [
        best_of_seed(seed, found, name, judged=judged)
        for seed in seeds
        if has_an_epoch(seed, found)
    ]
    if interruption is not None and not kept:
        raise interruption
    if interruption is None and len(kept) < len(seeds):
        raise TrainingError(
            f"No epoch of {len(seeds) - len(kept)} of {len(seeds)} networks could be kept, for the "
            f"{name} was no number in any.\n{_ADVICE}"
        )
    return Training(kept, interruption)


def _train_group(
    group: Group,
    plan: Plan,
    method: Method,
    criterion: Criterion[Rows] | None,
    checkpoint: Checkpoint | None,
    progress: Progress | None,
) -> Best:
    """Train networks side by side."""
    stack = method.stack(group)
    adam = StackAdam(
        stack.held_weights, stack.held_gradients, group.learning_rates, plan.weight_decay
    )
    best = Best(
        weights=tuple(weight.clone() for weight in stack.weights),
        values=np.full(len(group), -np.inf),
        epochs=[0] * len(group),
        patience=plan.patience,
    )
    done = 0 if checkpoint is None else checkpoint.resume(stack, adam, best, method)
    if progress is not None:
        progress.skip(done, len(group))
    try:
        for epoch in range(done + 1, plan.epochs + 1):
            if best.over():
                break
            with own_draws(str(group.device)):  # a user's loss may draw; ours do not
                seed_draws(_seed_of(group.seeds, epoch), str(group.device))
                method.before_epoch(epoch)
                train_epoch(stack, adam, group, plan, method, epoch)
                _require_numbers(stack, group, epoch)
                method.after_epoch(epoch, lambda: stack.scores(group.rows, method.activation))
            if criterion is None:
                best.note(np.full(len(group), float(epoch)), epoch, stack)
            else:
                scores = stack.scores(criterion.rows, method.activation)
                best.note(criterion.values(scores), epoch, stack)
            if checkpoint is not None:
                checkpoint.write(epoch, stack, adam, best, method)
            if progress is not None:
                progress.epoch(epoch, len(group), [] if criterion is None else best.values)
    except KeyboardInterrupt as request:
        best.interruption = request
    if progress is not None and best.interruption is None:
        progress.skip(plan.epochs - len(best.history), len(group))
    return best


def train_epoch(
    stack: Stack,
    adam: StackAdam,
    group: Group,
    plan: Plan,
    method: Method,
    epoch: int,
) -> None:
    """Take a group of networks once through all rows, each in its own order."""
    dropout = Dropout(plan.dropout, group.seeds, epoch, device=group.device)
    for number, (batch, step) in enumerate(_batches(group, plan.batch_size, epoch), start=1):
        keep = dropout.mask(step.rows.shape[1], stack.shape.hidden)
        at_logits = method.gradient(stack.logits(batch, keep), step)
        if not math.isfinite(float(at_logits.sum())):
            _refuse_to_go_on(at_logits, group, epoch, number)
        stack.backward(at_logits)
        adam.step()
        method.after_step(step)


def _batches(group: Group, size: int, epoch: int) -> Iterator[tuple[Batch, Step]]:
    """The batches of an epoch; rows and labels of several are gathered at once."""
    orders = [row_order(seed, epoch, len(group.rows)) for seed in group.seeds]
    order = torch.from_numpy(np.stack(orders)).to(group.device)
    for several in torch.split(order, GATHERED * size, dim=1):
        batches = group.rows.batches(several, size)
        chosen = torch.split(several, size, dim=1)
        observed = torch.split(group.observed.take(several), size, dim=1)
        for batch, rows, labels in zip(batches, chosen, observed, strict=True):
            yield batch, Step(rows, labels, epoch)


def row_order(seed: int, epoch: int, n: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Order of the rows in an epoch; it depends on nothing else, so training can resume."""
    return np.random.default_rng([seed, streams.ORDER, epoch]).permutation(n)


def _seed_of(seeds: Sequence[int], epoch: int) -> int:
    """A seed for what a method draws in an epoch, for all networks of a group together."""
    return int(np.random.SeedSequence([*seeds, streams.LOSSES, epoch]).generate_state(1)[0])


class Dropout:
    """Masks of hidden units, the same for a seed and epoch in any company."""

    def __init__(
        self, share: float, seeds: Sequence[int], epoch: int, *, device: torch.device
    ) -> None:
        self.share = share
        self.device = device
        starts = [[seed, streams.DROPOUT, epoch] for seed in seeds] if share else []
        self.draws = [np.random.default_rng(each) for each in starts]

    def mask(self, n_rows: int, n_hidden: int) -> Tensor | None:
        """Factors (M, B, h) for the hidden units, 0 for those left out; None without dropout."""
        if not self.draws:
            return None
        kept = np.stack([rng.random((n_rows, n_hidden), dtype=np.float32) for rng in self.draws])
        factors = (kept >= self.share).astype(np.float32) / np.float32(1 - self.share)
        return torch.from_numpy(factors).to(self.device)


def _require_numbers(stack: Stack, group: Group, epoch: int) -> None:
    """Raise if weights are no numbers any more, as the last batch of an epoch may leave them."""
    for weight in stack.weights:
        broken = ~weight.flatten(1).isfinite().all(dim=1)
        if broken.any():
            model = int(broken.int().argmax())
            raise TrainingError(
                f"Weights are no longer numbers after epoch {epoch}, with learning rate "
                f"{group.learning_rates[model]:g} and seed {group.seeds[model]}.\n{_ADVICE}"
            )


def _refuse_to_go_on(at_logits: Tensor, group: Group, epoch: int, batch: int) -> NoReturn:
    model = int(at_logits.isfinite().all(dim=2).all(dim=1).int().argmin())
    raise TrainingError(
        f"The loss is no longer a number in epoch {epoch}, batch {batch}, with learning rate "
        f"{group.learning_rates[model]:g} and seed {group.seeds[model]}.\n{_ADVICE}"
    )
