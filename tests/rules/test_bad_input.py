"""What cannot be done is refused in words, and leaves a calibrator as it was."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from lamc import Calibrator, as_labels
from lamc.exceptions import CalibrationError, LabelError, LAMCWarning

from .cases import random_set

SCORES, Y = random_set(60, 3, share=0.5)
Y[0] = True
WITH_NAN = SCORES.copy()
WITH_NAN[4, 1] = np.nan
ONE = np.arange(60) % 3

PARAMETERS = [
    ({"rule": "recal"}, "rule='recal' is none of selective, recall, precision"),
    ({"alpha": 0}, "alpha=0 is not a level; give a number above 0 and below 1"),
    ({"alpha": 1}, "alpha=1 is not a level"),
    ({"alpha": 1.5}, r"alpha=1\.5 is not a level"),
    ({"alpha": -0.1}, r"alpha=-0\.1 is not a level"),
    ({"alpha": np.nan}, "alpha=nan is not a level"),
    ({"alpha": None}, "alpha=None is not a level"),
    ({"alpha": "0.1"}, "alpha='0.1' is not a level"),
    ({"alpha": [0.1, 0.2]}, "alpha holds 2 levels, but there are 3 labels"),
    ({"alpha": [0.1, 0.2, 3]}, "alpha=3 is not a level"),
    ({"delta": 0.0}, r"delta=0\.0 is not a level"),
    ({"delta": 1}, "delta=1 is not a level"),
    ({"delta": [0.1]}, r"delta=\[0\.1\] is not a level"),
    ({"delta": 0.1, "rule": "selective"}, "The selective rule has no use for delta"),
    ({"delta": 0.1, "rule": "three-way"}, "The three-way rule has no use for delta"),
    ({"few_positives": "drop"}, "few_positives='drop' is neither 'abstain' nor 'pool'"),
    ({"per_label": 0}, "per_label=0 is not a count of at least 1"),
    ({"per_label": 2.5}, r"per_label=2\.5 is not a count"),
    ({"per_label": 9, "rule": "precision"}, "The precision rule needs all positives, not a draw"),
    ({"per_label": 9, "rule": "set-recall"}, "The set-recall rule needs all positives"),
]

CALLS = [
    (WITH_NAN, Y, {}, CalibrationError, "scores hold nan at row 4, column 1"),
    (SCORES + 1, Y, {}, CalibrationError, "scores hold 1.* at row 0, column 0"),
    (SCORES[:, :2], Y, {}, ValueError, "(Y has 3|scores have 2) columns, but there are . labels"),
    (SCORES[:, 0], Y, {}, CalibrationError, "scores have 1 dimensions"),
    (SCORES[:50], Y, {}, LabelError, "labels have 60 rows, but the matrix of scores has 50"),
    (SCORES[:0], Y[:0], {}, LabelError, "y is empty: there are no rows"),
    (SCORES, None, {}, LabelError, "y is None"),
    (SCORES, ["elm"] * 60, {}, (CalibrationError, LabelError), "elm|names"),
    (SCORES, Y, {"sample_weight": np.zeros(60)}, CalibrationError, r"sample_weight holds 0\.0 in"),
    (SCORES, Y, {"picked_for": np.zeros(59, int)}, LabelError, "have 59 rows, but Y has 60"),
    (SCORES, Y, {"cardinality": 2}, CalibrationError, "all labels of these rows are known"),
]


def as_it_is(cal):
    return pickle.dumps(vars(cal))


@pytest.fixture
def fitted():
    return Calibrator(alpha=0.2, per_label=12, random_state=0).fit(*random_set(80, 3, seed=1))


@pytest.mark.parametrize(("parameters", "message"), PARAMETERS)
def test_odd_parameters_are_refused_in_fit(parameters, message):
    cal = Calibrator(**parameters)
    before = as_it_is(cal)
    with pytest.raises(CalibrationError, match=message):
        cal.fit(SCORES, Y)
    assert as_it_is(cal) == before


@pytest.mark.parametrize(("parameters", "message"), PARAMETERS)
def test_and_leave_what_was_fitted_before(parameters, message):
    cal = Calibrator(random_state=0).fit(*random_set(80, 3, seed=1))
    cal.set_params(**parameters)
    before = as_it_is(cal)
    with pytest.raises(CalibrationError, match=message):
        cal.fit(SCORES, Y)
    assert as_it_is(cal) == before


@pytest.mark.parametrize(("scores", "labels", "more", "error", "message"), CALLS)
@pytest.mark.parametrize("method", ["fit", "update"])
def test_odd_rows_are_refused_and_leave_all_as_it_was(
    fitted, method, scores, labels, more, error, message
):
    before = as_it_is(fitted)
    with pytest.raises(error, match=message):
        getattr(fitted, method)(scores, labels, **more)
    assert as_it_is(fitted) == before


@pytest.mark.parametrize(("scores", "labels", "more", "error", "message"), CALLS)
def test_a_calibrator_that_could_not_be_fitted_is_not_fitted(scores, labels, more, error, message):
    cal = Calibrator()
    with pytest.raises(error, match=message):
        cal.fit(scores, labels, **more)
    with pytest.raises(NotFittedError):
        cal.accept(SCORES)


@pytest.mark.parametrize("rule", ["recall", "selective", "precision", "three-way", "set-recall"])
def test_rows_without_any_label_cannot_calibrate(rule):
    cal = Calibrator(rule)
    with pytest.raises(CalibrationError, match="None of the 60 calibration rows has a label"):
        cal.fit(SCORES, np.zeros((60, 3), int))
    assert as_it_is(cal) == as_it_is(Calibrator(rule))


def test_a_warning_made_an_error_leaves_all_as_it_was(fitted):
    before = as_it_is(fitted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LAMCWarning):
            fitted.fit(SCORES, ONE)
    assert as_it_is(fitted) == before


@pytest.mark.parametrize(
    "use",
    [
        lambda cal: cal.accept(SCORES),
        lambda cal: cal.decide(SCORES),
        lambda cal: cal.p_values(SCORES),
        lambda cal: cal.select(SCORES, fdr=0.1),
        lambda cal: cal.update(SCORES, Y),
        lambda cal: cal.thresholds_at(0.1),
        lambda cal: cal.summary(),
    ],
)
def test_nothing_can_be_asked_before_fit(use):
    with pytest.raises(NotFittedError, match="This Calibrator instance is not fitted yet"):
        use(Calibrator())


@pytest.mark.parametrize("method", ["accept", "decide", "p_values"])
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (WITH_NAN, "scores hold nan at row 4, column 1"),
        (SCORES[:, :2], "scores have 2 columns, but there are 3 labels"),
        (SCORES[0], "scores have 1 dimensions"),
        (SCORES - 1, "at row 0, column 0"),
    ],
)
def test_odd_new_scores_are_refused(fitted, method, scores, message):
    before = as_it_is(fitted)
    with pytest.raises(CalibrationError, match=message):
        getattr(fitted, method)(scores)
    assert as_it_is(fitted) == before


@pytest.mark.parametrize("alpha", [0, 1, [0.1], "0.1"])
def test_odd_levels_are_refused_later_too(fitted, alpha):
    before = as_it_is(fitted)
    with pytest.raises(CalibrationError, match="alpha"):
        fitted.thresholds_at(alpha)
    assert as_it_is(fitted) == before


def test_batches_that_tell_different_things_cannot_be_put_together(fitted):
    before = as_it_is(fitted)
    with pytest.raises(CalibrationError, match=r"tell 'single' .* before told 'all'"):
        fitted.update(SCORES, as_labels(ONE))
    with pytest.raises(CalibrationError, match="as they were given to fit"):
        fitted.update(SCORES, Y, sample_weight=np.ones(60))
    assert as_it_is(fitted) == before
    single = Calibrator().fit(SCORES, ONE, cardinality=2)
    before = as_it_is(single)
    for other in (None, 3, np.full(60, 2)):
        with pytest.raises(CalibrationError, match="as they were given to fit"):
            single.update(SCORES, ONE, cardinality=other)
    assert as_it_is(single) == before


@pytest.mark.parametrize("rule", ["recall", "selective", "three-way"])
def test_a_rule_without_use_for_a_reference_says_so(rule):
    with pytest.raises(CalibrationError, match=f"The {rule} rule has no use for reference scores"):
        Calibrator(rule).fit(SCORES, Y, reference=SCORES)


@pytest.mark.parametrize("rule", ["precision", "set-recall"])
def test_an_odd_reference_is_refused(rule):
    cal = Calibrator(rule)
    with pytest.raises(CalibrationError, match="reference hold nan at row 4, column 1"):
        cal.fit(SCORES, Y, reference=WITH_NAN)
    with pytest.raises(CalibrationError, match="reference have 2 columns, but there are 3 labels"):
        cal.fit(SCORES, Y, reference=SCORES[:, :2])
    assert as_it_is(cal) == as_it_is(Calibrator(rule))


def test_weights_go_with_no_delta():
    with pytest.raises(CalibrationError, match="cannot weigh rows and hold with a delta"):
        Calibrator(delta=0.1).fit(SCORES, Y, sample_weight=np.ones(60))
