"""Features of the kernel: their inner products are the kernel."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from lamc.learners.landmarks import LandmarkMap, median_gamma

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 5))
NEW = RNG.normal(size=(11, 5))


def test_with_all_rows_as_landmarks_the_kernel_is_exact():
    features = LandmarkMap().fit(X)
    gamma = features.gamma_
    at_rows, at_new = features.transform(X), features.transform(NEW)
    np.testing.assert_allclose(at_rows @ at_rows.T, rbf_kernel(X, gamma=gamma), atol=1e-5)
    np.testing.assert_allclose(at_new @ at_rows.T, rbf_kernel(NEW, X, gamma=gamma), atol=1e-5)


def test_landmarks_are_rows_drawn_by_the_seed():
    one, two, other = (
        LandmarkMap(n_landmarks=20, random_state=seed).fit(X).landmarks_ for seed in (3, 3, 4)
    )
    assert one.shape == (20, 5)
    assert {tuple(row) for row in one} <= {tuple(row) for row in X}
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_between_landmarks_the_kernel_is_exact_and_elsewhere_nearly():
    drawn = LandmarkMap(n_landmarks=60, random_state=0).fit(X)
    kernel = rbf_kernel(drawn.landmarks_, gamma=drawn.gamma_)
    at = drawn.transform(drawn.landmarks_)
    np.testing.assert_allclose(at @ at.T, kernel, atol=1e-5)
    everywhere = drawn.transform(X)
    assert np.abs(everywhere @ everywhere.T - rbf_kernel(X, gamma=drawn.gamma_)).mean() < 0.02


def test_gamma_is_one_over_the_median_squared_distance_of_different_rows():
    rows = np.r_[X, X[:5]]
    squared = [((a - b) ** 2).sum() for i, a in enumerate(rows) for b in rows[:i] if (a != b).any()]
    assert median_gamma(rows) == pytest.approx(1 / np.median(squared))
    assert median_gamma(np.ones((4, 2))) == 1


def test_copies_add_no_features():
    once = LandmarkMap(gamma=0.3).fit(X)
    twice = LandmarkMap(gamma=0.3).fit(np.r_[X, X])
    assert twice.basis_.shape[1] == once.basis_.shape[1] <= 80
    np.testing.assert_allclose(
        twice.transform(NEW) @ twice.transform(NEW).T,
        once.transform(NEW) @ once.transform(NEW).T,
        atol=1e-5,
    )


def test_sparse_rows_give_the_same_features():
    dense = LandmarkMap(gamma=0.3).fit(X)
    thin = LandmarkMap(gamma=0.3).fit(sparse.csr_array(X))
    inner = dense.transform(NEW) @ dense.transform(NEW).T
    thin_features = thin.transform(sparse.csr_array(NEW))
    np.testing.assert_allclose(thin_features @ thin_features.T, inner, atol=1e-9)
