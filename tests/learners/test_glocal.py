"""GLOCAL as a learner: labels of every kind in, an objective that never rises, scores out."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, as_labels, datasets
from lamc.exceptions import SettingError
from lamc.labels import Labels
from lamc.learners import scaling
from lamc.learners.glocal import GLOCAL, cluster_rows
from lamc.learners.glocal_blocks import Problem
from lamc.metrics import average_precision
from lamc.storage import load

SIGNS = {0: "unknown", -1: "negative"}
CODINGS = ["full", "30%", "negative", "missing"]
K = 6


def make_data(n: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8)) * 3 + 5
    Y = (X[:, :K] - 5) / 3 + 0.5 * rng.normal(size=(n, K)) > 0.4
    Y[np.arange(n), X[:, :K].argmax(axis=1)] = True
    return X, Y


X, Y = make_data()
X_NEW, Y_NEW = make_data(seed=1)
TRUTH = as_labels(Y, knowledge="all")
SINGLE = datasets.observe(TRUTH, random_state=0)


def observed_labels(coding: str, seed: int = 0) -> Labels:
    if coding == "full":
        return TRUTH
    if coding == "30%":
        seen = np.random.default_rng(seed).random(Y.shape) < 0.3
        return as_labels(np.where(seen, np.where(Y, 1, -1), 0), meaning=SIGNS)
    return SINGLE


def fitted(coding: str = "negative", **parameters) -> GLOCAL:
    unobserved = coding if coding in ("negative", "missing") else "auto"
    parameters = {"unobserved": unobserved, "random_state": 0, **parameters}
    return GLOCAL(**parameters).fit(X, observed_labels(coding))


EXPECTED_FAILURES = {
    "check_classifiers_train": "scores of several labels need not add up to 1",
    "check_supervised_y_2d": "a column of y is the 0/1 column of one label, not a class a row",
}


@parametrize_with_checks(
    [GLOCAL(random_state=0)], expected_failed_checks=lambda estimator: EXPECTED_FAILURES
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize(
    "parameters", [{}, {"global_weight": 10.0, "local_weight": 10.0, "rank": 4}]
)
def test_the_objective_never_rises(coding, parameters):
    learner = fitted(coding, **parameters)
    for values in (learner.initial_objective_, learner.objective_):
        assert len(values) > 3
        assert (np.diff(values) <= 1e-9 * values[:-1]).all()
        assert values[-1] < values[0]
    assert learner.n_iter_ == (len(learner.objective_) - 1) / 4
    lengths = np.linalg.norm(learner.correlation_factors_, axis=2)
    np.testing.assert_allclose(lengths, 1, rtol=1e-12)


@pytest.mark.parametrize("coding", ["full", "30%", "negative"])
def test_it_ranks_true_labels_above_false_ones(coding):
    prior = np.tile(Y.mean(axis=0), (len(Y_NEW), 1))
    found = average_precision(Y_NEW, fitted(coding).decision_function(X_NEW))
    assert found > average_precision(Y_NEW, prior) + 0.15


def test_positives_alone_tell_it_nothing_but_how_frequent_labels_are():
    scores = fitted("missing").decision_function(X_NEW)
    order = np.argsort(scores.mean(axis=0))
    assert np.corrcoef(np.argsort(order), SINGLE.counts)[0, 1] > 0.5
    assert scores.std(axis=0).max() < 0.2 * fitted().decision_function(X_NEW).std(axis=0).min()


def test_without_weight_the_correlations_play_no_part():
    plain = {"global_weight": 0.0, "local_weight": 0.0}
    one = fitted("30%", **plain)
    two = fitted("30%", **plain, n_clusters=1, correlation_rank=2)
    np.testing.assert_allclose(
        one.decision_function(X_NEW), two.decision_function(X_NEW), rtol=1e-6, atol=1e-8
    )


def test_the_weights_of_the_terms_are_those_of_the_specification(monkeypatch):
    found = []
    original = Problem.of

    def spy(*arguments):
        found.append(arguments[-1])
        return original(*arguments)

    monkeypatch.setattr(Problem, "of", spy)
    labels = observed_labels("30%")
    GLOCAL(
        rank=4,
        regression_weight=2,
        row_ridge=3,
        label_ridge=5,
        feature_ridge=7,
        global_weight=11,
        local_weight=13,
        max_iter=1,
    ).fit(X, labels)
    n, o = len(X), labels.positives.nnz + labels.negatives.nnz
    a = 2 * o / (4 * n)
    expected = (a, 3 * o / (n * 4), 5 * o / (K * 4), 7 * a, 11 * o / (n * K), 13 * o / (n * K))
    np.testing.assert_allclose(list(vars(found[0]).values()), expected)


def test_scores_are_features_times_factors():
    learner = fitted()
    scaled = np.c_[(X_NEW - X.mean(axis=0)) / X.std(axis=0), np.ones(len(X_NEW))]
    expected = scaled @ learner.feature_factors_ @ learner.label_factors_.T
    np.testing.assert_allclose(learner.decision_function(X_NEW), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.predict_proba(X_NEW), 1 / (1 + np.exp(-expected)))


def test_one_row_scores_as_it_does_in_a_batch():
    learner = fitted()
    batch = learner.decision_function(X_NEW)
    for row in (0, 7, len(X_NEW) - 1):
        alone = learner.decision_function(X_NEW[row : row + 1])[0]
        np.testing.assert_allclose(alone, batch[row], rtol=1e-10, atol=1e-10)


def test_the_same_seed_gives_the_same_bytes():
    one, two, other = (fitted(random_state=seed) for seed in (5, 5, 6))
    assert one.decision_function(X_NEW).tobytes() == two.decision_function(X_NEW).tobytes()
    assert one.decision_function(X_NEW).tobytes() != other.decision_function(X_NEW).tobytes()


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_score_as_dense_ones(form):
    dense = fitted("30%")
    thin = GLOCAL(random_state=0).fit(form(X), observed_labels("30%"))
    np.testing.assert_array_equal(
        thin.decision_function(form(X_NEW)), dense.decision_function(X_NEW)
    )
    np.testing.assert_array_equal(thin.decision_function(X_NEW), dense.decision_function(X_NEW))


def test_large_sparse_rows_stay_sparse(monkeypatch):
    monkeypatch.setattr(scaling, "DENSE_LIMIT", 100)
    learner = GLOCAL(random_state=0).fit(sparse.csr_array(X - 5), SINGLE)
    assert isinstance(learner.features_, scaling.RowLength)
    assert (np.diff(learner.objective_) <= 1e-9 * learner.objective_[:-1]).all()
    assert average_precision(Y_NEW, learner.decision_function(sparse.csr_array(X_NEW - 5))) > 0.7


def test_more_features_than_rows():
    wide = np.random.default_rng(0).normal(size=(len(X), 400))
    learner = GLOCAL(random_state=0).fit(np.c_[X, wide], SINGLE)
    assert (np.diff(learner.objective_) <= 1e-9 * learner.objective_[:-1]).all()
    assert np.isfinite(learner.decision_function(np.c_[X_NEW, wide])).all()


@pytest.mark.parametrize("unobserved", ["negative", "missing"])
def test_labels_never_observed_keep_their_column(unobserved):
    names = np.array([f"label {k}" for k in range(K)])
    labels = as_labels(names[SINGLE.index()], classes=[*names, "never"])
    learner = GLOCAL(unobserved=unobserved, random_state=0).fit(X, labels)
    scores = learner.predict_proba(X_NEW)
    assert learner.classes_.tolist() == [*names, "never"]
    assert scores.shape == (len(X_NEW), K + 1)
    assert np.isfinite(scores).all()


def test_rows_without_labels_help_by_their_features_only():
    signs = np.where(Y, 1, -1)
    signs[100:] = 0
    learner = GLOCAL(random_state=0).fit(X, as_labels(signs, meaning=SIGNS))
    assert learner.coding_ == "labels not observed taken as missing"
    assert average_precision(Y_NEW, learner.decision_function(X_NEW)) > 0.7


def test_predictions_are_one_class_a_row_or_a_matrix_as_the_labels_were():
    single, full = fitted(), fitted("full")
    scores = single.decision_function(X_NEW)
    np.testing.assert_array_equal(single.predict(X_NEW), scores.argmax(axis=1))
    np.testing.assert_array_equal(full.predict(X_NEW), full.decision_function(X_NEW) >= 0)


def test_clusters_hold_each_row_once_and_none_is_empty():
    parts = cluster_rows(X, 4, seed=0)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert [len(part) for part in cluster_rows(np.ones((9, 2)), 3, seed=0)] == [9]


def test_two_rows_are_enough():
    learner = GLOCAL(random_state=0).fit(X[:2], [0, 1])
    assert learner.predict(X[:2]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("rank", 0),
        ("correlation_rank", 2.5),
        ("n_clusters", 0),
        ("regression_weight", 0),
        ("row_ridge", -1),
        ("label_ridge", 0),
        ("feature_ridge", 0),
        ("global_weight", -0.1),
        ("local_weight", "much"),
        ("max_iter", 0),
        ("tol", -1),
        ("unobserved", "false"),
    ],
)
def test_wrong_parameters_are_named(parameter, value):
    with pytest.raises(SettingError, match=f"^{parameter}={value!r}; give "):
        GLOCAL(**{parameter: value}).fit(X, SINGLE)


def test_it_scores_for_lamc_and_is_saved_with_it(tmp_path):
    X_cal, Y_cal = make_data(seed=2)
    clf = LAMC(GLOCAL(random_state=0), rule="recall", alpha=0.2)
    clf.fit(X, SINGLE, X_cal=X_cal, Y_cal=as_labels(Y_cal, knowledge="all"))
    np.testing.assert_array_equal(clf.predict_proba(X_NEW), fitted().predict_proba(X_NEW))
    kept = clf.predict(X_NEW)[Y_NEW].mean()
    assert 0.7 < kept < 0.95
    clf.save(tmp_path / "model.lamc")
    again = load(tmp_path / "model.lamc")
    np.testing.assert_array_equal(again.predict_proba(X_NEW), clf.predict_proba(X_NEW))


# -- real data -----------------------------------------------------------------------------------


@pytest.mark.real_data
@pytest.mark.parametrize(("coding", "least"), [("30%", 0.70), ("single", 0.78)])
def test_scene_is_ranked_as_the_prototype_ranked_it(data_folder, coding, least):
    data = datasets.read(data_folder / "spl" / "scene.mat")
    train, test = data.split.training, data.split.test
    truth = data.Y[train].toarray()
    if coding == "30%":
        seen = np.random.default_rng(0).random(truth.shape) < 0.3
        labels = as_labels(np.where(seen, np.where(truth, 1, -1), 0), meaning=SIGNS)
    else:
        labels = as_labels(data.observed[train], knowledge="single")
    learner = GLOCAL(random_state=0).fit(data.X[train], labels)
    scores = learner.decision_function(data.X[test])
    assert average_precision(as_labels(data.Y[test], knowledge="all"), scores) > least
    assert (np.diff(learner.objective_) <= 1e-9 * learner.objective_[:-1]).all()
