"""The three-way rule: each score is called by counting on which side of it the others lie."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc import Calibrator

from . import twins
from .cases import LEVELS, calibration_sets, few, labelled


@few
@given(calibration_sets(), st.sampled_from(LEVELS))
def test_every_score_is_called_as_the_definition_says(case, alpha):
    scores, Y = case
    cal = Calibrator("three-way", alpha=alpha).fit(scores, labelled(Y))
    level = Fraction(alpha).limit_denominator(100)
    decided, accepted = cal.decide(scores), cal.accept(scores)
    for k in range(Y.shape[1]):
        true, false = (scores[Y[:, k] == y, k].tolist() for y in (1, 0))
        for i, score in enumerate(scores[:, k].tolist()):
            assert decided[i, k] == twins.three_way(true, false, level, score)
    np.testing.assert_array_equal(accepted, decided == 1)


@pytest.mark.parametrize("alpha", twins.LEVELS, ids=str)
def test_both_thresholds_are_exact_for_every_count(alpha):
    """With n true and m false rows at known ranks, the ranks of the thresholds are read off."""
    for n in range(1, 61):
        m = 61 - n
        ranks = np.arange(1, 62) / 100
        Y = np.repeat([1, 0], [n, m])[:, None]
        cal = Calibrator("three-way", alpha=float(alpha)).fit(ranks[:, None], labelled(Y))
        low = twins.recall_rank(n, alpha)
        above = [r for r in range(1, m + 1) if r >= (1 - alpha) * (m + 1)]
        if low == 0 or not above:
            assert cal.status_[0] == "uncalibrated"
            assert cal.thresholds_[0] == np.inf
            assert cal.absence_thresholds_[0] == -np.inf
        else:  # true rows lie below false ones: absent below the low one, present above the high
            assert cal.absence_thresholds_[0] == ranks[low - 1]
            assert cal.thresholds_[0] == np.nextafter(ranks[n + above[0] - 1], 1)


def test_a_score_that_speaks_against_both_is_left_open():
    scores = np.concatenate([np.linspace(0.7, 0.9, 50), np.linspace(0.1, 0.3, 50)])[:, None]
    cal = Calibrator("three-way", alpha=0.1).fit(scores, np.repeat([1, 0], 50)[:, None])
    assert cal.decide([[0.8], [0.5], [0.2]]).ravel().tolist() == [1, -1, 0]


def test_equal_scores_are_left_open():
    scores = np.full((100, 1), 0.5)
    cal = Calibrator("three-way", alpha=0.1).fit(scores, np.repeat([1, 0], 50)[:, None])
    assert cal.status_.tolist() == ["calibrated"]
    assert cal.decide([[0.6], [0.5], [0.4]]).ravel().tolist() == [1, -1, 0]
