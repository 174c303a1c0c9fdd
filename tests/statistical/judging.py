"""How far a simulated mean or rate may lie from what theory says before a test fails.

Each check fails a correct program with a chance of at most ``FALSE_ALARM``. This folder makes
fewer than 1,000 checks, so the chance that any of them fails a correct program is below 1 %; and
as the seeds are fixed, a test that has passed goes on to pass until the code changes.
"""

import numpy as np
import numpy.typing as npt
from scipy import stats

FALSE_ALARM = 1e-5

# A mean of many independent values in [0, 1] is as good as normal: it strays from its expectation
# by more than this many standard errors with the chance FALSE_ALARM.
STANDARD_ERRORS = float(stats.norm.isf(FALSE_ALARM / 2))  # 4.4


def rate_at_most(events: npt.ArrayLike, level: float) -> None:
    """Check that independent events have probabilities of at most ``level``.

    Their number is then at most a Binomial(N, level) in distribution, whose tail is exact.
    """
    happened = np.asarray(events, dtype=bool)
    tail = stats.binom.sf(happened.sum() - 1, happened.size, level)
    assert tail > FALSE_ALARM, f"happened at a rate of {happened.mean():.4f}, not at most {level}"


def rate_is(events: npt.ArrayLike, probability: float) -> None:
    """Check that independent events have this probability, by the exact binomial test."""
    happened = np.asarray(events, dtype=bool)
    test = stats.binomtest(int(happened.sum()), happened.size, probability)
    assert test.pvalue > FALSE_ALARM, f"happened at a rate of {happened.mean():.4f}: {probability}?"


def mean_at_most(values: npt.ArrayLike, level: float) -> None:
    """Check that independent values have an expectation of at most ``level``."""
    mean, error = _mean_and_error(values)
    assert mean <= level + error, f"mean {mean:.4f} exceeds {level} by more than {error:.4f}"


def mean_at_least(values: npt.ArrayLike, level: float) -> None:
    """Check that independent values have an expectation of at least ``level``."""
    mean, error = _mean_and_error(values)
    assert mean >= level - error, f"mean {mean:.4f} falls short of {level} by more than {error:.4f}"


def mean_between(values: npt.ArrayLike, low: float, high: float) -> None:
    """Check that the expectation of independent values lies in a band."""
    mean_at_least(values, low)
    mean_at_most(values, high)


def mean_is(
    values: npt.ArrayLike, expectation: npt.ArrayLike, variance: npt.ArrayLike | None = None
) -> None:
    """Check that independent values have these expectations, and variances if theory gives them.

    Values of known variances v_1 … v_N have a mean with the standard error √(v_1 + … + v_N) / N.
    """
    off = np.asarray(values) - expectation
    mean, error = _mean_and_error(off)
    if variance is not None:
        total = np.broadcast_to(variance, off.shape).sum()
        error = STANDARD_ERRORS * float(np.sqrt(total)) / off.size
    assert abs(mean) <= error, f"mean is off by {mean:.5f}, more than {error:.5f}"


def is_uniform(values: npt.ArrayLike) -> None:
    """Check that independent values are uniform on [0, 1], by the test of Kolmogorov."""
    test = stats.kstest(np.ravel(values), "uniform")
    assert test.pvalue > FALSE_ALARM, f"the distribution is off by {test.statistic:.4f}"


def _mean_and_error(values: npt.ArrayLike) -> tuple[float, float]:
    given = np.ravel(values)
    return float(given.mean()), STANDARD_ERRORS * float(given.std(ddof=1)) / len(given) ** 0.5
