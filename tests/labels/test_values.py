"""Odd values of a vector: −1, which may mean that there is none, and arrays of one value."""

import numpy as np
import pandas as pd
import pytest
import torch

from lamc import as_labels
from lamc.exceptions import LAMCWarning
from lamc.labels import Knowledge
from lamc.labels.forms import are_columns


@pytest.mark.parametrize(
    "y",
    [
        [0, -1, 2, -1],
        np.array([1.0, 0.0, -1.0, -1.0]),
        pd.Series([-1, 7, 3, -1]).astype("category"),
        pd.Series([-1, 7, 3, -1], dtype="Int64"),
    ],
    ids=["list", "floats", "categories", "nullable"],
)
def test_minus_one_among_labels_from_zero_may_be_none(y):
    with pytest.warns(
        LAMCWarning, match=r"−1 in 2 rows.*a label like the others\.\n.*y\[y != -1\]"
    ):
        labels = as_labels(y)
    assert labels.classes[0] == -1
    assert labels.shape == (4, 3)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([-1, 1, 1], None),
        ([-1, 0, -1], None),
        ([-2, -1, 0, 1], None),
        ([-1, 0, 1], [-1, 0, 1]),
        (["-1", "0", "1"], None),
        (np.array([255, 0, 1], dtype=np.uint8), None),
    ],
    ids=["two classes", "one other", "other negatives", "classes said", "text", "unsigned"],
)
def test_minus_one_as_a_label_passes_without_a_word(y, classes):
    assert len(as_labels(y, classes=classes).classes) == len(set(y))


@pytest.mark.parametrize(
    ("y", "names"),
    [
        ([torch.tensor(1), torch.tensor(3), torch.tensor(1)], [1, 3, 1]),
        ([np.array(1), np.array(3), np.array(1)], [1, 3, 1]),
        ((np.array("oak"), np.array("elm"), "oak"), ["oak", "elm", "oak"]),
        ([np.int8(1), np.int64(3), 1], [1, 3, 1]),
    ],
    ids=["tensors", "arrays", "text", "scalars"],
)
def test_arrays_of_one_value_are_labels(y, names):
    assert as_labels(y).names() == [[name] for name in names]
    assert as_labels(y).knowledge is Knowledge.SINGLE
    assert not are_columns(y)


MATRIX = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1]])


def test_rows_may_be_tensors_or_hold_them():
    rows = [[torch.tensor(1), torch.tensor(3)], [torch.tensor(3)]]
    assert as_labels(rows).names() == [[1, 3], [3]]
    assert as_labels([torch.tensor(row) for row in rows]).names() == [[1, 3], [3]]
    matrix = [torch.tensor(row) for row in MATRIX]
    np.testing.assert_array_equal(as_labels(matrix).positives.toarray(), MATRIX)
    assert are_columns(matrix)
