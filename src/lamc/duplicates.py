"""Rows that are equal: what is learnt from one must not be judged by the other."""

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from lamc.types import AnyArray, BoolArray, IntArray

_FEW_VALUES = 0.1  # share of rows that differ, below which equal ones are not copies
_MOST_COPIES = 10  # that one thing may have, however few rows are drawn
_ROWS_AT_ONCE = 4096  # that are looked at together; bounds the memory that takes
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
        for start in range(0, len(array), _ROWS_AT_ONCE):
            part = np.ascontiguousarray(array[start : start + _ROWS_AT_ONCE], dtype=np.float64)
            yield from (row.tobytes() for row in part + 0.0)  # −0 and 0 are equal
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
