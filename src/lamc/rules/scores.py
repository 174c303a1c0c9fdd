"""Scores at the door: an array or sparse matrix of numbers in [0, 1], or a clear refusal."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import CalibrationError
from lamc.labels.columns import as_numbers
from lamc.types import AnyArray, FloatArray, Matrix, SparseMatrix

# Entries of a block: few enough to stay in the processor's cache between two looks.
_BLOCK = 1 << 17
_BITS = {
    np.dtype(np.float16): np.uint16,
    np.dtype(np.float32): np.uint32,
    np.dtype(np.float64): np.uint64,
}


def check_scores(scores: Any, *, n_labels: int | None = None, name: str = "scores") -> Matrix:
    """Return scores in a float type, dense or CSR, if all lie in [0, 1].

    A pair that a sparse matrix does not store has the score 0.

    Examples
    --------
    >>> from lamc.rules.scores import check_scores
    >>> check_scores([[0.1, 1.2]])
    Traceback (most recent call last):
    lamc.exceptions.CalibrationError: scores hold 1.2 at row 0, column 1; ...
    """
    checked = score_matrix(scores, n_labels=n_labels, name=name)
    if not sparse.issparse(checked):
        for _ in checked_rows(checked, name=name):
            pass
    elif not _within_unit(checked.data):
        _refuse(checked, name)
    return checked


def score_matrix(scores: Any, *, n_labels: int | None = None, name: str = "scores") -> Matrix:
    """Return scores in a float type, dense or CSR, without a look at the numbers.

    Half, single and double precision stay what they are, for scores are compared in the shorter of
    two types. What has another type becomes float64.
    """
    if sparse.issparse(scores):
        matrix = sparse.csr_array(scores)
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()  # the user's own stays as it is
            matrix.sum_duplicates()
    else:
        matrix = as_numbers(scores)
        if matrix.dtype.kind not in "biuf":
            raise CalibrationError(f"{name} hold {matrix.dtype} values; scores are numbers.")
        native = matrix.dtype.newbyteorder("=")
        matrix = matrix.astype(native if native in _BITS else np.float64, copy=False)
    if matrix.ndim != 2:
        raise CalibrationError(
            f"{name} have {matrix.ndim} dimensions; they are a matrix with a row for each example "
            "and a column for each label."
        )
    if n_labels is not None and matrix.shape[1] != n_labels:
        raise CalibrationError(
            f"{name} have {matrix.shape[1]} columns, but there are {n_labels} labels."
        )
    return matrix


def row_blocks(scores: FloatArray, size: int) -> Iterator[slice]:
    """Blocks of rows with about ``size`` entries together, to stay in the processor's cache."""
    step = max(1, size // max(1, math.prod(scores.shape[1:])))
    for start in range(0, len(scores), step):
        yield slice(start, start + step)


def checked_rows(scores: FloatArray, *, name: str = "scores") -> Iterator[slice]:
    """Blocks of rows; each is looked at after its use, when it is in the processor's cache."""
    for rows in row_blocks(scores, _BLOCK):
        yield rows
        if not _within_unit(scores[rows]):
            _refuse(scores, name)


def _within_unit(numbers: AnyArray) -> bool:
    if numbers.size == 0:
        return True
    # Read as whole numbers, the bits of 0 to 1 are in order, and those of all else but −0 lie
    # above. One look is 1.5 times as fast as two, for the least and the greatest number.
    one = numbers.dtype.type(1).view(_BITS[numbers.dtype])
    if numbers.view(_BITS[numbers.dtype]).max() <= one:
        return True
    return bool(numbers.min() >= 0 and numbers.max() <= 1)  # a NaN makes both false


def _refuse(scores: Matrix, name: str) -> None:
    if scores.dtype == np.float16:
        scores = scores.astype(np.float32)  # scipy has no sparse halves
    entries: SparseMatrix = sparse.coo_array(scores)
    odd = np.flatnonzero(~((entries.data >= 0) & (entries.data <= 1)))[0]
    row, column = (int(axis[odd]) for axis in entries.coords)
    value = entries.data[odd].item()
    advice = (
        "Impute or drop that row before it is scored."
        if value != value
        else "Map raw scores there first, by 1 / (1 + exp(−score)) or any increasing function."
    )
    raise CalibrationError(
        f"{name} hold {value} at row {row}, column {column}; scores are numbers from 0 to 1.\n"
        f"{advice}"
    )
