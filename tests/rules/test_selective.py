"""The paper's rule: the rank it means, strictly above it, and nothing where nothing is known."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc import Calibrator
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores
from lamc.rules.selective import selective_rank

from . import twins
from .cases import LEVELS, calibration_sets, few, labelled

COUNTS = range(61)
POSITIVES, _ = SortedScores.of(*twins.smallest_first(COUNTS), n_labels=61)


@pytest.mark.parametrize("alpha", twins.LEVELS, ids=str)
def test_ranks_are_exact_for_every_count(alpha):
    ranks = selective_rank(POSITIVES, Levels.of(float(alpha), n_labels=61))
    assert ranks.tolist() == [twins.selective_rank(n, alpha) for n in COUNTS]


def test_alpha_plays_a_part():
    """The formula as typeset would give the highest score whatever alpha is."""
    scores = np.linspace(0, 1, 10)[:, None]
    at = [
        Calibrator("selective", alpha=a).fit(scores, np.ones((10, 1), int)).thresholds_[0]
        for a in (0.1, 0.5, 0.9)
    ]
    assert at == [scores[9], scores[5], scores[1]]


@few
@given(calibration_sets(), st.sampled_from(LEVELS))
def test_thresholds_are_those_of_sorted_lists(case, alpha):
    scores, Y = case
    cal = Calibrator("selective", alpha=alpha).fit(scores, labelled(Y))
    for k in range(Y.shape[1]):
        true = sorted(scores[Y[:, k], k])
        rank = twins.selective_rank(len(true), Fraction(alpha).limit_denominator(100))
        assert cal.thresholds_[k] == (true[rank - 1] if rank else np.inf)
    accepted = scores > cal.thresholds_
    np.testing.assert_array_equal(cal.accept(scores), accepted)
    np.testing.assert_array_equal(cal.decide(scores), np.where(accepted, 1, -1))


@few
@given(calibration_sets(), st.sampled_from(LEVELS), st.data())
def test_weighted_thresholds_are_those_of_the_definition(case, alpha, data):
    scores, Y = case
    weight = st.one_of(st.integers(1, 5), st.sampled_from([0.1, 0.7, 3.3]))
    weights = np.asarray(data.draw(st.lists(weight, min_size=len(Y), max_size=len(Y))))
    cal = Calibrator("selective", alpha=alpha).fit(scores, labelled(Y), sample_weight=weights)
    heaviest = weights.max()
    for k in range(Y.shape[1]):
        own = Y[:, k]
        level = Fraction(alpha).limit_denominator(100)
        at = twins.weighted_selective_threshold(
            scores[own, k].tolist(), weights[own].tolist(), level, heaviest
        )
        assert cal.thresholds_[k] == at


def test_equal_weights_are_no_weights():
    scores = np.linspace(0, 1, 39)[:, None]
    Y = np.ones((39, 1), int)
    for alpha in twins.LEVELS:
        cal = Calibrator("selective", alpha=alpha)
        plain = cal.fit(scores, Y).thresholds_
        assert cal.fit(scores, Y, sample_weight=np.full(39, 0.1)).thresholds_ == plain


def test_equal_scores_are_not_above_themselves():
    scores = np.full((20, 1), 0.5)
    cal = Calibrator("selective", alpha=0.5).fit(scores, np.ones((20, 1), int))
    assert not cal.accept(scores).any()
    assert cal.accept(np.nextafter(scores, 1)).all()
