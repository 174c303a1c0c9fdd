"""Tests between runs, against scipy and definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lamc.benchmark.significance import holm, not_told_apart, resampled_p, welch_p


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_stepping_down_rejects(p_values):
    p = np.array(p_values)
    adjusted = holm(p)
    for level in (0.01, 0.05, 0.2):
        rejected = set()
        for step, i in enumerate(np.argsort(p, kind="stable")):
            if p[i] * (len(p) - step) > level:
                break
            rejected.add(int(i))
        assert set(np.flatnonzero(adjusted <= level)) == rejected


def test_holm_of_a_textbook_example():
    """Holm, p-values 0.01, 0.04, 0.03, 0.005 of four hypotheses."""
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])


def test_welch_is_scipys():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.normal(0.5, 0.02, 5), rng.normal(0.52, 0.05, 4)
        expected = stats.ttest_ind(one, other, equal_var=False).pvalue
        assert welch_p(one, other) == pytest.approx(expected)


def test_without_correction_the_resampled_test_is_the_paired_one():
    rng = np.random.default_rng(1)
    one, other = rng.normal(0.5, 0.02, (2, 6))
    assert resampled_p(one, other, 0.0) == pytest.approx(stats.ttest_rel(one, other).pvalue)
    assert resampled_p(one, other, 1 / 7) > resampled_p(one, other, 0.0)


def test_the_resampled_test_keeps_its_level_where_the_paired_one_does_not():
    """Differences that share a part, as runs on overlapping rows do: correlation 1/8 each.

    With n = 5 runs and correlation r, the mean's variance is (1/n + (n−1)r/n) s² and the sample
    variance expects (1 − r) s²; the ratio is 1/n + r/(1 − r), and r/(1 − r) = 1/7. In 2,000
    draws, the rate of a level of 5 % stays below 5 % + 4 standard errors = 6.9 %.
    """
    rng = np.random.default_rng(2)
    shared = rng.normal(0, np.sqrt(1 / 8), (2000, 1))
    draws = shared + rng.normal(0, np.sqrt(7 / 8), (2000, 5))
    zero = np.zeros(5)
    corrected = np.mean([resampled_p(row, zero, 1 / 7) < 0.05 for row in draws])
    plain = np.mean([resampled_p(row, zero, 0.0) < 0.05 for row in draws])
    assert corrected < 0.069 < plain


@pytest.mark.parametrize("test_to_train", [None, 1 / 7])
def test_methods_without_spread_are_told_apart_by_any_difference(test_to_train):
    runs = {"A": np.full(5, 0.7), "B": np.full(5, 0.7), "C": np.full(5, 0.69)}
    assert not_told_apart(runs, "A", test_to_train) == {"B"}
