"""GLOCAL's updates minimise its objective, each checked against its definition."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import Ridge

from lamc.learners import glocal_blocks, whitening
from lamc.learners.glocal_blocks import (
    Factors,
    Problem,
    Weights,
    correlation,
    descend,
    objective,
    update_u,
    update_v,
    update_w,
    update_z,
)

CODINGS = ["full", "30%", "negative", "missing"]
N, D, K, R, Q = 40, 7, 6, 3, 2
WEIGHTS = Weights(embedding=0.7, V=0.2, U=0.3, W=0.4, across=0.5, within=0.6)
exact_u = partial(update_u, tol=1e-13)
exact_w = partial(update_w, tol=1e-13)


def coded_labels(coding: str, n: int = N, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Y = np.where(rng.random((n, K)) < 0.4, 1.0, -1.0)
    if coding == "30%":
        return Y * (rng.random((n, K)) < 0.3)
    if coding in ("negative", "missing"):
        Y = np.full((n, K), -1.0 if coding == "negative" else 0.0)
        Y[np.arange(n), rng.integers(K, size=n)] = 1
    return Y


def make_problem(coding: str = "30%", *, weights: Weights = WEIGHTS, n: int = N) -> Problem:
    rng = np.random.default_rng(1)
    Y = coded_labels(coding, n)
    clusters = np.split(rng.permutation(n), [n // 4, n // 2])
    return Problem.of(rng.normal(size=(n, D)), Y, None if Y.all() else Y != 0, clusters, weights)


def make_factors(problem: Problem, rank: int = R, seed: int = 2) -> Factors:
    rng = np.random.default_rng(seed)
    (n, k), d = problem.Y.shape, problem.X.shape[1]
    W = rng.normal(size=(d, rank))
    Z = rng.normal(size=(len(problem.clusters), k, Q))
    return Factors(
        U=rng.normal(size=(k, rank)),
        V=rng.normal(size=(n, rank)),
        W=W,
        XW=problem.X @ W,
        Z=Z / np.linalg.norm(Z, axis=2, keepdims=True),
    )


def slow_objective(problem: Problem, factors: Factors) -> float:
    """Φ as it is written, term by term."""
    U, V, W, weights = factors.U, factors.V, factors.W, problem.weights
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    n, k = problem.Y.shape
    total = 0.0
    for i in range(n):
        for j in range(k):
            if problem.Y[i, j] != 0:
                total += (problem.Y[i, j] - V[i] @ U[j]) ** 2 / 2
    total += weights.embedding / 2 * np.linalg.norm(V - X @ W) ** 2
    for weight, factor in ((weights.V, V), (weights.U, U), (weights.W, W)):
        total += weight / 2 * np.linalg.norm(factor) ** 2
    for rows, Z in zip(problem.clusters, factors.Z, strict=True):
        scores, own = X @ W @ U.T, X[rows] @ W @ U.T
        across = weights.across * len(rows) / n
        total += across / 2 * np.trace(Z.T @ scores.T @ scores @ Z)
        total += weights.within / 2 * np.trace(Z.T @ own.T @ own @ Z)
    return float(total)


def moved(problem: Problem, factors: Factors, name: str, step: np.ndarray) -> Factors:
    changed = replace(factors, **{name: getattr(factors, name) + step})
    return replace(changed, XW=problem.X @ changed.W)


def slope(problem: Problem, factors: Factors, name: str, direction: np.ndarray) -> float:
    """Central difference, which has no error but rounding where Φ is quadratic."""
    ahead = objective(problem, moved(problem, factors, name, direction))
    behind = objective(problem, moved(problem, factors, name, -direction))
    return (ahead - behind) / 2


# -- the objective and its updates ---------------------------------------------------------------


@pytest.mark.parametrize("coding", CODINGS)
def test_the_objective_is_the_sum_of_its_terms(coding):
    problem = make_problem(coding)
    factors = make_factors(problem)
    assert objective(problem, factors) == pytest.approx(slow_objective(problem, factors), rel=1e-12)


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize(("name", "update"), [("V", update_v), ("U", exact_u), ("W", exact_w)])
def test_an_update_leaves_no_slope_in_any_direction(name, update, coding):
    problem = make_problem(coding)
    before = make_factors(problem)
    after = update(problem, before)
    rng = np.random.default_rng(3)
    for _ in range(5):
        direction = rng.normal(size=getattr(before, name).shape)
        assert abs(slope(problem, after, name, direction)) < 1e-8
        assert abs(slope(problem, before, name, direction)) > 0.1
    unchanged = {"U", "V", "W", "Z"} - {name}
    assert all(getattr(after, other) is getattr(before, other) for other in unchanged)
    np.testing.assert_array_equal(after.XW, problem.X @ after.W)


@pytest.mark.parametrize("name", ["U", "V", "W"])
def test_slopes_are_the_gradients_that_the_updates_set_to_0(name):
    problem = make_problem("30%")
    f, weights = make_factors(problem), WEIGHTS
    X, n = problem.X, len(problem.Y)
    misfit = problem.observed * (f.V @ f.U.T - problem.Y)
    scores = [np.zeros((D, D)) for _ in problem.clusters]
    for m, rows in enumerate(problem.clusters):
        scores[m] = weights.across * len(rows) / n * X.T @ X + weights.within * X[rows].T @ X[rows]
    pairs = list(zip(scores, f.Z, strict=True))
    gradient = {
        "V": misfit @ f.U + weights.embedding * (f.V - f.XW) + weights.V * f.V,
        "U": misfit.T @ f.V
        + weights.U * f.U
        + sum(Z @ Z.T @ f.U @ f.W.T @ M @ f.W for M, Z in pairs),
        "W": weights.embedding * X.T @ (f.XW - f.V)
        + weights.W * f.W
        + sum(M @ f.W @ f.U.T @ Z @ Z.T @ f.U for M, Z in pairs),
    }[name]
    rng = np.random.default_rng(4)
    for _ in range(5):
        direction = rng.normal(size=gradient.shape)
        expected = float((gradient * direction).sum())
        assert slope(problem, f, name, direction) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["U", "V", "W"])
@pytest.mark.parametrize("coding", CODINGS)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), logs=st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_no_update_raises_the_objective(name, coding, seed, logs):
    problem = make_problem(coding, weights=Weights(*np.power(10.0, logs)))
    start = make_factors(problem, seed=seed)
    update = {"U": update_u, "V": update_v, "W": update_w}[name]
    _, values = descend(problem, start, (update_z, update), max_iter=3, tol=0)
    assert (np.diff(values) <= 1e-9 * values[:-1]).all()


def test_without_correlations_the_updates_are_ridge_regressions():
    problem = make_problem("30%")
    f = replace(make_factors(problem), Z=np.zeros((3, K, Q)))
    weights, seen = WEIGHTS, problem.observed

    W = Ridge(weights.W / weights.embedding, fit_intercept=False).fit(problem.X, f.V).coef_.T
    np.testing.assert_allclose(exact_w(problem, f).W, W, rtol=1e-8)

    U = exact_u(problem, f).U
    for k in range(K):
        ridge = Ridge(weights.U, fit_intercept=False)
        expected = ridge.fit(f.V[seen[:, k]], problem.Y[seen[:, k], k]).coef_
        np.testing.assert_allclose(U[k], expected, rtol=1e-8)

    V = update_v(problem, f).V
    for i in range(N):  # the embedding pulls v_i like r more labels with targets from X
        targets = np.r_[problem.Y[i, seen[i]], np.sqrt(weights.embedding) * f.XW[i]]
        inputs = np.r_[f.U[seen[i]], np.sqrt(weights.embedding) * np.eye(R)]
        expected = Ridge(weights.V, fit_intercept=False).fit(inputs, targets).coef_
        np.testing.assert_allclose(V[i], expected, rtol=1e-8)


def test_without_features_the_labels_are_factorised_by_their_largest_singular_values():
    """The least of ½‖Y − VUᵀ‖² + v/2 ‖V‖² + u/2 ‖U‖² has singular values less √(uv)."""
    weights = Weights(embedding=1e-12, V=0.5, U=2.0, W=1.0, across=0, within=0)
    problem = make_problem("full", weights=weights)
    left, values, right = np.linalg.svd(problem.Y, full_matrices=False)
    for rank in (2, K):
        found, _ = descend(
            problem, make_factors(problem, rank), (update_u, update_v), max_iter=2000, tol=1e-15
        )
        kept = np.maximum(values - 1, 0) * (np.arange(K) < rank)
        np.testing.assert_allclose(found.V @ found.U.T, (left * kept) @ right, atol=1e-5)


def test_with_as_many_factors_as_labels_they_are_factorised_exactly():
    weights = Weights(embedding=1e-12, V=1e-12, U=1e-12, W=1e-12, across=0, within=0)
    problem = make_problem("full", weights=weights)
    found, _ = descend(problem, make_factors(problem, K), (exact_u, update_v), max_iter=3, tol=0)
    np.testing.assert_allclose(found.V @ found.U.T, problem.Y, atol=1e-6)


def test_full_labels_are_the_case_where_all_are_observed():
    short = make_problem("full")
    long = replace(short, observed=np.ones((N, K), dtype=bool))
    start = make_factors(short)
    for update in (update_v, exact_u, exact_w, update_z):
        one, two = update(short, start), update(long, start)
        for name in "UVWZ":
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-9)
    assert objective(short, start) == pytest.approx(objective(long, start), rel=1e-13)


def test_many_rows_are_updated_in_batches(monkeypatch):
    problem = make_problem("30%")
    start = make_factors(problem)
    whole = [update(problem, start) for update in (update_v, exact_u)]
    value = objective(problem, start)
    monkeypatch.setattr(glocal_blocks, "_BATCH_ROWS", 7)
    parts = [update(problem, start) for update in (update_v, exact_u)]
    np.testing.assert_allclose(parts[0].V, whole[0].V, rtol=1e-12)
    np.testing.assert_allclose(parts[1].U, whole[1].U, rtol=1e-9)
    assert objective(problem, start) == pytest.approx(value, rel=1e-13)


def test_moments_products_and_large_dimensions_give_the_same_w(monkeypatch):
    problem = make_problem("30%", n=200)
    start = make_factors(problem)
    expected = exact_w(problem, start).W
    assert problem.moments is not None
    by_products = replace(problem, moments=None)
    np.testing.assert_allclose(exact_w(by_products, start).W, expected, rtol=1e-8)
    for X in (problem.X, sparse.csr_array(problem.X)):
        monkeypatch.setattr(whitening, "LARGEST_CHOLESKY", D - 1)
        large = Problem.of(X, problem.Y, problem.observed, problem.clusters, WEIGHTS)
        np.testing.assert_allclose(exact_w(large, start).W, expected, rtol=1e-8)


@pytest.mark.parametrize("n", [8, 200])  # by products, and by moments
def test_sparse_features_give_the_same_factors(n):
    dense = make_problem("30%", n=n)
    thin = Problem.of(
        sparse.csr_array(dense.X), dense.Y, dense.observed, dense.clusters, dense.weights
    )
    assert (dense.moments is None) == (n == 8)
    updates = (update_z, update_v, exact_u, exact_w)
    start = make_factors(dense)
    one, of_dense = descend(dense, start, updates, max_iter=3, tol=0)
    two, of_thin = descend(thin, start, updates, max_iter=3, tol=0)
    np.testing.assert_allclose(of_dense, of_thin, rtol=1e-9)
    np.testing.assert_allclose(one.XW @ one.U.T, two.XW @ two.U.T, rtol=1e-6, atol=1e-9)


def test_without_weight_there_is_no_correlation_term():
    factors = make_factors(make_problem())
    for across, within in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5)):
        problem = make_problem(weights=replace(WEIGHTS, across=across, within=within))
        weighty = across + within > 0
        assert (correlation(problem, factors) > 0) == weighty
        assert (update_z(problem, factors).Z != factors.Z).any() == weighty


def test_z_comes_to_rest_where_no_direction_along_the_spheres_has_a_slope():
    problem = make_problem()
    start = make_factors(problem)
    after = start
    for _ in range(2000):
        after = update_z(problem, after)
    rng = np.random.default_rng(5)

    def along(factors: Factors, tangent: np.ndarray, step: float) -> float:
        Z = factors.Z + step * tangent
        Z /= np.linalg.norm(Z, axis=2, keepdims=True)
        return objective(problem, replace(factors, Z=Z))

    for _ in range(5):
        slopes = []
        for factors in (start, after):
            raw = rng.normal(size=start.Z.shape)
            tangent = raw - (raw * factors.Z).sum(axis=2, keepdims=True) * factors.Z
            slopes.append((along(factors, tangent, 1e-5) - along(factors, tangent, -1e-5)) / 2e-5)
        assert abs(slopes[1]) < 1e-5
        assert abs(slopes[0]) > 1e-1


# -- the order of rows and labels ----------------------------------------------------------------


def test_the_order_of_rows_does_not_matter():
    """From the same start, that is: a fit draws one for each row."""
    problem, order = make_problem("30%"), np.random.default_rng(6).permutation(N)
    place = np.argsort(order)
    turned = Problem.of(
        problem.X[order],
        problem.Y[order],
        problem.observed[order],
        [place[rows] for rows in problem.clusters],
        WEIGHTS,
    )
    start = make_factors(problem)
    updates = (update_z, update_v, exact_u, exact_w)
    one, values = descend(problem, start, updates, max_iter=5, tol=0)
    two, of_turned = descend(
        turned, replace(start, V=start.V[order], XW=start.XW[order]), updates, max_iter=5, tol=0
    )
    np.testing.assert_allclose(of_turned, values, rtol=1e-9)
    np.testing.assert_allclose(two.V, one.V[order], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(two.W @ two.U.T, one.W @ one.U.T, rtol=1e-6, atol=1e-8)


def test_the_order_of_labels_does_not_matter_but_for_which_row_of_z_turns_first():
    problem, order = make_problem("30%"), np.random.default_rng(6).permutation(K)
    turned = replace(problem, Y=problem.Y[:, order], observed=problem.observed[:, order])
    start = make_factors(problem)
    updates = (update_v, exact_u, exact_w)
    one, values = descend(problem, start, updates, max_iter=5, tol=0)
    two, of_turned = descend(
        turned, replace(start, U=start.U[order], Z=start.Z[:, order]), updates, max_iter=5, tol=0
    )
    np.testing.assert_allclose(of_turned, values, rtol=1e-9)
    np.testing.assert_allclose(two.V, one.V, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(two.U, one.U[order], rtol=1e-6, atol=1e-8)
