"""How sure a calibration set is of the recall that its thresholds have.

With n calibration positives of a label, the share of its true rows below the threshold has, given
the set, a variance of a (1 − a) / (n + 2): that of a share measured on n + 2 rows. Weights, and a
bound on the labels of a row, make it larger, as if there were fewer positives.
"""

import numpy as np

from lamc.rules.evidence import Evidence
from lamc.types import FloatArray


def cases_behind(
    evidence: Evidence, at: FloatArray, alpha: FloatArray, most_labels: int | None = None
) -> FloatArray:
    """Of each label, how many positives would be as sure if none had a weight, nor rows a bound.

    Positives of weight w show a share below the threshold with a variance of

        Σ w² ([s < t] − a)² / (Σ w)²,

    a new row counted among them, below the threshold. Heavy rows often score unlike the others, for
    they are those with many labels. Then the sum is larger than a (1 − a) Σ w², and never taken for
    smaller, as few rows lie below a threshold.

    Under a bound of M labels a row a share a' of the observed labels is taken for as much as
    a = a' M / (a' (M − 1) + 1) of the true ones. A small error in a' grows by D² / M there, for
    D = M (1 − a) + a, and a' (1 − a') = a (1 − a) M / D². So n + 2 positives are worth
    (n + 2) M / D² of them.

    Parameters
    ----------
    evidence : Evidence
        What the thresholds come from, after any draw.
    at : ndarray of shape (K,)
        The thresholds.
    alpha : ndarray of shape (K,)
        The levels.
    most_labels : int, optional
        Most labels that a row has, where one of them is observed.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.rules.certainty import cases_behind
    >>> from lamc.rules.evidence import Evidence
    >>> scores, marks = np.linspace(0, 1, 100)[:, None], sparse.csr_array(np.ones((100, 1)))
    >>> at, alpha = np.array([0.1]), np.array([0.1])
    >>> cases_behind(Evidence.of(scores, marks), at, alpha)
    array([100.])
    >>> low = np.repeat([10, 1], [10, 90])  # the rows that score low weigh ten times as much
    >>> cases_behind(Evidence.of(scores, marks, weights=low), at, alpha).round(1)
    array([3.])
    >>> cases_behind(Evidence.of(scores, marks), at, alpha, most_labels=10).round(1)
    array([10.3])
    """
    share_kept = bound_keeps(alpha, most_labels or 1)
    level = alpha / (alpha + (1 - alpha) * (most_labels or 1))
    return (_positives_as_sure(evidence, at, level) + 2) * share_kept - 2


def bound_keeps(alpha: FloatArray, most_labels: int) -> FloatArray:
    """The share of positives that would be as sure if rows had one label each.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.certainty import bound_keeps
    >>> bound_keeps(np.array([0.1, 0.1]), 1), bound_keeps(np.array([0.1]), 10).round(2)
    (array([1., 1.]), array([0.12]))
    """
    return most_labels / (most_labels * (1 - alpha) + alpha) ** 2


def _positives_as_sure(evidence: Evidence, at: FloatArray, level: FloatArray) -> FloatArray:
    """Positives of equal weight that would be as sure of the weight below a threshold."""
    positives = evidence.positives
    if evidence.weights is None:
        return positives.counts.astype(np.float64)
    weights, labels = np.asarray(evidence.weights, dtype=np.float64), positives.labels
    new, n_labels = float(evidence.heaviest or 0), len(at)  # below, as the threshold counts it
    off = (positives.values < at[labels]) - level[labels]
    total = np.bincount(labels, weights, minlength=n_labels) + new
    alike = np.bincount(labels, weights**2, minlength=n_labels) + new**2
    own = np.bincount(labels, (weights * off) ** 2, minlength=n_labels)
    squares = own + (new * (1 - level)) ** 2
    spread = level * (1 - level)
    return np.maximum(spread * total**2 / np.maximum(spread * alike, squares) - 1, 0)
