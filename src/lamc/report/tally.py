"""Count what every setting decides, in one pass over the held-out rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lamc.report.cuts import Cuts
from lamc.report.grid import Grid
from lamc.rules.pooling import groups_of
from lamc.rules.thresholds import POOLED, STATUSES
from lamc.types import AnyArray, FloatArray, IntArray, Matrix, SparseMatrix

_BLOCK = 1 << 20  # pairs of a row and a label, or of a row and a setting, looked at together


@dataclass(frozen=True, eq=False)
class Block:
    """Some held-out rows: their scores and, as :meth:`Cuts.place` gives them, their steps.

    Attributes
    ----------
    rows : slice
        Which rows.
    scores : ndarray or CSR matrix
        Scores of the rows.
    truth, steps, true_steps : CSR matrices of shape (b, K)
        True labels, steps of all stored pairs, and steps of those that are true.
    """

    rows: slice
    scores: Matrix
    truth: SparseMatrix
    steps: SparseMatrix
    true_steps: SparseMatrix


def blocks(scores: Matrix, truth: SparseMatrix, cuts: Cuts) -> Iterator[Block]:
    """Rows in blocks that need little memory, however many there are."""
    n, n_labels = scores.shape
    pairs = scores.nnz // max(n, 1) if sparse.issparse(scores) else n_labels  # of a row
    size = max(1, _BLOCK // max(pairs, len(cuts.accept_from)))
    for start in range(0, n, size):
        rows = slice(start, min(start + size, n))
        steps, own = cuts.place(scores[rows]), truth[rows]
        yield Block(rows, scores[rows], own, steps, sparse.csr_array(steps.multiply(own)))


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """For each of S settings and K labels, in how many rows what was decided.

    Attributes
    ----------
    accepted, right : ndarrays of int, shape (S, K)
        Rows where the label is accepted, and where it is also true.
    absent, missed : ndarrays of int, shape (S, K)
        Rows where the label is called absent, and where it is true all the same.
    true : ndarray of int, shape (K,)
        Rows where the label is true.
    n_rows : int
        All rows.
    """

    accepted: IntArray
    right: IntArray
    absent: IntArray
    missed: IntArray
    true: IntArray
    n_rows: int


class StepCounts:
    """Number of pairs on each step, and of true ones: all that the counts of a label need."""

    def __init__(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self._stored = np.zeros(int(cuts.first_steps[-1]), dtype=np.int64)
        self._true = np.zeros_like(self._stored)

    def add(self, block: Block) -> None:
        """Count the pairs of a block."""
        for counts, placed in ((self._stored, block.steps), (self._true, block.true_steps)):
            counts += np.bincount(placed.data - 1, minlength=len(counts))

    def by_setting(self, true: IntArray, n_rows: int) -> LabelCounts:
        """What each setting decides; ``true`` says how often each label is true."""
        accepted, absent = self._above_and_below(self._stored, np.full_like(true, n_rows))
        right, missed = self._above_and_below(self._true, true)
        return LabelCounts(accepted, right, absent, missed, true, n_rows)

    def _above_and_below(self, on_step: IntArray, of_label: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs that each setting accepts and calls absent, of ``of_label`` pairs of each label.

        Those that are not stored score 0 and are never accepted.
        """
        cuts = self._cuts
        before = np.concatenate([[0], np.cumsum(on_step)])
        first, end = cuts.first_steps[:-1], cuts.first_steps[1:]
        accepted = before[end] - before[first + cuts.accept_from]
        absent = before[first + cuts.absent_below] - before[first]
        not_stored = of_label - (before[end] - before[first])
        return accepted, absent + not_stored * (cuts.steps_of_zero < cuts.absent_below)


@dataclass(frozen=True, eq=False)
class RowMoments:
    """Sums over rows of what a row has of accepted (a), right (c) and true (t) labels.

    All arrays have shape (S,). The labels of one row stand and fall together, so these, and not
    the numbers of pairs, tell how sure a share is; see
    :func:`lamc.evaluation.intervals.pairs_of_sums`.
    """

    aa: FloatArray
    ac: FloatArray
    cc: FloatArray
    ct: FloatArray
    tt: float
    accepting_rows: IntArray
    true_rows: int
    found_shares: FloatArray  # the sum of c/t over the rows that have a label
    found_squares: FloatArray  # the sum of (c/t)²


class RowSums:
    """Adds up :class:`RowMoments` block by block."""

    def __init__(self, cuts: Cuts, n_rules: int) -> None:
        self._changes = changes(cuts, n_rules)
        self._n_rules = n_rules
        n_settings = len(cuts.accept_from)
        self._sums = np.zeros((7, n_settings))
        self._tt, self._true_rows = 0.0, 0

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        a, c = self._accepted(block.steps), self._accepted(block.true_steps)
        t = np.diff(block.truth.indptr).astype(np.float64)
        share = np.divide(1, t, out=np.zeros_like(t), where=t > 0)
        self._sums += [
            np.einsum("is,is->s", a, a),
            np.einsum("is,is->s", a, c),
            np.einsum("is,is->s", c, c),
            t @ c,
            np.count_nonzero(a, axis=0),
            share @ c,
            (share * share) @ (c * c),
        ]
        self._tt += float(t @ t)
        self._true_rows += int(np.count_nonzero(t))

    def moments(self) -> RowMoments:
        """The sums over all blocks."""
        aa, ac, cc, ct, accepting, *shares = self._sums
        return RowMoments(
            aa, ac, cc, ct, self._tt, accepting.astype(np.int64), self._true_rows, *shares
        )

    def _accepted(self, steps: SparseMatrix) -> FloatArray:
        """Number of pairs that each setting accepts in each row."""
        ones = np.ones(steps.nnz, dtype=np.int32)
        shape = (steps.shape[0], self._changes.shape[0])
        stands = sparse.csr_array((ones, steps.data - 1, steps.indptr), shape=shape)
        changed: AnyArray = (stands @ self._changes).toarray()
        by_level = changed.reshape(len(changed), self._n_rules, -1)
        return np.cumsum(by_level, axis=2).reshape(changed.shape).astype(np.float64)


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """Sums over rows and the groups of pooled labels that they have labels of: shape (S,) each.

    Summed is the share of a row's labels in a group that is missed. A row may have labels of
    several groups.
    """

    missed: FloatArray
    squares: FloatArray
    levels: FloatArray
    shares: IntArray  # how many were summed
    rows: IntArray


class GroupSums:
    """Adds up :class:`GroupMoments` block by block, for the settings that pool labels."""

    def __init__(self, cuts: Cuts, grid: Grid) -> None:
        n_rules, n_levels, n_labels = grid.shape
        self._cuts, self._alphas = cuts, np.tile(grid.alphas, (n_rules, 1))
        self._present = grid.present.reshape(-1, n_labels)
        self._pooled = grid.status.reshape(-1, n_labels) == STATUSES.index(POOLED)
        self._sums = np.zeros((5, n_rules * n_levels))

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        has = _entries(block.truth)
        row, label = _entries(block.true_steps)
        step = block.true_steps.data - 1 - self._cuts.first_steps[label]
        for setting in np.flatnonzero(self._pooled.any(axis=1)).tolist():
            pooled, alpha = self._pooled[setting], self._alphas[setting]
            groups = groups_of(self._present[setting], alpha)
            found = step >= self._cuts.accept_from[setting, label]
            n_groups = int(groups.max()) + 1
            there, accepted = (
                np.bincount(
                    rows[of] * n_groups + groups[labels[of]],
                    minlength=block.truth.shape[0] * n_groups,
                )
                for rows, labels, of in (
                    (*has, pooled[has[1]]),
                    (row, label, pooled[label] & found),
                )
            )
            at = np.flatnonzero(there)
            missed = 1 - accepted[at] / there[at]
            level = np.zeros(n_groups)
            level[groups] = alpha
            self._sums[:, setting] += (
                missed.sum(),
                float(missed @ missed),
                level[at % n_groups].sum(),
                len(at),
                len(np.unique(at // n_groups)),
            )

    def moments(self) -> GroupMoments:
        """The sums over all blocks."""
        missed, squares, levels, shares, rows = self._sums
        return GroupMoments(missed, squares, levels, shares.astype(np.int64), rows.astype(np.int64))


def _entries(matrix: SparseMatrix) -> tuple[IntArray, IntArray]:
    """Row and column of each stored entry, in the order they are stored in."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows, matrix.indices.astype(np.int64)


def changes(cuts: Cuts, n_rules: int) -> SparseMatrix:
    """By how much acceptance on each step differs from the same rule's level before: (steps, S).

    A step is accepted from some level on and stays so, with few exceptions; so there are hardly
    more entries than steps and rules, where acceptance itself would have one for each setting.
    """
    first = cuts.first_steps
    by_rule = cuts.accept_from.reshape(n_rules, -1, cuts.accept_from.shape[1])
    never = np.broadcast_to(np.diff(cuts.offsets) + 1, by_rule[:, :1].shape)
    before = np.concatenate([never, by_rule[:, :-1]], axis=1).reshape(cuts.accept_from.shape)
    low, high = np.minimum(before, cuts.accept_from), np.maximum(before, cuts.accept_from)
    setting, label = np.nonzero(high > low)
    length = (high - low)[setting, label]
    within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    step = np.repeat(first[label] + low[setting, label], length) + within
    gained = np.where(cuts.accept_from < before, 1, -1)[setting, label].astype(np.int32)
    shape = (int(first[-1]), len(cuts.accept_from))
    return sparse.csr_array(
        (np.repeat(gained, length), (step, np.repeat(setting, length))), shape=shape
    )
