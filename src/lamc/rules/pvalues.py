"""Conformal p-values of "the label is present", from the positives that were kept.

The p-value is a step function of the score, with a step up at each positive of the label. A search
for the step of every score would be slow. So the scores from 0 to 1 are cut into cells, for each
label several times as many as it has positives: most cells hold no positive and lie on one step,
and only the scores in other cells are searched for.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from lamc.rules.ranks import SortedScores, in_one_unit
from lamc.rules.scores import row_blocks
from lamc.rules.thresholds import shorter_type
from lamc.types import AnyArray, FloatArray, IntArray, Matrix

_BLOCK = 1 << 17  # entries whose cells and p-values stay in the processor's cache
_CELLS_PER_POSITIVE = 8  # about one score in twenty is then searched for
_MOST_CELLS = 1 << 20  # so that float32 can count them


def p_values(
    scores: Matrix,
    positives: SortedScores,
    weights: AnyArray | None = None,
    *,
    heaviest: float | None = None,
    most_labels: int = 1,
) -> Matrix:
    """Share of positives that score no higher, the new row counted among them.

    Small when hardly any true row scores so low: P(p <= alpha | label true) <= alpha. A label
    without positives has p = 1, for nothing speaks against it. With weights the shares are of
    weight, and the new row weighs as much as the ``heaviest`` row. Single positives of rows that
    have up to M labels give the largest share among all true rows that theirs allows. Of sparse
    scores, the stored pairs get a p-value.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.pvalues import p_values
    >>> from lamc.rules.ranks import SortedScores
    >>> positives, _ = SortedScores.of(np.array([0.3, 0.6, 0.9]), np.zeros(3, int), n_labels=1)
    >>> p_values(np.array([[0.2], [0.3], [0.95]]), positives).ravel()
    array([0.25, 0.5 , 1.  ])
    """
    dense = not sparse.issparse(scores)
    numbers = scores if dense else scores.data
    compared = shorter_type(numbers, positives.values)
    counted = np.result_type(compared, np.float32)  # half precision cannot count the cells
    shares = _shares(positives, weights, heaviest, most_labels)
    true = positives.rounded(compared).values.astype(counted, copy=False)
    steps = Steps.of(true, positives.offsets, shares)
    p = np.empty(numbers.shape)
    for part in row_blocks(numbers, _BLOCK):
        labels = slice(None) if dense else scores.indices[part]
        steps.heights_at(numbers[part].astype(compared, copy=False), labels, out=p[part])
    if dense:
        return p
    return sparse.csr_array((p, scores.indices, scores.indptr), scores.shape, copy=True)


def _shares(
    positives: SortedScores, weights: AnyArray | None, heaviest: float | None, most_labels: int
) -> FloatArray:
    """p-values of each label: below its positives, from the first on, from the second on, ….

    A share is one division of whole numbers, so it equals a level exactly where it should.
    """
    whole, new = np.ones_like(positives.values, dtype=np.int64), 1
    if weights is not None:
        whole, new = in_one_unit(weights, heaviest)
        whole, new = whole.astype(object), int(new)  # products may need more than 64 bits
    running = np.concatenate([[0], np.cumsum(whole)])
    labels, positives_before = _steps(positives.offsets)
    own = running[positives.offsets]
    part = running[positives_before] - own[labels] + new
    total = np.diff(own)[labels] + new
    return (part * most_labels / (part * (most_labels - 1) + total)).astype(np.float64)


def _steps(offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Label of each step, and how many positives, of all labels, lie before its end.

    A label with m positives has m + 1 steps, the first of which starts at no positive.
    """
    labels = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets) + 1)
    return labels, np.arange(len(labels)) - labels


@dataclass(frozen=True, eq=False)
class Steps:
    """A step function of the score for each label.

    Cells are of equal width in the square root of the score, as most scores are small.

    Attributes
    ----------
    starts, heights : ndarray
        Where each step starts, and the value from there on; label by label.
    widths : ndarray of shape (K,)
        Number of cells from 0 to 1.
    cells : ndarray of int, shape (K,)
        First cell of each label. The cell before it holds the start of the first step, −inf.
    last : ndarray of int
        Last step that starts in each cell or before.
    flat : ndarray
        Value in each cell, NaN if a step starts there.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.pvalues import Steps
    >>> at_half = Steps.of(np.array([0.5]), np.array([0, 1]), np.array([10.0, 20.0]))
    >>> at_half.heights_at(np.array([0.1, 0.5, 1.0]))
    array([10., 20., 20.])
    """

    starts: FloatArray
    heights: FloatArray
    widths: FloatArray
    cells: IntArray
    last: IntArray
    flat: FloatArray

    @classmethod
    def of(cls, true: FloatArray, offsets: IntArray, heights: FloatArray) -> Self:
        """Steps at the scores ``true``; those of label ``k`` begin at ``offsets[k]``."""
        widths = np.minimum(_CELLS_PER_POSITIVE * np.diff(offsets), _MOST_CELLS)
        ends = np.cumsum(widths + 2)
        labels, _ = _steps(offsets)
        starts = np.insert(true, offsets[:-1], -np.inf)
        within = np.sqrt(starts.clip(min=0)) * widths.astype(true.dtype)[labels]
        cells = (ends - widths - 1)[labels] + np.where(starts < 0, -1, within.astype(np.intp))
        held = np.bincount(cells, minlength=ends[-1])
        last = np.cumsum(held)
        last -= 1
        flat = heights[last]
        flat[held > 0] = np.nan
        return cls(starts, heights, widths.astype(true.dtype), ends - widths - 1, last, flat)

    def heights_at(
        self, scores: FloatArray, labels: Any = slice(None), out: FloatArray | None = None
    ) -> FloatArray:
        """Values at scores, whose last axis is that of ``labels``."""
        scores = scores.astype(self.starts.dtype, copy=False)
        within = np.sqrt(scores)
        within *= self.widths[labels]
        cells = within.astype(np.intp)
        cells += self.cells[labels]
        found = self.flat.take(cells, out=out, mode="clip")  # mode="raise" would copy out
        unsure = np.flatnonzero(np.isnan(found))
        np.put(found, unsure, self._search(scores.ravel()[unsure], cells.ravel()[unsure]))
        return found

    def _search(self, scores: FloatArray, cells: IntArray) -> FloatArray:
        """Values at scores in cells where steps start: bisect those of each cell."""
        low, high = self.last[cells - 1], self.last[cells]
        for _ in range(int((high - low).max(initial=0)).bit_length()):
            middle = (low + high + 1) // 2
            reached = self.starts[middle] <= scores
            low, high = np.where(reached, middle, low), np.where(reached, high, middle - 1)
        return self.heights[low]
