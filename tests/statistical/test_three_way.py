"""The three-way rule on known truth: misses among true rows, false alarms among false ones."""

import numpy as np
import pytest

from lamc import Calibrator

from .judging import mean_at_most, mean_is
from .truth import Binary, Mixture

CALIBRATIONS = 4000


def label(separation: float) -> Binary:
    return Binary(0.3, true=Mixture((separation / 2,)), false=Mixture((-separation / 2,)))


@pytest.mark.parametrize("separation", [0.0, 1.0, 2.5, 4.0, 8.0])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.25])
def test_both_error_rates_stay_below_alpha(separation: float, alpha: float) -> None:
    truth = label(separation)
    cal = Calibrator("three-way", alpha=alpha).fit(
        *truth.draw(np.random.default_rng(1), 200, CALIBRATIONS)
    )
    mean_at_most(1 - truth.recall(cal.absence_thresholds_), alpha)
    mean_at_most(truth.false_alarm(cal.thresholds_), alpha)


def test_where_the_classes_overlap_both_rates_are_what_the_ranks_say() -> None:
    """Each rate is then that of its own quantile: j/(n + 1) for the j-th of n, as for recall."""
    truth = label(1.0)
    scores, Y = truth.draw(np.random.default_rng(2), 200, CALIBRATIONS)
    cal = Calibrator("three-way", alpha=0.1).fit(scores, Y)
    assert np.all(cal.absence_thresholds_ < cal.thresholds_)
    n, m = Y.sum(axis=0), (~Y).sum(axis=0)
    mean_is(1 - truth.recall(cal.absence_thresholds_), (n + 1) // 10 / (n + 1))
    mean_is(truth.false_alarm(cal.thresholds_), (m + 1) // 10 / (m + 1))


def test_with_ten_positives_a_label_one_true_row_in_eleven_is_missed() -> None:
    truth = label(1.0)
    cal = Calibrator("three-way", alpha=0.1, per_label=10, random_state=0).fit(
        *truth.draw(np.random.default_rng(3), 200, CALIBRATIONS)
    )
    mean_is(1 - truth.recall(cal.absence_thresholds_), 1 / 11)
    mean_at_most(truth.false_alarm(cal.thresholds_), 0.1)


def test_with_too_few_of_either_nothing_is_decided() -> None:
    truth = label(4.0)
    scores, Y = truth.draw(np.random.default_rng(4), 30, CALIBRATIONS)
    cal = Calibrator("three-way", alpha=0.1).fit(scores, Y)
    few = np.minimum(Y.sum(axis=0), (~Y).sum(axis=0)) < 9
    assert 0.3 < few.mean() < 0.7
    assert np.all(cal.decide(scores)[:, few] == -1)
    # Those with enough are a choice by the counts alone, so their rates hold as well.
    mean_at_most(1 - truth.recall(cal.absence_thresholds_[~few]), 0.1)
    mean_at_most(truth.false_alarm(cal.thresholds_[~few]), 0.1)
