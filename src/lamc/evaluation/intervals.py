"""95 % confidence intervals for what is measured on independent rows, and what chance explains.

Labels of one row depend on each other, so a share of pairs of a row and a label is no binomial
one: the rows are the sample. A share among the rows of one label is.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, ndtri, stdtr, stdtrit

from lamc.types import AnyArray, FloatArray

LEVEL = 0.95
_TAIL = (1 - LEVEL) / 2
UNLIKELY = _TAIL  # a chance that is no explanation any more
_Z = float(ndtri(1 - _TAIL))


@dataclass(frozen=True)
class Estimate:
    """A measured share and its 95 % confidence interval; NaN where there is nothing to measure.

    Examples
    --------
    >>> from lamc.evaluation import Estimate
    >>> str(Estimate(0.9, 0.85, 0.94))
    '90.0 % (85.0 to 94.0 %)'
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "–"
        value = f"{100 * self.value:.1f} %"
        if np.isnan(self.low):
            return value
        return f"{value} ({100 * self.low:.1f} to {100 * self.high:.1f} %)"

    @property
    def as_number(self) -> str:
        """The same as a number from 0 to 1, as metrics are usually given."""
        if np.isnan(self.value):
            return "–"
        ends = "" if np.isnan(self.low) else f" ({self.low:.3f} to {self.high:.3f})"
        return f"{self.value:.3f}{ends}"


def mean_of_rows(values: AnyArray) -> Estimate:
    """Mean of a number in [0, 1] that each row has, with the interval of :func:`mean_with`.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.evaluation.intervals import mean_of_rows
    >>> str(mean_of_rows(np.array([0.4, 0.5, 0.6, 0.5])))
    '50.0 % (37.4 to 62.6 %)'
    """
    n = len(values)
    if n == 0:
        return Estimate(np.nan, np.nan, np.nan)
    return mean_with(float(np.mean(values)), float(np.std(values, ddof=1)) if n > 1 else np.nan, n)


def mean_with(mean: float, deviation: float, n: int) -> Estimate:
    """The same for a mean over ``n`` rows that is known, and their standard deviation.

    A mean m whose variance is v is as sure as one of m (1 − m) / v cases of 0 or 1. That many enter
    Wilson's interval, with Student's quantile, for the variance is estimated too. Student's own
    interval m ± t √v lies too low where most rows have 0 and few have more, and beyond [0, 1] where
    rows are few. Where rows have 0 or 1, or all the same, each row is one case.

    Examples
    --------
    >>> from lamc.evaluation.intervals import mean_with
    >>> str(mean_with(0.0, 0.0, 20))
    '0.0 % (0.0 to 16.1 %)'
    """
    if np.isnan(deviation):
        return Estimate(mean, np.nan, np.nan)
    if _are_cases(mean, deviation, n):
        low, high = wilson(np.array([mean]), np.array([n]))
        return Estimate(mean, float(low[0]), float(high[0]))
    cases = n * mean * (1 - mean) / deviation**2
    low, high = wilson(np.array([mean]), np.array([cases]), float(stdtrit(n - 1, 1 - _TAIL)))
    return Estimate(mean, float(low[0]), float(high[0]))


def _are_cases(mean: float, deviation: float, n: int) -> bool:
    """Whether rows of this mean and standard deviation have 0 or 1 each, or all the same."""
    variance, of_cases = deviation**2, mean * (1 - mean) * n / (n - 1)
    return variance < 1e-12 or bool(np.isclose(variance, of_cases, rtol=1e-6, atol=0))


def share_of_pairs(parts: AnyArray, wholes: AnyArray) -> Estimate:
    """Share Σ parts / Σ wholes of counts that each row has, with Wilson's interval.

    Parameters
    ----------
    parts, wholes : ndarray of int, shape (n,)
        Of each row, the pairs that count and all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.evaluation.intervals import share_of_pairs
    >>> str(share_of_pairs(np.repeat([0, 4], 5), np.repeat(4, 10)))
    '50.0 % (22.7 to 77.3 %)'
    """
    n_pairs = int(np.sum(wholes))
    if n_pairs == 0:
        return Estimate(np.nan, np.nan, np.nan)
    share = float(np.sum(parts) / n_pairs)
    low, high = wilson(np.array([share]), np.array([independent_pairs(parts, wholes)]))
    return Estimate(share, float(low[0]), float(high[0]))


def independent_pairs(parts: AnyArray, wholes: AnyArray) -> float:
    """How many independent pairs would be as sure of Σ parts / Σ wholes as these pairs in rows.

    Examples
    --------
    Ten rows of four pairs each, all right or all wrong, are as good as nine pairs: ten, less the
    one for which the share itself was used.

    >>> import numpy as np
    >>> from lamc.evaluation.intervals import independent_pairs
    >>> round(independent_pairs(np.repeat([0, 4], 5), np.repeat(4, 10)), 6)
    9.0
    """
    c, a = (np.asarray(counts, dtype=np.float64) for counts in (parts, wholes))
    rows = np.asarray(np.count_nonzero(a))
    return float(pairs_of_sums(c.sum(), a.sum(), cc=c @ c, ca=c @ a, aa=a @ a, rows=rows))


def pairs_of_sums(
    part: AnyArray, whole: AnyArray, *, cc: AnyArray, ca: AnyArray, aa: AnyArray, rows: AnyArray
) -> FloatArray:
    """The same from sums over rows, for many shares at once.

    With a_i pairs in row i, of which c_i count, the share P = Σ c / Σ a has about the variance

        v = m / (m − 1) · Σ (c_i − P a_i)² / (Σ a)²

    over the m rows that have a pair (linearisation, as for clusters in survey statistics). So it is
    as sure as one of P (1 − P) / v independent pairs, and at most as one of all. That many enter
    Wilson's interval, which unlike P ± 1.96 √v stays within 0 and 1 and does not shrink to a point
    where P is 0 or 1. Where every pair counts, or none, nothing shows how alike the pairs of a row
    are, and each row stands for one pair.

    Parameters
    ----------
    part, whole : ndarrays
        Σ c and Σ a over the rows.
    cc, ca, aa : ndarrays
        Σ c², Σ c a and Σ a² over the rows.
    rows : ndarray
        Rows with a > 0.
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = part / whole
        squares = np.maximum(cc - 2 * share * ca + share * share * aa, 0)
        variance = squares / (whole * whole) * (rows / (np.asarray(rows) - 1))
        effective = share * (1 - share) / variance
    one_sided = (part == 0) | (part == whole)
    return np.where(one_sided | (np.asarray(rows) < 2), rows, np.fmin(effective, whole))


def wilson(
    shares: FloatArray, sizes: AnyArray, quantile: float = _Z
) -> tuple[FloatArray, FloatArray]:
    """Ends of Wilson's intervals for shares of ``sizes`` independent cases; NaN where that is 0.

    The ``quantile`` is the normal one, unless it is said.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.evaluation.intervals import wilson
    >>> low, high = wilson(np.array([0.0, 0.9]), np.array([10, 100]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.826], [0.278, 0.945])
    """
    with np.errstate(invalid="ignore", divide="ignore"):  # of no cases: NaN, and meant
        weight = quantile**2 / np.asarray(sizes, dtype=np.float64)
        middle = (shares + weight / 2) / (1 + weight)
        half = np.sqrt(shares * (1 - shares) * weight + weight**2 / 4) / (1 + weight)
    low = np.where(shares == 0, 0.0, middle - half)
    return low, np.where(shares == 1, 1.0, middle + half)


def chance_of_more(
    shares: float | AnyArray, sizes: float | AnyArray, levels: float | AnyArray
) -> FloatArray:
    """Chance of a share as large or larger, of ``sizes`` independent cases, where it is ``levels``.

    It is the binomial tail, exact for any number of cases, and continued to numbers of cases that
    are not whole. NaN where there are none.

    Examples
    --------
    Five of ten missed where one in ten should be; and one of one.

    >>> import numpy as np
    >>> from lamc.evaluation.intervals import chance_of_more
    >>> chance_of_more(np.array([0.5, 1.0]), np.array([10, 1]), 0.1).round(4)
    array([0.0016, 0.1   ])
    """
    size = np.asarray(sizes, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        cases = np.clip(shares, 0, 1) * size
        tail = betainc(cases, size - cases + 1, levels)
    return np.where(cases == 0, 1.0, tail)


def chance_of_larger_mean(
    mean: float, deviation: float, n: int, *, level: float, calibrating: int
) -> float:
    """Chance of a mean over rows as large, where it is ``level`` on average over calibration sets.

    By Student's law, from the mean and standard deviation of ``n`` rows; a set of ``calibrating``
    rows varies as rows that are measured on do. Where rows have 0 or 1, or all the same, each is a
    case of the binomial law. 1 where a single row says nothing of how they vary.

    Examples
    --------
    >>> from lamc.evaluation.intervals import chance_of_larger_mean
    >>> round(chance_of_larger_mean(0.5, 0.08, 4, level=0.4, calibrating=100), 3)
    0.046
    """
    if n < 2:
        return 1.0
    if _are_cases(mean, deviation, n):
        return float(chance_of_more(mean, 1 / (1 / n + 1 / calibrating), level))
    error = deviation * np.sqrt(1 / n + 1 / calibrating)
    return float(stdtr(n - 1, (level - mean) / error))
