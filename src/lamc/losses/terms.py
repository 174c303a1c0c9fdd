"""What the losses are made of: stable terms of a logit, reductions, and checks of parameters."""

import math
from numbers import Real
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from lamc.exceptions import LabelError, SettingError

Reduction: TypeAlias = Literal["mean", "sum", "none"]


def cost_absent(logits: Tensor) -> Tensor:
    """−ln(1 − f): what calling a label absent costs."""
    # torch's default goes over to the straight line at 20, which is 2e-9 off; at 40 it is exact.
    return functional.softplus(logits, threshold=40)


def cost_present(logits: Tensor) -> Tensor:
    """−ln f: what calling a label present costs."""
    return cost_absent(-logits)


def cross_entropy(targets: Tensor, logits: Tensor) -> Tensor:
    """−c ln f − (1 − c) ln(1 − f) with targets c in [0, 1]."""
    return torch.addcmul(cost_absent(logits), targets, logits, value=-1)


def entropy(logits: Tensor) -> Tensor:
    """−f ln f − (1 − f) ln(1 − f), as ln(1 + exp(−a)) + a σ(−a) with a = |s|.

    Neither term is negative. As softplus(s) − s σ(s) they would cancel for large s, and with them
    the gradient.
    """
    size = logits.abs()
    return cost_absent(-size) + size * (-size).sigmoid()


def reduce_entries(entries: Tensor, reduction: Reduction) -> Tensor:
    """Bring a matrix of entries, or one for each model, to what the caller wants."""
    if reduction == "mean":
        return entries.mean((-2, -1))
    if reduction == "sum":
        return entries.sum((-2, -1))
    if reduction == "none":
        return entries
    raise _unknown_reduction(reduction, "'mean', 'sum' or 'none'")


def reduce_vector(values: Tensor, reduction: Reduction) -> Tensor:
    """Likewise for one value a row, or one a label."""
    return reduce_entries(values.unsqueeze(-1), reduction) if reduction != "none" else values


def scale_mean(mean: Tensor, logits: Tensor, reduction: Reduction) -> Tensor:
    """Likewise for a loss that has no entries, as a term of it belongs to the whole batch."""
    if reduction == "mean":
        return mean
    if reduction == "sum":
        return mean * (logits.shape[-2] * logits.shape[-1])
    raise _unknown_reduction(
        reduction, "'mean' or 'sum': a term of this loss belongs to the whole batch, not to entries"
    )


def _unknown_reduction(reduction: str, expected: str) -> SettingError:
    return SettingError(f"reduction={reduction!r}; choose {expected}.")


def check_number(name: str, value: float, low: float, high: float = math.inf) -> None:
    """Raise unless ``low <= value <= high``."""
    if not (isinstance(value, Real) and low <= value <= high):
        most = "" if high == math.inf else f" and at most {high}"
        raise SettingError(f"{name}={value!r}; give a number that is at least {low}{most}.")


def check_epoch(epoch: int, *, epochs: int | None = None) -> None:
    """Raise unless ``epoch`` is one of ``epochs``, which count from 1."""
    if epoch < 1 or (epochs is not None and epoch > epochs):
        last = "" if epochs is None else f" to epochs={epochs}"
        raise SettingError(f"epoch={epoch!r}; epochs count from 1{last}.")


def check_entries(name: str, values: Tensor, logits: Tensor) -> None:
    """Raise unless there is a value for each logit."""
    if values.shape != logits.shape:
        raise LabelError(
            f"{name} has shape {tuple(values.shape)}, but logits has shape {tuple(logits.shape)}: "
            "give one value for each row and label."
        )
