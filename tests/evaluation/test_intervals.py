"""Confidence intervals: they hold what they say, on rows whose labels depend on each other."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom, binom, binomtest, ttest_1samp

from lamc.evaluation import Estimate
from lamc.evaluation.intervals import (
    UNLIKELY,
    chance_of_larger_mean,
    chance_of_more,
    independent_pairs,
    mean_of_rows,
    share_of_pairs,
    wilson,
)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(case):
    count, size = case
    expected = binomtest(count, size).proportion_ci(method="wilson")
    low, high = wilson(np.array([count / size]), np.array([size]))
    assert low[0] == pytest.approx(expected.low, abs=1e-12)
    assert high[0] == pytest.approx(expected.high, abs=1e-12)


def test_one_pair_a_row_is_plain_counting():
    parts = np.array([1, 0, 1, 1, 0, 1, 1, 1])
    assert independent_pairs(parts, np.ones(8, dtype=int)) == pytest.approx(7)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40))
def test_pairs_are_as_many_as_the_spread_of_the_rows_makes_them(counts):
    """The formula as it stands, row by row."""
    parts, wholes = (np.array([end(pair) for pair in counts]) for end in (min, max))
    wholes[0] = max(wholes[0], 1)
    rows, n = wholes > 0, wholes.sum()
    share, m = parts.sum() / n, rows.sum()
    spread = ((parts - share * wholes)[rows] ** 2).sum()
    if share in (0, 1) or m < 2:
        expected = m
    elif spread < 1e-12:
        expected = n
    else:
        expected = min(n, share * (1 - share) / (m / (m - 1) * spread / n**2))
    assert independent_pairs(parts, wholes) == pytest.approx(expected)


def test_copies_of_a_pair_add_nothing():
    parts = np.array([1, 0, 1, 1, 0, 1, 1, 1])
    wholes = np.ones(8, dtype=int)
    once, often = share_of_pairs(parts, wholes), share_of_pairs(5 * parts, 5 * wholes)
    assert (once.low, once.high) == pytest.approx((often.low, often.high))


@pytest.mark.parametrize("right", [0, 1])
def test_a_share_of_nothing_or_all_is_as_sure_as_its_rows(right):
    wholes = np.array([3, 4, 5])
    found = share_of_pairs(right * wholes, wholes)
    low, high = wilson(np.array([float(right)]), np.array([3]))
    assert (found.value, found.low, found.high) == (right, low[0], high[0])


def test_intervals_hold_the_truth_as_often_as_they_say():
    """95 % of 2,000 intervals, within four standard errors; a count of pairs would hold 80 %."""
    rng = np.random.default_rng(0)
    n_trials, n_rows = 2000, 80
    wholes = rng.integers(0, 6, size=(n_trials, n_rows))
    of_row = rng.beta(2, 1, size=(n_trials, n_rows))  # rows differ, so pairs depend
    parts = rng.binomial(wholes, of_row)
    held = naive = 0
    for part, whole in zip(parts, wholes, strict=True):
        found = share_of_pairs(part, whole)
        held += found.low <= 2 / 3 <= found.high
        low, high = wilson(np.array([found.value]), np.array([whole.sum()]))
        naive += low[0] <= 2 / 3 <= high[0]
    slack = 4 * np.sqrt(0.95 * 0.05 / n_trials)
    assert abs(held / n_trials - 0.95) < slack
    assert naive / n_trials < 0.95 - slack


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda rng: rng.beta(4, 2, size=12), 4 / 6),
        (lambda rng: rng.beta(0.2, 0.8, size=50), 0.2),
        (lambda rng: rng.binomial(10, 0.01, size=50) / 10, 0.01),  # Student's: 88 %
        (lambda rng: 1 - rng.binomial(20, 0.005, size=100) / 20, 0.995),
    ],
)
def test_the_interval_of_a_mean_holds_it_as_often_as_it_says(draw, mean):
    """In 95 % of 2,000 cases, within four standard errors; a chance of steps may hold more."""
    rng = np.random.default_rng(0)
    found = [mean_of_rows(draw(rng)) for _ in range(2000)]
    held = np.mean([each.low <= mean <= each.high for each in found])
    slack = 4 * np.sqrt(0.95 * 0.05 / 2000)
    assert 0.95 - slack < held < 0.975 + slack


def test_the_interval_of_a_mean_far_from_both_ends_is_students():
    values = 0.5 + 0.01 * np.random.default_rng(0).normal(size=40)
    found = mean_of_rows(values)
    expected = ttest_1samp(values, 0.5).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-5)


def test_what_cannot_be_measured_is_a_dash():
    nothing = np.zeros(4, dtype=int)
    for found in (share_of_pairs(nothing, nothing), mean_of_rows(np.empty(0))):
        assert np.isnan(found.value)
        assert str(found) == found.as_number == "–"
    assert str(mean_of_rows(np.array([0.5]))) == "50.0 %"
    assert Estimate(0.5, 0.25, 0.75).as_number == "0.500 (0.250 to 0.750)"


@given(
    cases=st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    level=st.floats(0.001, 0.999),
)
def test_the_chance_of_more_is_the_binomial_tail(cases, level):
    part, whole = cases
    found = chance_of_more(np.array([part / whole]), np.array([whole]), level)
    assert found[0] == pytest.approx(binom.sf(part - 1, whole, level), rel=1e-6, abs=1e-300)


def test_what_a_kept_promise_shows_is_never_called_unlikely_too_often():
    """Of m new cases, those below the r-th of n calibrating ones are beta-binomial, exactly.

    What is added to m for the chance in the calibration set must not make 2.5 % more than that.
    """
    rates = []
    for alpha, n in product((0.01, 0.05, 0.1, 0.3, 0.5), (9, 19, 34, 100, 170, 1000)):
        r = int(alpha * (n + 1) + 1e-9)
        for m in (1, 2, 3, 5, 10, 30, 100, 1000) if r else ():
            missed = np.arange(m + 1)
            size = 1 / (1 / m + 1 / (n + 2))
            unlikely = chance_of_more(missed / m, size, alpha) <= UNLIKELY
            rates.append(betabinom.pmf(missed, m, r, n + 1 - r)[unlikely].sum())
    assert max(rates) <= 0.025
    assert max(rates) > 0.02  # and the test has power


def test_the_chance_of_a_larger_mean_is_students():
    values = np.random.default_rng(0).beta(1, 6, size=40)
    expected = ttest_1samp(values, 0.1, alternative="greater").pvalue
    of = partial(chance_of_larger_mean, level=0.1)
    known = values.mean(), values.std(ddof=1), 40
    assert of(*known, calibrating=10**12) == pytest.approx(expected)
    assert of(*known, calibrating=40) > expected
    assert of(0.5, np.nan, 1, calibrating=40) == 1
    assert of(0.0, 0.0, 3, calibrating=40) == 1


@pytest.mark.parametrize("missed", [[0, 0, 1, 0, 1], [1, 1], [1, 1, 1]])
def test_the_chance_of_rows_missed_as_a_whole_is_the_binomial_tail(missed):
    known = np.mean(missed), np.std(missed, ddof=1), len(missed)
    found = chance_of_larger_mean(*known, level=0.3, calibrating=10**12)
    assert found == pytest.approx(binom.sf(sum(missed) - 1, len(missed), 0.3))
    assert chance_of_larger_mean(*known, level=0.3, calibrating=5) > found


@pytest.mark.parametrize(("n", "share"), [(20, 0.05), (10, 0.5), (60, 0.02)])
def test_means_of_zeros_and_ones_have_wilsons_interval(n, share):
    """It holds the truth in about 95 % of samples; Student's does in 62 % of the first."""
    found = [mean_of_rows(np.repeat([1, 0], [k, n - k])) for k in range(n + 1)]
    low, high = wilson(np.arange(n + 1) / n, np.full(n + 1, n))
    np.testing.assert_allclose([each.low for each in found], low)
    np.testing.assert_allclose([each.high for each in found], high)
    holds = [each.low <= share <= each.high for each in found]
    assert binom.pmf(np.arange(n + 1), n, share)[holds].sum() > 0.9


def test_rows_that_are_all_alike_are_not_sure_beyond_their_number():
    found = mean_of_rows(np.full(20, 0.5))
    assert found.low < 0.35 < 0.65 < found.high
