"""Rows that occur in two sets: a calibration row must not be a training row."""

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from lamc.types import AnyArray


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
    array = np.asarray(X)
    if array.dtype.kind in "biuf":
        numbers = np.ascontiguousarray(array, dtype=np.float64) + 0.0  # −0 and 0 are equal
        yield from (row.tobytes() for row in numbers)
    else:
        yield from (repr(row.tolist()).encode() for row in array)
