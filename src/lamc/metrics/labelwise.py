"""Label-based average precision: how well the rows are ordered, label by label or all together.

Ties count as the worst case: equal to scikit-learn's ``average_precision_score`` wherever that is
defined.
"""

from typing import Any

import numpy as np

from lamc.metrics.inputs import check_scores, check_truth
from lamc.metrics.ranks import CHUNK, row_ranks
from lamc.types import FloatArray


def label_average_precision(Y: Any, scores: Any) -> FloatArray:
    """Average precision of each label over the rows.

    For each row where the label is true, the share of true ones among the rows that score at
    least as high; averaged over these rows.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame, list of label sets, or Labels
        All true labels of every row.
    scores : array-like of shape (n, K)
        The higher, the likelier the label.

    Returns
    -------
    ndarray of float64, shape (K,)
        NaN for a label that is true in no row: it has nothing to be found.

    Examples
    --------
    >>> from lamc import metrics
    >>> Y = [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    >>> scores = [[0.9, 0.3, 0.1], [0.2, 0.2, 0.1], [0.4, 0.1, 0.1]]
    >>> metrics.label_average_precision(Y, scores)
    array([0.83333333, 0.5       ,        nan])
    """
    truth = check_truth(Y, by="Average precision", beside=scores)
    ranks = row_ranks(truth.positives.T.tocsr(), check_scores(scores, truth).T)
    return np.where(ranks.true > 0, ranks.precision, np.nan)


def macro_average_precision(Y: Any, scores: Any) -> float:
    """Mean over labels of :func:`label_average_precision`, often called mAP.

    Labels that are true in no row are left out; if none is true anywhere, the mean is NaN.

    Parameters
    ----------
    Y, scores
        As for :func:`label_average_precision`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> Y = [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    >>> scores = [[0.9, 0.3, 0.1], [0.2, 0.2, 0.1], [0.4, 0.1, 0.1]]
    >>> metrics.macro_average_precision(Y, scores)
    0.6666666666666666
    """
    return mean_of_defined(label_average_precision(Y, scores))


def micro_average_precision(Y: Any, scores: Any) -> float:
    """Average precision of all pairs of a row and a label, ordered together; NaN if none is true.

    Parameters
    ----------
    Y, scores
        As for :func:`label_average_precision`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.micro_average_precision([[1, 0, 0], [0, 0, 1]], [[0.9, 0.2, 0.1], [0.8, 0.1, 0.3]])
    0.8333333333333333
    """
    truth = check_truth(Y, by="Average precision", beside=scores)
    scores = check_scores(scores, truth)
    values = np.sort(scores[truth.positives.nonzero()])
    if len(values) == 0:
        return np.nan
    at_least = np.zeros(len(values), dtype=np.int64)
    step = max(1, CHUNK // scores.shape[1])
    for start in range(0, len(scores), step):
        part = np.sort(scores[start : start + step], axis=None)
        at_least += part.size - part.searchsorted(values)
    true_at_least = len(values) - values.searchsorted(values)
    return float((true_at_least / at_least).mean())


def mean_of_defined(values: FloatArray) -> float:
    """Mean of the values that are not NaN; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan
