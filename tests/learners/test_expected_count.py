"""The number of labels a row: right where features tell the labels, else of the right size."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc import datasets
from lamc.datasets import observe
from lamc.labels import as_labels
from lamc.learners.expected_count import estimate_count, expected_count


def rows_that_tell_their_labels(sizes, n=1500, seed=0):
    """Clusters of rows; all rows of a cluster have the same labels, as many as its size."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(len(sizes), size=n)
    centres = 4 * rng.normal(size=(len(sizes), 12))
    has = np.array([np.isin(np.arange(12), rng.permutation(12)[:size]) for size in sizes])
    return centres[cluster] + rng.normal(size=(n, 12)), has[cluster]


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1], [1, 2, 3, 4], [3, 3, 5, 6]])
def test_right_where_rows_tell_their_labels(sizes):
    X, Y = rows_that_tell_their_labels(sizes)
    found = estimate_count(X, observe(Y, random_state=0))
    assert found == pytest.approx(Y.sum(axis=1).mean(), rel=0.1)


@given(
    scores=st.lists(
        st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(any), min_size=1, max_size=6
    ),
    factor=st.sampled_from([0.25, 0.5, 2.0]),
)
def test_counts_labels_at_least_half_as_likely_as_the_likeliest(scores, factor):
    expected = np.mean([sum(s >= max(row) / 2 for s in row) for row in scores])
    found = expected_count(torch.tensor(scores, dtype=torch.float64))
    assert found.item() == pytest.approx(expected)
    assert 1 <= found.item() <= 4
    assert expected_count(factor * torch.tensor(scores, dtype=torch.float64)) == found


def test_each_network_by_itself():
    scores = torch.rand(3, 20, 5, generator=torch.Generator().manual_seed(0))
    assert expected_count(scores).tolist() == [expected_count(own).item() for own in scores]


def test_the_same_for_the_same_rows_dense_or_sparse():
    X, Y = rows_that_tell_their_labels([1, 2, 3], n=300)
    seen = observe(Y, random_state=0)
    found = estimate_count(X, seen, standardise=False)
    assert estimate_count(X, seen, standardise=False) == found
    thin = estimate_count(sparse.csr_array(X), seen, standardise=False)
    assert thin == pytest.approx(found, abs=0.05)


@pytest.mark.parametrize("n", [2, 9, 10])
def test_few_rows(n):
    found = estimate_count(np.eye(n), as_labels(np.arange(n) % 2, classes=range(3)))
    assert 1 <= found <= 3


def test_rows_with_several_observed_labels():
    X, Y = rows_that_tell_their_labels([2, 3], n=300)
    found = estimate_count(X, as_labels(Y.astype(int)))
    assert found == pytest.approx(Y.sum(axis=1).mean(), rel=0.1)


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["CAL500", "scene", "yeast", "corel5k", "rcv1subset1"])
def test_of_the_right_size_on_real_data(name, data_folder):
    data = datasets.load(name)
    found = estimate_count(data.X, observe(data.Y, random_state=0))
    assert 0.6 < found / data.Y.sum(axis=1).mean() < 1.5
