"""The smoothed nuclear norm, against singular values and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from lamc.learners import nuclear_norm
from lamc.learners.nuclear_norm import norms_of_parts, smoothed_nuclear_norm

SHAPES = [(3, 7), (7, 3), (5, 5), (1, 4), (4, 1), (1, 1)]


def slow(A, mu):
    s = np.linalg.svd(A, compute_uv=False)
    return (np.sqrt(s**2 + mu**2) - mu).sum()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mu", [0.01, 0.1, 1.0])
def test_the_value_is_that_of_the_singular_values(shape, mu):
    A = np.random.default_rng(0).normal(size=shape)
    value, gradient = smoothed_nuclear_norm(A, mu)
    assert value == pytest.approx(slow(A, mu), rel=1e-12)
    assert gradient.shape == shape
    assert 0 <= np.linalg.norm(A, "nuc") - value <= mu * min(shape) + 1e-12


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rank", [1, 5])
def test_the_gradient_is_that_of_finite_differences(shape, rank):
    rng = np.random.default_rng(1)
    A = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))

    gradient = smoothed_nuclear_norm(A, 0.1)[1]
    step = 1e-5
    for i, j in np.ndindex(shape):
        E = np.zeros(shape)
        E[i, j] = step
        above, below = (smoothed_nuclear_norm(A + sign * E, 0.1)[0] for sign in (1, -1))
        assert (above - below) / (2 * step) == pytest.approx(gradient[i, j], rel=1e-6, abs=1e-7)


def test_zero_has_norm_and_gradient_zero():
    value, gradient = smoothed_nuclear_norm(np.zeros((4, 3)), 0.1)
    assert value == 0
    assert (gradient == 0).all()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_a_stack_costs_at_most_its_parts(seed, k, m1, m2):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(m1, k)), rng.normal(size=(m2, k))
    whole = smoothed_nuclear_norm(np.vstack([A, B]), 0.1)[0]
    parts = smoothed_nuclear_norm(A, 0.1)[0] + smoothed_nuclear_norm(B, 0.1)[0]
    assert whole <= parts + 1e-10


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_rotations_change_nothing(seed, m, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, k))
    left = np.linalg.qr(rng.normal(size=(m, m)))[0]
    right = np.linalg.qr(rng.normal(size=(k, k)))[0]
    value, gradient = smoothed_nuclear_norm(A, 0.1)
    turned, gradient_turned = smoothed_nuclear_norm(left @ A @ right, 0.1)
    assert turned == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(gradient_turned, left @ gradient @ right, atol=1e-10)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 4))
def test_parts_of_a_matrix_add_up(seed, k, n_parts):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(9, k))
    parts = [np.flatnonzero(rng.random(9) < 0.5) for _ in range(n_parts)]
    parts = [rows for rows in parts if len(rows)]
    value, gradient = norms_of_parts(A, parts, 0.1)
    expected = np.zeros_like(A)
    for rows in parts:
        expected[rows] += smoothed_nuclear_norm(A[rows], 0.1)[1]
    assert value == pytest.approx(sum(slow(A[rows], 0.1) for rows in parts), rel=1e-10)
    np.testing.assert_allclose(gradient, expected, atol=1e-12)


def test_small_parts_are_left_to_one_thread_and_the_others_get_theirs_back(monkeypatch):
    seen = []

    def watched(A, smoothing):
        seen.extend(blas_threads())
        return smoothed_nuclear_norm(A, smoothing)

    monkeypatch.setattr(nuclear_norm, "smoothed_nuclear_norm", watched)
    with threadpool_limits(2, user_api="blas"):
        norms_of_parts(np.ones((4, 3)), [np.arange(2), np.arange(2, 4)], 0.1)
        assert set(seen) == {1}
        assert set(blas_threads()) == {2}


def blas_threads():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
