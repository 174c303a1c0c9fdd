"""The recall rule: exact ranks, and the threshold that the definition names."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc import Calibrator
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores
from lamc.rules.recall import pac_recall_rank, recall_rank

from . import twins
from .cases import LEVELS, calibration_sets, few, labelled

COUNTS = range(61)
POSITIVES, _ = SortedScores.of(*twins.smallest_first(COUNTS), n_labels=61)


@pytest.mark.parametrize("alpha", twins.LEVELS, ids=str)
def test_ranks_are_exact_for_every_count(alpha):
    ranks = recall_rank(POSITIVES, Levels.of(float(alpha), n_labels=61))
    assert ranks.tolist() == [twins.recall_rank(n, alpha) for n in COUNTS]


@pytest.mark.parametrize("alpha", twins.LEVELS, ids=str)
def test_ranks_with_delta_are_exact_for_every_count(alpha):
    """The largest j such that fewer than j of n lie below the quantile with chance <= delta."""
    cdfs = [twins.binomial_cdfs(n, alpha) for n in COUNTS]
    for delta in (Fraction(1, 20), Fraction(1, 10), Fraction(1, 2)):
        ranks = pac_recall_rank(POSITIVES, Levels.of(float(alpha), n_labels=61), float(delta))
        exact = [max(j for j in range(n + 1) if j == 0 or cdfs[n][j - 1] <= delta) for n in COUNTS]
        assert ranks.tolist() == exact


@pytest.mark.parametrize(
    ("alpha", "fewest", "fewest_with_delta"),
    [(0.2, 4, 11), (0.1, 9, 22), (0.05, 19, 45), (0.01, 99, 230)],
)
def test_the_fewest_positives_that_a_level_needs(alpha, fewest, fewest_with_delta):
    for delta, n in ((None, fewest), (0.1, fewest_with_delta)):
        scores = np.linspace(0.1, 0.9, n)[:, None]
        cal = Calibrator(alpha=alpha, delta=delta)
        assert cal.fit(scores, np.ones((n, 1), int)).thresholds_ == scores[0]
        assert cal.fit(scores[1:], np.ones((n - 1, 1), int)).thresholds_ == -np.inf


@few
@given(calibration_sets(), st.sampled_from(LEVELS))
def test_thresholds_are_those_of_sorted_lists(case, alpha):
    scores, Y = case
    cal = Calibrator(alpha=alpha).fit(scores, labelled(Y))
    for k in range(Y.shape[1]):
        true = sorted(scores[Y[:, k], k])
        rank = twins.recall_rank(len(true), Fraction(alpha).limit_denominator(100))
        assert cal.thresholds_[k] == (true[rank - 1] if rank else -np.inf)
    assert cal.thresholds_.dtype == scores.dtype
    np.testing.assert_array_equal(cal.accept(scores), scores >= cal.thresholds_)


@few
@given(calibration_sets(), st.sampled_from(LEVELS), st.data())
def test_weighted_thresholds_are_those_of_the_definition(case, alpha, data):
    scores, Y = case
    weight = st.one_of(st.integers(1, 5), st.sampled_from([0.1, 0.7, 3.3]))
    weights = np.asarray(data.draw(st.lists(weight, min_size=len(Y), max_size=len(Y))))
    cal = Calibrator(alpha=alpha).fit(scores, labelled(Y), sample_weight=weights)
    heaviest = weights.max()
    for k in range(Y.shape[1]):
        own = Y[:, k]
        level = Fraction(alpha).limit_denominator(100)
        at = twins.weighted_threshold(
            scores[own, k].tolist(), weights[own].tolist(), level, heaviest
        )
        assert cal.thresholds_[k] == at


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_when_all_scores_are_equal_all_are_accepted(value):
    scores = np.full((20, 2), value)
    cal = Calibrator(alpha=0.1).fit(scores, np.ones((20, 2), int))
    assert cal.status_.tolist() == ["calibrated"] * 2
    assert cal.accept(scores).all()
    assert (cal.decide(scores) == 1).all()


def test_saturated_scores_are_accepted_from_one_on():
    scores = np.repeat([0.0, 1.0], [1, 19])[:, None]
    cal = Calibrator(alpha=0.1).fit(scores, np.ones((20, 1), int))
    assert cal.thresholds_ == 1
    assert cal.decide([[1.0], [np.nextafter(1, 0)], [0.0]]).ravel().tolist() == [1, 0, 0]
