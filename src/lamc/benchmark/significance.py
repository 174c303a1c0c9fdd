"""Whether runs tell two methods apart on one data set."""

from collections.abc import Mapping

import numpy as np
from scipy import stats

from lamc.types import FloatArray

LEVEL = 0.05


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's adjusted p-values: below a level together, not each for itself.

    The i-th smallest of m is multiplied by m − i + 1, and never falls below a smaller one.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 65–70.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.significance import holm
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def welch_p(one: FloatArray, other: FloatArray) -> float:
    """p-value of equal means, for runs that differ in initialisation and share all data.

    Welch's t-test. Without any spread, equal means give 1 and different ones 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.significance import welch_p
    >>> round(welch_p(np.array([0.70, 0.72, 0.71]), np.array([0.71, 0.73, 0.72])), 2)
    0.29
    """
    if np.ptp(one) == 0 and np.ptp(other) == 0:
        return float(one[0] == other[0])
    moments = [m for runs in (one, other) for m in (runs.mean(), runs.std(ddof=1), len(runs))]
    return float(stats.ttest_ind_from_stats(*moments, equal_var=False).pvalue)


def resampled_p(one: FloatArray, other: FloatArray, test_to_train: float) -> float:
    """p-value of equal means, for runs that draw training and test rows anew, alike for both.

    The training rows of two runs overlap, so that differences spread less than on new data. The
    corrected resampled t-test of Nadeau and Bengio adds the missing part: their variance counts
    1/n + test_to_train times, not 1/n times.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error. Machine Learning 52, 239–281.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.significance import resampled_p
    >>> one, other = np.array([0.70, 0.72, 0.71]), np.array([0.71, 0.74, 0.72])
    >>> round(resampled_p(one, other, 1 / 7), 3), round(resampled_p(one, other, 0.0), 3)
    (0.079, 0.057)
    """
    difference = one - other
    if np.ptp(difference) == 0:
        return float(difference[0] == 0)
    n = len(difference)
    spread = np.sqrt((1 / n + test_to_train) * difference.var(ddof=1))
    return float(2 * stats.t.sf(abs(difference.mean()) / spread, df=n - 1))


def not_told_apart(
    runs: Mapping[str, FloatArray], best: str, test_to_train: float | None
) -> frozenset[str]:
    """Methods whose difference to the best is not significant at 5 %, corrected by Holm.

    Parameters
    ----------
    runs : mapping of str to ndarray
        Values of each method, a run each, in the same order of runs.
    best : str
        The method that the others are compared with.
    test_to_train : float or None
        Test rows for each training row, if every run draws both anew; None if all share them.

    Returns
    -------
    frozenset of str

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.significance import not_told_apart
    >>> runs = {"A": np.array([0.8, 0.9]), "B": np.array([0.8, 0.8]), "C": np.array([0.1, 0.2])}
    >>> sorted(not_told_apart(runs, "A", None))
    ['B']
    """
    others = [name for name in runs if name != best]
    p_values = np.array(
        [
            welch_p(runs[best], runs[name])
            if test_to_train is None
            else resampled_p(runs[best], runs[name], test_to_train)
            for name in others
        ]
    )
    return frozenset(name for name, p in zip(others, holm(p_values), strict=True) if p >= LEVEL)
