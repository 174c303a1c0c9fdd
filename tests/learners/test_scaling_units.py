"""Units of features that are mostly zeros: a slow twin, and what stays where it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from lamc.learners.scaling import in_units, units_of

values = st.sampled_from([0.0, 0.0, 1.0, -2.0, 3.5, 2000.0, 1e-6])
matrices = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=values)


def twin(column):
    there = column[column != 0]
    if 2 * len(there) > len(column):
        spread = column.std()
        return column.mean(), spread if spread > 1e-12 * abs(column).max() else np.inf
    return 0.0, np.sqrt((there**2).mean()) if len(there) else np.inf


@given(matrices)
def test_they_are_the_twins(X):
    for rows in (X, sparse.csr_array(X)):
        centre, unit = units_of(rows)
        expected = np.array([twin(column) for column in X.T])
        np.testing.assert_allclose(centre, expected[:, 0], rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(unit, expected[:, 1], rtol=1e-6)


@given(matrices)
def test_sparse_and_dense_rows_become_the_same(X):
    centre, unit = units_of(X)
    thin = in_units(sparse.csr_array(X), centre, unit)
    assert sparse.issparse(thin)
    np.testing.assert_allclose(thin.toarray(), in_units(X, centre, unit), rtol=1e-9, atol=1e-9)


def test_zeros_stay_zeros_where_a_feature_is_mostly_zero():
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((200, 30)) < 0.1) * rng.lognormal(size=(200, 30)))
    assert in_units(X, *units_of(X)).nnz == X.nnz


def test_times_in_seconds_since_1970_keep_their_spread():
    rng = np.random.default_rng(0)
    times = 1.7e9 + rng.normal(size=(300, 1))
    centre, unit = units_of(times)
    assert unit == pytest.approx(times.std(), rel=1e-6)
    assert in_units(times, centre, unit).std() == pytest.approx(1, rel=1e-6)
