"""Ranks of methods on data sets, and how often each is the best."""

import numpy as np
from scipy.stats import rankdata

from lamc.benchmark.metric_names import Better
from lamc.types import BoolArray, FloatArray


def ranks(values: FloatArray, better: Better) -> FloatArray:
    """Rank of every method on every data set: 1 is best, and ties share the mean of their ranks.

    Parameters
    ----------
    values : ndarray of shape (data sets, methods)
        All finite: a method that was not measured has no rank.
    better : {"larger", "smaller"}
        Which values are good.

    Returns
    -------
    ndarray of float64, of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.ranks import ranks
    >>> ranks(np.array([[0.7, 0.9, 0.7], [0.5, 0.6, 0.4]]), "larger")
    array([[2.5, 1. , 2.5],
           [2. , 1. , 3. ]])
    """
    found: FloatArray = rankdata(-values if better == "larger" else values, axis=1)
    return found


def best(values: FloatArray, better: Better) -> BoolArray:
    """Where a method is the best of its data set; all that tie are. NaN never is.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.ranks import best
    >>> best(np.array([[0.7, np.nan, 0.9], [0.5, 0.5, 0.6]]), "smaller")
    array([[ True, False, False],
           [ True,  True, False]])
    """
    cost = np.where(np.isnan(values), np.inf, -values if better == "larger" else values)
    return np.isfinite(values) & (cost == cost.min(axis=1, keepdims=True, initial=np.inf))
