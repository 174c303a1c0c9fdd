"""A label without a threshold says what it lacks: rows of some kind, or a score that tells."""

import numpy as np
import pytest
from scipy import sparse

from lamc import Calibrator
from lamc.rules.precision import fewest_points, most_errors, points_at_start

from .cases import labelled


def one_label(n_true, n_false, *, separated=True):
    """Scores and truth of one label; its true rows score highest, or like the others."""
    rng = np.random.default_rng(0)
    Y = np.arange(n_true + n_false)[:, None] < n_true
    scores = 0.4 * rng.random(Y.shape) + (0.5 * Y if separated else 0)
    return scores, labelled(Y)


def why(rule, scores, Y, **settings):
    cal = Calibrator(rule, **{"alpha": 0.1} | settings).fit(scores, Y)
    assert (cal.status_[0] == "uncalibrated") == (cal.reason_[0] != "")
    return str(cal.reason_[0])


@pytest.mark.parametrize(("alpha", "delta"), [(0.1, 0.1), (0.2, 0.1), (0.1, 0.3), (0.05, 0.5)])
def test_too_few_positives_are_those_with_which_no_scores_could_show_the_precision(alpha, delta):
    fewest = points_at_start(alpha, delta) - 1
    settings = {"alpha": alpha, "delta": delta}
    assert why("precision", *one_label(fewest, 50), **settings) == ""
    assert why("precision", *one_label(fewest - 1, 50), **settings) == "too few positives"


def test_enough_positives_that_score_like_the_others_are_not_certified():
    scores, Y = one_label(200, 200, separated=False)
    cal = Calibrator("precision", alpha=0.1).fit(scores, Y)
    assert cal.reason_.tolist() == ["not certified"]
    assert cal.summary()["promise"][0] == (
        "no threshold could be shown to be precise enough: never accepted"
    )


def test_the_precision_rule_tells_too_few_rows_from_too_few_positives():
    n = points_at_start(0.1, 0.1) - 1
    assert why("precision", *one_label(n, 0)) == "too few rows"
    assert why("precision", *one_label(n - 1, 1)) == "too few positives"


def test_with_reference_scores_fewer_positives_can_do():
    """The walk then starts where the reference says, with as few points as a test can do with."""
    fewest = fewest_points(0.1, 0.1)
    assert most_errors(fewest, 0.1, 0.1)[-2:].tolist() == [-1, 0]
    for n_true, reason in ((fewest, ""), (fewest - 1, "too few positives")):
        scores, Y = one_label(n_true, 60 - n_true)
        reference = np.full((60, 1), 0.45)  # between the false rows and the true
        cal = Calibrator("precision", alpha=0.1).fit(scores, Y, reference=reference)
        assert cal.reason_.tolist() == [reason]


@pytest.mark.parametrize(
    ("n_true", "n_false", "reason"),
    [(8, 100, "too few positives"), (100, 8, "too few negatives"), (8, 8, "too few positives")],
)
def test_the_three_way_rule_says_which_rows_are_too_few(n_true, n_false, reason):
    assert why("three-way", *one_label(n_true, n_false)) == reason
    assert why("three-way", *one_label(9, 9)) == ""


@pytest.mark.parametrize(("delta", "needed"), [(None, 9), (0.1, 22)])
def test_the_recall_rule_needs_positives_only(delta, needed):
    assert why("recall", *one_label(needed - 1, 50), delta=delta) == "too few positives"
    assert why("recall", *one_label(needed, 0), delta=delta) == ""


def test_true_rows_that_sparse_scores_leave_out_score_too_low():
    scores, Y = one_label(40, 10)
    scores[:20] = 0
    assert why("recall", sparse.csr_array(scores), Y) == "scores too low"
    assert why("recall", scores, Y) == ""
    assert why("set-recall", sparse.csr_array(scores), Y) == "scores too low"


def test_a_set_needs_rows():
    assert why("set-recall", *one_label(8, 0)) == "too few rows"
    assert why("set-recall", *one_label(9, 0)) == ""


def test_the_selective_rule_needs_one_positive():
    scores, Y = (np.tile(part, 2) for part in (one_label(5, 5)[0], np.eye(10, dtype=bool)[:, :1]))
    Y[:, 1] = False
    cal = Calibrator("selective", alpha=0.5).fit(scores, labelled(Y))
    assert cal.reason_.tolist() == ["", "no positives"]


def test_a_pooled_label_lacks_nothing():
    rng = np.random.default_rng(0)
    Y = rng.random((1000, 40)) < 0.002
    cal = Calibrator(alpha=0.2, few_positives="pool", random_state=0)
    cal.fit(rng.random(Y.shape), labelled(Y))
    assert (cal.reason_[cal.status_ == "pooled"] == "").all()
    assert (cal.status_ == "pooled").any()


def test_one_heavy_row_is_told_from_too_few_positives():
    scores, Y = one_label(100, 50)
    weights = np.ones(150)
    weights[-1] = 60  # a row without the label
    cal = Calibrator("recall", alpha=0.1).fit(scores, Y, sample_weight=weights)
    assert cal.reason_.tolist() == ["uneven weights"]
    assert "as much as the heaviest" in cal.summary()["promise"][0]
    few = Calibrator("recall", alpha=0.1).fit(*one_label(5, 50), sample_weight=np.arange(1, 56))
    assert few.reason_.tolist() == ["too few positives"]
