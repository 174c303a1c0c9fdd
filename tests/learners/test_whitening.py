"""Whitened weights: there and back, and what least squares look like on the way."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import ridge_regression

from lamc.learners import whitening
from lamc.learners.whitening import ColumnScales, Whitening, gram_of, whitening_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 5)) * [1, 10, 0.1, 1, 1]
X[:, 4] = X[:, 3] + 1e-3 * X[:, 4]
W, TARGET = RNG.normal(size=(5, 3)), RNG.normal(size=(30, 3))
FORMS = [np.asarray, sparse.csr_array]


@pytest.fixture(params=["triangular", "diagonal"])
def white(request, monkeypatch):
    """Whitening by the whole matrix, and by its diagonal as where there are too many features."""
    if request.param == "diagonal":
        monkeypatch.setattr(whitening, "LARGEST_CHOLESKY", 4)
    found = whitening_of(X, 2.0)
    assert isinstance(found, Whitening if request.param == "triangular" else ColumnScales)
    return found


def as_matrix(white):
    return white.there(np.eye(5))


def test_weights_come_back(white):
    np.testing.assert_allclose(white.back(white.there(W)), W, rtol=1e-10)


def test_gradients_follow_the_chain_rule(white):
    np.testing.assert_allclose(as_matrix(white).T @ white.gradient(W), W, rtol=1e-10)


def test_solve_inverts_the_square_of_the_root(white):
    R = as_matrix(white)
    np.testing.assert_allclose(R.T @ R @ white.solve(W), W, rtol=1e-8)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given_gram", [False, True])
def test_the_length_of_whitened_weights_is_that_of_scores_and_ridge(form, given_gram):
    gram = gram_of(X) if given_gram else None
    V = whitening_of(form(X), 2.0, gram).there(W)
    assert (V**2).sum() == pytest.approx(((X @ W) ** 2).sum() + 2 * (W**2).sum())
    if given_gram:
        np.testing.assert_array_equal(gram, X.T @ X)  # and what was given stays as it was


@pytest.mark.parametrize("form", FORMS)
def test_a_diagonal_root_has_the_lengths_of_the_columns(form, monkeypatch):
    monkeypatch.setattr(whitening, "LARGEST_CHOLESKY", 4)
    expected = np.sqrt((X**2).sum(axis=0) + 2)
    np.testing.assert_allclose(whitening_of(form(X), 2.0).root[:, 0], expected)


def test_least_squares_are_solved_as_scikit_learn_solves_them():
    found = whitening_of(X, 2.0).solve(X.T @ TARGET)
    np.testing.assert_allclose(found, ridge_regression(X, TARGET, alpha=2.0).T, rtol=1e-8)


def test_more_features_than_rows_are_held_up_by_the_ridge():
    white = whitening_of(X[:3], 1.0)
    np.testing.assert_allclose(white.back(white.there(W)), W, rtol=1e-8)
