"""MLML solves its equations, keeps what they promise, and is a classifier like any other."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import solve_sylvester
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, as_labels, datasets
from lamc.exceptions import LabelError, LAMCWarning, SettingError
from lamc.labels import Knowledge, Labels
from lamc.learners.mlml import MLML, SmoothingSystem, label_similarity, smooth_labels
from lamc.learners.neighbours import NeighbourGraph
from lamc.metrics import average_precision
from lamc.storage import load

SIGNED = {0: "unknown", -1: "negative"}


def make_data(n: int = 200, K: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows around K centres; each label is true near its centre, and near the next one."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(0, K, n)
    X = 2 * np.eye(K, 8)[centre] + rng.normal(size=(n, 8))
    Y = np.eye(K, dtype=bool)[centre] | (np.eye(K, dtype=bool)[(centre + 1) % K] & (X[:, -1:] > 0))
    return X, Y


def partly_observed(Y: np.ndarray, share: float = 0.3, seed: int = 0) -> Labels:
    seen = np.random.default_rng(seed).random(Y.shape) < share
    return as_labels(np.where(seen, np.where(Y, 1, -1), 0), meaning=SIGNED)


X, Y = make_data()
NEW, Y_NEW = make_data(seed=1)
SINGLE = datasets.observe(Y, random_state=0)
PARTLY = partly_observed(Y)
FULL = as_labels(Y)


def coded(labels: Labels) -> np.ndarray:
    """+1, −1 and 0, entry by entry."""
    Z = labels.positives.toarray().astype(float)
    if labels.knowledge is Knowledge.ALL:
        Z[Z == 0] = -1
    if labels.negatives is not None:
        Z[labels.negatives.toarray()] = -1
    return Z


def laplacians(model: MLML) -> tuple[np.ndarray, np.ndarray]:
    S, S_labels = model.graph_.similarity_.toarray(), model.label_similarity_
    return np.eye(len(S)) - S, np.eye(len(S_labels)) - S_labels


def objective(Z, given_labels, model: MLML) -> float:
    L, L_labels = laplacians(model)
    lam_x, lam_c = model.row_smoothness, model.label_smoothness
    value = ((Z - given_labels) ** 2).sum()
    value += lam_x * np.trace(Z.T @ L @ Z) + lam_c * np.trace(Z @ L_labels @ Z.T)
    if model.solver == "approx":
        value += lam_x * lam_c * np.trace(Z.T @ L @ Z @ L_labels)
    return value


# -- the equations -------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [SINGLE, PARTLY, FULL], ids=["single", "partly", "full"])
@pytest.mark.parametrize(("lam_x", "lam_c"), [(1, 0.1), (10, 1), (0.1, 0), (100, 10)])
def test_the_exact_solution_is_that_of_the_sylvester_equation(labels, lam_x, lam_c):
    model = MLML(row_smoothness=lam_x, label_smoothness=lam_c, tol=1e-12).fit(X, labels)
    L, L_labels = laplacians(model)
    expected = solve_sylvester(
        np.eye(len(L)) / 2 + lam_x * L, np.eye(5) / 2 + lam_c * L_labels, coded(labels)
    )
    np.testing.assert_allclose(model.soft_labels_, expected, atol=1e-8)


@pytest.mark.parametrize("labels", [SINGLE, PARTLY], ids=["single", "partly"])
@pytest.mark.parametrize(("lam_x", "lam_c"), [(1, 0.1), (10, 1), (0.1, 0)])
def test_the_approximate_solution_is_that_of_its_closed_form(labels, lam_x, lam_c):
    model = MLML(row_smoothness=lam_x, label_smoothness=lam_c, solver="approx", tol=1e-12).fit(
        X, labels
    )
    S, S_labels = model.graph_.similarity_.toarray(), model.label_similarity_
    by_rows = np.linalg.inv(np.eye(len(S)) - lam_x / (1 + lam_x) * S)
    by_labels = np.linalg.inv(np.eye(5) - lam_c / (1 + lam_c) * S_labels)
    expected = by_rows @ coded(labels) @ by_labels / ((1 + lam_x) * (1 + lam_c))
    np.testing.assert_allclose(model.soft_labels_, expected, atol=1e-8)


@pytest.mark.parametrize("solver", ["exact", "approx"])
@pytest.mark.parametrize("labels", [SINGLE, PARTLY, FULL], ids=["single", "partly", "full"])
def test_the_objective_falls_to_its_minimum(solver, labels):
    model = MLML(solver=solver, row_smoothness=5, label_smoothness=1, tol=1e-10).fit(X, labels)
    values = model.objective_
    assert len(values) == model.n_iter_ + 1 > 3
    assert (np.diff(values) <= 1e-12 * values[0]).all()
    assert values[0] > values[-1]
    target = coded(labels)
    assert values[-1] == pytest.approx(objective(model.soft_labels_, target, model), rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(10):
        turn = rng.normal(size=target.shape) / np.sqrt(target.size)
        above, at, below = (
            objective(model.soft_labels_ + step * turn, target, model) for step in (1e-3, 0, -1e-3)
        )
        assert above > at < below
        assert abs(above - below) / 2e-3 < 1e-6  # no slope at the minimum


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.floats(0, 20), st.floats(0, 2))
def test_solutions_add_up(seed, lam_x, lam_c):
    rng = np.random.default_rng(seed)
    A, B = rng.integers(-1, 2, size=(2, 12, 3)).astype(float)
    rows = NeighbourGraph(n_neighbors=3).fit(rng.normal(size=(12, 2))).similarity_
    system = SmoothingSystem.of(label_similarity(A, 10.0), lam_x, lam_c, "exact")
    of_a, of_b, of_both = (
        smooth_labels(part, rows, system, tol=1e-12, max_iter=500)[0] for part in (A, B, A - 2 * B)
    )
    np.testing.assert_allclose(of_both, of_a - 2 * of_b, atol=1e-8)


@pytest.mark.parametrize("solver", ["exact", "approx"])
@pytest.mark.parametrize("labels", [SINGLE, PARTLY], ids=["single", "partly"])
def test_without_smoothness_labels_are_what_they_were_and_new_rows_know_nothing(solver, labels):
    model = MLML(row_smoothness=0, label_smoothness=0, solver=solver).fit(X, labels)
    np.testing.assert_allclose(model.soft_labels_, coded(labels), atol=1e-12)
    assert (model.decision_function(NEW) == 0).all()


@pytest.mark.parametrize("solver", ["exact", "approx"])
def test_a_new_row_minimises_the_objective_with_the_training_rows_held(solver):
    model = MLML(solver=solver, label_smoothness=1).fit(X, PARTLY)
    z = model.decision_function(NEW[:1])[0]
    mean = (model.graph_.links(model.features_.transform(NEW[:1])) @ model.soft_labels_)[0]
    L_labels = np.eye(5) - model.label_similarity_

    def of_row(z):
        smooth = z @ z - 2 * z @ mean
        value = z @ z + smooth + z @ L_labels @ z
        return value + (z @ L_labels @ z - 2 * z @ L_labels @ mean) * (solver == "approx")

    for label in np.eye(5):
        assert (of_row(z + 1e-5 * label) - of_row(z - 1e-5 * label)) / 2e-5 == pytest.approx(
            0, abs=1e-8
        )


# -- the graph of labels -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [SINGLE, PARTLY, PARTLY[:12], FULL], ids=["single", "partly", "few rows", "full"]
)
def test_labels_are_alike_by_their_cosine_where_both_are_observed(labels):
    target = coded(labels)
    weights = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            both = (target[:, i] != 0) & (target[:, j] != 0)
            a, b = target[both, i], target[both, j]
            cosine = a @ b / np.sqrt((a @ a) * (b @ b)) if both.any() else 0
            weights[i, j] = np.exp(-10 * (1 - cosine)) * (i != j)
    degree = weights.sum(axis=1)
    np.testing.assert_allclose(
        label_similarity(target, 10.0), weights / np.sqrt(np.outer(degree, degree)), atol=1e-12
    )


def test_single_positives_tell_nothing_of_which_labels_go_together():
    model = MLML().fit(X, SINGLE)
    np.testing.assert_allclose(model.label_similarity_, (1 - np.eye(5)) / 4)


def test_very_sharp_likeness_leaves_labels_on_their_own():
    similarity = label_similarity(coded(SINGLE), 1e6)
    np.testing.assert_array_equal(similarity, np.zeros((5, 5)))


# -- single positives ----------------------------------------------------------------------------


def test_without_label_smoothness_both_codings_rank_alike():
    """Z of "negative" is twice that of "missing", less a column that is the same for all labels."""
    missing, negative = (
        MLML(label_smoothness=0, unobserved=unobserved, tol=1e-12).fit(X, SINGLE)
        for unobserved in ("missing", "negative")
    )
    for zero, minus in (
        (missing.soft_labels_, negative.soft_labels_),
        (missing.decision_function(NEW), negative.decision_function(NEW)),
    ):
        common = 2 * zero - minus
        np.testing.assert_allclose(common, common[:, :1] + 0 * common, atol=1e-8)


def test_scores_of_positives_alone_are_not_negative_and_tell_the_labels_apart():
    model = MLML().fit(X, SINGLE)
    scores = model.decision_function(NEW)
    assert scores.min() >= -1e-9
    assert average_precision(Y_NEW, scores) > 0.75
    assert model.coding_ == "labels not observed taken as missing"


@pytest.mark.parametrize(
    ("unobserved", "labels", "words", "lowest"),
    [
        ("auto", SINGLE, "labels not observed taken as missing", 0),
        ("negative", SINGLE, "labels not observed taken as negative", -1),
        ("auto", PARTLY, "labels not observed taken as missing", -1),
        ("auto", FULL, "all labels known", -1),
    ],
)
def test_the_coding_is_stated_and_scores_keep_their_order(unobserved, labels, words, lowest):
    model = MLML(unobserved=unobserved).fit(X, labels)
    assert model.coding_ == words
    raw, unit = model.decision_function(NEW), model.predict_proba(NEW)
    expected = 1 - np.exp(-raw) if lowest == 0 else 1 / (1 + np.exp(-raw))
    np.testing.assert_allclose(unit, expected, atol=1e-9)
    assert ((unit >= 0) & (unit <= 1)).all()
    order = raw.ravel().argsort()
    assert (np.diff(unit.ravel()[order]) >= 0).all()


def test_false_labels_that_are_known_lower_the_scores():
    some = Labels(SINGLE.positives, SINGLE.classes, Knowledge.SOME)
    false = sparse.csr_array(~Y & (np.arange(5) == 2))
    told = Labels(SINGLE.positives, SINGLE.classes, Knowledge.SOME, false)
    without, with_false = (MLML().fit(X, labels).decision_function(NEW) for labels in (some, told))
    assert with_false[:, 2].mean() < without[:, 2].mean() - 0.05


# -- what does not matter ------------------------------------------------------------------------


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(len(X))
    straight = MLML(tol=1e-12).fit(X, PARTLY)
    turned = MLML(tol=1e-12).fit(X[order], PARTLY[order])
    np.testing.assert_allclose(turned.soft_labels_, straight.soft_labels_[order], atol=1e-9)
    np.testing.assert_allclose(
        turned.decision_function(NEW), straight.decision_function(NEW), atol=1e-9
    )


def test_the_order_of_labels_does_not_matter():
    order = np.array([3, 0, 4, 2, 1])
    straight = MLML(tol=1e-12).fit(X, PARTLY).decision_function(NEW)
    turned = MLML(tol=1e-12).fit(X, PARTLY.align(order)).decision_function(NEW)
    np.testing.assert_allclose(turned, straight[:, order], atol=1e-9)


@pytest.mark.parametrize("scaling", ["auto", "range", "length"])
@pytest.mark.parametrize("share", [0.1, 0.9], ids=["mostly zeros", "mostly not"])
def test_sparse_and_dense_rows_give_the_same(scaling, share):
    shown = np.random.default_rng(0).random((400, 8)) < share
    rows, new = X * shown[:200], NEW * shown[200:]
    dense = MLML(scaling=scaling).fit(rows, SINGLE)
    thin = MLML(scaling=scaling).fit(sparse.csr_array(rows), SINGLE)
    expected = dense.decision_function(new)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(new)), expected, atol=1e-9)
    np.testing.assert_allclose(thin.decision_function(new), expected, atol=1e-9)
    assert expected.max() > 0.01


@pytest.mark.parametrize("kind", ["distinct", "binary"])
def test_a_row_scores_alone_as_in_a_batch(kind):
    rows, new = (X, NEW) if kind == "distinct" else ((X > 1).astype(float), (NEW > 1).astype(float))
    model = MLML().fit(rows, SINGLE)
    batch = model.decision_function(new)
    alone = np.vstack([model.decision_function(row[None]) for row in new[:50]])
    np.testing.assert_allclose(alone, batch[:50], atol=1e-10)


def test_fitting_again_gives_the_same_bytes():
    one, two = (MLML().fit(X, PARTLY).predict_proba(NEW) for _ in range(2))
    assert one.tobytes() == two.tobytes()


# -- rows and labels as they come ----------------------------------------------------------------


def test_a_label_never_observed_keeps_its_column():
    labels = as_labels(np.array(list("abde"))[np.arange(200) % 4], classes=list("abcde"))
    model = MLML().fit(X, labels)
    scores = model.decision_function(NEW)
    assert model.classes_.tolist() == list("abcde")
    assert scores.shape == (200, 5)
    assert np.isfinite(scores).all()
    assert (scores[:, 2] < scores[:, [0, 1, 3, 4]].max(axis=1)).all()


def test_copies_of_rows_and_constant_features():
    rows = np.c_[np.repeat(X[:40], 5, axis=0), np.ones(200)]
    model = MLML().fit(rows, SINGLE)
    assert np.isfinite(model.decision_function(np.c_[NEW, np.ones(200)])).all()
    assert np.isfinite(MLML().fit(np.ones((200, 3)), SINGLE).decision_function(np.eye(3))).all()


@pytest.mark.parametrize("n", [2, 3, 10])
def test_fewer_rows_than_neighbours(n):
    model = MLML().fit(X[:n], np.arange(n) % 2)
    assert np.isfinite(model.predict_proba(NEW)).all()


def test_rows_without_a_label_are_smoothed_over():
    kept = np.arange(200) % 4 > 0
    observed = np.where(Y, 1, -1) * kept[:, None]
    model = MLML().fit(X, as_labels(observed, meaning=SIGNED))
    filled = model.soft_labels_[~kept]
    assert average_precision(Y[~kept], filled) > 0.7


def test_no_matrix_grows_with_the_square_of_the_rows():
    n = 4000
    rows, true = make_data(n)
    labels = datasets.observe(true, random_state=0)
    tracemalloc.start()
    MLML().fit(rows, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 2


# -- a classifier like any other -----------------------------------------------------------------

EACH_LABEL_BY_ITSELF = (
    "scores of labels do not add up to 1, and need not agree with their difference"
)
EXPECTED_FAILURES = {
    "check_classifiers_train": EACH_LABEL_BY_ITSELF,
    "check_decision_proba_consistency": EACH_LABEL_BY_ITSELF,
    "check_supervised_y_2d": "a column of y is the 0/1 column of one label, not a class a row",
}


@parametrize_with_checks(
    [MLML(), MLML(solver="approx")],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_it_works_inside_lamc_and_comes_back_from_a_file(tmp_path):
    clf = LAMC(MLML(), alpha=0.2).fit(X, SINGLE, X_cal=NEW, Y_cal=Y_NEW)
    rows, true = make_data(seed=2)
    accepted = clf.predict(rows)
    assert accepted.shape == (200, 5)
    assert accepted[true].mean() > 0.7
    clf.save(tmp_path / "model.lamc")
    np.testing.assert_array_equal(
        load(tmp_path / "model.lamc").predict_proba(rows), clf.predict_proba(rows)
    )


def test_clone_keeps_the_parameters():
    model = MLML(row_smoothness=3, solver="approx", unobserved="negative")
    assert clone(model).get_params() == model.get_params()


def test_predict_names_one_class_for_single_positives_and_all_else():
    names = np.array(["ash", "elm", "fir", "oak", "yew"])
    single = MLML().fit(X, names[SINGLE.index()])
    assert set(single.predict(NEW)) <= set(names)
    matrix = MLML().fit(X, PARTLY).predict(NEW)
    assert matrix.shape == (200, 5)
    assert (matrix == Y_NEW).mean() > 0.75


def test_a_warning_says_when_the_equations_are_not_solved():
    with pytest.warns(LAMCWarning, match=r"max_iter=2 .* 5 of 5 equations not solved to tol=1e-12"):
        MLML(max_iter=2, tol=1e-12).fit(X, SINGLE)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("row_smoothness", -1),
        ("label_smoothness", "much"),
        ("n_neighbors", 0),
        ("scale_neighbor", 2.5),
        ("solver", "fast"),
        ("scaling", "z"),
        ("unobserved", "maybe"),
        ("tol", 0),
    ],
)
def test_wrong_parameters_are_named(parameter, value):
    with pytest.raises(SettingError, match=f"^{parameter}={value!r}; give "):
        MLML(**{parameter: value}).fit(X, SINGLE)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y to be passed"),
        (SINGLE[:-1], "199 rows, but X has 200"),
        (as_labels(np.full((200, 2), -1), meaning={0: "unknown", -1: "negative"}), "no positive"),
        (np.zeros(200, dtype=int), "at least two labels"),
    ],
)
def test_wrong_labels_are_refused(labels, message):
    with pytest.raises(LabelError, match=message):
        MLML().fit(X, labels)


# -- real data -----------------------------------------------------------------------------------


@pytest.mark.real_data
@pytest.mark.parametrize("solver", ["exact", "approx"])
def test_scene_is_ranked_as_the_specification_demands(data_folder, solver):
    data = datasets.read(data_folder / "spl" / "scene.mat")
    train, test = data.split.training, data.split.test
    single = datasets.observe(data.Y[train], random_state=0)
    partly = partly_observed(data.Y[train].toarray())
    for labels, least in ((single, 0.78), (partly, 0.70)):
        model = MLML(solver=solver).fit(data.X[train], labels)
        assert average_precision(data.Y[test], model.predict_proba(data.X[test])) > least
