"""What fit, calibrate and the answers do, and what reaches the calibrator."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lamc import LAMC, Calibrator, datasets
from lamc.containers import traces
from lamc.exceptions import CalibrationError, FeatureError, LAMCWarning
from lamc.learners import WAN

from .woods import (
    LINEAR,
    NAMES,
    X_CAL,
    X_NEW,
    Y_CAL,
    Y_NEW,
    Spy,
    Untrained,
    X,
    Y,
    fitted,
    make_data,
    sigmoid_scores,
    y,
)

# -- fit, calibrate, answer ------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "expected"), [(0.2, 80), (0.125, 50), (30, 30)])
def test_fit_alone_holds_out_rows_and_calibrates_on_their_observed_labels(size, expected):
    with pytest.warns(LAMCWarning, match="observed labels only"):
        clf = LAMC(Spy(), calibration_size=size, random_state=0).fit(X, y)
    spy = clf.estimator_
    assert len(spy.scored_) == expected == clf.n_positives_.sum()
    assert not spy.rows_ & spy.scored_
    assert spy.rows_ | spy.scored_ == set(X[:, 0].tolist())


def test_the_most_labels_that_a_row_has_are_told_to_fit_as_to_calibrate():
    observed = datasets.observe(Y_CAL, random_state=0).index()
    with warnings.catch_warnings(action="error"):
        clf = LAMC(LINEAR, alpha=0.3).fit(X, y, X_cal=X_CAL, Y_cal=observed, cardinality=4)
    again = fitted(alpha=0.3).calibrate(X_CAL, observed, cardinality=4)
    np.testing.assert_array_equal(clf.thresholds_, again.thresholds_)
    assert clf.calibrator_.most_labels_ == 4


def test_numbers_of_labels_are_held_out_with_their_rows():
    counts = Y.sum(axis=1)
    with warnings.catch_warnings(action="error"):
        clf = LAMC(Spy(), alpha=0.3, random_state=0).fit(X, y, cardinality=counts)
    held_out = np.isin(X[:, 0], [*clf.estimator_.scored_])
    assert clf.calibrator_.evidence_.weights.sum() == counts[held_out].sum()
    function = LAMC(sigmoid_scores, alpha=0.3).fit(X, y, cardinality=counts)
    expected = Calibrator(alpha=0.3).fit(sigmoid_scores(X), y, cardinality=counts)
    np.testing.assert_array_equal(function.thresholds_, expected.thresholds_)


@pytest.mark.parametrize("given", [{}, {"X_cal": X_CAL, "Y_cal": y}], ids=["held out", "given"])
@pytest.mark.parametrize(
    ("rule", "cardinality", "message"),
    [
        ("recall", 5, "cardinality=5: .* from 1 to 4"),
        ("recall", np.ones(399), r"cardinality has shape \(399,\), but there are 400 rows"),
        ("selective", 2, "a bound on their labels does not tell"),
    ],
)
def test_what_cannot_be_weighed_is_not_trained_for(given, rule, cardinality, message):
    with pytest.raises(CalibrationError, match=message):
        LAMC(Untrained(), rule=rule).fit(X, y, **given, cardinality=cardinality)


def test_with_a_calibration_set_all_rows_are_trained_on():
    clf = fitted(estimator=Spy())
    assert len(clf.estimator_.rows_) == 400
    assert clf.n_positives_.tolist() == Y_CAL.sum(axis=0).tolist()


@pytest.mark.parametrize("rule", ["recall", "selective", "precision", "three-way", "set-recall"])
def test_the_answers_are_those_of_the_calibrator(rule):
    clf = fitted(rule=rule, alpha=0.2, random_state=0)
    scores = clf.predict_proba(X_NEW)
    cal = clf.calibrator_
    np.testing.assert_array_equal(clf.predict(X_NEW), cal.accept(scores))
    np.testing.assert_array_equal(clf.decide(X_NEW), cal.decide(scores))
    np.testing.assert_array_equal(clf.predict_p(X_NEW), cal.p_values(scores))
    np.testing.assert_array_equal(clf.select(X_NEW, fdr=0.2), cal.select(scores, fdr=0.2))
    np.testing.assert_array_equal(clf.thresholds_, cal.thresholds_)
    assert clf.decide(X_NEW).dtype == np.int8


def test_calibrating_again_does_not_train_again():
    clf = fitted(random_state=0)
    before = clf.predict_proba(X_NEW)
    clf.set_params(rule="three-way", alpha=0.2).calibrate(X_NEW, Y_NEW)
    np.testing.assert_array_equal(clf.predict_proba(X_NEW), before)
    expected = Calibrator(rule="three-way", alpha=0.2).fit(before, Y_NEW)
    np.testing.assert_array_equal(clf.thresholds_, expected.thresholds_)


def test_reference_rows_reach_the_rule():
    clf = fitted(rule="precision", alpha=0.3, random_state=0)
    rows = make_data(2000, seed=5)[0]
    clf.calibrate(X_CAL, Y_CAL, X_reference=rows)
    expected = Calibrator(rule="precision", alpha=0.3).fit(
        clf.predict_proba(X_CAL), Y_CAL, reference=clf.predict_proba(rows)
    )
    np.testing.assert_array_equal(clf.thresholds_, expected.thresholds_)


def test_select_needs_all_labels():
    with pytest.warns(LAMCWarning):
        clf = LAMC(LINEAR, random_state=0).fit(X, y)
    with pytest.raises(CalibrationError, match="false labels were not kept"):
        clf.select(X_NEW, fdr=0.1)


def test_frames_carry_names_and_index():
    index = [f"row {i}" for i in range(400)]
    clf = LAMC(LINEAR).fit(
        pd.DataFrame(X), NAMES[y], X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL, columns=NAMES)
    )
    frame = pd.DataFrame(X_NEW, index=index)
    for method in (clf.predict, clf.decide, clf.predict_proba, clf.predict_p):
        answer = method(frame, as_frame=True)
        assert answer.columns.tolist() == NAMES.tolist()
        assert answer.index.tolist() == index
    assert clf.select(frame, fdr=0.2, as_frame=True).shape == (400, 4)


def test_a_column_of_text_is_named():
    frame = pd.DataFrame(X).assign(bark=["rough", "smooth"] * 200)
    with pytest.raises(FeatureError, match=r"Column 'bark' of X holds .*\n.*OneHotEncoder"):
        LAMC(WAN()).fit(frame, y)


def test_sparse_rows():
    dense = fitted(random_state=0)
    clf = LAMC(LINEAR, random_state=0).fit(
        sparse.csr_array(X), y, X_cal=sparse.csr_array(X_CAL), Y_cal=Y_CAL
    )
    np.testing.assert_allclose(clf.thresholds_, dense.thresholds_, rtol=1e-3)


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("form", ["coo", "bsr", "dia", "csc", "lil", "dok"])
def test_sparse_rows_of_every_format_can_be_held_out(form):
    expected = LAMC(LINEAR, random_state=0).fit(sparse.csr_array(X), y)
    found = LAMC(LINEAR, random_state=0).fit(sparse.csr_array(X).asformat(form), y)
    np.testing.assert_allclose(found.thresholds_, expected.thresholds_, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_the_same_seed_gives_the_same_model():
    one, two = (LAMC(LINEAR, random_state=7).fit(X, y) for _ in range(2))
    other = LAMC(LINEAR, random_state=8).fit(X, y)
    assert one.predict_proba(X_NEW).tobytes() == two.predict_proba(X_NEW).tobytes()
    assert one.thresholds_.tobytes() == two.thresholds_.tobytes()
    assert one.thresholds_.tobytes() != other.thresholds_.tobytes()


# -- what reaches the calibrator -------------------------------------------------------------------


@pytest.mark.parametrize("given", ["sample_weight", "picked_for"])
def test_what_is_told_of_calibration_rows_reaches_the_calibrator(given):
    clf = fitted(alpha=0.3)
    scores = clf.predict_proba(X_NEW)
    told = {
        "sample_weight": np.where(X_NEW[:, 0] > 0, 9.0, 1.0),
        "picked_for": Y_NEW.argmax(axis=1),
    }
    more = {given: told[given]}
    expected = Calibrator(alpha=0.3).fit(scores, Y_NEW, **more).thresholds_
    assert (expected != Calibrator(alpha=0.3).fit(scores, Y_NEW).thresholds_).any()
    np.testing.assert_array_equal(clf.calibrate(X_NEW, Y_NEW, **more).thresholds_, expected)
    np.testing.assert_array_equal(clf.calibration_rows_, traces(X_NEW))


@pytest.mark.parametrize(
    "settings",
    [{"per_label": 7}, {"delta": 0.2}, {"few_positives": "pool", "alpha": 0.005}],
    ids=repr,
)
def test_parameters_reach_the_calibrator(settings):
    settings = {"alpha": 0.3, "random_state": 0} | settings
    clf = fitted(**settings)
    expected = Calibrator(**settings).fit(clf.predict_proba(X_CAL), Y_CAL)
    plain = Calibrator(alpha=settings["alpha"]).fit(clf.predict_proba(X_CAL), Y_CAL)
    assert clf.calibrator_.settings_ == expected.settings_ != plain.settings_
    for name in ("reason_", "status_", "n_positives_"):
        np.testing.assert_array_equal(getattr(clf, name), getattr(clf.calibrator_, name))


def test_one_label_at_most_is_no_bound():
    one = X[:, :4].argmax(axis=1)
    clf = LAMC(LINEAR, rule="selective", alpha=0.5, random_state=0).fit(X, one, cardinality=1)
    assert (clf.status_ == "calibrated").all()
