"""Selection from a batch: of the pairs picked, a share of at most q is wrong on average.

Jin and Candès (2023): each pair of a row and a label gets a p-value for "the label is false" from
the calibration rows, and Benjamini and Hochberg's procedure picks among them, one label at a time.
The cut depends on the whole batch, so this is a method for a batch and not a threshold.
"""

import math
from fractions import Fraction

import numpy as np

from lamc.rules.ranks import SortedScores
from lamc.rules.thresholds import in_one_type
from lamc.types import BoolArray, FloatArray


def select_pairs(
    scores: FloatArray, negatives: SortedScores, n_rows: int, fdr: Fraction
) -> BoolArray:
    """Pairs to rely on, with a false discovery rate of at most ``fdr`` for each label.

    The p-value of a score is (1 + negatives at or above it) / (n + 1), with all n calibration rows
    in the denominator: the score of a true row counts as if it were clipped out of the way, which
    is what makes the test a valid one for a random label and not only for a false one.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> from lamc.rules.ranks import SortedScores
    >>> from lamc.rules.selection import select_pairs
    >>> false = np.linspace(0, 0.5, 60)
    >>> negatives, _ = SortedScores.of(false, np.zeros(60, dtype=int), n_labels=1)
    >>> scores = np.array([[0.9], [0.2]])
    >>> select_pairs(scores, negatives, n_rows=100, fdr=Fraction(1, 10)).ravel()
    array([ True, False])
    """
    m = len(scores)
    chosen = np.zeros(scores.shape, dtype=bool)
    # The k-th smallest p-value may be fdr · k/m; in whole numbers, 1 + negatives at or above it:
    most = np.asarray(
        [math.floor(fdr * k * (n_rows + 1) / m) for k in range(1, m + 1)], dtype=np.int64
    )
    for label in range(scores.shape[1]):
        column, false = in_one_type(scores[:, label].copy(), negatives.of_label(label))
        above = len(false) - np.searchsorted(false, column, side="left")
        above = above + negatives.zeros[label] * (column <= 0)
        passed = np.flatnonzero(1 + np.sort(above) <= most)
        if len(passed):
            chosen[:, label] = 1 + above <= most[passed[-1]]
    return chosen
