"""What is kept of networks in training: each at its best epoch, and of a seed at its best rate."""

from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from lamc.learners.selection import Choice
from lamc.learners.stack import Stack
from lamc.types import FloatArray


@dataclass(frozen=True)
class Task:
    """One network to train."""

    seed: int
    learning_rate: float


@dataclass(frozen=True)
class Kept:
    """What is kept of one network: its best weights, and its value after every epoch."""

    weights: tuple[FloatArray, ...]
    epoch: int
    values: list[float]


@dataclass
class Best:
    """The best that was seen of each network of a group."""

    weights: tuple[Tensor, ...]
    values: FloatArray
    epochs: list[int]
    patience: int | None = None
    history: list[FloatArray] = field(default_factory=list)
    interruption: KeyboardInterrupt | None = None

    def note(self, values: FloatArray, epoch: int, stack: Stack) -> None:
        """Keep the weights of networks that have improved and were not given up before.

        A network that was given up may go on beside others, but what it becomes does not count:
        so it ends as it would have alone.
        """
        self.history.append(values)
        for model in np.flatnonzero(values > self.values).tolist():
            if self._given_up(model, epoch - 1):
                continue
            self.values[model], self.epochs[model] = values[model], epoch
            for kept, weight in zip(self.weights, stack.weights, strict=True):
                kept[model] = weight[model]

    def over(self) -> bool:
        """Whether every network was given up."""
        return all(self._given_up(model, len(self.history)) for model in range(len(self.epochs)))

    def of(self, model: int) -> Kept:
        """What is kept of one network."""
        last = len(self.history) if self.patience is None else self.epochs[model] + self.patience
        return Kept(
            tuple(weight[model].cpu().numpy().copy() for weight in self.weights),
            self.epochs[model],
            [float(values[model]) for values in self.history[:last]],
        )

    def _given_up(self, model: int, epoch: int) -> bool:
        return self.patience is not None and epoch - self.epochs[model] >= self.patience


@dataclass(frozen=True)
class Trained:
    """The network kept of one seed, and why."""

    seed: int
    weights: tuple[FloatArray, ...]
    choice: Choice


@dataclass(frozen=True)
class Training:
    """The networks that training gave, and whether it was cut short from the keyboard."""

    networks: list[Trained]
    interruption: KeyboardInterrupt | None


def has_an_epoch(seed: int, found: dict[Task, Kept]) -> bool:
    """Whether any network of a seed has finished an epoch."""
    return any(task.seed == seed and kept.epoch > 0 for task, kept in found.items())


def best_of_seed(seed: int, found: dict[Task, Kept], criterion: str, *, judged: bool) -> Trained:
    """The best of the networks of a seed; of equal ones that with the first rate."""
    by_rate = {
        task.learning_rate: kept
        for task, kept in found.items()
        if task.seed == seed and kept.epoch > 0  # of an interrupted one there may be nothing
    }
    rate, best = max(by_rate.items(), key=lambda each: each[1].values[each[1].epoch - 1])
    return Trained(
        seed,
        best.weights,
        Choice(
            criterion=criterion,
            learning_rate=rate,
            epoch=best.epoch,
            value=best.values[best.epoch - 1] if judged else None,
            values={rate: kept.values for rate, kept in by_rate.items()},
        ),
    )
