"""Where decisions change: the scores of a label at which some setting begins to decide otherwise.

Between two neighbouring cuts all settings decide alike. So a score is known well enough by the
number of cuts that it reaches, and what every setting decides follows from counts of that number.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lamc.report.grid import Grid
from lamc.rules.rule import RULES
from lamc.rules.thresholds import STATUSES, UNCALIBRATED, in_one_type
from lamc.types import AnyArray, FloatArray, IntArray, Matrix, SparseMatrix


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of each label, and what each of S settings makes of them.

    A score that reaches ``j`` of its label's ``L`` cuts stands on step ``j``; a label has the steps
    0 … L. The steps of all labels are numbered one label after the other.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Cuts in ascending order, one label after the other.
    offsets : ndarray of int, shape (K + 1,)
        Where each label begins among the cuts.
    accept_from : ndarray of int, shape (S, K)
        Step of the label from which on it is accepted; L + 1 if it never is.
    absent_below : ndarray of int, shape (S, K)
        Step of the label below which it is called absent; 0 if it never is.
    """

    values: FloatArray
    offsets: IntArray
    accept_from: IntArray
    absent_below: IntArray

    @classmethod
    def of(cls, grid: Grid, dtype: npt.DTypeLike) -> "Cuts":
        """Cuts of all thresholds of a grid, as scores of type ``dtype`` are compared with them."""
        one = np.ones(1, dtype=dtype)  # which type a comparison is made in hangs on types only
        reached = []
        for rule, at in zip(grid.rules, grid.present, strict=True):
            _, at = in_one_type(one, at, cautious=RULES[rule].needs_negatives)
            reached.append(np.nextafter(at, at.dtype.type(np.inf)) if RULES[rule].strict else at)
        n_labels = grid.shape[-1]
        present = np.concatenate(reached)
        absent = in_one_type(one, grid.absent)[1].reshape(-1, n_labels)
        steps = np.empty((2, *present.shape), dtype=np.int64)
        values = []
        for label in range(n_labels):
            at = np.stack([present[:, label], absent[:, label]])
            cuts = np.unique(at[np.isfinite(at)])
            steps[..., label] = np.searchsorted(cuts, at, side="right") + (at == np.inf)
            values.append(cuts)
        counts = np.asarray([len(cuts) for cuts in values])
        left_open = grid.status.reshape(-1, n_labels) == STATUSES.index(UNCALIBRATED)
        return cls(
            values=np.concatenate(values),
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            accept_from=np.where(left_open, counts + 1, steps[0]),
            absent_below=np.where(left_open, 0, steps[1]),
        )

    @property
    def first_steps(self) -> IntArray:
        """Number of step 0 of each label, and the number of all steps at the end."""
        return self.offsets + np.arange(len(self.offsets))

    @property
    def step_labels(self) -> IntArray:
        """Label of each step."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.first_steps))

    def of_label(self, label: int) -> FloatArray:
        """Cuts of one label."""
        return self.values[self.offsets[label] : self.offsets[label + 1]]

    @cached_property
    def steps_of_zero(self) -> IntArray:
        """Step of each label on which a score of 0 stands."""
        zero = np.zeros(1, dtype=self.values.dtype)
        labels = range(len(self.offsets) - 1)
        return np.asarray([self._reached(label, zero)[0] for label in labels], dtype=np.int64)

    def place(self, scores: Matrix) -> SparseMatrix:
        """Number of the step on which each stored score stands, plus 1, as a CSR matrix.

        The 1 keeps step 0 apart from a pair that sparse scores do not store.
        """
        scores = scores.astype(self.values.dtype, copy=False)  # rounding keeps the order
        n, n_labels = scores.shape
        first = self.first_steps + 1
        if not sparse.issparse(scores):
            steps = np.empty((n, n_labels), dtype=np.int32)
            for label, column in enumerate(np.ascontiguousarray(scores.T)):
                steps[:, label] = first[label] + self._reached(label, column)
            labels = np.tile(np.arange(n_labels, dtype=np.int32), n)
            return sparse.csr_array(
                (steps.ravel(), labels, np.arange(n + 1, dtype=np.int32) * n_labels),
                shape=(n, n_labels),
            )
        by_label = scores.tocsc()
        steps = np.empty(by_label.nnz, dtype=np.int32)
        for label in np.flatnonzero(np.diff(by_label.indptr)).tolist():
            own = slice(by_label.indptr[label], by_label.indptr[label + 1])
            steps[own] = first[label] + self._reached(label, by_label.data[own])
        return sparse.csc_array((steps, by_label.indices, by_label.indptr), scores.shape).tocsr()

    def _reached(self, label: int, scores: FloatArray) -> IntArray:
        return np.searchsorted(self.of_label(label), scores, side="right")

    def decisions(self, steps: AnyArray) -> AnyArray:
        """What each setting decides about each label of one row: 1, 0, or −1 where left open.

        ``steps`` are the row's steps within the labels, −1 for a pair that is not stored: it is
        never accepted, and absent where a score of 0 is.
        """
        decided = np.where(steps >= self.accept_from, 1, -1).astype(np.int8)
        height = np.where(steps < 0, self.steps_of_zero, steps)
        decided[(height < self.absent_below) & (decided != 1)] = 0
        return decided
