"""Confidence intervals: they hold what they say, on rows whose labels depend on each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from lamc.evaluation import Estimate
from lamc.evaluation.intervals import independent_pairs, mean_of_rows, share_of_pairs, wilson


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


def test_the_mean_of_rows_is_students():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(2000):
        found = mean_of_rows(rng.beta(4, 2, size=12))
        held += found.low <= 4 / 6 <= found.high
    assert abs(held / 2000 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 2000)


def test_what_cannot_be_measured_is_a_dash():
    nothing = np.zeros(4, dtype=int)
    for found in (share_of_pairs(nothing, nothing), mean_of_rows(np.empty(0))):
        assert np.isnan(found.value)
        assert str(found) == found.as_number == "–"
    assert str(mean_of_rows(np.array([0.5]))) == "50.0 %"
    assert Estimate(0.5, 0.25, 0.75).as_number == "0.500 (0.250 to 0.750)"
