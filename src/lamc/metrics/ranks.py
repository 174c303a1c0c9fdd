"""Where the true labels of each row stand among all its labels: what every ranking metric asks.

For a true label, let G be the number of labels of its row that score at least as high, itself
included, and T the number of true ones among these. G is the label's rank with ties counted as the
worst case. Average precision, coverage, ranking loss and one-error follow from G and T of the true
labels alone; the others need no rank.
"""

from dataclasses import dataclass, fields

import numpy as np

from lamc.types import BoolArray, FloatArray, IntArray, SparseMatrix

CHUNK = 1 << 18  # scores worked on at a time: 2 MB of float64, which a processor's cache holds
SEARCH = 1_000  # what searching one sorted row costs besides its sorting, in comparisons; measured


@dataclass(frozen=True, eq=False)
class RowRanks:
    """The ranks of each row's true labels, summed up; zeros where a row has none.

    Attributes
    ----------
    true : ndarray of int, shape (n,)
        Number of true labels.
    ranked : ndarray of int, shape (n,)
        Number of labels that are ranked.
    precision : ndarray of float64, shape (n,)
        Mean of T / G.
    depth : ndarray of int, shape (n,)
        Largest G: how far down the ranking one must go to meet every true label.
    misordered : ndarray of int, shape (n,)
        Sum of G − T: pairs of a true and a false label with the true one not strictly above.
    topped : ndarray of bool, shape (n,)
        Whether a false label scores at least as high as every true one.
    """

    true: IntArray
    ranked: IntArray
    precision: FloatArray
    depth: IntArray
    misordered: IntArray
    topped: BoolArray

    @property
    def average_precision(self) -> FloatArray:
        """Average precision of each row; 1 where it has no true label."""
        return np.where(self.true > 0, self.precision, 1.0)

    @property
    def beyond_first(self) -> IntArray:
        """Labels that must be read besides the first to meet all true ones: depth − 1, or 0."""
        return self.depth - (self.true > 0)

    @property
    def ranking_loss(self) -> FloatArray:
        """Share of each row's pairs of a true and a false label that are misordered; 0 of none."""
        pairs = self.true * (self.ranked - self.true)
        return self.misordered / np.maximum(pairs, 1)


def row_ranks(
    positives: SparseMatrix, scores: FloatArray, accepted: BoolArray | None = None
) -> RowRanks:
    """Rank the true labels of each row among all its labels, or among the accepted ones.

    ``positives`` are the true labels; with ``accepted``, those that are accepted too. Rows are
    taken in chunks, so that the memory needed does not grow with their number.
    """
    n, k = scores.shape
    step = max(1, CHUNK // k)
    chunks = []
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        block = np.ascontiguousarray(scores[rows])
        ranked = np.full(len(block), k)
        if accepted is not None:
            ranked = np.count_nonzero(accepted[rows], axis=1)
            # NaN is at least as high as nothing, and sorted behind everything.
            block = np.where(accepted[rows], block, np.nan)
        ends = positives.indptr[rows.start : rows.stop + 1]
        columns = positives.indices[ends[0] : ends[-1]]
        chunks.append(_rank_chunk(block, columns, np.diff(ends).astype(np.int64), ranked))
    return RowRanks(
        *(np.concatenate([getattr(c, field.name) for c in chunks]) for field in fields(RowRanks))
    )


def _rank_chunk(block: FloatArray, columns: IntArray, true: IntArray, ranked: IntArray) -> RowRanks:
    """Rank the labels ``columns``, of which each row of ``block`` has as many as ``true`` says."""
    n = len(block)
    of = np.repeat(np.arange(n), true)  # the row of each true label
    ends = np.cumsum(true)
    values = _ascending_in_rows(block[of, columns], true)
    T = ends[of] - _first_of_ties(values, of)
    G = _count_at_least(block, values, of, ranked)

    has_true = true > 0
    lowest, highest = (ends - true)[has_true], ends[has_true] - 1
    depth = np.zeros(n, dtype=np.int64)
    depth[has_true] = G[lowest]
    topped = np.zeros(n, dtype=bool)
    topped[has_true] = G[highest] > T[highest]
    return RowRanks(
        true,
        ranked,
        precision=np.bincount(of, T / G, minlength=n) / np.maximum(true, 1),
        depth=depth,
        misordered=np.bincount(of, G - T, minlength=n).astype(np.int64),
        topped=topped,
    )


def _ascending_in_rows(values: FloatArray, lengths: IntArray) -> FloatArray:
    """Sort ``values``, consecutive stretches of the given ``lengths``, within each stretch."""
    filled = np.arange(lengths.max(initial=0)) < lengths[:, np.newaxis]
    table = np.full(filled.shape, np.nan, dtype=values.dtype)  # NaN is sorted behind the values
    table[filled] = values
    table.sort(axis=1)
    return table[filled]


def _first_of_ties(values: FloatArray, of: IntArray) -> IntArray:
    """Position of the first among equal ``values`` of one row, for each of them."""
    new = np.ones(len(values), dtype=bool)
    new[1:] = (values[1:] != values[:-1]) | (of[1:] != of[:-1])
    return np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))


def _count_at_least(
    block: FloatArray, values: FloatArray, of: IntArray, ranked: IntArray
) -> IntArray:
    """For each of ``values``, how many scores of its row, ``block[of]``, are at least as high.

    Comparing a true label with all k labels takes k steps. Sorting a row takes about k log2(k),
    and then serves all its true labels. The fewer steps win.
    """
    n, k = block.shape
    if len(values) * k <= n * (k * np.log2(k) + SEARCH):
        return _by_comparing(block, values, of)
    return _by_searching(block, values, of, ranked)


def _by_comparing(block: FloatArray, values: FloatArray, of: IntArray) -> IntArray:
    counts = np.empty(len(values), dtype=np.int64)
    step = max(1, CHUNK // block.shape[1])
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        at_least = block.take(of[part], axis=0) >= values[part, np.newaxis]
        bits = np.packbits(at_least, axis=1)  # counted faster than booleans are added
        counts[part] = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return counts


def _by_searching(
    block: FloatArray, values: FloatArray, of: IntArray, ranked: IntArray
) -> IntArray:
    below = np.empty(len(values), dtype=np.int64)
    ordered = np.sort(block, axis=1)
    bounds = np.searchsorted(of, np.arange(len(block) + 1)).tolist()
    for i, row in enumerate(ordered):
        part = slice(bounds[i], bounds[i + 1])
        below[part] = row.searchsorted(values[part])
    return ranked[of] - below
