"""Rows that are equal: what is learnt from one must not be judged by the other."""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from lamc.labels.columns import as_numbers
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray

_FEW_VALUES = 0.1  # share of rows that differ, below which equal ones are not copies
_MOST_COPIES = 10  # that one thing may have, however few rows are drawn
_NUMBERS_AT_ONCE = 1 << 20  # that are looked at together; bounds the memory that takes
_COMMON = 0.05  # share of the rows drawn above which equal ones may be no copies
_UNKNOWN: AnyArray = np.empty(0, dtype=np.uint64)


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


def parted(
    order: IntArray, count: int, traces: AnyArray, labels: AnyArray = _UNKNOWN
) -> tuple[IntArray, IntArray]:
    """Part rows into the first ``count`` of an order and the others, with copies on one side.

    Rows with equal features are taken for one thing that stands in the table several times: see
    :func:`things`. Each thing is as likely to be among the first as any other, however many copies
    it has, save that one with more copies than there is room left goes to the others.

    Parameters
    ----------
    order : ndarray of int
        All rows, in the order in which they are drawn.
    count : int
        Rows to part from the others: fewer are where the next thing has too many copies.
    traces : ndarray
        A number for each row, equal for equal rows; empty where that is not known.
    labels : ndarray
        The same of its labels.

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
    thing = things(traces, labels, count) if len(traces) else np.arange(len(order))
    shown = order[thing[order] == order]  # one row of each thing, in the order they are drawn
    first = order[:count]
    if len(shown) < len(order):
        first = _whole(shown, count, thing, otherwise=first)
    others = np.ones(len(order), dtype=bool)
    others[first] = False
    return np.flatnonzero(others), np.flatnonzero(~others)


def things(traces: AnyArray, labels: AnyArray, count: int) -> IntArray:
    """The thing that each row shows, by the number of the first row that shows it.

    Rows with equal features show one thing, once for each of its labels for instance. But they show
    different things where hardly any row differs from all others, for features take few values
    then; and where they are common (:func:`are_common`) among the ``count`` rows to be drawn: of
    these, each part needs its share.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.duplicates import things
    >>> things(np.array([7, 8, 7, 9]), np.array([1, 1, 2, 2]), 2)
    array([0, 1, 0, 3])
    """
    _, first, of_row = np.unique(traces, return_index=True, return_inverse=True)
    rows: IntArray = np.arange(len(traces))
    if not are_copies(len(first), len(traces)):
        return rows
    return np.where(are_common(traces, labels, count), rows, first[of_row])


def are_common(traces: AnyArray, labels: AnyArray, count: int) -> BoolArray:
    """Whether a row has more equals than one thing has copies, as a row of zeros may have.

    That is more than ten, more than a twentieth of ``count`` rows, and with labels that differ and
    occur more than twice on average. A thing that was copied, to give a rare label weight for
    instance, has one label, and one that stands in a table once for each label has each once.
    Where labels or traces are not known no row is common.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.duplicates import are_common
    >>> traces = np.r_[np.zeros(12), np.ones(12), 2, 2]
    >>> are_common(traces, np.r_[np.arange(12) % 3, np.zeros(12), 1, 2], 100)[[0, 12, 24]]
    array([ True, False, False])
    """
    if not (len(labels) and len(traces)):
        return np.zeros(max(len(labels), len(traces)), dtype=bool)
    _, of_row, copies = np.unique(traces, return_inverse=True, return_counts=True)
    names, label = np.unique(labels, return_inverse=True)
    kinds = np.bincount(np.unique(of_row * len(names) + label) // len(names))
    common = (copies > max(_MOST_COPIES, _COMMON * count)) & (kinds > 1) & (copies > 2 * kinds)
    return np.asarray(common[of_row])


def are_copies(n_things: int, n_rows: int) -> bool:
    """Whether rows with equal features are likely one thing several times, and there are such.

    Examples
    --------
    >>> from lamc.duplicates import are_copies
    >>> are_copies(60, 100), are_copies(5, 100), are_copies(100, 100)
    (True, False, False)
    """
    return _FEW_VALUES * n_rows <= n_things < n_rows


def _whole(shown: IntArray, count: int, thing: IntArray, *, otherwise: IntArray) -> IntArray:
    """Rows of the things shown first that there is room for, if there is for any."""
    copies = np.bincount(thing)
    room, taken = count, []
    for each in shown.tolist():
        if copies[each] <= room:
            taken.append(each)
            room -= copies[each]
        if not room:
            break
    return np.flatnonzero(np.isin(thing, taken)) if taken else otherwise


def _rows_as_bytes(X: Any) -> Iterator[bytes]:
    """Rows as bytes, equal for equal rows in any container: of numbers, those that are not 0."""
    if sparse.issparse(X):
        rows = sparse.csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        yield from _filled(rows.indptr, rows.indices, rows.data)
        return
    array = _as_array(X)
    if array.dtype.kind not in "biuf":
        yield from (repr(_plain(row)).encode() for row in array)
        return
    width = int(np.prod(array.shape[1:], dtype=np.int64))
    count = max(1, _NUMBERS_AT_ONCE // max(1, width))
    for start in range(0, len(array), count):
        some = array[start : start + count]
        part = some.astype(np.float64).reshape(len(some), width)
        row, column = np.nonzero(part)
        starts = np.r_[0, np.cumsum(np.count_nonzero(part, axis=1))]
        yield from _filled(starts, column, part[row, column])


def _filled(starts: IntArray, columns: IntArray, values: FloatArray) -> Iterator[bytes]:
    """Columns and values of each row that ends where the next one starts."""
    columns = columns.astype(np.int64, copy=False)
    for start, end in pairwise(starts.tolist()):
        yield columns[start:end].tobytes() + values[start:end].tobytes()


def _as_array(X: Any) -> AnyArray:
    """Rows as an array, of numbers if they are, and of objects where their lengths differ."""
    try:
        array = as_numbers(X)
    except ValueError:
        rows = np.empty(len(X), dtype=object)
        rows[:] = [*X]
        return rows
    if array.dtype == object and array.ndim == 2 and _are_numbers(array):
        return array.astype(np.float64)
    return array


def _are_numbers(array: AnyArray) -> bool:
    return all(isinstance(value, Real) or value is None for value in array.flat)


def _plain(row: Any) -> Any:
    """A row as Python's own lists, which are written out to the end."""
    if isinstance(row, (list, tuple)):
        return [_plain(value) for value in row]
    return row.tolist() if hasattr(row, "tolist") else row
