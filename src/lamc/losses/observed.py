"""Where the observed positives stand among the logits: by index, or in a matrix.

A loss treats positives and other entries differently, and positives are few. Both forms answer the
same four questions; the index answers them without touching a whole matrix where it can.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from lamc.exceptions import LabelError

Term: TypeAlias = Callable[[Tensor], Tensor]  # of each logit by itself


@dataclass(frozen=True, eq=False)
class OneARow:
    """One positive a row: ``index`` has shape (..., B, 1)."""

    index: Tensor

    def mark(self, like: Tensor, positive: float, other: float) -> Tensor:
        """Give a matrix of two values."""
        return torch.full_like(like, other).scatter_(-1, self.index, positive)

    def mask(self, like: Tensor) -> Tensor:
        """Give a matrix that is True at the positives."""
        return torch.zeros_like(like, dtype=torch.bool).scatter_(-1, self.index, True)

    def replace(self, entries: Tensor, logits: Tensor, term: Term) -> Tensor:
        """Put ``term`` of the logits in the place of the entries of positives."""
        found = term(logits.gather(-1, self.index))
        return entries.scatter(-1, self.index, found.to(entries.dtype))

    def mean(self, logits: Tensor, term: Term) -> Tensor:
        """Mean over all entries of each model of ``term`` at the positives, and 0 elsewhere."""
        return term(logits.gather(-1, self.index)).mean((-2, -1)) / logits.shape[-1]


@dataclass(frozen=True, eq=False)
class AnyInARow:
    """Any number of positives a row: ``matrix`` has shape (..., B, K) and holds bools."""

    matrix: Tensor

    def mark(self, like: Tensor, positive: float, other: float) -> Tensor:
        """Give a matrix of two values."""
        return torch.where(self.matrix, like.new_tensor(positive), like.new_tensor(other))

    def mask(self, like: Tensor) -> Tensor:
        """Give a matrix that is True at the positives."""
        return self.matrix

    def replace(self, entries: Tensor, logits: Tensor, term: Term) -> Tensor:
        """Put ``term`` of the logits in the place of the entries of positives."""
        return torch.where(self.matrix, term(logits), entries)

    def mean(self, logits: Tensor, term: Term) -> Tensor:
        """Mean over all entries of each model of ``term`` at the positives, and 0 elsewhere."""
        return torch.where(self.matrix, term(logits), 0.0).mean((-2, -1))


Observed: TypeAlias = OneARow | AnyInARow


def read_observed(logits: Tensor, observed: Tensor) -> Observed:
    """Read the observed positives of ``logits``, or say what is wrong with either."""
    _refuse_other_logits(logits)
    if not isinstance(observed, Tensor):
        raise LabelError(
            f"observed is of type {type(observed).__name__}; losses take torch tensors.\n"
            "Pass torch.as_tensor(observed)."
        )
    if observed.shape == logits.shape:
        return AnyInARow(_read_matrix(observed))
    if observed.shape == logits.shape[:-1]:
        return OneARow(_read_index(observed, n_labels=logits.shape[-1]))
    raise LabelError(
        f"observed has shape {tuple(observed.shape)}, but logits has shape {tuple(logits.shape)}."
        f"\nGive the index of one positive a row, of shape {tuple(logits.shape[:-1])}, or a 0/1 "
        f"matrix of shape {tuple(logits.shape)}."
    )


def _refuse_other_logits(logits: Tensor) -> None:
    if not isinstance(logits, Tensor):
        raise LabelError(
            f"logits is of type {type(logits).__name__}; losses take torch tensors.\n"
            "Pass what the network gives, before a sigmoid."
        )
    if logits.ndim < 2 or logits.numel() == 0:
        raise LabelError(
            f"logits has shape {tuple(logits.shape)}; expected is a row for each example and a "
            "column for each label, and at least one of each."
        )
    if not logits.is_floating_point():
        raise LabelError(f"logits holds {logits.dtype} values; logits are floats.")


def _read_matrix(observed: Tensor) -> Tensor:
    if observed.dtype == torch.bool:
        return observed
    mask = observed != 0
    odd = observed != mask
    if not torch.compiler.is_compiling() and odd.any():
        position = odd.nonzero()[0].tolist()
        value = observed[tuple(position)].item()
        advice = (
            "Soft targets go to losses.soft_target(logits, observed, targets)."
            if 0 < value < 1
            else "Where −1 and 0 mean negative and unknown, pass observed == 1."
        )
        raise LabelError(
            f"observed holds {value} at {tuple(position)}; a matrix of observed labels holds 0 "
            f"and 1.\n{advice}"
        )
    return mask


def _read_index(observed: Tensor, n_labels: int) -> Tensor:
    if observed.is_floating_point() or observed.is_complex() or observed.dtype == torch.bool:
        raise LabelError(
            f"observed has shape {tuple(observed.shape)} and holds {observed.dtype} values; the "
            "index of one positive a row is an integer.\nPass observed.long(), or a matrix with a "
            "column for each label."
        )
    on_device = observed.device.type != "cpu"  # which checks by itself: to ask would be to wait
    if not on_device and not torch.compiler.is_compiling():
        _refuse_outside(observed, n_labels)
    return observed.long().unsqueeze(-1)


def _refuse_outside(index: Tensor, n_labels: int) -> None:
    lowest, highest = (end.item() for end in index.aminmax())
    if lowest < 0 or highest >= n_labels:
        raise LabelError(
            f"observed holds the index {lowest if lowest < 0 else highest}, but logits has "
            f"{n_labels} labels: they count from 0 to {n_labels - 1}.\nA row without a positive "
            "has no index: leave it out, or pass a 0/1 matrix."
        )
