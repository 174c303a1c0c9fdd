"""What users rely on in a split: nothing lost, nothing shared, the paper's sizes, the seed."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lamc.datasets.splits import Split, split
from lamc.exceptions import DatasetError, LabelError, LAMCWarning
from lamc.labels import as_labels

PARTS = ("train", "calibration", "validation", "test")
seeds = st.integers(0, 2**32 - 1)
labelled = st.lists(st.booleans(), min_size=6, max_size=300).filter(lambda rows: sum(rows) >= 6)


def truth(rows: list[bool]) -> np.ndarray:
    """Two labels, the first of which the given rows have."""
    return np.column_stack([rows, np.zeros(len(rows), dtype=bool)])


def sizes(parts: Split) -> tuple[int, ...]:
    return tuple(len(getattr(parts, name)) for name in PARTS)


def everything(parts: Split) -> np.ndarray:
    return np.concatenate([getattr(parts, name) for name in PARTS])


@settings(deadline=None)
@given(labelled, seeds)
def test_every_labelled_row_is_in_exactly_one_part(rows: list[bool], seed: int) -> None:
    parts = split(truth(rows), random_state=seed)
    assert sorted(everything(parts)) == np.flatnonzero(rows).tolist()


@settings(deadline=None)
@given(st.integers(6, 3000), seeds)
def test_sizes_are_the_papers(n: int, seed: int) -> None:
    parts = split(np.ones((n, 1)), random_state=seed)
    rest, upto_validation = int(8 * n / 10), int(9 * n / 10)
    assert sizes(parts) == (
        7 * rest // 8,
        rest - 7 * rest // 8,
        upto_validation - rest,
        n - upto_validation,
    )
    assert min(sizes(parts)) > 0


def test_parts_are_cut_off_one_permutation() -> None:
    """The slow twin: the protocol as the paper words it."""
    parts = split(np.ones((1000, 3)), random_state=7)
    order = np.random.RandomState(7).permutation(1000)
    np.testing.assert_array_equal(parts.test, order[-100:])
    np.testing.assert_array_equal(parts.validation, order[-200:-100])
    np.testing.assert_array_equal(parts.training, order[:800])
    np.testing.assert_array_equal(parts.calibration, order[700:800])


@settings(deadline=None)
@given(labelled, seeds)
def test_the_same_seed_gives_the_same_parts(rows: list[bool], seed: int) -> None:
    first, second = (split(truth(rows), random_state=seed) for _ in range(2))
    np.testing.assert_array_equal(everything(first), everything(second))


def test_another_seed_gives_other_parts() -> None:
    Y = np.ones((200, 1))
    assert set(split(Y, random_state=0).test) != set(split(Y, random_state=1).test)


@pytest.mark.parametrize("seed", [3, np.random.RandomState(3), None])
def test_every_kind_of_random_state_is_taken(seed: object) -> None:
    assert sorted(everything(split(np.ones((50, 2)), random_state=seed))) == list(range(50))


def test_every_row_can_come_into_every_part() -> None:
    """Each row is a test row in a tenth of the splits: within 5 sd of the binomial."""
    n_splits, n = 2000, 20
    counts = np.zeros(n)
    for seed in range(n_splits):
        counts[split(np.ones((n, 1)), random_state=seed).test] += 1
    sd = np.sqrt(n_splits * 0.1 * 0.9)
    assert np.abs(counts - n_splits * 0.1).max() < 5 * sd


def test_any_form_of_labels_gives_the_same_parts() -> None:
    dense = np.random.default_rng(0).random((40, 3)) < 0.5
    forms = [dense, sparse.csr_array(dense), [np.flatnonzero(row).tolist() for row in dense]]
    forms.append(as_labels(dense, knowledge="some"))
    reference = everything(split(dense))
    for form in forms:
        np.testing.assert_array_equal(everything(split(form)), reference)


def test_one_label_a_row_is_enough() -> None:
    assert sizes(split(np.arange(60) % 4)) == (42, 6, 6, 6)


def split_groups(groups: Any, seed: int) -> Split:
    """A split of rows in groups, whatever the sizes of its parts."""
    with warnings.catch_warnings(action="ignore", category=LAMCWarning):
        return split(np.ones((len(groups), 1)), groups=groups, random_state=seed)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 12), min_size=6, max_size=200).filter(lambda g: len(set(g)) >= 4), seeds
)
def test_groups_stay_together(groups: list[int], seed: int) -> None:
    parts = split_groups(groups, seed)
    held = [set(np.array(groups)[getattr(parts, name)]) for name in PARTS]
    assert sum(len(part) for part in held) == len(set().union(*held))
    assert sorted(everything(parts)) == list(range(len(groups)))
    assert min(sizes(parts)) > 0


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=30, max_size=80), seeds)
def test_group_sizes_are_as_near_as_whole_groups_allow(group_sizes: list[int], seed: int) -> None:
    """Where a group fits nowhere, no part has room for it, and what is left goes in somewhere.

    So no part lacks as much as a group has, and training has less than three such lacks too many.
    """
    groups = np.repeat(np.arange(len(group_sizes)), group_sizes)
    most = max(group_sizes)
    found = np.array(sizes(split_groups(groups, seed)))
    shares = np.array(sizes(split(np.ones((len(groups), 1)))))
    assert (found - shares > -most).all()
    assert (found - shares < [3 * most, most, most, most]).all()


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), min_size=4, max_size=20).filter(lambda g: sum(g) > 5), seeds)
def test_the_same_seed_gives_the_same_groups(group_sizes: list[int], seed: int) -> None:
    groups = np.repeat(np.arange(len(group_sizes)), group_sizes)
    first, second = (everything(split_groups(groups, seed)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("group_sizes", "expected"),
    [
        ([600, 80, 80, 80, 80, 80], (760, 80, 80, 80)),
        ([700, 100, 100, 50, 50], (700, 100, 100, 100)),
        ([17, 1, 1, 1], (17, 1, 1, 1)),
    ],
)
def test_a_group_larger_than_a_part_is_trained_on(
    group_sizes: list[int], expected: tuple[int, ...], seed: int
) -> None:
    """One group of 600 rows in 1000 came into any part, and 160 were left to train on."""
    groups = np.repeat(np.arange(len(group_sizes)), group_sizes)
    parts = split(np.ones((len(groups), 1)), groups=groups, random_state=seed)
    assert sizes(parts) == expected


def test_every_group_can_come_into_every_part() -> None:
    """Groups of any size that fits are test groups in a tenth of the splits: within 5 sd."""
    n_splits, groups = 2000, np.repeat(np.arange(40), 5)
    counts = np.zeros(40)
    for seed in range(n_splits):
        parts = split(np.ones((200, 1)), groups=groups, random_state=seed)
        counts[np.unique(groups[parts.test])] += 1
    assert np.abs(counts - n_splits * 0.1).max() < 5 * np.sqrt(n_splits * 0.1 * 0.9)


def test_large_groups_are_tested_on_too() -> None:
    """Of 20 groups of 10 rows and 100 of 1, which fit all parts, a tenth of either is test rows."""
    n_splits, group_sizes = 500, np.repeat([10, 1], [20, 100])
    groups = np.repeat(np.arange(120), group_sizes)
    large = [
        (group_sizes[groups[split_groups(groups, seed).test]] == 10).sum()
        for seed in range(n_splits)
    ]
    assert 15 < np.mean(large) < 25  # of 200 rows; largest first alone would leave none


def test_groups_of_one_row_change_no_size() -> None:
    Y = np.ones((123, 1))
    names = [f"patient {i}" for i in range(123)]
    assert sizes(split(Y, groups=names)) == sizes(split(Y))


def test_groups_may_be_a_column_of_names() -> None:
    column = pd.Series(["ann", "bob", "cat", "dan", "eve"] * 4, dtype="category")
    with pytest.warns(LAMCWarning, match=r"calibration has 4 rows, not 2;.*\n.*smaller groups"):
        parts = split(np.ones((20, 1)), groups=column)
    held = [set(column.iloc[getattr(parts, name)]) for name in PARTS]
    assert sorted(name for part in held for name in part) == ["ann", "bob", "cat", "dan", "eve"]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2, 3], r"groups has shape \(3,\), but Y has 8 rows"),
        ([1, 1, 1, 1, 2, 2, 3, 3], "3 groups.*\n.*at least 4"),
        (["a", "b", None, "c", "d", "e", "f", "g"], "Row 2 of groups holds None"),
        ([1.0, np.nan, 2, 3, 4, 5, 6, 7], "Row 0 of groups holds .*1.0"),
    ],
)
def test_bad_groups_are_refused(groups: list[object], message: str) -> None:
    with pytest.raises(LabelError, match=message):
        split(np.ones((8, 1)), groups=groups)


def test_too_few_labelled_rows_are_refused() -> None:
    Y = np.zeros((100, 2))
    Y[:5] = 1
    with pytest.raises(LabelError, match=r"5 of the 100 rows of Y have a label.*at least 6"):
        split(Y)


@settings(deadline=None)
@given(st.integers(2, 300), seeds)
def test_given_parts_are_kept(n: int, seed: int) -> None:
    rows = np.random.default_rng(seed).permutation(n + 20)
    parts = Split.from_parts(np.sort(rows[:n]), rows[n : n + 10], rows[n + 10 :], random_state=seed)
    np.testing.assert_array_equal(np.sort(parts.training), np.sort(rows[:n]))
    np.testing.assert_array_equal(parts.validation, rows[n : n + 10])
    np.testing.assert_array_equal(parts.test, rows[n + 10 :])
    assert len(parts.train) == 7 * n // 8


def test_calibration_is_a_random_eighth_of_sorted_rows() -> None:
    """Rows ordered by class: the last eighth would hold the last class only."""
    classes = np.repeat(np.arange(4), 200)
    parts = Split.from_parts(np.arange(800), [800], [801])
    assert set(classes[parts.calibration]) == {0, 1, 2, 3}
    assert Split.from_parts(np.arange(800), [800], [801]).calibration.tolist() == (
        parts.calibration.tolist()
    )


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ([0, 1, 8], "Row 8 is in .* and in validation"),
        ([0, 1, 1], "Row 1 is in "),
        ([0, -1], "train part names row -1; rows count from 0"),
        ([3], "at least two"),
        ([], "at least one row number"),
        ([0.5, 1.5], "array of float64"),
        ([[0, 1]], r"shape \(1, 2\)"),
    ],
)
def test_parts_that_are_no_split_are_refused(train: list[object], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        Split.from_parts(train, [8], [9])


def test_calibration_rows_of_given_parts_go_by_the_seed_which_is_0_by_default():
    drawn = [
        Split.from_parts(range(800), [800], [801], **seed).calibration.tolist()
        for seed in ({"random_state": 0}, {"random_state": 1}, {})
    ]
    assert drawn[0] != drawn[1]
    assert drawn[0] == drawn[2]
    one_label = np.ones((50, 1))
    np.testing.assert_array_equal(split(one_label).test, split(one_label, random_state=0).test)
