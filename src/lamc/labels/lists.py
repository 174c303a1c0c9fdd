"""Sequences of sequences: lists of the labels that rows have, or the rows of a matrix."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import LabelError
from lamc.labels.names import is_missing


def without_boxes(y: Any) -> Any:
    """The values of a list whose entries are arrays or tensors of one value each."""
    if not isinstance(y, (list, tuple)) or not any(_is_box(entry) for entry in y):
        return y
    return [entry.item() if _is_box(entry) else entry for entry in y]


def plain_rows(y: Iterable[Any]) -> list[Any]:
    """Rows of labels, of which arrays and tensors have become lists."""
    return [row.tolist() if hasattr(row, "tolist") else without_boxes(row) for row in y]


def _is_box(entry: Any) -> bool:
    return getattr(entry, "ndim", None) == 0 and hasattr(entry, "item")


def holds_collections(y: Any) -> bool:
    """Whether ``y`` is a sequence of collections, such as the labels of each row."""
    if not isinstance(y, Sequence):
        array = np.asarray(y)
        if array.ndim != 1 or array.dtype != object:
            return False
    collections = [isinstance(row, Iterable) and not isinstance(row, (str, bytes)) for row in y]
    for number, row in enumerate(y if any(collections) else ()):
        if isinstance(row, (Mapping, Iterator)):
            raise LabelError(
                f"Row {number} of y is a {type(row).__name__}; give a list of the labels that the "
                "row has. For 0/1 values by label, pass pandas.DataFrame(y)."
            )
        if sparse.issparse(row):
            raise LabelError(
                f"y holds a sparse matrix of shape {row.shape} where the labels of row {number} "
                "should be.\nNumPy does not join sparse matrices; scipy.sparse.hstack does."
            )
    if any(collections) and not all(collections):
        row = collections.index(False)
        raise LabelError(
            f"Row {row} of y holds {list(y)[row]!r}, and others hold lists of labels.\nGive a list "
            "for every row; an empty one, [], is a row without a label."
        )
    return bool(collections) and all(collections)


def are_matrix_rows(rows: list[Any]) -> bool:
    """Whether lists of numbers are rows of a matrix, not labels that happen to be 0 and 1."""
    if any(isinstance(row, (set, frozenset)) for row in rows) or len({len(r) for r in rows}) != 1:
        return False
    lists = [list(row) for row in rows]
    for number, row in enumerate(lists):
        if any(
            isinstance(value, Iterable) and not isinstance(value, (str, bytes)) for value in row
        ):
            raise LabelError(
                f"Row {number} of y is {row!r}, which holds lists itself; give one list of labels "
                "for each row."
            )
    values = {value for row in lists for value in row if not is_missing(value)}
    if any(isinstance(value, str) for value in values) or not lists[0]:
        return False
    if any(len(set(row)) < len(row) for row in lists):
        return True  # no list of labels names one twice
    if values <= {-1, 0, 1}:
        raise LabelError(
            f"y, a list that starts with {lists[0]}, could hold the rows of a 0/1 matrix, or lists "
            "of labels named 0 and 1.\nPass np.asarray(y) for the matrix, sets for the labels."
        )
    return False
