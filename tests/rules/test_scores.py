"""Scores are numbers in [0, 1]; what is not is refused with its place."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc.exceptions import CalibrationError
from lamc.rules import scores as module
from lamc.rules.scores import check_scores

from .cases import few

FORMS = [np.asarray, sparse.csr_array, sparse.coo_matrix, pd.DataFrame, np.ndarray.tolist]
ODD = [np.nan, np.inf, -np.inf, -0.25, -1e-300, 1.5, np.nextafter(1, 2)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("place", [(0, 0), (1, 2), (2, 1)])
def test_what_is_no_score_is_refused_with_row_and_column(form, value, place):
    scores = np.full((3, 3), 0.5)
    scores[place] = value
    match = f"scores hold {value} at row {place[0]}, column {place[1]}; .* from 0 to 1.\n"
    with pytest.raises(CalibrationError, match=match) as raised:
        check_scores(form(scores))
    advice = "Impute or drop" if np.isnan(value) else "Map raw scores"
    assert advice in str(raised.value)


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_of_several_is_named_wherever_blocks_end(value, dtype, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 8)
    for row in range(7):
        scores = np.zeros((7, 4), dtype=dtype)
        scores[row:, 3] = value
        given_value = scores[row, 3]
        if 0 <= given_value <= 1:  # too close to a score for the shorter type
            assert check_scores(scores) is scores
        else:
            with pytest.raises(CalibrationError, match=f"at row {row}, column 3"):
                check_scores(scores)


@few
@given(st.lists(st.floats(width=32), min_size=1, max_size=8))
def test_what_lies_in_the_unit_interval_passes_and_nothing_else(values):
    for dtype in (np.float32, np.float64):
        scores = np.asarray([values], dtype=dtype)
        if all(0 <= v <= 1 for v in values):
            assert check_scores(scores) is scores
        else:
            with pytest.raises(CalibrationError, match="scores hold"):
                check_scores(scores)


def test_the_ends_and_minus_zero_are_scores():
    assert check_scores([[0.0, 1.0, -0.0]]).tolist() == [[0, 1, 0]]


@pytest.mark.parametrize(
    ("given_type", "kept"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.float16, np.float16),
        (np.longdouble, np.float64),
        (np.int64, np.float64),
        (bool, np.float64),
        (">f8", np.float64),
        (">f4", np.float32),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_scores_keep_their_float_type_or_become_float64(given_type, kept, order):
    scores = np.array([[0, 1], [1, 0], [1, 1]], dtype=given_type, order=order)
    checked = check_scores(scores)
    assert checked.dtype == kept
    assert checked.tolist() == scores.tolist()


def test_a_part_of_an_array_is_checked_as_it_is():
    scores = np.full((6, 6), 7.0)
    scores[::2, ::3] = 0.5
    assert (check_scores(scores[::2, ::3]) == 0.5).all()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, 0.2], "scores have 1 dimensions; they are a matrix"),
        (np.zeros((2, 2, 2)), "scores have 3 dimensions"),
        (0.5, "scores have 0 dimensions"),
        ([["a", "b"]], "scores hold <U1 values; scores are numbers"),
        ([[None, 0.5]], "scores hold object values"),
        ([[0.5j, 0.5]], "complex128 values"),
        (np.zeros((1, 2), dtype="M8[s]"), "datetime64"),
        (np.zeros((4, 3)), "scores have 3 columns, but there are 2 labels"),
        (sparse.csr_array((4, 3)), "scores have 3 columns, but there are 2 labels"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(scores, message):
    with pytest.raises(CalibrationError, match=message):
        check_scores(scores, n_labels=2)


def test_the_name_of_the_argument_is_in_the_message():
    with pytest.raises(CalibrationError, match=r"reference hold 2\.0 at row 0, column 0"):
        check_scores([[2.0]], name="reference")


def test_duplicate_entries_are_added_up_in_a_copy():
    entries = (np.array([0.25, 0.5, 0.5]), np.array([1, 1, 0]), np.array([0, 3]))
    scores = sparse.csr_array(entries, shape=(1, 2))
    assert check_scores(scores).toarray().tolist() == [[0.5, 0.75]]
    assert scores.data.tolist() == [0.25, 0.5, 0.5]
    assert scores.indices.tolist() == [1, 1, 0]
    twice = sparse.csr_array((np.ones(2), ([0, 0], [1, 1])), shape=(1, 2))
    with pytest.raises(CalibrationError, match=r"hold 2\.0 at row 0, column 1"):
        check_scores(twice)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_no_scores_are_fine(shape):
    assert check_scores(np.empty(shape)).shape == shape
    assert check_scores(sparse.csr_array(shape)).shape == shape
