"""Rows turn to where they cancel best, as with the full matrix and as on the manifold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamc.learners.mixing import turn_rows


def slow_turns(Z: np.ndarray, C: np.ndarray, sweeps: int) -> np.ndarray:
    """Cyclic minimisation of tr(ZᵀCZ) with the K × K matrix at hand."""
    Z = Z.copy()
    for _ in range(sweeps):
        before = np.trace(Z.T @ C @ Z)
        for i in range(len(C)):
            pull = sum(C[i, j] * Z[j] for j in range(len(C)) if j != i)
            Z[i] = -pull / np.linalg.norm(pull)
        if before - np.trace(Z.T @ C @ Z) <= 1e-6 * np.trace(C):
            break
    return Z


def unit_rows(k: int, q: int, seed: int) -> np.ndarray:
    Z = np.random.default_rng(seed).normal(size=(k, q))
    return Z / np.linalg.norm(Z, axis=1, keepdims=True)


@settings(max_examples=30)
@given(st.integers(2, 8), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_rows_turn_as_with_the_full_matrix_and_stay_of_unit_length(k, r, q, seed):
    A = np.random.default_rng(seed).normal(size=(k, r))
    start = unit_rows(k, q, seed)
    found, expected = turn_rows(start, A), slow_turns(start, A @ A.T, 10)
    assert ((A.T @ found) ** 2).sum() <= ((A.T @ start) ** 2).sum() * (1 + 1e-9)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(
        ((A.T @ found) ** 2).sum(), ((A.T @ expected) ** 2).sum(), rtol=1e-6, atol=1e-9
    )


def test_a_turned_row_is_the_best_on_its_circle():
    A = np.random.default_rng(0).normal(size=(5, 3))
    Z = turn_rows(unit_rows(5, 2, seed=1), A, max_sweeps=1)
    best = ((A.T @ Z) ** 2).sum()
    for angle in np.linspace(0, 2 * np.pi, 1000):
        Z[-1] = np.cos(angle), np.sin(angle)  # the last row was turned last
        assert ((A.T @ Z) ** 2).sum() >= best - 1e-12


def test_turning_reaches_the_minimum_of_steepest_descent_on_the_manifold():
    A = np.random.default_rng(1).normal(size=(7, 7)) * np.r_[5, np.ones(6)][:, None]
    C, start = A @ A.T, unit_rows(7, 7, seed=2)
    Z, step = start.copy(), 1 / np.linalg.norm(C, 2)
    for _ in range(20_000):
        gradient = C @ Z
        Z = Z - step * (gradient - (gradient * Z).sum(axis=1, keepdims=True) * Z)
        Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    found = turn_rows(start, A, max_sweeps=5000, tol=1e-15)
    assert np.trace(Z.T @ C @ Z) > 1
    assert np.trace(found.T @ C @ found) == pytest.approx(np.trace(Z.T @ C @ Z), rel=1e-9)


def test_rows_that_nothing_pulls_on_stay():
    start = unit_rows(4, 2, seed=0)
    assert turn_rows(start, np.zeros((4, 3))) is start
    A = np.diag([1.0, 1.0, 1.0, 0.0])  # orthogonal labels do not pull on each other
    np.testing.assert_array_equal(turn_rows(start, A), start)
