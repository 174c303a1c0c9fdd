"""Equal rows have equal traces, and stay on one side when rows are parted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc.duplicates import fingerprints, parted, things

NOT_KNOWN = np.empty(0)
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
    thing = things(traces, NOT_KNOWN, count)
    numbers, copies = np.unique(thing, return_counts=True)
    if copies.min() <= count:
        assert not set(thing[others].tolist()) & set(thing[first].tolist())
        left_out = np.setdiff1d(thing[others], thing[first])
        room = count - len(first)
        assert all(copies[numbers == each] > room for each in left_out), "there was room"


@given(drawn, st.integers(1, 20), st.integers(0, 100))
def test_things_are_rows_with_equal_traces_unless_these_are_many_of_several_labels(
    case, n_labels, seed
):
    _, count, traces = case
    labels = np.random.default_rng(seed).integers(n_labels, size=len(traces))
    found = things(traces, labels, count)
    values, copies = np.unique(traces, return_counts=True)
    few = len(values) < 0.1 * len(traces)
    for value, n in zip(values, copies, strict=True):
        rows = np.flatnonzero(traces == value)
        kinds = len(set(labels[rows].tolist()))
        common = n > 10 and kinds > 1 and n > 2 * kinds
        assert found[rows].tolist() == (rows.tolist() if few or common else [rows[0]] * n)


def test_each_thing_is_as_likely_as_any_other_however_many_copies_it_has():
    rng = np.random.default_rng(0)
    copies = np.repeat([1, 2, 5], 100)
    traces = np.repeat(np.arange(300), copies)
    taken = np.zeros(300)
    for _ in range(400):
        _, first = parted(rng.permutation(len(traces)), 160, traces)
        taken[np.unique(traces[first])] += 1
    shares = [taken[copies == each].mean() / 400 for each in (1, 2, 5)]
    # 40,000 draws of each kind. Things of a draw exclude each other, which makes it narrower.
    np.testing.assert_allclose(shares, 0.2, atol=5 * np.sqrt(0.2 * 0.8 / 40_000))


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_of_rows_that_many_things_have_alike_each_part_has_its_share(share):
    """Such as rows of zeros: else none is calibrated on, or hardly any other."""
    rng = np.random.default_rng(0)
    traces = np.where(np.arange(2000) < 2000 * share, 0, np.arange(2000) // 2)
    drawn_zeros = []
    for _ in range(50):
        _, first = parted(rng.permutation(2000), 400, traces, np.arange(2000) % 7)
        drawn_zeros.append(np.mean(traces[first] == 0))
    assert np.mean(drawn_zeros) == pytest.approx(share, abs=5 * np.sqrt(0.25 / 400 / 50))
    assert np.ptp(drawn_zeros) < 0.2


@pytest.mark.parametrize("how", ["one label", "each label once", "not known"])
def test_copies_of_one_thing_stay_together_however_many(how):
    """Copied to give a rare label weight, or once for each of its labels."""
    traces = np.r_[np.arange(600), np.repeat(np.arange(600, 610), 60)]
    labels = {
        "one label": traces % 12,
        "each label once": np.r_[np.zeros(600), np.tile(np.arange(60), 10)],
        "not known": NOT_KNOWN,
    }
    order = np.random.default_rng(0).permutation(1200)
    others, first = parted(order, 240, traces, labels[how])
    assert not set(traces[others].tolist()) & set(traces[first].tolist())


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
    frame = pd.DataFrame(X)
    for stored in (
        X.astype(np.float32),
        X.astype(object),
        X.tolist(),
        np.asfortranarray(X),
        frame,
        frame.astype("Float64"),
        frame.astype("double[pyarrow]"),
        sparse.csr_array(X),
        sparse.coo_array(X),
    ):
        np.testing.assert_array_equal(fingerprints(stored), dense)


def test_traces_of_gaps_are_those_of_gaps_however_they_are_stored():
    X = np.array([[0.0, np.nan], [1.0, 2.0], [np.nan, 0.0]])
    frame = pd.DataFrame(X)
    for stored in (frame, frame.astype("Float64"), frame.astype(object).where(frame.notna(), None)):
        np.testing.assert_array_equal(fingerprints(stored), fingerprints(X))


def test_traces_of_long_rows_are_those_of_each_by_itself():
    X = np.random.default_rng(0).normal(size=(3, (1 << 20) + 1))
    np.testing.assert_array_equal(
        fingerprints(X), [fingerprints(X[[row]])[0] for row in range(len(X))]
    )


def test_rows_without_features_and_no_rows_have_traces():
    assert len(fingerprints(np.zeros((0, 3)))) == 0
    assert len({*fingerprints(np.zeros((3, 0))).tolist()}) == 1


def test_sparse_rows_are_equal_by_what_they_hold_and_not_by_how():
    with_a_zero = sparse.csr_array(([2.0, 0.0], [1, 0], [0, 2]), shape=(1, 2))
    in_two_parts = sparse.csr_array(([1.0, 1.0], [1, 1], [0, 2]), shape=(1, 2))
    plain = sparse.csr_array(np.array([[0.0, 2.0]]))
    assert fingerprints(with_a_zero) == fingerprints(in_two_parts) == fingerprints(plain)
