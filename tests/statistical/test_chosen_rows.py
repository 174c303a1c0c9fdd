"""Calibration rows that are no random sample: ten a label, rows chosen for a label, weights."""

import numpy as np
import pytest
from scipy import stats

from lamc import Calibrator, as_labels

from .judging import is_uniform, mean_at_least, mean_between, mean_is, rate_at_most
from .truth import Binary, Mixture, each_row_one_label, scores_around

FITS, LABELS = 25, 100  # 2,500 calibrations
LABEL = Binary(0.3, true=Mixture((1.0,)), false=Mixture((-1.0,)))
# Three in ten true rows have a partner label as well, which moves the score of this one.
WITH_PARTNER = 0.3


@pytest.mark.parametrize("n", [100, 300])
def test_ten_a_label_are_as_good_as_ten_rows_that_have_it(n: int) -> None:
    scores, Y = LABEL.draw(np.random.default_rng(1), n, FITS * LABELS)
    cal = Calibrator("recall", alpha=0.1, per_label=10, random_state=0).fit(scores, Y)
    np.testing.assert_array_equal(cal.n_positives_, 10)
    recall = LABEL.recall(cal.thresholds_)
    mean_is(recall, 10 / 11, stats.beta(10, 1).var())
    is_uniform(stats.beta(10, 1).cdf(recall))


def test_ten_a_label_stay_a_random_sample_when_more_rows_come() -> None:
    rng = np.random.default_rng(2)
    cal = Calibrator("recall", alpha=0.1, per_label=10, random_state=0)
    cal.fit(*LABEL.draw(rng, 60, FITS * LABELS)).update(*LABEL.draw(rng, 90, FITS * LABELS))
    is_uniform(stats.beta(10, 1).cdf(LABEL.recall(cal.thresholds_)[cal.n_positives_ == 10]))


def picked_thresholds(rng: np.random.Generator, shift: float, *, told: bool) -> np.ndarray:
    """Calibrate labels by ten rows chosen for each, and thirty for its partner that have it too.

    Label 2r is calibrated; 2r + 1 is its partner. The scores of the partners play no part.
    """
    has_partner = np.vstack(
        [rng.random((10, LABELS)) < WITH_PARTNER, np.ones((30, LABELS), dtype=bool)]
    )
    own, column = each_row_one_label(scores_around(shift * has_partner, rng))
    scores = np.repeat(own, 2, axis=1)
    Y = np.zeros(scores.shape, dtype=bool)
    row = np.arange(len(Y))
    Y[row, 2 * column] = True
    Y[row, 2 * column + 1] = has_partner.ravel()
    for_partner = row >= 10 * LABELS
    picked_for = 2 * column + for_partner if told else None
    cal = Calibrator("recall", alpha=0.1).fit(scores, Y, picked_for=picked_for)
    return cal.thresholds_[::2]


@pytest.mark.parametrize(("shift", "untold"), [(1.0, 0.790), (-1.0, 0.955)])
def test_rows_chosen_for_a_partner_bias_the_recall_unless_told(shift: float, untold: float) -> None:
    """A partner that raises the score: recall .79 instead of .91; one that lowers it: .955."""
    truth = Binary(1.0, Mixture((0.0, shift), (1 - WITH_PARTNER, WITH_PARTNER)), Mixture((0.0,)))
    rngs = np.random.default_rng(3).spawn(FITS)
    thresholds = np.concatenate([picked_thresholds(rng, shift, told=True) for rng in rngs])
    mean_is(truth.recall(thresholds), 10 / 11, stats.beta(10, 1).var())
    is_uniform(stats.beta(10, 1).cdf(truth.recall(thresholds)))
    naive = np.concatenate([picked_thresholds(rng, shift, told=False) for rng in rngs])
    assert truth.recall(naive).mean() == pytest.approx(untold, abs=0.01)


@pytest.mark.parametrize("n", [60, 150])
@pytest.mark.parametrize("rarely_hard", [True, False])
def test_weights_undo_a_choice_of_rows(n: int, rarely_hard: bool) -> None:
    """One true row in four is hard, and hard rows were chosen four times less, or more, often.

    A new true row is missed with probability alpha at most, and alpha − M/W at least, where M is
    the largest weight and W the sum of all with that of the new row; here M/W <= 4/(n + 1).
    """
    truth = Binary(1.0, Mixture((-1.0, 1.0), (0.25, 0.75)), Mixture((0.0,)))
    odds = 0.25 / 4 if rarely_hard else 0.25 * 4
    hard_among_chosen = odds / (odds + 0.75)
    weighted, plain = [], []
    for rng in np.random.default_rng(4).spawn(FITS):
        hard = rng.random((n, LABELS)) < hard_among_chosen
        scores, column = each_row_one_label(scores_around(np.where(hard, -1.0, 1.0), rng))
        Y = as_labels(np.eye(LABELS, dtype=bool)[column], knowledge="all")
        weights = np.where(hard.ravel(), 4.0, 1.0) if rarely_hard else 1 / (1 + 3.0 * hard.ravel())
        cal = Calibrator("recall", alpha=0.1).fit(scores, Y, sample_weight=weights)
        weighted.append(truth.recall(cal.thresholds_))
        plain.append(truth.recall(Calibrator("recall", alpha=0.1).fit(scores, Y).thresholds_))
    mean_between(np.concatenate(weighted), 0.9, 0.9 + 4 / (n + 1))
    if rarely_hard:
        assert np.mean(plain) < 0.85
    else:
        mean_at_least(np.concatenate(plain), 0.95)


def test_weights_that_are_all_the_same_change_nothing() -> None:
    scores, column = each_row_one_label(LABEL.true.draw(np.random.default_rng(5), (30, LABELS)))
    Y = as_labels(np.eye(LABELS, dtype=bool)[column], knowledge="all")
    plain = Calibrator("recall", alpha=0.1).fit(scores, Y)
    equal = Calibrator("recall", alpha=0.1).fit(scores, Y, sample_weight=np.full(len(scores), 3))
    np.testing.assert_array_equal(plain.thresholds_, equal.thresholds_)


@pytest.mark.parametrize(
    ("n", "kept", "per_label"), [(100, 0.1, None), (2000, 0.1, 10), (800, 0.5, None)]
)
def test_weights_hold_though_heavy_rows_may_be_missing(
    n: int, kept: float, per_label: int | None
) -> None:
    """Half of the rows score low and enter with a chance of ``kept``, with 1 / kept as weight.

    A label with few positives, or few drawn, may have none of the heavy rows among them.
    """
    low, high = (np.array([0.0, 0.4]), np.array([0.6, 1.0]))
    recall, p = [], []
    for seed in range(500):
        rng = np.random.default_rng([11, seed])
        heavy = rng.random(20 * n) < 0.5
        heavy = heavy[rng.random(20 * n) < np.where(heavy, kept, 1)][:n]
        y = rng.random(n) < 0.1
        scores = np.where(heavy, rng.uniform(*low, n), rng.uniform(*high, n))
        cal = Calibrator("recall", alpha=0.1, per_label=per_label, random_state=seed)
        cal.fit(scores[:, None], y[:, None], sample_weight=np.where(heavy, 1 / kept, 1))
        at = cal.thresholds_[0]
        recall.append(sum(0.5 * np.clip((b - at) / (b - a), 0, 1) for a, b in (low, high)))
        new = rng.uniform(*(low if rng.random() < 0.5 else high))
        p.append(cal.p_values([[new]])[0, 0])
    mean_at_least(recall, 0.9)
    rate_at_most(np.asarray(p) <= 0.1, 0.1)
