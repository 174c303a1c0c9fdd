"""What a calibration row counts for: picks, weights, and how many labels it has."""

from fractions import Fraction

import numpy as np
import pytest

from lamc import Calibrator, as_labels
from lamc.exceptions import CalibrationError, LabelError, LAMCWarning
from lamc.rules.gather import most_labels, row_weights

from .cases import labelled, random_set
from .twins import recall_rank, weighted_threshold

SCORES, Y = random_set(120, 4, share=0.4)
Y[:, 0] |= ~Y.any(axis=1)
ONE = np.asarray([np.random.default_rng(i).choice(np.flatnonzero(row)) for i, row in enumerate(Y)])
SIZES = Y.sum(axis=1)


def test_a_row_counts_for_the_label_it_was_picked_for_only():
    cal = Calibrator(alpha=0.1).fit(SCORES, Y, picked_for=ONE)
    alone = Calibrator(alpha=0.1).fit(SCORES, ONE, cardinality=1)
    assert cal.n_positives_.tolist() == np.bincount(ONE, minlength=4).tolist()
    np.testing.assert_array_equal(cal.thresholds_, alone.thresholds_)


def test_picks_may_be_named():
    names = np.asarray(["ash", "elm", "oak", "yew"])
    cal = Calibrator(alpha=0.1).fit(SCORES, Y, picked_for=names[ONE], classes=names)
    numbered = Calibrator(alpha=0.1).fit(SCORES, Y, picked_for=ONE)
    np.testing.assert_array_equal(cal.thresholds_, numbered.thresholds_)


def test_picks_of_random_rows_may_join_chosen_ones():
    """Both are draws from the rows that have the label."""
    cal = Calibrator(alpha=0.1).fit(SCORES[:60], Y[:60], picked_for=ONE[:60])
    cal.update(SCORES[60:], Y[60:])
    for k in range(4):
        own = np.concatenate([SCORES[:60][ONE[:60] == k, k], SCORES[60:][Y[60:, k], k]])
        assert cal.thresholds_[k] == np.sort(own)[recall_rank(len(own), Fraction(1, 10)) - 1]


@pytest.mark.parametrize(
    ("picked_for", "error", "message"),
    [
        (np.full(120, 3), CalibrationError, "not the label that picked_for says"),
        (ONE[:-1], LabelError, "have 119 rows, but Y has 120"),
        (ONE + 4, LabelError, "not among the 4 known"),
        (Y, LabelError, "picked_for takes one a row"),
    ],
)
def test_odd_picks_are_refused(picked_for, error, message):
    with pytest.raises(error, match=message):
        Calibrator().fit(SCORES, Y, picked_for=picked_for)


@pytest.mark.parametrize("rule", ["precision", "three-way", "set-recall"])
def test_chosen_rows_do_not_tell_how_often_a_label_is_right(rule):
    with pytest.raises(CalibrationError, match=f"The {rule} rule needs rows drawn at random"):
        Calibrator(rule).fit(SCORES, Y, picked_for=ONE)


@pytest.mark.parametrize("rule", ["recall", "selective"])
def test_single_positives_alone_rest_on_an_assumption_that_is_said(rule):
    with pytest.warns(LAMCWarning, match=r"at random .* does not depend on how many"):
        cal = Calibrator(rule, alpha=0.1).fit(SCORES, ONE)
    assert "cardinality=…" in cal.assumption_
    own = Calibrator(rule, alpha=0.1).fit(SCORES, ONE, cardinality=1)
    np.testing.assert_array_equal(cal.thresholds_, own.thresholds_)
    assert own.assumption_ is None


def test_weights_of_rows_do_not_lift_the_assumption():
    with pytest.warns(LAMCWarning, match="how many labels"):
        Calibrator().fit(SCORES, ONE, sample_weight=np.full(120, 2))


def test_with_all_labels_known_there_is_none():
    assert Calibrator().fit(SCORES, Y).assumption_ is None


@pytest.mark.parametrize("rule", ["precision", "three-way", "set-recall"])
def test_the_other_rules_refuse_single_positives_and_say_why(rule):
    match = f"The {rule} rule needs all labels .* 120 rows only one positive .* may still be true"
    with pytest.raises(LabelError, match=match):
        Calibrator(rule).fit(SCORES, ONE)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.25, 0.5])
def test_the_number_of_labels_weighs_a_row(alpha):
    """The largest v with Σ_{S < v} |Y| + M <= alpha (Σ |Y| + M), for M the largest |Y|."""
    cal = Calibrator(alpha=alpha).fit(SCORES, ONE, cardinality=SIZES)
    assert "drawn at random from the row's labels" in cal.assumption_
    assert "cardinality" not in cal.assumption_
    for k in range(4):
        own = k == ONE
        level = Fraction(alpha).limit_denominator(100)
        at = weighted_threshold(SCORES[own, k], SIZES[own].tolist(), level, int(SIZES.max()))
        assert cal.thresholds_[k] == at


@pytest.mark.parametrize("most", [1, 2, 4])
def test_a_bound_on_the_number_of_labels_lowers_the_level(most):
    """alpha / (M (1 − alpha) + alpha), in place of alpha."""
    alpha = Fraction(2, 5)
    cal = Calibrator(alpha=0.4).fit(SCORES, ONE, cardinality=most)
    stricter = alpha / (most * (1 - alpha) + alpha)
    for k in range(4):
        true = np.sort(SCORES[k == ONE, k])
        rank = recall_rank(len(true), stricter)
        assert cal.thresholds_[k] == (true[rank - 1] if rank else -np.inf)


def test_bound_and_weights_go_together():
    weights = 1 + np.arange(120) % 3
    cal = Calibrator(alpha=0.4).fit(SCORES, ONE, cardinality=4, sample_weight=weights)
    stricter = Fraction(2, 5) / (4 * Fraction(3, 5) + Fraction(2, 5))
    for k in range(4):
        own = k == ONE
        at = weighted_threshold(SCORES[own, k], weights[own].tolist(), stricter, 3)
        assert cal.thresholds_[k] == at
    np.testing.assert_array_equal(cal.accept(SCORES), cal.p_values(SCORES) > 0.4)


def test_weights_and_the_number_of_labels_multiply():
    weights = 1 + np.arange(120) % 3
    both = row_weights(as_labels(ONE, classes=range(4)), weights, SIZES)
    assert both.tolist() == (weights * SIZES).tolist()
    assert both.dtype == np.int64


def test_of_several_labels_shown_each_stands_for_its_share():
    some = as_labels([[0, 1], [2], [1]], classes=range(4), knowledge="some")
    assert row_weights(some, None, [4, 2, 1]).tolist() == [2, 2, 1]


@pytest.mark.parametrize("name", ["sample_weight", "cardinality"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones(119), r"has shape \(119,\), but there are 120 rows"),
        (np.ones((120, 1)), r"has shape \(120, 1\)"),
        (np.r_[np.ones(7), 0, np.ones(112)], "holds 0.0 in row 7; it must be above 0"),
        (np.r_[-np.ones(120)], "holds -1.0 in row 0"),
        (np.r_[np.ones(119), np.nan], "holds nan in row 119"),
        (np.r_[np.inf, np.ones(119)], "holds inf in row 0"),
    ],
)
def test_odd_weights_are_refused_by_row(name, values, message):
    with pytest.raises(CalibrationError, match=f"{name} {message}"):
        Calibrator().fit(SCORES, ONE, **{name: values})


def test_fewer_labels_than_observed_cannot_be():
    labels = as_labels([[0, 1], [2]], classes=range(3), knowledge="some")
    with pytest.raises(CalibrationError, match="Row 0 of y has more observed labels than"):
        row_weights(labels, None, [1, 1])


@pytest.mark.parametrize("bound", [0, 5, -1, 2.5, "two"])
def test_an_odd_bound_is_refused(bound):
    with pytest.raises(CalibrationError, match=r"cardinality=.*from 1 to 4"):
        most_labels(bound, as_labels([0, 1], classes=range(4)))


@pytest.mark.parametrize("cardinality", [3, SIZES])
def test_with_all_labels_known_their_number_is_no_news(cardinality):
    with pytest.raises(CalibrationError, match="all labels of these rows are known"):
        Calibrator().fit(SCORES, Y, cardinality=cardinality)


@pytest.mark.parametrize("rule", ["precision", "three-way", "set-recall"])
def test_rules_that_cannot_weigh_rows_say_so(rule):
    with pytest.raises(CalibrationError, match=f"The {rule} rule cannot weigh rows"):
        Calibrator(rule).fit(SCORES, Y, sample_weight=np.ones(120))


def test_each_label_draws_among_its_own_positives():
    cal = Calibrator(alpha=0.1, per_label=10, random_state=0).fit(SCORES, Y)
    assert cal.n_positives_.tolist() == [10] * 4
    drawn = cal.evidence_.drawn(10, seed=0)
    for k in range(4):
        rows = drawn.rows[drawn.positives.labels == k]
        assert len(set(rows)) == 10
        assert Y[rows, k].all()
        np.testing.assert_array_equal(np.sort(SCORES[rows, k]), drawn.positives.of_label(k))
        assert cal.thresholds_[k] == drawn.positives.of_label(k)[0]


def test_a_label_with_fewer_gives_all_it_has():
    few = Y.copy()
    few[:, 3] = False
    few[[5, 50], 3] = True
    cal = Calibrator(per_label=10, random_state=0).fit(SCORES, few)
    assert cal.n_positives_.tolist() == [10, 10, 10, 2]
    assert cal.status_.tolist() == ["calibrated"] * 3 + ["uncalibrated"]


def test_the_same_seed_draws_the_same_and_another_another():
    def thresholds(seed):
        return Calibrator(per_label=10, random_state=seed).fit(SCORES, Y).thresholds_.tolist()

    assert thresholds(1) == thresholds(1)
    assert len({tuple(thresholds(seed)) for seed in range(9)}) > 5


def test_a_draw_takes_every_positive_alike():
    """Of 30 positives each is among the 10 in a third of 900 draws, give or take 5 deviations."""
    scores = np.repeat(np.linspace(0, 1, 30)[:, None], 900, axis=1)
    cal = Calibrator(per_label=10, random_state=0).fit(scores, np.ones((30, 900), int))
    taken = np.bincount(cal.evidence_.drawn(10, seed=0).rows)
    assert taken.sum() == 9000
    assert abs(taken - 300).max() < 5 * np.sqrt(900 * 2 / 9)


@pytest.mark.parametrize("per_label", [None, 5])
def test_a_new_row_may_weigh_as_much_as_one_without_the_label(per_label):
    """Thresholds, p-values, files and updates go by the heaviest row, drawn or not."""
    rng = np.random.default_rng(0)
    scores, Y = rng.random((80, 1)), np.arange(80)[:, None] < 40
    weights = np.where(np.arange(80) == 79, 4.0, 1.0)
    cal = Calibrator(alpha=0.5, per_label=per_label, random_state=0)
    cal.fit(scores, labelled(Y), sample_weight=weights)
    n = 40 if per_label is None else per_label
    lowest = cal.p_values(np.zeros((1, 1)))[0, 0]
    assert lowest == 4 / (n + 4)
    without = Calibrator(alpha=0.5, per_label=per_label, random_state=0)
    without.fit(scores[:79], labelled(Y[:79]), sample_weight=weights[:79])
    assert without.p_values(np.zeros((1, 1)))[0, 0] == 1 / (n + 1)
    without.update(scores[79:], labelled(Y[79:]), sample_weight=weights[79:])
    assert without.p_values(np.zeros((1, 1)))[0, 0] == lowest
    np.testing.assert_array_equal(without.thresholds_, cal.thresholds_)
