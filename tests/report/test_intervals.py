"""Intervals take rows, not pairs, as independent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc import Calibrator
from lamc.evaluation.intervals import share_of_pairs, wilson
from lamc.report.intervals import effective_pairs
from lamc.report.measures import measure

from .cases import decisions_of, same_rows_by, scored_rows, tallied


def interval_of(c, a):
    """Ends from sums over rows, as the report has them."""
    size = effective_pairs(c.sum(), a.sum(), cc=c @ c, ca=c @ a, aa=a @ a, rows=(a > 0).sum())
    return wilson(np.array([c.sum() / a.sum()]), np.array([size]))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40))
def test_sums_over_rows_give_the_interval_of_the_rows(counts):
    a = np.array([max(pair) for pair in counts])
    c = np.array([min(pair) for pair in counts])
    a[0] = max(a[0], 1)
    low, high = interval_of(c, a)
    expected = share_of_pairs(c, a)
    assert low[0] == pytest.approx(expected.low, abs=1e-6)
    assert high[0] == pytest.approx(expected.high, abs=1e-6)


def test_measures_are_those_of_the_decisions():
    scores, labels = scored_rows(150, seed=8)
    new, truth = scored_rows(80, seed=9)
    calibrator = Calibrator("three-way", alpha=0.1).fit(scores, labels)
    grid, _, counts, moments = tallied(calibrator, new, truth)
    found = measure(grid, counts, moments)
    Y = truth.positives.toarray()
    for r, rule in enumerate(grid.rules):
        for a in (2, 19, 60, 100):
            s = r * len(grid.levels) + a
            decided = decisions_of(
                same_rows_by(calibrator, rule, grid.levels[a], scores, labels), new
            )
            accepted = decided == 1
            right, n_accepted = (accepted & Y).sum(axis=1), accepted.sum(axis=1)
            for share, ends, expected in (
                (found.precision, found.precision_ends, share_of_pairs(right, n_accepted)),
                (found.recall, found.recall_ends, share_of_pairs(right, Y.sum(axis=1))),
            ):
                measured = [share[s], ends[0][s], ends[1][s]]
                wanted = [expected.value, expected.low, expected.high]
                np.testing.assert_allclose(measured, wanted, rtol=1e-6)


def test_the_interval_holds_where_pairs_of_a_row_go_together():
    """2,000 samples of 150 rows; 95 % ± 3 standard errors is 93.5 to 96.5 %.

    An interval that counts pairs as independent misses the truth far more often.
    """
    rng = np.random.default_rng(0)
    mean = 0.85
    held, naive = 0, 0
    for _ in range(2000):
        a = rng.integers(1, 7, size=150)
        c = rng.binomial(a, rng.beta(2 * mean, 2 * (1 - mean), size=150))
        low, high = interval_of(c, a)
        held += low[0] <= mean <= high[0]
        low, high = wilson(np.array([c.sum() / a.sum()]), np.array([a.sum()]))
        naive += low[0] <= mean <= high[0]
    assert 0.935 <= held / 2000 <= 0.965
    assert naive / 2000 < 0.9
