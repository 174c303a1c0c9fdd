"""Rows in any container: counted, taken and recognised alike."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from torch.utils.data import DataLoader, TensorDataset

from lamc.containers import count_rows, take_rows, traces
from lamc.exceptions import CalibrationError, FeatureError

X = np.random.default_rng(0).integers(5, size=(7, 3)).astype(float)
ROWS = np.array([4, 1])

FORMS = {
    "array": np.asarray,
    "lists": lambda rows: rows.tolist(),
    "frame": pd.DataFrame,
    "csr": sparse.csr_array,
    "dict of keys": sparse.dok_array,
    "tensor": torch.from_numpy,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_holds_the_same_rows(form):
    assert count_rows(form(X)) == 7
    np.testing.assert_array_equal(traces(take_rows(form(X), ROWS)), traces(form(X))[ROWS])
    dense = take_rows(form(X), ROWS)
    dense = dense.toarray() if sparse.issparse(dense) else np.asarray(dense)
    np.testing.assert_array_equal(dense, X[ROWS])


@pytest.mark.parametrize("form", [tuple, lambda parts: dict(zip("ab", parts, strict=True))])
def test_several_inputs_are_one_row_together(form):
    both = form([X, X[::-1].copy()])
    assert count_rows(both) == 7
    taken = take_rows(both, ROWS)
    parts = list(taken.values()) if isinstance(taken, dict) else list(taken)
    np.testing.assert_array_equal(parts[1], X[::-1][ROWS])
    other = form([X, X])
    found = traces(both)
    assert found[3] == traces(other)[3]  # the middle row is the same from either end
    assert found[0] != traces(other)[0]


def test_images_are_recognised_whatever_their_number():
    images = np.random.default_rng(0).random((2500, 2, 2))
    found = traces(images)
    assert len(np.unique(found)) == 2500
    np.testing.assert_array_equal(traces(images[1500:1600]), found[1500:1600])


def test_a_dataset_is_taken_from_without_being_loaded():
    data = TensorDataset(torch.from_numpy(X))
    assert count_rows(data) == 7
    (row,) = take_rows(data, ROWS)[0]
    np.testing.assert_array_equal(row, X[4])
    assert len(traces(data)) == 0


def test_a_loader_cannot_be_taken_from():
    loader = DataLoader(TensorDataset(torch.from_numpy(X)))
    assert count_rows(loader) is None
    assert len(traces(loader)) == 0
    with pytest.raises(CalibrationError, match=r"loader\.dataset"):
        take_rows(loader, ROWS)


def test_torch_is_not_imported_for_rows_that_are_not_its_own():
    code = (
        "import sys, numpy as np; from lamc.containers import count_rows, take_rows, traces\n"
        "X = np.eye(3); count_rows(X); take_rows(X, np.arange(2)); traces(X)\n"
        "print('torch' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize(
    "form", [list, np.array, pd.Series, lambda rows: pd.Series(rows, dtype="string")]
)
def test_texts_are_recognised_in_every_form(form):
    texts = ["an oak", "an elm", "an oak"]
    first, other, again = traces(form(texts)).tolist()
    assert first == again != other
    assert count_rows(form(texts)) == 3


def test_rows_of_unequal_length_are_recognised():
    first, other, again, longer = traces([[1, 2], [3], [1, 2], [*range(3000), 1]]).tolist()
    assert first == again != other
    assert longer != traces([[*range(3000), 2]])[0]
    assert len(traces([np.arange(3), np.arange(2)])) == 2
    assert len(traces(np.zeros((0, 2, 2)))) == 0


def test_inputs_with_different_numbers_of_rows_are_named():
    with pytest.raises(FeatureError, match=r"5 in 'ids', 4 in 'mask'"):
        count_rows({"ids": np.zeros((5, 3)), "mask": np.ones((4, 3))})
    with pytest.raises(FeatureError, match=r"5 in 0, 4 in 1"):
        count_rows((np.zeros((5, 3)), np.ones((4, 3))))


def test_tensors_of_any_kind_are_recognised():
    tensor = torch.from_numpy(X)
    for form in (tensor.requires_grad_(), tensor.to(torch.bfloat16), tensor.int()):
        np.testing.assert_array_equal(traces(form), traces(X))
