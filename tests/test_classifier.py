"""LAMC wraps any scorer, keeps scikit-learn's contract, and adds nothing to the two it joins."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from lamc import LAMC, Calibrator, as_labels, datasets, load
from lamc.containers import traces
from lamc.exceptions import (
    CalibrationError,
    FeatureError,
    LabelError,
    LAMCWarning,
    ScorerError,
    SettingError,
)
from lamc.learners import WAN, Blend

NAMES = np.array(["ash", "elm", "fir", "oak"])


def make_data(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    Y = X[:, :4] + 0.5 * rng.normal(size=(n, 4)) > 0.3
    Y[np.arange(n), X[:, :4].argmax(axis=1)] = True
    return X, Y


X, Y = make_data()
X_CAL, Y_CAL = make_data(seed=1)
X_NEW, Y_NEW = make_data(seed=2)
y = datasets.observe(Y, random_state=0).index()


LINEAR = LogisticRegression(max_iter=1000)


def fitted(estimator=LINEAR, **parameters) -> LAMC:
    return LAMC(estimator, **parameters).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)


# -- scikit-learn's contract ---------------------------------------------------------------------

A_COLUMN_A_LABEL = "predict gives a column for each label, not one class a row"
EXPECTED_FAILURES = {
    "check_classifiers_train": A_COLUMN_A_LABEL,
    "check_estimator_sparse_array": A_COLUMN_A_LABEL,
    "check_estimator_sparse_matrix": A_COLUMN_A_LABEL,
    "check_supervised_y_2d": "a column of y is the 0/1 column of one label, not a class a row",
}


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@parametrize_with_checks(
    [LAMC(LINEAR, random_state=0), LAMC(LINEAR, rule="selective", alpha=0.5, random_state=0)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_clone_and_parameters():
    clf = LAMC(LogisticRegression(C=2), rule="three-way", alpha=0.2)
    copy = clone(clf)
    assert copy.get_params()["estimator__C"] == 2
    assert copy.set_params(estimator__C=3, alpha=0.3).alpha == 0.3
    assert clf.estimator.C == 2


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_cross_validation_and_grid_search():
    scores = cross_val_score(LAMC(LINEAR, random_state=0), X, y, cv=3)
    assert scores.min() > 0.6
    grid = GridSearchCV(
        LAMC(LogisticRegression(), random_state=0),
        {"estimator__C": [1e-4, 1.0], "alpha": [0.1, 0.3]},
        cv=3,
    ).fit(X, y)
    assert grid.best_params_["estimator__C"] == 1.0
    assert grid.predict(X_NEW).shape == (400, 4)


def test_the_score_is_the_average_precision_or_the_reciprocal_rank_of_the_observed_label():
    clf = fitted()
    scores = clf.predict_proba(X_NEW)
    from lamc.metrics import average_precision

    assert clf.score(X_NEW, Y_NEW) == average_precision(Y_NEW, scores)
    observed = datasets.observe(Y_NEW, random_state=0).index()
    rank = (scores >= scores[np.arange(400), observed][:, None]).sum(axis=1)
    assert clf.score(X_NEW, observed) == pytest.approx((1 / rank).mean())


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_it_stands_in_a_pipeline_behind_a_transformer():
    pipeline = make_pipeline(StandardScaler(), LAMC(LINEAR, random_state=0)).fit(X, y)
    assert pipeline.predict(X_NEW).shape == (400, 4)


def test_the_calibration_set_is_routed_through_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        clf = LAMC(LINEAR, random_state=0).set_fit_request(X_cal=True, Y_cal=True)
        pipeline = make_pipeline(StandardScaler(), clf, transform_input=["X_cal"])
        pipeline.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    scaler = StandardScaler().fit(X)
    direct = LAMC(LINEAR, random_state=0).fit(
        scaler.transform(X), y, X_cal=scaler.transform(X_CAL), Y_cal=Y_CAL
    )
    np.testing.assert_array_equal(pipeline[-1].thresholds_, direct.thresholds_)


def test_arguments_of_the_estimator_are_routed_to_it():
    weights = np.where(y == 0, 1e-3, 1.0)
    plain = fitted()
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression(max_iter=1000).set_fit_request(sample_weight=True)
        clf = LAMC(inner).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL, sample_weight=weights)
    assert clf.predict_proba(X_NEW)[:, 0].mean() < 0.5 * plain.predict_proba(X_NEW)[:, 0].mean()


def test_labels_that_a_fold_never_met_rank_last_and_draw_a_warning():
    rare = NAMES[y].astype("U4")
    rare[:3] = ["yew", "may", "box"]
    with pytest.warns(LAMCWarning) as told:
        scores = cross_val_score(LAMC(LINEAR, random_state=0), X, rare, cv=3)
    assert scores.min() > 0.6
    assert any("labels that training never met: " in str(each.message) for each in told)


# -- any scorer ----------------------------------------------------------------------------------


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


def sigmoid_scores(X: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-X[:, :4]))


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


# -- fit, calibrate, answer ----------------------------------------------------------------------


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers which rows it was shown, by their first feature."""

    def fit(self, X, y):
        self.rows_ = set(X[:, 0].tolist())
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        self.scored_ = set(X[:, 0].tolist())
        return np.full((len(X), len(self.classes_)), 0.5)


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


# -- which labels there are ----------------------------------------------------------------------


def test_labels_never_seen_in_training_come_from_the_calibration_set():
    seen = y != 3
    clf = LAMC(LINEAR).fit(X[seen], y[seen], X_cal=X_CAL, Y_cal=Y_CAL)
    assert clf.classes_.tolist() == [0, 1, 2, 3]
    assert (clf.predict_proba(X_NEW)[:, 3] == 0).all()


def test_columns_without_names_are_the_labels_in_the_order_that_was_given():
    names = NAMES[[2, 0, 3, 1]]
    given = as_labels(NAMES[y], classes=names)
    clf = LAMC(LINEAR).fit(X, given, X_cal=X_CAL, Y_cal=Y_CAL[:, [2, 0, 3, 1]])
    named = LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL, columns=NAMES))
    np.testing.assert_array_equal(clf.classes_, names)
    np.testing.assert_array_equal(clf.thresholds_, named.thresholds_[[2, 0, 3, 1]])


@pytest.mark.parametrize(
    "fit",
    [
        lambda: LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=Y_CAL),
        lambda: LAMC(LINEAR).fit(X, 10 * y, X_cal=X_CAL, Y_cal=Y_CAL),
        lambda: LAMC(sigmoid_scores).fit(X, NAMES[y]),
        lambda: LAMC(sigmoid_scores).fit(X, y + 1),
        lambda: LAMC(FrozenEstimator(LogisticRegression().fit(X, y))).fit(X_CAL, NAMES[y]),
        lambda: LAMC(FrozenEstimator(KNeighborsClassifier().fit(X, Y))).fit(X_CAL, NAMES[y]),
    ],
    ids=["cal", "numbers", "function", "from 1", "frozen", "frozen, of several outputs"],
)
def test_columns_without_names_beside_names_in_no_order_are_refused(fit):
    with pytest.raises(LabelError, match=r"4 columns without names .* which is not said"):
        fit()


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_a_model_that_knows_names_only_sorted_takes_no_matrix_without_names(tmp_path):
    sorted_only = LAMC(LINEAR, random_state=0).fit(X, NAMES[y])
    sorted_only.save(tmp_path / "m.lamc")
    for clf in (sorted_only, load(tmp_path / "m.lamc")):
        for use in (clf.calibrate, clf.score):
            with pytest.raises(LabelError, match=r"4 columns without names .* which is not said"):
                use(X_CAL, Y_CAL)
    named = pd.DataFrame(Y_CAL, columns=NAMES)
    in_order = LAMC(LINEAR, random_state=0).fit(X, as_labels(NAMES[y], classes=NAMES))
    assert in_order.score(X_CAL, Y_CAL) == sorted_only.score(X_CAL, named)
    np.testing.assert_array_equal(
        in_order.calibrate(X_CAL, Y_CAL).thresholds_,
        sorted_only.calibrate(X_CAL, named).thresholds_,
    )


def test_an_estimator_that_learnt_a_matrix_knows_columns_and_not_names():
    """Its classes_ are 0, 1, 2, 3, which here are also names of labels, in another order."""
    order = [2, 0, 3, 1]
    several = pd.DataFrame(Y[:, order], columns=order)
    clf = LAMC(MLPClassifier((8,), solver="lbfgs", max_iter=2000, alpha=1, random_state=0)).fit(
        X, several, X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL[:, order], columns=order)
    )
    scores = clf.predict_proba(X_NEW)
    for column, label in enumerate(clf.classes_):
        of_label = Y_NEW[:, label]
        assert scores[of_label, column].mean() > scores[~of_label, column].mean() + 0.2


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_the_classes_of_a_frozen_estimator_are_its_labels():
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    clf = LAMC(frozen).fit(X_CAL, np.where(y == 0, 4, y))  # 4 is a label that it never saw
    np.testing.assert_array_equal(clf.classes_, np.arange(5))
    np.testing.assert_array_equal(clf.predict_proba(X_NEW)[:, :4], frozen.predict_proba(X_NEW))
    assert (clf.predict_proba(X_NEW)[:, 4] == 0).all()


def test_columns_of_a_frame_are_matched_by_name():
    turned = pd.DataFrame(Y_CAL[:, ::-1], columns=NAMES[::-1])
    clf = LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=turned)
    straight = LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL, columns=NAMES))
    by_name = dict(zip(clf.classes_, clf.thresholds_, strict=True))
    assert [by_name[name] for name in straight.classes_] == straight.thresholds_.tolist()


def test_numbers_and_names_that_do_not_match_are_refused():
    with pytest.raises(LabelError, match=r"8 columns without names in another"):
        LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=np.c_[Y_CAL, Y_CAL])


# -- what goes wrong -----------------------------------------------------------------------------


def test_calibration_rows_that_were_trained_on_draw_a_warning():
    with pytest.warns(LAMCWarning, match="Rows 0, 1, 2 and 7 more of the calibration set have"):
        LAMC(LINEAR).fit(X, y, X_cal=np.r_[X[:10], X_CAL], Y_cal=np.r_[Y[:10], Y_CAL])
    clf = fitted()
    with pytest.warns(LAMCWarning, match="Row 0 of the calibration set has the same features"):
        clf.calibrate(np.r_[X[5:6], X_CAL], np.r_[Y[5:6], Y_CAL])


def test_rows_with_equal_features_are_held_out_together():
    """A thing may stand in the table once for each of its labels."""
    with pytest.warns(LAMCWarning, match="observed labels only") as told:
        clf = LAMC(LINEAR, random_state=0).fit(
            np.tile(X, (3, 1)), (np.tile(y, 3) + np.repeat([0, 1, 2], len(y))) % 4
        )
    assert len(told) == 1
    assert len(clf.calibration_rows_) == 240
    assert not np.isin(clf.calibration_rows_, clf.training_rows_).any()


def test_where_features_take_few_values_rows_held_out_may_equal_others_and_draw_a_warning():
    coarse = np.sign(X[:, :4])  # sixteen different rows
    with (
        pytest.warns(LAMCWarning, match="more of the calibration set have the same features"),
        pytest.warns(LAMCWarning, match="observed labels only"),
    ):
        LAMC(LINEAR, random_state=0).fit(coarse, y)


def test_labels_that_are_nearly_called_alike_draw_a_warning():
    lists = [list(NAMES[row]) for row in Y_CAL]
    lists[0] = ["Oak", "ash"]
    with pytest.warns(LAMCWarning, match="'Oak' and 'oak' are taken for two"):
        LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=as_labels(lists, knowledge="all"))


def test_labels_to_calibrate_on_that_training_never_met_draw_a_warning():
    lists = [list(NAMES[row]) for row in Y_CAL]
    lists[0] = ["yew", "ash"]
    with pytest.warns(LAMCWarning, match="labels that no row of y has: 'yew'"):
        LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=lists)


def test_levels_may_be_given_by_name():
    levels = dict(zip(NAMES.tolist(), [0.1, 0.2, 0.3, 0.4], strict=True))
    truth = pd.DataFrame(Y_CAL, columns=NAMES)
    named = LAMC(LINEAR, alpha=levels).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=truth)
    listed = LAMC(LINEAR, alpha=[*levels.values()]).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=truth)
    np.testing.assert_array_equal(named.thresholds_, listed.thresholds_)
    again = named.calibrate(X_NEW, pd.DataFrame(Y_NEW, columns=NAMES))
    assert again.calibrator_.settings_.alpha == [0.1, 0.2, 0.3, 0.4]


def test_predict_tells_of_labels_that_it_accepts_everywhere():
    clf = LAMC(LINEAR, alpha=0.002).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    assert (clf.status_ == "uncalibrated").all()
    with pytest.warns(LAMCWarning, match=r"4 labels are uncalibrated, .* every row: 0, 1, 2, 3"):
        assert clf.predict(X_NEW).all()
    assert (clf.decide(X_NEW) == -1).all()


def test_scores_of_false_labels_need_not_be_kept():
    kept, small = fitted(), fitted(keep_negatives=False)
    np.testing.assert_array_equal(kept.thresholds_, small.thresholds_)
    assert kept.select(X_NEW, fdr=0.2).shape == (400, 4)
    with pytest.raises(CalibrationError, match="keep_negatives"):
        small.select(X_NEW, fdr=0.2)


def test_what_is_not_fitted_has_no_score():
    with pytest.raises(NotFittedError):
        LAMC(LINEAR).score(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": None}, "requires y to be passed"),
        ({"y": y[:-1]}, "399 rows, but X has 400"),
        ({"X_cal": X_CAL}, "both X_cal and Y_cal"),
        ({"X_cal": X_CAL, "Y_cal": Y_CAL[:-1]}, "399 rows, but X_cal has 400"),
        ({"y": np.where(np.arange(400) == 17, None, NAMES[y])}, "no label in row 17"),
        ({"X_cal": X_CAL, "Y_cal": np.zeros_like(Y_CAL)}, "nothing to calibrate on"),
    ],
)
def test_wrong_calls_are_refused(arguments, message):
    with pytest.raises((LabelError, CalibrationError), match=message):
        LAMC(LINEAR).fit(**{"X": X, "y": y, **arguments})


class Untrained(Spy):
    def fit(self, X, y):
        raise AssertionError("trained for nothing")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "precison"}, "none of selective, recall"),
        ({"rule": "precision"}, "needs all labels of every row"),
        ({"alpha": 0}, "alpha=0 is not a level"),
        ({"alpha": [0.1, 0.2]}, "2 levels, but there are 4 labels"),
        ({"few_positives": "guess"}, "few_positives='guess'"),
        ({"delta": 2}, "delta=2"),
    ],
)
def test_what_cannot_be_calibrated_is_not_trained_for(parameters, message):
    with pytest.raises((LabelError, CalibrationError), match=message):
        LAMC(Untrained(), **parameters).fit(X, y)


@pytest.mark.parametrize("size", [0, 1.0, 1.5, -3, 400, "many"])
def test_an_impossible_calibration_size_is_refused(size):
    with pytest.raises(CalibrationError, match="calibration_size="):
        LAMC(LINEAR, calibration_size=size).fit(X, y)


def test_before_fit_there_are_no_answers():
    for method in ("predict", "decide", "predict_proba", "predict_p"):
        with pytest.raises(NotFittedError):
            getattr(LAMC(), method)(X)
    with pytest.raises(NotFittedError):
        LAMC().calibrate(X_CAL, Y_CAL)


def test_what_fails_leaves_the_model_as_it_was():
    clf = fitted()
    before = dict(vars(clf))
    with pytest.raises(CalibrationError):
        clf.calibrate(X_CAL, np.zeros_like(Y_CAL))
    with pytest.raises(CalibrationError):
        clf.fit(X, y, X_cal=X_CAL, Y_cal=np.zeros_like(Y_CAL))
    assert vars(clf) == before


@pytest.mark.parametrize("row", range(0, 200, 23))
def test_a_gap_has_the_number_that_its_row_has_where_it_was_given(row):
    X, y = np.random.default_rng(0).normal(size=(200, 4)), np.arange(200) % 3
    X[row, 2] = np.nan
    quick = LAMC(WAN(epochs=1, learning_rate=1e-3), random_state=0)
    with pytest.raises(FeatureError, match=rf"^Row {row} of X has NaN in column 2"):
        quick.fit(X, y)
    clean = np.random.default_rng(1).normal(size=(200, 4))
    with pytest.raises(FeatureError, match=rf"^Row {row} of X_cal has NaN in column 2"):
        quick.fit(clean, y, X_cal=X, Y_cal=y)


# -- labels that could be taken for others -------------------------------------------------------


def many_labels(n: int, k: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = np.eye(k, dtype=bool)[np.arange(n) % k] | (rng.random((n, k)) < 0.05)
    return Y + 0.3 * rng.normal(size=Y.shape), Y


def test_digits_as_text_are_not_taken_for_numbers_of_columns():
    """Sorted as text they are 0, 1, 10, 11, ...; numpy finds numbers among many texts."""
    X, Y = many_labels(400)
    y = np.array([str(row.argmax()) for row in Y])
    frozen = FrozenEstimator(LINEAR.__class__(max_iter=2000).fit(X, Y.argmax(axis=1)))
    for fit in (
        lambda: LAMC(clone(LINEAR)).fit(X, y, X_cal=X, Y_cal=Y),
        lambda: LAMC(lambda X: np.clip(X, 0, 1)).fit(X, y),
        lambda: LAMC(frozen).fit(X, y),
    ):
        with pytest.raises(LabelError, match="in one place, and"):
            fit()


def test_a_function_that_names_its_columns_is_taken_at_its_word():
    turned = NAMES[::-1]

    def named(X):
        return pd.DataFrame(sigmoid_scores(X), columns=NAMES)[turned]

    clf = LAMC(named).fit(X_CAL, pd.DataFrame(Y_CAL, columns=NAMES))
    expected = Calibrator().fit(sigmoid_scores(X_CAL), Y_CAL)
    np.testing.assert_array_equal(clf.classes_, NAMES)
    np.testing.assert_array_equal(clf.thresholds_, expected.thresholds_)
    with pytest.warns(LAMCWarning, match="observed labels only"):
        single = LAMC(named).fit(X_CAL, NAMES[Y_CAL.argmax(axis=1)])
    np.testing.assert_array_equal(
        single.predict_proba(X_NEW, as_frame=True)[NAMES], sigmoid_scores(X_NEW)
    )


def test_sparse_scores_of_a_function_are_refused_in_plain_words():
    with pytest.raises(ScorerError, match="gave a sparse matrix of scores"):
        LAMC(lambda X: sparse.csr_array(sigmoid_scores(X))).fit(X_CAL, as_labels(Y_CAL))


@pytest.mark.parametrize("values", [("no", "yes"), (1, 2)])
def test_outputs_that_do_not_say_which_class_is_the_label_are_refused(values):
    inner = MultiOutputClassifier(LINEAR).fit(X, np.array(values)[Y.astype(int)])
    with pytest.raises(ScorerError, match="which of them says that the label is there"):
        LAMC(FrozenEstimator(inner)).fit(X_CAL, as_labels(Y_CAL))


def test_outputs_of_minus_one_and_one_are_labels():
    inner = MultiOutputClassifier(LINEAR).fit(X, 2 * Y.astype(int) - 1)
    clf = LAMC(FrozenEstimator(inner)).fit(X_CAL, as_labels(Y_CAL))
    assert (clf.predict_proba(X_NEW)[Y_NEW].mean()) > 0.6


def test_decision_values_that_become_equal_are_warned_of():
    huge = LinearSVC().fit(1e3 * X, y)
    huge.coef_ *= 1e3
    with pytest.warns(LAMCWarning, match=r"LinearSVC has decision values up to .* Scale the"):
        LAMC(FrozenEstimator(huge)).fit(1e3 * X_CAL, as_labels(Y_CAL))


# -- what is passed on ---------------------------------------------------------------------------


def test_weights_of_rows_are_parted_as_rows_are():
    weights = np.where(np.arange(len(X)) % 2, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression(max_iter=1000).set_fit_request(sample_weight=True)
        with pytest.warns(LAMCWarning, match="observed labels only"):
            clf = LAMC(inner, random_state=0).fit(X, y, sample_weight=weights)
    train = np.isin(traces(X), clf.training_rows_)
    alone = LogisticRegression(max_iter=1000).fit(X[train], y[train], weights[train])
    np.testing.assert_allclose(clf.predict_proba(X_NEW), alone.predict_proba(X_NEW))


def test_validation_rows_pass_through_any_pipeline(tmp_path):
    def network():
        return WAN(epochs=1, learning_rate=1e-3, random_state=0)

    plain = LAMC(network(), random_state=0)
    alone = LAMC(make_pipeline(network()), random_state=0)
    for clf in (plain, alone):
        clf.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL, X_val=X_NEW, Y_val=Y_NEW)
    np.testing.assert_array_equal(alone.predict_proba(X_NEW), plain.predict_proba(X_NEW))
    scores = []
    for memory in (None, str(tmp_path)):
        steps = make_pipeline(StandardScaler(), network(), memory=memory)
        clf = LAMC(steps, random_state=0)
        clf.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL, X_val=X_NEW, Y_val=Y_NEW)
        scores.append(clf.predict_proba(X_NEW))
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("given", [{}, {"X_cal": X_CAL, "Y_cal": Y_CAL}], ids=["held out", "given"])
def test_a_checkpoint_asks_for_a_seed(tmp_path, given):
    network = WAN(epochs=1, learning_rate=1e-3, checkpoint=tmp_path / "states")
    with pytest.raises(SettingError, match="random_state=None draws anew"):
        LAMC(network).fit(X, y, **given)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Calibrated on observed labels")
        first, again = (LAMC(network, random_state=0).fit(X, y, **given) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(X_NEW), again.predict_proba(X_NEW))


def test_texts_of_a_column_are_classified():
    texts = pd.Series(["an oak leaf", "an elm leaf", "a fir cone"] * 40, index=range(7, 127))
    names = np.array(["oak", "elm", "fir"] * 40)
    clf = LAMC(make_pipeline(TfidfVectorizer(), LogisticRegression()), alpha=0.2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LAMCWarning)
        clf.fit(texts, names)
    found = clf.decide(texts.iloc[:3], as_frame=True)
    assert found[["oak", "elm", "fir"]].to_numpy().tolist() == np.eye(3, dtype=int).tolist()


def test_copies_to_calibrate_on_are_warned_of():
    """Nine positives that are three things promise what three do."""
    thrice = np.repeat(np.arange(100), 3)
    with pytest.warns(LAMCWarning, match=r"\d+ of the \d+ labels to calibrate on are copies"):
        LAMC(LINEAR).fit(X, y, X_cal=X_CAL[thrice], Y_cal=Y_CAL[thrice])
    clf = fitted()
    with pytest.warns(LAMCWarning, match="are copies: another row has the same features"):
        clf.calibrate(X_CAL[thrice], Y_CAL[thrice])


def test_equal_rows_with_labels_of_their_own_are_no_copies():
    """A line for each label of a thing; and features that take few values."""
    row, label = np.nonzero(Y_CAL)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*are copies")
        warnings.filterwarnings("ignore", "Calibrated on observed labels")
        warnings.filterwarnings("ignore", ".*the same features as a row")
        fitted().calibrate(X_CAL[row], label)
        few = np.round(X_CAL[:, :1]) @ np.ones((1, 6))
        clf = LAMC(LINEAR).fit(few, y, X_cal=few, Y_cal=Y_CAL)
        clf.calibrate(few, Y_CAL)


# -- what reaches the calibrator -----------------------------------------------------------------


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
