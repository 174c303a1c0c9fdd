"""Rows that are equal: what is learnt from one must not be judged by the other."""

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from lamc.types import AnyArray, IntArray

_FEW_VALUES = 0.1  # share of rows that differ, below which equal ones are not copies


def fingerprints(X: Any) -> AnyArray:
    """A number for each row, equal for equal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.duplicates import fingerprints
    >>> a, b, c = fingerprints(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])).tolist()
    >>> a == c, a == b
    (True, False)
    """
    return np.fromiter(
        (int.from_bytes(blake2b(row, digest_size=8).digest()) for row in _rows_as_bytes(X)),
        dtype=np.uint64,
    )


def parted(order: IntArray, count: int, traces: AnyArray) -> tuple[IntArray, IntArray]:
    """Part rows into the first ``count`` of an order and the others, with copies on one side.

    Rows with equal features are taken for one thing that stands in the table several times: once
    for each of its labels, for instance. A thing of which there are more copies than room is left
    to the others. Where hardly any row differs from all others, features take few values, and equal
    rows are different things.

    Parameters
    ----------
    order : ndarray of int
        All rows, in the order in which they are drawn.
    count : int
        Rows to part from the others: fewer are where the next thing has too many copies.
    traces : ndarray
        A number for each row, equal for equal rows; empty where that is not known.

    Returns
    -------
    others, first : ndarrays of int
        Each in the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.duplicates import parted
    >>> parted(np.array([4, 0, 3, 1, 2]), 2, traces=np.array([7, 8, 9, 9, 7]))
    (array([1, 2, 3]), array([0, 4]))
    """
    things, of_row = np.unique(traces, return_inverse=True)
    first = order[:count]
    if are_copies(len(things), len(order)):
        first = _whole(order, count, of_row)
    others = np.ones(len(order), dtype=bool)
    others[first] = False
    return np.flatnonzero(others), np.flatnonzero(~others)


def are_copies(n_things: int, n_rows: int) -> bool:
    """Whether rows with equal features are likely one thing several times, and there are such.

    Examples
    --------
    >>> from lamc.duplicates import are_copies
    >>> are_copies(60, 100), are_copies(5, 100), are_copies(100, 100)
    (True, False, False)
    """
    return _FEW_VALUES * n_rows <= n_things < n_rows


def _whole(order: IntArray, count: int, of_row: IntArray) -> IntArray:
    """Rows of the first things that there is room for; the first rows if there is for none."""
    copies = np.bincount(of_row)
    drawn, at = np.unique(of_row[order], return_index=True)
    room, taken = count, []
    for thing in drawn[np.argsort(at)].tolist():
        if copies[thing] <= room:
            taken.append(thing)
            room -= copies[thing]
        if not room:
            break
    return np.flatnonzero(np.isin(of_row, taken)) if taken else order[:count]


def _rows_as_bytes(X: Any) -> Any:
    if sparse.issparse(X):
        rows = sparse.csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
            yield (
                rows.indices[start:end].astype(np.int64).tobytes() + rows.data[start:end].tobytes()
            )
        return
    array = _as_array(X)
    if array.dtype.kind in "biuf":
        numbers = np.ascontiguousarray(array, dtype=np.float64) + 0.0  # −0 and 0 are equal
        yield from (row.tobytes() for row in numbers)
    else:
        yield from (repr(_plain(row)).encode() for row in array)


def _as_array(X: Any) -> AnyArray:
    """Rows as an array, of objects where their lengths differ."""
    try:
        return np.asarray(X)
    except ValueError:
        rows = np.empty(len(X), dtype=object)
        rows[:] = [*X]
        return rows


def _plain(row: Any) -> Any:
    """A row as Python's own lists, which are written out to the end."""
    if isinstance(row, (list, tuple)):
        return [_plain(value) for value in row]
    return row.tolist() if hasattr(row, "tolist") else row
