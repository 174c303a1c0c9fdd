"""LAMC wraps any scorer."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from torch import nn

from lamc import LAMC, Calibrator, as_labels, datasets
from lamc.exceptions import CalibrationError, LabelError, LAMCWarning, ScorerError
from lamc.learners import WAN, Blend

from .woods import LINEAR, NAMES, X_CAL, X_NEW, Y_CAL, Y_NEW, X, Y, sigmoid_scores, y


def test_validation_rows_reach_the_learner():
    clf = LAMC(Blend(effort="fast"), random_state=0)
    clf.fit(X, y, X_CAL, Y_CAL, X_val=X_NEW[:200], Y_val=Y_NEW[:200])
    alone = Blend(effort="fast", random_state=clf.estimator_.random_state)
    alone.fit(X, as_labels(y), X_NEW[:200], Y_NEW[:200])
    np.testing.assert_array_equal(clf.predict_proba(X_NEW), alone.predict_proba(X_NEW))
    assert len(np.unique(clf.estimator_.factors_)) == 4


def test_validation_rows_pass_through_the_steps_in_front():
    learner = WAN(epochs=2, hidden=4, learning_rate=1e-2, standardise=False)
    clf = LAMC(make_pipeline(StandardScaler(), learner), random_state=0)
    clf.fit(1000 * X, y, 1000 * X_CAL, Y_CAL, X_val=1000 * X_NEW, Y_val=Y_NEW)
    scale = StandardScaler().fit(X)
    alone = clone(learner).set_params(random_state=clf.estimator_[-1].random_state)
    alone.fit(scale.transform(X), as_labels(y), scale.transform(X_NEW), Y_NEW)
    np.testing.assert_allclose(
        clf.predict_proba(1000 * X_NEW), alone.predict_proba(scale.transform(X_NEW)), atol=1e-5
    )


def test_validation_rows_that_cannot_be_used_are_refused():
    with pytest.raises(ScorerError, match="LogisticRegression takes no validation rows"):
        LAMC(LINEAR).fit(X, y, X_CAL, Y_CAL, X_val=X_NEW, Y_val=Y_NEW)
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        LAMC(WAN()).fit(X, y, X_CAL, Y_CAL, X_val=X_NEW)
    for ready in (
        FrozenEstimator(clone(LINEAR).fit(X, y)),
        lambda rows: np.full((len(rows), 4), 0.5),
    ):
        with pytest.raises(ScorerError, match="nothing is trained here"):
            LAMC(ready).fit(X_CAL, Y_CAL, X_val=X_NEW, Y_val=Y_NEW)
    brief = LAMC(WAN(epochs=1, hidden=4, learning_rate=1e-2))
    with pytest.warns(LAMCWarning, match="trained on or chosen by"):
        brief.fit(X, y, X_CAL, Y_CAL, X_val=X_CAL, Y_val=Y_CAL)


def test_a_seed_reaches_estimators_that_have_none():
    forest = RandomForestClassifier(n_estimators=5)
    one, same = (LAMC(forest, random_state=0).fit(X, y, X_CAL, Y_CAL) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X_NEW), same.predict_proba(X_NEW))
    set_by_user = LAMC(clone(forest).set_params(random_state=3), random_state=0)
    assert set_by_user.fit(X, y, X_CAL, Y_CAL).estimator_.random_state == 3
    assert forest.random_state is None


def test_by_default_it_trains_networks_and_trees():
    clf = LAMC(random_state=0).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    again = LAMC(random_state=0).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    assert isinstance(clf.estimator_, Blend)
    assert clf.predict_proba(X_NEW).tobytes() == again.predict_proba(X_NEW).tobytes()
    assert clf.score(X_NEW, Y_NEW) > 0.85


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        HistGradientBoostingClassifier(max_iter=20),
        RandomForestClassifier(n_estimators=20, random_state=0),
        LinearSVC(),
        MultiOutputClassifier(LogisticRegression()),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_it_wraps_any_classifier(estimator):
    clf = LAMC(estimator).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL, columns=NAMES))
    assert clf.classes_.tolist() == NAMES.tolist()
    scores = clf.predict_proba(X_NEW)
    assert ((scores >= 0) & (scores <= 1)).all()
    for label in range(4):  # a true label scores higher than a false one
        assert scores[Y_NEW[:, label], label].mean() > scores[~Y_NEW[:, label], label].mean()


def test_it_wraps_text_pipelines():
    texts = ["green leaf and bark", "red berry", "bark of an oak", "berry and leaf"] * 30
    names = ["leaf", "berry", "bark", "leaf"] * 30
    clf = LAMC(make_pipeline(TfidfVectorizer(), LogisticRegression()), random_state=0)
    with (
        pytest.warns(LAMCWarning, match="observed labels only"),
        pytest.warns(LAMCWarning, match="the same features as a row that .* was trained on"),
    ):
        clf.fit(texts, names)
    assert clf.decide(["a leaf"], as_frame=True).shape == (1, 3)


def test_a_torch_module_is_not_taken_for_a_function():
    with pytest.raises(ScorerError, match=r"LAMC\(lamc\.learners\.Network\(module\)\)"):
        LAMC(nn.Linear(X.shape[1], 4)).fit(X, y)


def test_the_name_of_a_rule_in_the_place_of_the_estimator_is_told():
    with pytest.raises(ScorerError, match=r"(?s)The estimator is 'recall'.*LAMC\(rule='recall'\)"):
        LAMC("recall").fit(X, y)


def test_rows_of_zeros_that_are_held_out_are_no_mistake_of_the_user():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(1000, 4)), rng.integers(3, size=1000)
    rows[:40] = 0
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*the same features as a row|.*are copies")
        warnings.filterwarnings("ignore", ".*observed labels only")
        LAMC(LogisticRegression(), random_state=0).fit(rows, labels)


def test_a_frozen_estimator_is_not_trained_and_all_rows_calibrate():
    inner = LogisticRegression().fit(X, y)
    with pytest.warns(LAMCWarning, match="observed labels only"):
        clf = LAMC(FrozenEstimator(inner)).fit(
            X_CAL, datasets.observe(Y_CAL, random_state=0).index()
        )
    assert clf.n_positives_.sum() == len(X_CAL)
    np.testing.assert_array_equal(clf.predict_proba(X_NEW), inner.predict_proba(X_NEW))


def test_a_frozen_estimator_keeps_labels_that_calibration_does_not_show():
    inner = LogisticRegression().fit(X, NAMES[y])
    shown = NAMES[:3]
    rows = Y_CAL[:, :3].any(axis=1)
    with pytest.warns(LAMCWarning):
        clf = LAMC(FrozenEstimator(inner)).fit(X_CAL[rows], shown[Y_CAL[rows, :3].argmax(axis=1)])
    assert clf.classes_.tolist() == NAMES.tolist()
    assert clf.status_[3] == "uncalibrated"
    assert (clf.decide(X_NEW)[:, 3] == -1).all()


def test_it_wraps_a_plain_function():
    clf = LAMC(sigmoid_scores).fit(X_CAL, as_labels(Y_CAL))
    expected = Calibrator().fit(sigmoid_scores(X_CAL), Y_CAL)
    np.testing.assert_array_equal(clf.thresholds_, expected.thresholds_)
    np.testing.assert_array_equal(clf.predict_proba(X_NEW), sigmoid_scores(X_NEW))


@pytest.mark.parametrize("rule", ["recall", "precision", "three-way"])
@pytest.mark.parametrize(
    "scorer",
    [sigmoid_scores, FrozenEstimator(LogisticRegression().fit(X, y))],
    ids=["function", "frozen"],
)
def test_what_is_not_trained_is_calibrated_on_y_as_by_calibrate(scorer, rule):
    """Rows without any label count as they do there: of them all labels are known to be false."""
    Y_some = Y_CAL & (np.arange(400) % 4 > 0)[:, None]
    clf = LAMC(scorer, rule=rule, random_state=0).fit(X_CAL, Y_some)
    again = LAMC(scorer, rule=rule, random_state=0).fit(X_CAL, Y_CAL).calibrate(X_CAL, Y_some)
    np.testing.assert_array_equal(clf.thresholds_, again.thresholds_)
    assert clf.n_positives_.tolist() == Y_some.sum(axis=0).tolist()


def test_what_is_not_trained_needs_no_label_in_rows_that_are_not_calibrated_on():
    nowhere = np.zeros_like(Y)
    clf = LAMC(sigmoid_scores).fit(X, nowhere, X_cal=X_CAL, Y_cal=Y_CAL)
    expected = Calibrator().fit(sigmoid_scores(X_CAL), Y_CAL)
    np.testing.assert_array_equal(clf.thresholds_, expected.thresholds_)
    with pytest.raises(CalibrationError, match="None of the 400 calibration rows has a label"):
        LAMC(sigmoid_scores).fit(X, nowhere)


def test_what_is_not_trained_asks_what_one_label_in_every_row_means():
    one_each = np.eye(4, dtype=bool)[y]
    with pytest.raises(LabelError, match="exactly one label"):
        LAMC(sigmoid_scores).fit(X, one_each)
    with pytest.warns(LAMCWarning, match="observed labels only"):
        LAMC(sigmoid_scores).fit(X, as_labels(one_each, knowledge="single"))


def test_what_is_trained_needs_a_label_in_every_row():
    with pytest.raises(LabelError, match="Row 7 of y has no observed label"):
        LAMC(LINEAR).fit(X, Y & (np.arange(400) != 7)[:, None], X_cal=X_CAL, Y_cal=Y_CAL)


def test_several_positives_a_row_go_to_estimators_that_take_them():
    clf = LAMC(KNeighborsClassifier()).fit(X, Y, X_cal=X_CAL, Y_cal=Y_CAL)
    assert clf.predict_proba(X_NEW).shape == (400, 4)
    with pytest.raises(LabelError, match=r"learns one class a row.*\n.*MultiOutputClassifier"):
        LAMC(LogisticRegression()).fit(X, Y, X_cal=X_CAL, Y_cal=Y_CAL)


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (LinearRegression(), "neither predict_proba nor decision_function"),
        (lambda X: X[:, 0], "shape"),
        (lambda X: X[:, :3], "3"),
    ],
)
def test_what_gives_no_scores_is_refused(scorer, message):
    with pytest.raises((ScorerError, LabelError, CalibrationError), match=message):
        LAMC(scorer).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)


def test_scores_outside_the_unit_interval_are_refused():
    with pytest.raises(CalibrationError, match=r"scores hold .* at row 0"):
        LAMC(lambda X: X[:, :4] - 10).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
