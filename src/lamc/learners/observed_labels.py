"""The observed labels of the training rows on the device, and those of batches.

Losses take the number of the one label of a row, or a 0/1 matrix. A matrix of all rows and labels
may be larger than the rows themselves; so it is made for a batch at a time.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from lamc.labels import Labels
from lamc.learners.rows import entries_of, take


class ObservedLabels(Protocol):
    """Observed labels of n training rows."""

    @property
    def device(self) -> torch.device:
        """Where they are."""

    def take(self, chosen: Tensor) -> Tensor:
        """Labels of the rows ``chosen`` (M, B): their numbers, or a bool matrix (M, B, K)."""

    def all_rows(self) -> Tensor:
        """Labels of all rows: their numbers (n,), or a bool matrix (n, K)."""

    def matrix(self) -> Tensor:
        """Labels of all rows as a bool matrix (n, K)."""

    def tensors(self) -> tuple[Tensor, ...]:
        """What they are kept as."""


@dataclass(frozen=True, eq=False)
class OneLabelEach:
    """One observed label a row, by number.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.observed_labels import OneLabelEach
    >>> observed = OneLabelEach(torch.tensor([2, 0]), n_labels=3)
    >>> observed.take(torch.tensor([[1, 0, 1]]))
    tensor([[0, 2, 0]])
    >>> observed.matrix()
    tensor([[False, False,  True],
            [ True, False, False]])
    """

    numbers: Tensor
    n_labels: int

    @property
    def device(self) -> torch.device:
        """Where they are."""
        return self.numbers.device

    def take(self, chosen: Tensor) -> Tensor:
        """Numbers of the labels of rows."""
        return take(self.numbers, chosen)

    def all_rows(self) -> Tensor:
        """Numbers of the labels of all rows."""
        return self.numbers

    def matrix(self) -> Tensor:
        """Labels of all rows as a bool matrix."""
        empty = torch.zeros(len(self.numbers), self.n_labels, dtype=torch.bool, device=self.device)
        return empty.scatter_(1, self.numbers[:, None], True)

    def tensors(self) -> tuple[Tensor, ...]:
        """The numbers."""
        return (self.numbers,)


@dataclass(frozen=True, eq=False)
class SeveralLabels:
    """Any number of observed labels a row: those of row i are ``numbers[starts[i]:starts[i + 1]]``.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.observed_labels import SeveralLabels
    >>> observed = SeveralLabels(torch.tensor([0, 2, 3]), torch.tensor([0, 2, 1]), n_labels=3)
    >>> observed.take(torch.tensor([[1, 0]]))
    tensor([[[False,  True, False],
             [ True, False,  True]]])
    """

    starts: Tensor
    numbers: Tensor
    n_labels: int

    @property
    def device(self) -> torch.device:
        """Where they are."""
        return self.numbers.device

    def take(self, chosen: Tensor) -> Tensor:
        """Labels of rows as a bool matrix."""
        of_row, entries = entries_of(self.starts, chosen.reshape(-1))
        found = torch.zeros(chosen.numel(), self.n_labels, dtype=torch.bool, device=self.device)
        found[of_row, self.numbers[entries]] = True
        return found.view(*chosen.shape, self.n_labels)

    def all_rows(self) -> Tensor:
        """Labels of all rows as a bool matrix."""
        return self.matrix()

    def matrix(self) -> Tensor:
        """Labels of all rows as a bool matrix."""
        return self.take(torch.arange(len(self.starts) - 1, device=self.device))

    def tensors(self) -> tuple[Tensor, ...]:
        """Starts and numbers."""
        return self.starts, self.numbers


def as_observed(labels: Labels, device: str) -> ObservedLabels:
    """Put the observed labels of rows on the device: by number if every row has just one.

    Examples
    --------
    >>> import lamc
    >>> from lamc.learners.observed_labels import as_observed
    >>> type(as_observed(lamc.as_labels(["oak", "elm"]), "cpu")).__name__
    'OneLabelEach'
    >>> type(as_observed(lamc.as_labels([["oak"], ["elm", "oak"]]), "cpu")).__name__
    'SeveralLabels'
    """
    n_labels = len(labels.classes)
    if (labels.cardinality == 1).all():
        return OneLabelEach(torch.from_numpy(labels.index()).to(device), n_labels)
    starts, numbers = (
        torch.from_numpy(each.astype(np.int64)).to(device)
        for each in (labels.positives.indptr, labels.positives.indices)
    )
    return SeveralLabels(starts, numbers, n_labels)
