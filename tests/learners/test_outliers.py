"""Fences: a slow twin, values in their order, sparse rows as dense ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from lamc.learners import outliers
from lamc.learners.outliers import Fences

values = st.sampled_from(
    [0.0, 0.0, 0.0, 1.0, -2.0, 3.5, 2000.0, 2001.0, 1e-6, -1e300, 0.3, 0.1 + 0.2]
)
shapes = st.tuples(st.integers(1, 14), st.integers(1, 4))
matrices = arrays(np.float64, shapes, elements=values)


def twin(column):
    """Middle and spread of one feature, by plain sorting."""
    there = sorted(abs(value) for value in column if value != 0)
    middle = sorted(column)[(len(column) - 1) // 2] if 2 * len(there) > len(column) else 0.0
    if not there:
        return middle, np.inf
    usual = there[len(there) - 1 - len(there) // 10]
    away = sorted(abs(value - middle) for value in column)
    away = [distance for distance in away if distance > 1e-12 * usual]
    return middle, away[(len(away) - 1) // 2] if away else np.inf


def nearer(value, middle, spread):
    spreads = (value - middle) / spread
    if abs(spreads) <= 10:
        return value
    return middle + np.sign(spreads) * spread * (10 + np.log(abs(spreads) / 10))


@given(matrices)
def test_they_are_the_twins(X):
    expected = np.array([twin(column) for column in X.T])
    for rows in (X, sparse.csr_array(X), sparse.csc_array(X)):
        fences = Fences.of(rows)
        np.testing.assert_array_equal(fences.middle, expected[:, 0])
        np.testing.assert_array_equal(fences.spread, expected[:, 1])


@given(matrices, matrices)
def test_values_beyond_are_brought_nearer_and_no_others(X, new):
    new = np.resize(new, (len(new), X.shape[1]))
    fences = Fences.of(X)
    expected = [
        [nearer(*each) for each in zip(row, fences.middle, fences.spread, strict=True)]
        for row in new
    ]
    moved = fences.transform(new)
    np.testing.assert_allclose(moved, expected, rtol=1e-9, atol=1e-9 * abs(new).max())
    np.testing.assert_array_equal(fences.transform(sparse.csr_array(new)).toarray(), moved)


@given(matrices, matrices)
def test_values_keep_their_order(X, new):
    new = np.sort(np.resize(new, (len(new), X.shape[1])), axis=0)
    assert (np.diff(Fences.of(X).transform(new), axis=0) >= 0).all()


def test_ordinary_rows_and_marks_stay_as_they_are():
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(500, 3)), rng.uniform(size=500), rng.random((500, 4)) < 0.02]
    assert Fences.of(X).transform(X) is X
    np.testing.assert_array_equal(Fences.of(X).transform(sparse.csr_array(X)).toarray(), X)


def test_what_is_given_is_not_changed():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [-9999.0, 1e9]])
    for rows in (X.copy(), sparse.csr_array(X)):
        assert abs(Fences.of(X).transform(rows) - rows).max() > 0
        np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_numbers_there_are_stay_finite(dtype):
    X = np.linspace(-1, 1, 50, dtype=dtype)[:, None]
    most = np.finfo(dtype).max
    for rows in (X, most * X):
        moved = Fences.of(rows).transform(np.array([[most], [-most], [0.0]], dtype=dtype))
        assert moved.dtype == dtype
        assert np.isfinite(moved).all()


def test_features_are_looked_at_a_few_at_a_time(monkeypatch):
    X = np.random.default_rng(0).lognormal(size=(60, 7))
    whole = Fences.of(X)
    monkeypatch.setattr(outliers, "_ENTRIES", 100)
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_array_equal(Fences.of(rows).spread, whole.spread)
