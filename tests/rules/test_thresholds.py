"""Scores meet thresholds in the shorter of their types, and on the safe side of rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc import Calibrator, as_labels
from lamc.exceptions import CalibrationError
from lamc.rules.thresholds import REASONS, STATUSES, Thresholds, in_one_type

from .cases import RULE_NAMES, few, labelled, random_set

units = st.floats(0, 1)
close = st.builds(lambda x, ulps: min(1.0, x + ulps * 2.0**-52), units, st.integers(-40, 40))
near = st.one_of(units, close.filter(lambda x: x >= 0))


@few
@given(near, near)
def test_what_reached_a_threshold_still_does_when_both_are_rounded(score, at):
    rounded, threshold = in_one_type(np.float32([score]), np.array([at]))
    assert rounded.dtype == threshold.dtype == np.float32
    assert rounded >= threshold or score < at


@few
@given(near, near)
def test_with_caution_what_did_not_reach_it_still_does_not(score, at):
    rounded, threshold = in_one_type(np.float32([score]), np.array([at]), cautious=True)
    assert rounded.dtype == threshold.dtype == np.float32
    assert rounded < threshold or score >= at


@pytest.mark.parametrize("cautious", [False, True])
def test_what_never_is_reached_and_what_always_is_stay_so(cautious):
    scores = np.float32([0, 1])
    at = np.array([np.inf, -np.inf])
    assert not (scores >= in_one_type(scores, at[:1], cautious=cautious)[1]).any()
    assert (scores >= in_one_type(scores, at[1:], cautious=cautious)[1]).all()


def test_longer_scores_are_rounded_to_the_type_of_the_thresholds():
    scores, at = in_one_type(np.array([1 - 1e-9]), np.float32([1]))
    assert scores.dtype == np.float32
    assert scores >= at


@pytest.mark.parametrize("rule", [rule for rule in RULE_NAMES if rule != "three-way"])
@pytest.mark.parametrize("ties", [1, 2, None])
def test_the_type_of_the_scores_does_not_matter_where_it_holds_them(rule, ties):
    """Scores that are float32 numbers get the same answers in either type."""
    scores, Y = random_set(300, 4, ties=ties, dtype=np.float32)
    cal = Calibrator(rule, alpha=0.3, random_state=0)
    answers = []
    for fitted in (np.float32, np.float64):
        cal.fit(scores.astype(fitted), labelled(Y))
        assert cal.thresholds_.dtype == fitted
        answers += [cal.accept(scores.astype(new)) for new in (np.float32, np.float64)]
        answers += [cal.decide(scores.astype(new)) == 1 for new in (np.float32, np.float64)]
    assert answers[0].any()
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0], other)


@pytest.mark.parametrize("ties", [1, 2, None])
def test_the_three_way_rule_only_ever_leaves_more_open(ties):
    """In the shorter type, a score at the threshold may stand for one below it."""
    scores, Y = random_set(300, 4, ties=ties, dtype=np.float32)
    cal = Calibrator("three-way", alpha=0.3).fit(scores, labelled(Y))
    short = cal.decide(scores)
    np.testing.assert_array_equal(cal.decide(scores.astype(np.float64)), short)
    cal.fit(scores.astype(np.float64), labelled(Y))
    np.testing.assert_array_equal(cal.decide(scores.astype(np.float64)), short)
    mixed = cal.decide(scores)
    assert (mixed == 1).any()
    assert ((mixed == short) | (mixed == -1)).all()


def test_recall_is_kept_when_new_scores_are_finer():
    """Most true scores are 1 in float32, but only nearly so in float64."""
    fine = 1 - np.random.default_rng(0).random((200, 1)) * 1e-9
    cal = Calibrator(alpha=0.1).fit(fine.astype(np.float32), np.ones((200, 1), int))
    assert cal.thresholds_ == 1
    assert cal.accept(fine).all()
    assert (cal.p_values(fine) == 1).all()


def test_recall_is_kept_when_new_scores_are_coarser():
    fine = 1 - np.random.default_rng(0).random((200, 1)) * 1e-9
    cal = Calibrator(alpha=0.1).fit(fine, np.ones((200, 1), int))
    assert cal.accept(fine).mean() > 0.9
    assert cal.accept(fine.astype(np.float32)).all()


@pytest.mark.parametrize("rule", ["precision", "three-way"])
def test_false_rows_stay_out_when_new_scores_are_coarser(rule):
    """In float64 the true rows lie above the false ones; in float32 all are equal."""
    scores = np.repeat([0.5 + 1e-12, 0.5], 100)[:, None]
    Y = np.repeat([1, 0], 100)[:, None]
    cal = Calibrator(rule, alpha=0.1).fit(scores, Y)
    np.testing.assert_array_equal(cal.accept(scores), Y == 1)
    assert not cal.accept(scores.astype(np.float32)).any()


def test_selection_counts_equal_scores_as_equal_in_either_type():
    scores = np.repeat([0.5 + 1e-12, 0.5], 100)[:, None]
    cal = Calibrator(keep_negatives=True).fit(scores, np.repeat([1, 0], 100)[:, None])
    assert cal.select(scores[:9], fdr=0.2).all()
    assert not cal.select(scores[:9].astype(np.float32), fdr=0.2).any()


def test_scores_in_half_precision_reach_thresholds_that_are_rounded_like_them():
    """Saturated scores have few values in half precision, and most lie below where they were."""
    rng = np.random.default_rng(0)
    true, new = (1 / (1 + np.exp(-rng.normal(8.2, 0.4, (n, 1)))) for n in (2000, 20_000))
    Y = np.r_[np.ones((2000, 1)), np.zeros((2000, 1))]
    scores = np.r_[true, 0.9 * true].astype(np.float32)
    cal = Calibrator("three-way", alpha=0.1).fit(scores, as_labels(Y, knowledge="all"))
    sharp, half = new.astype(np.float32), new.astype(np.float16)
    assert (cal.accept(half) <= cal.accept(sharp)).all()  # no false alarm more
    assert ((cal.decide(half) == 0) <= (cal.decide(sharp) == 0)).all()  # and no miss
    recall = Calibrator("recall", alpha=0.1).fit(scores, as_labels(Y, knowledge="all"))
    assert (recall.accept(half) >= recall.accept(sharp)).all()
    assert recall.accept(sharp).mean() > 0.85
    np.testing.assert_array_equal(recall.accept(half), recall.p_values(half) > 0.1)
    assert cal.select(half, fdr=0.1).mean() >= cal.select(sharp, fdr=0.1).mean() - 0.01
    with pytest.raises(CalibrationError, match=r"hold 2\.0 at row 0, column 0"):
        recall.accept(np.full((1, 1), 2, np.float16))


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_calibrated_in_half_precision_sharper_scores_are_rounded_like_the_calibration_rows(rule):
    """Else a true row falls below a threshold that rounding lifted, and a false one passes it."""
    rng = np.random.default_rng(0)

    def draw(n):
        Y = rng.random((n, 2)) < 0.5
        return 1 / (1 + np.exp(-(np.where(Y, 6.0, 4.5) + 0.3 * rng.standard_normal((n, 2))))), Y

    (scores, Y), (new, _), (other, _) = draw(2000), draw(5000), draw(500)
    reference = other.astype(np.float32) if rule == "set-recall" else None
    cal = Calibrator(rule, alpha=0.2, keep_negatives=True)
    cal.fit(scores.astype(np.float16), labelled(Y), reference=reference)
    for sharp in (new, new.astype(np.float32)):
        alike = sharp.astype(np.float16)
        assert 0 < cal.accept(alike).mean() < 1
        np.testing.assert_array_equal(cal.accept(sharp), cal.accept(alike))
        np.testing.assert_array_equal(cal.decide(sharp), cal.decide(alike))
        np.testing.assert_array_equal(cal.p_values(sharp), cal.p_values(alike))
        np.testing.assert_array_equal(cal.select(sharp, fdr=0.2), cal.select(alike, fdr=0.2))
    if rule == "recall":
        np.testing.assert_array_equal(cal.accept(new), cal.p_values(new) > 0.2)
    assert "0.9" in cal.summary().to_string()  # numpy warns where pandas prints half precision


def test_equal_scores_of_two_types_are_equal_in_the_reference_too():
    one, tenths = np.ones((50, 1), dtype=int), np.full((50, 1), 0.1)
    for types in ((np.float32, np.float64), (np.float64, np.float32), (np.float16, np.float64)):
        cal = Calibrator("set-recall", alpha=0.6)
        cal.fit(tenths.astype(types[0]), one, reference=tenths.astype(types[1]))
        assert cal.accept(tenths.astype(types[0])).all()
        assert cal.accept(tenths.astype(types[1])).all()


def test_no_status_and_no_reason_is_cut_off():
    at = np.zeros(len(REASONS))
    found = Thresholds.of(at, at, np.array(REASONS) == "", np.array(REASONS, dtype=object))
    assert found.reason.tolist() == [*REASONS]
    assert found.status.tolist() == ["calibrated", *["uncalibrated"] * (len(REASONS) - 1)]
    assert found.reason.dtype == np.array(REASONS).dtype
    assert found.status.dtype == np.array(STATUSES).dtype
