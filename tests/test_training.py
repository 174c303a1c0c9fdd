"""Training from labelled rows: which rows train, which calibrate, and settings as text."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lamc import LAMC, as_labels
from lamc.exceptions import CalibrationError, LabelError, LAMCWarning, SettingError
from lamc.labels import Knowledge, Labels
from lamc.learners import WAN
from lamc.tables.features import Inputs, learner_of
from lamc.tables.labelled import LabelledRows
from lamc.training import fit_rows, learner_named, set_verbose


def labelled(n, knowledge, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    Y = X.to_numpy() + 0.3 * rng.normal(size=(n, 3)) > 0.4
    if knowledge is Knowledge.SINGLE:
        Y = np.eye(3, dtype=bool)[X.to_numpy().argmax(axis=1)]
    labels = Labels(sparse.csr_array(Y), np.array(["x", "y", "z"]), knowledge)
    return LabelledRows(X, labels, Inputs(("a", "b", "c"), 3))


def quick(**given):
    learner = learner_named("wan", ["epochs=2", "hidden=8"], seed=0)
    return LAMC(learner, random_state=0, **given)


def test_where_all_labels_are_known_the_held_out_rows_tell_all():
    rows = labelled(300, Knowledge.ALL)
    unlabelled = int((rows.labels.cardinality == 0).sum())
    fitted = fit_rows(quick(rule="three-way", alpha=0.2), rows)
    assert fitted.n_calibrated == 60
    assert fitted.model.calibrator_.knowledge_ is Knowledge.ALL
    assert unlabelled > 0
    assert 240 - unlabelled <= fitted.n_trained < 240
    left_out = 240 - fitted.n_trained
    assert fitted.notes[0] == f"Left out of training: {left_out} rows without a label."


def test_one_observed_label_a_row_calibrates_as_such():
    with pytest.warns(UserWarning, match="observed labels only"):
        fitted = fit_rows(quick(), labelled(300, Knowledge.SINGLE))
    assert fitted.model.calibrator_.knowledge_ is Knowledge.SINGLE
    assert (fitted.n_trained, fitted.n_calibrated) == (240, 60)


def test_a_bound_on_the_number_of_labels_leaves_one_assumption():
    fitted = fit_rows(quick(alpha=0.3), labelled(300, Knowledge.SINGLE), most_labels=2)
    assert "drawn at random" in fitted.model.calibrator_.assumption_
    assert "how many" not in fitted.model.calibrator_.assumption_
    assert fitted.model.calibrator_.most_labels_ == 2


@pytest.mark.parametrize(
    ("rule", "knowledge", "most", "message"),
    [
        ("selective", Knowledge.SINGLE, 2, "a bound on their labels does not tell"),
        ("recall", Knowledge.ALL, 2, "cardinality tells how many labels a row has besides"),
        ("recall", Knowledge.SINGLE, 4, "cardinality=4: .* from 1 to 3"),
    ],
)
def test_a_bound_that_cannot_be_used_is_refused_before_training(
    rule, knowledge, most, message, monkeypatch
):
    monkeypatch.setattr(WAN, "fit", lambda *args, **given: pytest.fail("It was trained."))
    with pytest.raises(CalibrationError, match=message):
        fit_rows(quick(rule=rule), labelled(300, knowledge), most_labels=most)


def test_a_bound_silences_no_other_warning():
    train, calibration = labelled(200, Knowledge.SINGLE), labelled(100, Knowledge.SINGLE)
    with pytest.warns(LAMCWarning, match="the same features as a row") as told:
        fit_rows(quick(), train, calibration, most_labels=2)
    assert len(told) == 1


@pytest.mark.parametrize("knowledge", [Knowledge.SINGLE, Knowledge.ALL])
def test_the_rows_held_out_are_those_that_the_model_holds_out_itself(knowledge):
    rows = labelled(300, knowledge)
    rows = rows[np.flatnonzero(rows.labels.cardinality)]
    by_rows = fit_rows(quick(alpha=0.3), rows, most_labels=1 if knowledge == "single" else None)
    alone = quick(alpha=0.3).fit(rows.X, as_labels(rows.labels, knowledge="some"), cardinality=3)
    np.testing.assert_array_equal(by_rows.model.calibration_rows_, alone.calibration_rows_)
    np.testing.assert_array_equal(by_rows.model.training_rows_, alone.training_rows_)
    assert by_rows.model.calibrator_.knowledge_ is knowledge


def test_copies_of_a_row_are_held_out_together():
    once = labelled(100, Knowledge.SINGLE)
    rows = once[np.tile(np.arange(100), 3)]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*the same features as a row")
        warnings.filterwarnings("ignore", "Calibrated on observed labels")
        warnings.filterwarnings("ignore", ".*are copies")
        fitted = fit_rows(quick(alpha=0.3), rows)
    assert fitted.n_trained + fitted.n_calibrated == 300
    assert fitted.n_calibrated % 3 == 0


@pytest.mark.parametrize("knowledge", [Knowledge.SINGLE, Knowledge.ALL])
def test_rows_of_zeros_that_are_held_out_are_no_mistake_of_the_user(knowledge):
    rows = labelled(1000, knowledge)
    rows.X.iloc[:40] = 0.0
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*the same features as a row|.*are copies")
        warnings.filterwarnings("ignore", ".*observed labels only")
        fitted = fit_rows(quick(alpha=0.3), rows)
    model = fitted.model
    assert np.isin(model.calibration_rows_, model.training_rows_).any()


def test_a_rule_that_needs_all_labels_refuses_before_training():
    with pytest.raises(LabelError, match="The precision rule needs all labels"):
        fit_rows(quick(rule="precision"), labelled(300, Knowledge.SINGLE))


def test_other_rows_to_calibrate_on():
    train, calibration = labelled(200, Knowledge.SINGLE), labelled(100, Knowledge.ALL, seed=1)
    fitted = fit_rows(quick(), train, calibration)
    assert (fitted.n_trained, fitted.n_calibrated) == (200, 100)
    assert fitted.model.calibrator_.n_rows_ == 100


def test_the_same_seed_gives_the_same_model():
    scores = [
        fit_rows(quick(), labelled(200, Knowledge.ALL)).model.predict_proba(
            labelled(50, Knowledge.ALL, seed=2).X
        )
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("size", [0.0, 1.0, 1.5, 300, -1])
def test_sizes_that_leave_nothing(size):
    with pytest.raises(CalibrationError, match="calibration_size="):
        fit_rows(quick(calibration_size=size), labelled(300, Knowledge.ALL))


def test_no_labels_at_all():
    rows = labelled(50, Knowledge.ALL)
    none = Labels(sparse.csr_array((50, 3), dtype=bool), rows.labels.classes, Knowledge.ALL)
    with pytest.raises(LabelError, match="nothing to learn"):
        fit_rows(quick(), LabelledRows(rows.X, none, rows.inputs))


def test_progress_is_shown_while_training_and_forgotten_after():
    clf = quick()
    set_verbose(clf, True)
    assert clf.estimator.verbose
    model = fit_rows(clf, labelled(100, Knowledge.ALL)).model
    set_verbose(model, False)
    assert not learner_of(model.estimator_).verbose
    assert not learner_of(model.estimator).verbose


def test_settings_as_text():
    learner = learner_named("WAN", ["hidden=labels", "patience=None", "learning_rate=1e-3"], seed=4)
    assert (learner.hidden, learner.patience, learner.learning_rate) == ("labels", None, 1e-3)
    assert learner.random_state == 4
    assert learner_named("wan", ["random_state=9"], seed=4).random_state == 9


@pytest.mark.parametrize(
    ("method", "settings", "message"),
    [
        ("wam", [], "Did you mean 'wan'"),
        ("wan", ["epoch=3"], "Did you mean 'epochs'"),
        ("wan", ["epochs"], "has no value"),
    ],
)
def test_what_there_is_not(method, settings, message):
    with pytest.raises(SettingError, match=message):
        learner_named(method, settings, seed=0)
