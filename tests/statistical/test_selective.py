"""The paper's rule on known truth: it keeps about alpha of the true rows, and promises no more."""

import numpy as np
import pytest
from scipy import stats

from lamc import Calibrator

from .judging import is_uniform, mean_at_least, mean_between, mean_is
from .truth import Binary, Mixture

CALIBRATIONS = 4000
# One row in fifty is true. Of the false rows either none or three in a hundred score high.
QUIET = Binary(0.02, true=Mixture((1.0,)), false=Mixture((0.0,)))
LOUD = Binary(0.02, true=Mixture((1.0,)), false=Mixture((0.0, 3.0), (0.97, 0.03)))


@pytest.mark.parametrize(("n", "alpha", "rank"), [(50, 0.1, 46), (10, 0.5, 6), (99, 0.5, 50)])
def test_it_keeps_about_alpha_of_the_true_rows(n: int, alpha: float, rank: int) -> None:
    """A true row lies above the j-th smallest of n with probability 1 − j/(n + 1)."""
    scores = QUIET.true.draw(np.random.default_rng(1), (n, CALIBRATIONS))
    cal = Calibrator("selective", alpha=alpha).fit(scores, np.ones(scores.shape, dtype=bool))
    recall = QUIET.recall(cal.thresholds_)
    given = stats.beta(n + 1 - rank, rank)
    mean_is(recall, given.mean(), given.var())
    is_uniform(given.cdf(recall))
    mean_between(recall, alpha - 1 / (n + 1), alpha)


def test_ten_positives_a_label_as_in_the_paper() -> None:
    """Alpha = 0.5 of ten: the sixth, which 5 of 11 true rows exceed."""
    truth = Binary(0.3, QUIET.true, QUIET.false)
    cal = Calibrator("selective", alpha=0.5, per_label=10, random_state=0).fit(
        *truth.draw(np.random.default_rng(2), 100, CALIBRATIONS)
    )
    np.testing.assert_array_equal(cal.n_positives_, 10)
    is_uniform(stats.beta(5, 6).cdf(truth.recall(cal.thresholds_)))


@pytest.mark.parametrize(("truth", "low", "high"), [(QUIET, 0.14, 0.18), (LOUD, 0.05, 0.06)])
def test_nine_in_ten_acceptances_may_be_wrong(truth: Binary, low: float, high: float) -> None:
    """At alpha = 0.1 the precision is about .16, and .054 with loud negatives: never looked at."""
    scores = truth.true.draw(np.random.default_rng(3), (50, CALIBRATIONS))
    cal = Calibrator("selective", alpha=0.1).fit(scores, np.ones(scores.shape, dtype=bool))
    mean_between(truth.precision(cal.thresholds_), low, high)


def test_precision_can_be_as_bad_as_one_likes() -> None:
    """True rows that all score lower than most false ones: hardly an acceptance is right."""
    truth = Binary(0.02, true=Mixture((-3.0,)), false=Mixture((3.0,)))
    scores = truth.true.draw(np.random.default_rng(4), (50, CALIBRATIONS))
    cal = Calibrator("selective", alpha=0.1).fit(scores, np.ones(scores.shape, dtype=bool))
    assert truth.precision(cal.thresholds_).max() < 0.02
    mean_at_least(truth.recall(cal.thresholds_), 0.1 - 1 / 51)
