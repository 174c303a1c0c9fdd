"""DM2L lowers its objective, which has the gradients, bounds and special cases it should have."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, ridge_regression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, as_labels, datasets
from lamc.exceptions import LabelError, SettingError
from lamc.labels import Labels
from lamc.learners.classical import code_labels
from lamc.learners.dm2l import DM2L, DM2LObjective, minimise
from lamc.learners.scaling import RowLength, with_constant
from lamc.metrics import average_precision
from lamc.storage import load

SIGNED = {0: "unknown", -1: "negative"}
TO_THE_END = {"inner_iter": 2000, "tol": 0.0}  # as far as L-BFGS goes


def make_data(n: int = 200, K: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels that are linear in the features, with noise; at least one in every row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * [1, 1, 1, 1, 5, 0.1] + 3
    signal = (X - 3)[:, :K] + 0.5 * rng.normal(size=(n, K))
    Y = signal > 0.4
    Y[np.arange(n), signal.argmax(axis=1)] = True
    return X, Y


def partly_observed(Y: np.ndarray, share: float = 0.3, seed: int = 0) -> Labels:
    seen = np.random.default_rng(seed).random(Y.shape) < share
    return as_labels(np.where(seen, np.where(Y, 1, -1), 0), meaning=SIGNED)


X, Y = make_data()
NEW, Y_NEW = make_data(seed=1)
SINGLE = datasets.observe(Y, random_state=0)
PARTLY = partly_observed(Y)
FULL = as_labels(Y)
SCALED = with_constant(StandardScaler().fit_transform(X))
SCALED_NEW = with_constant(StandardScaler().fit(X).transform(NEW))


def drawn(seed: int, n: int = 12, d: int = 4, K: int = 3, **weights: float) -> DM2LObjective:
    """A small objective with rows in several labels, in none, and with missing labels."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 2, size=(n, K)).astype(float)
    codes[0] = 1
    codes[1] = 0
    parts = {"rank_weight": 0.7, "ridge": 0.3, "smoothing": 0.1} | weights
    return DM2LObjective(rng.normal(size=(n, d)), codes, **parts)


def slow_value(objective: DM2LObjective, W: np.ndarray) -> float:
    """F from singular values, row by row of its definition."""
    X, Y, mu = objective.X, objective.Y, objective.smoothing

    def h(A):
        s = np.linalg.svd(A, compute_uv=False)
        return (np.sqrt(s**2 + mu**2) - mu).sum()

    value = sum((X[i] @ W[:, k] - Y[i, k]) ** 2 / 2 for i, k in np.ndindex(Y.shape) if Y[i, k] != 0)
    value += objective.ridge / 2 * (W**2).sum()
    shrink = sum(h(X[Y[:, k] == 1] @ W) for k in range(Y.shape[1]) if (Y[:, k] == 1).any())
    expand = h(X[(Y == 1).any(axis=1)] @ W)
    return value + objective.rank_weight * (shrink - expand)


# -- the objective -------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "K"), [(12, 3), (30, 3), (6, 8)])
def test_the_objective_is_that_of_the_definition(n, K):
    objective = drawn(0, n=n, K=K)
    W = np.random.default_rng(1).normal(size=(4, K))
    assert objective.value(W) == pytest.approx(slow_value(objective, W), rel=1e-12)


@pytest.mark.parametrize("part", ["convex_part", "concave_part"])
@pytest.mark.parametrize(("n", "K"), [(12, 3), (30, 3), (6, 8)])
def test_gradients_are_those_of_finite_differences(part, n, K):
    objective = drawn(0, n=n, K=K)
    W = np.random.default_rng(1).normal(size=(4, K))
    function = getattr(objective, part)
    assert_gradient(function, W)


def test_the_gradient_of_the_surrogate_is_that_of_finite_differences():
    objective = drawn(0)
    tangent, at = np.random.default_rng(1).normal(size=(2, 4, 3))
    assert_gradient(objective.surrogate(tangent), at)


def assert_gradient(function, at):
    gradient = function(at)[1]
    step = 1e-5
    for entry in np.ndindex(at.shape):
        turn = np.zeros_like(at)
        turn[entry] = step
        slope = (function(at + turn)[0] - function(at - turn)[0]) / (2 * step)
        assert slope == pytest.approx(gradient[entry], rel=1e-6, abs=1e-6)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0, 30))
def test_the_objective_is_never_negative(seed, size):
    objective = drawn(seed, ridge=0.0, rank_weight=5.0)
    W = size * np.random.default_rng(seed).normal(size=(4, 3))
    assert objective.value(W) >= -1e-9


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 30))
def test_the_surrogate_falls_no_more_than_the_objective(seed, size):
    objective = drawn(seed)
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(4, 3))
    other = W + size * rng.normal(size=(4, 3))
    surrogate = objective.surrogate(objective.concave_part(W)[1])
    rise = surrogate(other)[0] - surrogate(W)[0]
    assert objective.value(other) - objective.value(W) <= rise + 1e-9 * (1 + size**2)


def test_one_place_for_all_labels_costs_and_a_place_for_each_does_not():
    codes = 2 * np.eye(4)[SINGLE.index()] - 1
    objective = DM2LObjective(np.eye(200), codes, 1.0, 0.0, 1e-9)  # W is the scores themselves

    def rank_cost(scores):
        return objective.value(scores) - ((scores - codes) ** 2).sum() / 2

    ones = np.ones((200, 4))
    expected = np.sqrt(4) * (np.sqrt(SINGLE.counts).sum() - np.sqrt(200))
    assert rank_cost(ones) == pytest.approx(expected, rel=1e-6)
    assert expected > 10
    assert rank_cost(np.eye(4)[SINGLE.index()]) == pytest.approx(0, abs=1e-6)


def test_rows_without_labels_leave_the_objective_bounded():
    unlabelled = np.arange(200) % 4 == 0
    codes = np.where(Y, 1.0, -1.0) * ~unlabelled[:, None]
    objective = DM2LObjective(SCALED, codes, 1.0, 0.0, 0.1)
    W = np.random.default_rng(0).normal(size=(7, 4))
    assert all(objective.value(step * W) >= 0 for step in (1, 10, 1000))
    model = DM2L().fit(X, as_labels(codes.astype(int), meaning=SIGNED))
    assert (model.objective_ >= 0).all()
    assert average_precision(Y_NEW, model.decision_function(NEW)) > 0.8


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("labels", "unobserved"),
    [(FULL, "auto"), (PARTLY, "auto"), (SINGLE, "negative"), (SINGLE, "missing")],
    ids=["full", "partly", "negative", "missing"],
)
def test_the_objective_never_rises(kernel, labels, unobserved):
    model = DM2L(kernel=kernel, unobserved=unobserved, rank_weight=3, random_state=0).fit(X, labels)
    values = model.objective_
    assert len(values) == model.n_iter_ + 1
    assert (np.diff(values) <= 1e-9 * values[:-1]).all()
    assert values[-1] < values[0]
    assert values[-1] >= 0


def test_the_last_value_is_that_of_the_fitted_weights():
    model = DM2L(rank_weight=2).fit(X, SINGLE)
    codes = 2 * np.eye(4)[SINGLE.index()] - 1
    W = np.c_[model.coef_, model.intercept_].T
    assert model.objective_[-1] == pytest.approx(
        slow_value(DM2LObjective(SCALED, codes, 2.0, 0.0, 0.1), W), rel=1e-9
    )


def test_at_the_end_no_direction_leads_down():
    objective = drawn(3)
    W, values = minimise(objective, max_iter=300, inner_iter=100, tol=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(20):
        turn = 1e-2 * rng.normal(size=W.shape)
        assert objective.value(W + turn) > values[-1]


@pytest.mark.parametrize("labels", [SINGLE, PARTLY], ids=["single", "partly"])
def test_whitened_steps_end_no_higher_than_plain_ones(labels):
    codes = code_labels(labels, "negative" if labels is SINGLE else "missing").Y
    objective = DM2LObjective(SCALED, codes, rank_weight=0.5, ridge=1.0, smoothing=0.1)

    def value_and_gradient(flat):
        W = flat.reshape(7, 4)
        convex, up = objective.convex_part(W)
        concave, down = objective.concave_part(W)
        return convex - concave, (up - down).ravel()

    start = ridge_regression(SCALED, codes, alpha=3.0).T.ravel()
    plain = minimize(value_and_gradient, start, jac=True, options={"maxiter": 5000, "gtol": 1e-8})
    W, values = minimise(objective, max_iter=200, inner_iter=50, tol=1e-6)
    assert values[-1] == pytest.approx(plain.fun, rel=1e-5)
    np.testing.assert_allclose(SCALED @ W, SCALED @ plain.x.reshape(7, 4), atol=0.02)


@pytest.mark.parametrize("labels", [SINGLE, PARTLY], ids=["single", "partly"])
def test_features_too_many_to_whiten_end_at_the_same_place(labels, monkeypatch):
    whole = DM2L(ridge=1.0, max_iter=50, **TO_THE_END).fit(X, labels)
    monkeypatch.setattr("lamc.learners.whitening.LARGEST_CHOLESKY", 3)
    for rows in (X, sparse.csr_array(X)):
        apart = DM2L(ridge=1.0, max_iter=50, **TO_THE_END).fit(rows, labels)
        assert apart.objective_[-1] == pytest.approx(whole.objective_[-1], rel=1e-5)
        np.testing.assert_allclose(
            apart.decision_function(NEW), whole.decision_function(NEW), atol=0.02
        )


# -- special cases -------------------------------------------------------------------------------


def test_without_the_rank_terms_it_is_least_squares():
    model = DM2L(rank_weight=0, **TO_THE_END).fit(X, FULL)
    expected = LinearRegression().fit(X, np.where(Y, 1.0, -1.0)).predict(NEW)
    np.testing.assert_allclose(model.decision_function(NEW), expected, atol=1e-4)


def test_without_the_rank_terms_it_is_ridge_regression_on_what_is_observed():
    model = DM2L(rank_weight=0, ridge=5.0, **TO_THE_END).fit(X, PARTLY)
    scores = model.decision_function(NEW)
    true, false = PARTLY.positives.toarray(), PARTLY.negatives.toarray()
    for label in range(4):
        seen = true[:, label] | false[:, label]
        ridge = Ridge(alpha=5.0, fit_intercept=False)
        ridge.fit(SCALED[seen], np.where(true[seen, label], 1.0, -1.0))
        np.testing.assert_allclose(scores[:, label], ridge.predict(SCALED_NEW), atol=1e-4)


def test_without_the_rank_terms_the_kernel_form_is_kernel_ridge_regression():
    model = DM2L(kernel="rbf", rank_weight=0, ridge=0.5, gamma=0.2, **TO_THE_END).fit(X, FULL)
    rows, new = SCALED[:, :-1], SCALED_NEW[:, :-1]
    exact = KernelRidge(alpha=0.5, kernel="precomputed")
    exact.fit(rbf_kernel(rows, gamma=0.2) + 1, np.where(Y, 1.0, -1.0))
    expected = exact.predict(rbf_kernel(new, rows, gamma=0.2) + 1)
    np.testing.assert_allclose(model.decision_function(NEW), expected, atol=1e-3)


def test_too_large_a_rank_weight_takes_all_scores_away():
    weak, strong = (DM2L(rank_weight=lam).fit(X, SINGLE) for lam in (1, 1e4))
    assert np.abs(strong.decision_function(NEW)).max() < 0.05
    assert np.abs(weak.decision_function(NEW)).max() > 0.5


# -- the kernel form -----------------------------------------------------------------------------


def test_up_to_the_number_of_landmarks_the_seed_does_not_matter():
    one, two = (
        DM2L(kernel="rbf", n_landmarks=200, random_state=seed).fit(X, SINGLE) for seed in (0, 1)
    )
    assert one.predict_proba(NEW).tobytes() == two.predict_proba(NEW).tobytes()


def test_fewer_landmarks_come_close_to_the_exact_form():
    exact = DM2L(kernel="rbf").fit(X, SINGLE).decision_function(NEW)
    near = DM2L(kernel="rbf", n_landmarks=150, random_state=0).fit(X, SINGLE)
    assert near.landmarks_.landmarks_.shape == (150, 6)
    assert np.abs(near.decision_function(NEW) - exact).mean() < 0.05 * exact.std()


def test_the_kernel_form_learns_what_no_line_can_tell():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, size=(400, 2))
    inside = (rows**2).sum(axis=1) < 0.6
    y = np.where(inside, "inside", "outside")
    linear, curved = (DM2L(kernel=kernel).fit(rows[:200], y[:200]) for kernel in ("linear", "rbf"))
    assert curved.score(rows[200:], y[200:]) > 0.95
    assert linear.score(rows[200:], y[200:]) < 0.75


def test_no_matrix_grows_with_the_square_of_the_rows():
    n = 4000
    rows, true = make_data(n)
    labels = datasets.observe(true, random_state=0)
    tracemalloc.start()
    DM2L(kernel="rbf", n_landmarks=50, max_iter=2, random_state=0).fit(rows, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 4


# -- what does not matter ------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_order_of_rows_does_not_matter(kernel):
    order = np.random.default_rng(0).permutation(len(X))
    straight = DM2L(kernel=kernel, ridge=1.0, **TO_THE_END).fit(X, PARTLY)
    turned = DM2L(kernel=kernel, ridge=1.0, **TO_THE_END).fit(X[order], PARTLY[order])
    np.testing.assert_allclose(
        turned.decision_function(NEW), straight.decision_function(NEW), atol=2e-3
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_order_of_labels_does_not_matter(kernel):
    order = np.array([3, 0, 2, 1])
    straight = DM2L(kernel=kernel, ridge=1.0, **TO_THE_END).fit(X, PARTLY)
    turned = DM2L(kernel=kernel, ridge=1.0, **TO_THE_END).fit(X, PARTLY.align(order))
    np.testing.assert_allclose(
        turned.decision_function(NEW), straight.decision_function(NEW)[:, order], atol=2e-3
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_and_dense_rows_give_the_same(kernel):
    dense = DM2L(kernel=kernel).fit(X, SINGLE)
    thin = DM2L(kernel=kernel).fit(sparse.csr_array(X), SINGLE)
    np.testing.assert_array_equal(
        thin.decision_function(sparse.csr_array(NEW)), dense.decision_function(NEW)
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_rows_too_many_to_make_dense_are_scaled_by_their_length(kernel, monkeypatch):
    monkeypatch.setattr("lamc.learners.scaling.DENSE_LIMIT", 100)
    model = DM2L(kernel=kernel).fit(sparse.csr_array(X - 3), SINGLE)
    assert isinstance(model.features_, RowLength)
    scores = model.decision_function(sparse.csr_array(NEW - 3))
    assert average_precision(Y_NEW, scores) > 0.75
    if kernel == "linear":
        by_hand = np.sqrt(6) * (NEW - 3) / np.linalg.norm(NEW - 3, axis=1, keepdims=True)
        np.testing.assert_allclose(scores, by_hand @ model.coef_.T + model.intercept_, atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_row_scores_alone_as_in_a_batch(kernel):
    model = DM2L(kernel=kernel).fit(X, SINGLE)
    alone = np.vstack([model.decision_function(row[None]) for row in NEW[:20]])
    np.testing.assert_allclose(alone, model.decision_function(NEW)[:20], atol=1e-10)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_same_seed_gives_the_same_bytes(kernel):
    one, two = (
        DM2L(kernel=kernel, n_landmarks=50, random_state=3).fit(X, SINGLE) for _ in range(2)
    )
    assert one.predict_proba(NEW).tobytes() == two.predict_proba(NEW).tobytes()


# -- rows and labels as they come ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("unobserved", "labels", "words"),
    [
        ("auto", SINGLE, "labels not observed taken as negative"),
        ("missing", SINGLE, "labels not observed taken as missing"),
        ("auto", PARTLY, "labels not observed taken as missing"),
        ("auto", FULL, "all labels known"),
    ],
)
def test_the_coding_is_stated_and_scores_keep_their_order(unobserved, labels, words):
    model = DM2L(unobserved=unobserved).fit(X, labels)
    assert model.coding_ == words
    raw = model.decision_function(NEW)
    np.testing.assert_allclose(model.predict_proba(NEW), 1 / (1 + np.exp(-raw)), rtol=1e-12)
    assert average_precision(Y_NEW, raw) > 0.75


def test_a_label_never_observed_keeps_its_column():
    labels = as_labels(np.array(list("abde"))[SINGLE.index()], classes=list("abcde"))
    for unobserved in ("negative", "missing"):
        model = DM2L(unobserved=unobserved).fit(X, labels)
        scores = model.decision_function(NEW)
        assert model.classes_.tolist() == list("abcde")
        assert scores.shape == (200, 5)
        assert np.isfinite(scores).all()
        assert (scores[:, 2] < scores.max(axis=1)).all()


def test_a_label_observed_once_and_constant_features():
    y = SINGLE.index().copy()
    y[0] = 9
    for kernel in ("linear", "rbf"):
        model = DM2L(kernel=kernel).fit(np.c_[X, np.ones(200)], y)
        assert np.isfinite(model.decision_function(np.c_[NEW, np.ones(200)])).all()
        assert model.classes_.tolist() == [0, 1, 2, 3, 9]


def test_more_features_than_rows():
    wide = np.random.default_rng(0).normal(size=(20, 60))
    model = DM2L(ridge=10).fit(wide, np.arange(20) % 3)
    assert model.coef_.shape == (3, 60)
    assert (model.predict(wide) == np.arange(20) % 3).all()


# -- a classifier like any other -----------------------------------------------------------------

EACH_LABEL_BY_ITSELF = "scores of labels do not add up to 1"
EXPECTED_FAILURES = {
    "check_classifiers_train": EACH_LABEL_BY_ITSELF,
    "check_supervised_y_2d": "a column of y is the 0/1 column of one label, not a class a row",
}


@parametrize_with_checks(
    [DM2L(), DM2L(kernel="rbf", random_state=0)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_it_works_inside_lamc_and_comes_back_from_a_file(kernel, tmp_path):
    clf = LAMC(DM2L(kernel=kernel, random_state=0), alpha=0.2)
    clf.fit(X, SINGLE, X_cal=NEW, Y_cal=Y_NEW)
    rows, true = make_data(seed=2)
    accepted = clf.predict(rows)
    assert accepted.shape == (200, 4)
    assert accepted[true].mean() > 0.7
    clf.save(tmp_path / "model.lamc")
    np.testing.assert_array_equal(
        load(tmp_path / "model.lamc").predict_proba(rows), clf.predict_proba(rows)
    )


def test_clone_keeps_the_parameters():
    model = DM2L(rank_weight=3, kernel="rbf", unobserved="missing")
    assert clone(model).get_params() == model.get_params()


def test_predict_names_one_class_for_single_positives_and_all_else():
    names = np.array(["ash", "elm", "fir", "oak"])
    assert set(DM2L().fit(X, names[SINGLE.index()]).predict(NEW)) <= set(names)
    matrix = DM2L().fit(X, FULL).predict(NEW)
    assert (matrix == Y_NEW).mean() > 0.8


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("rank_weight", -1),
        ("ridge", "some"),
        ("kernel", "poly"),
        ("gamma", 0),
        ("n_landmarks", 0),
        ("smoothing", 0),
        ("unobserved", "maybe"),
        ("inner_iter", 1.5),
    ],
)
def test_wrong_parameters_are_named(parameter, value):
    with pytest.raises(SettingError, match=f"^{parameter}={value!r}; give "):
        DM2L(**{parameter: value}).fit(X, SINGLE)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y to be passed"),
        (SINGLE[:-1], "199 rows, but X has 200"),
        (as_labels(np.full((200, 2), -1), meaning=SIGNED), "no positive"),
        (np.zeros(200, dtype=int), "at least two labels"),
    ],
)
def test_wrong_labels_are_refused(labels, message):
    with pytest.raises(LabelError, match=message):
        DM2L().fit(X, labels)


# -- real data -----------------------------------------------------------------------------------


@pytest.mark.real_data
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_scene_is_ranked_as_the_specification_demands(data_folder, kernel):
    data = datasets.read(data_folder / "spl" / "scene.mat")
    train, test = data.split.training, data.split.test
    single = datasets.observe(data.Y[train], random_state=0)
    partly = partly_observed(data.Y[train].toarray())
    for labels, least in ((single, 0.78), (partly, 0.70)):
        model = DM2L(kernel=kernel, random_state=0).fit(data.X[train], labels)
        assert average_precision(data.Y[test], model.predict_proba(data.X[test])) > least
