"""Equal rows have equal traces, and stay on one side when rows are parted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc.duplicates import fingerprints, parted

drawn = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        st.permutations(range(n)).map(np.array),
        st.integers(1, n - 1),
        st.lists(st.integers(0, n), min_size=n, max_size=n).map(np.array),
    )
)


@given(drawn)
def test_all_rows_are_parted_and_none_twice(case):
    order, count, traces = case
    others, first = parted(order, count, traces)
    np.testing.assert_array_equal(np.sort(np.r_[others, first]), np.arange(len(order)))
    assert 1 <= len(first) <= count


@given(drawn)
def test_copies_stay_together_where_there_is_room_for_some_thing(case):
    order, count, traces = case
    others, first = parted(order, count, traces)
    things, copies = np.unique(traces, return_counts=True)
    if len(things) >= 0.1 * len(order) and copies.min() <= count:
        assert not set(traces[others].tolist()) & set(traces[first].tolist())
        left_out = np.setdiff1d(traces[others], traces[first])
        room = count - len(first)
        assert all(copies[things == thing] > room for thing in left_out), "there was room"


@given(drawn)
def test_without_copies_the_first_are_taken(case):
    order, count, _ = case
    for traces in (np.arange(len(order)), np.empty(0)):
        np.testing.assert_array_equal(parted(order, count, traces)[1], np.sort(order[:count]))


def test_where_features_take_few_values_equal_rows_are_different_things():
    rng = np.random.default_rng(0)
    order, traces = rng.permutation(1000), rng.integers(99, size=1000)
    np.testing.assert_array_equal(parted(order, 200, traces)[1], np.sort(order[:200]))


def test_traces_are_those_of_numbers_however_they_are_stored():
    X = np.array([[0.0, 2.0], [-0.0, 2.0], [1.0, 0.0]])
    dense = fingerprints(X)
    assert dense[0] == dense[1] != dense[2]
    np.testing.assert_array_equal(dense, fingerprints(X.astype(np.float32)))
    thin = fingerprints(sparse.csr_array(X))
    assert thin[0] == thin[1] != thin[2]
