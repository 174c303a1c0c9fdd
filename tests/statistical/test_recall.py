"""The recall rule on known truth: the share of a label's true rows that its threshold accepts.

Given a calibration set with n positives, that share is known to follow Beta(n + 1 − j, j) for the
rank j of the threshold, whatever the scores are. Mean, spread and tails are tested against it.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, stats

from lamc import Calibrator

from .judging import (
    FALSE_ALARM,
    is_uniform,
    mean_at_least,
    mean_between,
    mean_is,
    rate_at_most,
    rate_is,
)
from .truth import Binary, Mixture

CALIBRATIONS = 4000
LABEL = Binary(0.4, true=Mixture((1.0,)), false=Mixture((-1.0,)))
TWO_HUMPS = Binary(0.2, true=Mixture((-2.0, 2.0), (0.3, 0.7)), false=Mixture((0.0,)))


def all_true(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    scores = LABEL.true.draw(np.random.default_rng(seed), (n, CALIBRATIONS))
    return scores, np.ones(scores.shape, dtype=bool)


@pytest.mark.parametrize("label", [LABEL, TWO_HUMPS])
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 3)])
def test_the_recall_follows_its_beta_distribution(label: Binary, alpha: Fraction) -> None:
    scores, Y = label.draw(np.random.default_rng(1), 150, CALIBRATIONS)
    cal = Calibrator("recall", alpha=float(alpha)).fit(scores, Y)
    n = cal.n_positives_
    rank = np.array([int(alpha * (count + 1)) for count in n.tolist()])
    np.testing.assert_array_equal(cal.status_ == "calibrated", rank > 0)
    n, rank, recall = n[rank > 0], rank[rank > 0], label.recall(cal.thresholds_)[rank > 0]
    given = stats.beta(n + 1 - rank, rank)
    mean_is(recall, given.mean(), given.var())
    mean_between(recall, 1 - float(alpha), 1 - float(alpha) + float(np.mean(1 / (n + 1))))
    is_uniform(given.cdf(recall))


@pytest.mark.parametrize(("n", "one_in_ten_is_below"), [(10, 0.794), (50, 0.846), (200, 0.873)])
def test_on_average_is_not_for_each_calibration_set(n: int, one_in_ten_is_below: float) -> None:
    """The known figures: with ten positives, one calibration in ten has a recall below .794."""
    cal = Calibrator("recall", alpha=0.1).fit(*all_true(n, seed=2))
    recall = LABEL.recall(cal.thresholds_)
    rank = (n + 1) // 10
    exact = stats.beta(n + 1 - rank, rank).cdf(one_in_ten_is_below)
    assert exact == pytest.approx(0.1, abs=0.003)
    rate_is(recall < one_in_ten_is_below, exact)


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [50, 130, 400])
def test_with_delta_the_recall_holds_for_all_but_delta_of_the_sets(n: int, delta: float) -> None:
    cal = Calibrator("recall", alpha=0.1, delta=delta).fit(*all_true(n, seed=3))
    too_low = LABEL.recall(cal.thresholds_) < 0.9
    rate_at_most(too_low, delta)
    # The recall is below 1 − alpha exactly when fewer than j positives fall into the lowest alpha
    # of their distribution; j is the largest rank for which that is rare enough.
    rank = max(j for j in range(1, n + 1) if stats.binom.cdf(j - 1, n, 0.1) <= delta)
    rate_is(too_low, stats.binom.cdf(rank - 1, n, 0.1))


def test_without_delta_the_recall_is_too_low_about_half_the_time() -> None:
    cal = Calibrator("recall", alpha=0.1).fit(*all_true(200, seed=4))
    too_low = LABEL.recall(cal.thresholds_) < 0.9
    rate_is(too_low, stats.binom.cdf(20 - 1, 200, 0.1))
    assert too_low.mean() > 0.4


@pytest.mark.parametrize(("n", "calibrated"), [(21, False), (22, True)])
def test_delta_needs_22_positives_at_ten_percent(n: int, calibrated: bool) -> None:
    cal = Calibrator("recall", alpha=0.1, delta=0.1).fit(*all_true(n, seed=5))
    assert np.all((cal.status_ == "calibrated") == calibrated)
    rate_is(LABEL.recall(cal.thresholds_) < 0.9, 0.9**22 if calibrated else 0)


def test_each_label_has_its_own_level() -> None:
    alpha = np.tile([0.05, 0.1, 0.2, 0.5], CALIBRATIONS // 4)
    cal = Calibrator("recall", alpha=alpha).fit(*all_true(79, seed=6))
    recall = LABEL.recall(cal.thresholds_)
    for level in (0.05, 0.1, 0.2, 0.5):
        rank = round(level * 80)
        given = stats.beta(80 - rank, rank)
        mean_is(recall[alpha == level], 1 - level, given.var())
        is_uniform(given.cdf(recall[alpha == level]))


def test_ties_never_cost_recall() -> None:
    """Scores in steps of a tenth: a step is reached exactly when the score before rounding is."""
    scores, Y = all_true(60, seed=7)
    cal = Calibrator("recall", alpha=0.1).fit(np.floor(10 * scores) / 10, Y)
    mean_at_least(LABEL.recall(cal.thresholds_), 0.9)


def test_single_precision_scores_keep_the_recall() -> None:
    scores, Y = all_true(60, seed=8)
    cal = Calibrator("recall", alpha=0.1).fit(scores.astype(np.float32), Y)
    recall = LABEL.recall(cal.thresholds_.astype(np.float64))
    mean_is(recall, 1 - 6 / 61, stats.beta(55, 6).var())


def test_the_p_value_of_a_true_row_takes_every_rank_alike() -> None:
    n = 19
    cal = Calibrator("recall", alpha=0.1).fit(*all_true(n, seed=9))
    new = LABEL.true.draw(np.random.default_rng(10), (1, CALIBRATIONS))
    ranks = np.rint(cal.p_values(new) * (n + 1)).astype(int)
    counts = np.bincount(ranks.ravel(), minlength=n + 2)[1:]
    assert stats.chisquare(counts).pvalue > FALSE_ALARM
    assert counts.sum() == CALIBRATIONS


@pytest.mark.parametrize("candidates", [0.95, 0.89])
@pytest.mark.parametrize("delta", [None, 0.1])
def test_labels_that_sparse_scores_leave_open_count_as_kept(
    candidates: float, delta: float | None
) -> None:
    """A true row is a candidate with some chance; if that is .89, no threshold has recall .9.

    Those calibrated are so by luck in part. What holds is that few are both calibrated and wrong.
    """
    rng = np.random.default_rng(12)
    scores, Y = all_true(30, seed=12)
    scores = np.where(rng.random(scores.shape) < candidates, scores, 0)
    cal = Calibrator("recall", alpha=0.1, delta=delta).fit(sparse.csr_array(scores), Y)
    calibrated = cal.status_ == "calibrated"
    recall = candidates * LABEL.recall(cal.thresholds_)
    if delta is None:
        mean_at_least(np.where(calibrated, recall, 1), 0.9)
        assert recall[calibrated].mean() < 0.9
        assert cal.promise_.endswith(
            "those counted as kept that leave labels open for want of candidates"
        )
    else:
        rate_at_most(calibrated & (recall < 0.9), delta)
        assert "counted as kept" not in cal.promise_
