"""How the scores of a label are spread, for the rows that have it and for the others."""

import numpy as np
from scipy import sparse

from lamc.report.tally import Block
from lamc.types import AnyArray, FloatArray, IntArray, Matrix

BINS = 24


class ScoreHistograms:
    """Counts of scores in bins of equal width, from 0 to the largest score of each label."""

    def __init__(self, scores: Matrix) -> None:
        largest = scores.max(axis=0)
        largest = largest.toarray().ravel() if sparse.issparse(largest) else largest
        self.tops: FloatArray = np.where(largest > 0, largest, 1).astype(np.float64)
        self._stored = np.zeros((len(self.tops), BINS), dtype=np.int64)
        self._true = np.zeros_like(self._stored)

    def add(self, block: Block) -> None:
        """Count the scores of a block."""
        scores, labels = block.scores, block.steps.indices
        values = scores.data if sparse.issparse(scores) else scores.ravel()
        bins = np.minimum(values / self.tops[labels] * BINS, BINS - 1).astype(np.int32)
        # Plus 1, so that the first bin is not taken for a pair that is not stored.
        place = sparse.csr_array(
            (labels * BINS + bins + 1, labels, block.steps.indptr), shape=block.steps.shape
        )
        for counts, placed in (
            (self._stored, place),
            (self._true, sparse.csr_array(place.multiply(block.truth))),
        ):
            found = np.bincount(placed.data - 1, minlength=counts.size)
            counts += found.reshape(counts.shape)

    def counts(self, true: IntArray, n_rows: int) -> tuple[IntArray, IntArray]:
        """Counts of true and of other rows, (K, BINS) each; what is not stored scored 0."""
        of_true, of_all = self._true.copy(), self._stored.copy()
        of_true[:, 0] += true - of_true.sum(axis=1)
        of_all[:, 0] += n_rows - of_all.sum(axis=1)
        return of_true, of_all - of_true


def heights(counts: IntArray) -> AnyArray:
    """Heights of the bars as bytes: square roots, so that a few rows beside many are seen.

    The highest bar of each label is 255.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.report.histograms import heights
    >>> heights(np.array([[0, 1, 4], [0, 0, 0]]))
    array([[  0, 128, 255],
           [  0,   0,   0]], dtype=uint8)
    """
    highest = np.maximum(counts.max(axis=1, keepdims=True), 1)
    return np.ceil(255 * np.sqrt(counts / highest)).astype(np.uint8)
