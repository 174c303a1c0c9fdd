"""What a learner brings to the training of networks: its loss, and what it does between epochs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lamc.exceptions import TrainingError
from lamc.learners.observed_labels import ObservedLabels
from lamc.learners.rows import Rows
from lamc.learners.stack import Activation, Shape, Stack


@dataclass(frozen=True, eq=False)
class Group:
    """Networks that are trained together, and on what.

    Attributes
    ----------
    seeds, learning_rates : sequences of length M
        Seed and rate of each network.
    shape : Shape
        Shape of each network.
    rows : Rows
        The n training rows.
    observed : ObservedLabels
        The observed labels of each row.
    epochs : int
        Epochs that training will take.
    """

    seeds: Sequence[int]
    learning_rates: Sequence[float]
    shape: Shape
    rows: Rows
    observed: ObservedLabels
    epochs: int

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.observed.device

    def __len__(self) -> int:
        return len(self.seeds)


@dataclass(frozen=True)
class Memory:
    """Bytes that a method takes for each network, beside those of the network.

    The trainer takes as many networks together as fit: see
    :func:`lamc.learners.trainer.group_size`.

    Attributes
    ----------
    each_step : int
        What every step goes through, such as a second network: 16 for each of its parameters.
    rows : int
        What there is for each training row, of which a step needs a few: tables of the method, and
        4 n K if it asks for the scores of all rows after an epoch.
    """

    each_step: int = 0
    rows: int = 0


@dataclass(frozen=True, eq=False)
class Step:
    """One batch of every network.

    Attributes
    ----------
    rows : Tensor (M, B)
        Training rows of each network.
    observed : Tensor (M, B) or (M, B, K)
        The observed label of each row, or a bool matrix if some rows have several.
    epoch : int
        Number of the epoch, from 1.
    """

    rows: Tensor
    observed: Tensor
    epoch: int


class Method:
    """A way to learn from observed labels.

    Either :meth:`loss` or :meth:`gradient` says how; the others are for methods that keep
    something for each row, follow a schedule, or look at all rows between epochs.
    """

    activation: Activation = staticmethod(torch.sigmoid)

    def stack(self, group: Group) -> Stack:
        """Networks at their start; a method with another kind of network makes its own."""
        return Stack(group.shape, group.seeds, device=str(group.device))

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network, (M,)."""
        raise NotImplementedError

    def gradient(self, logits: Tensor, step: Step) -> Tensor:
        """Gradient of the loss with respect to the logits."""
        with torch.enable_grad():  # whatever the caller has switched off
            leaf = logits.detach().requires_grad_()
            each = self.loss(leaf, step)
            if each.shape != logits.shape[:1]:
                raise TrainingError(
                    f"The loss gave shape {tuple(each.shape)} for logits of shape "
                    f"{tuple(logits.shape)}: networks × rows × labels.\nIt is one number for each "
                    f"network, of shape ({len(logits)},): the mean over the last two axes."
                )
            (found,) = torch.autograd.grad(each.sum(), leaf)
        return found

    def before_epoch(self, epoch: int) -> None:
        """Do what is due before each epoch."""

    def after_step(self, step: Step) -> None:
        """Do what is due after each step."""

    def after_epoch(self, epoch: int, scores: Callable[[], Tensor]) -> None:
        """Do what is due after each epoch; ``scores()`` gives those of all rows, (M, n, K)."""

    def state(self) -> dict[str, Tensor]:
        """What a checkpoint must hold of the method."""
        return {}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put back what :meth:`state` gave."""


class LossMethod(Method):
    """A method that is a loss of the logits and the observed labels, and nothing else."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        self._loss = loss

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        return self._loss(logits, step.observed)


class ScheduledLossMethod(Method):
    """A method that is a loss of the logits, the observed labels and the epoch."""

    def __init__(self, loss: Callable[..., Tensor]) -> None:
        self._loss = loss

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        return self._loss(logits, step.observed, epoch=step.epoch)
