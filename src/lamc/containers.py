"""Rows in any container that a scorer may take: how many there are, some of them, and their traces.

Arrays, frames and lists; a tuple or dict of arrays, for scorers with several inputs; and torch's
Datasets and DataLoaders, which torch is not imported to know.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from lamc.duplicates import fingerprints
from lamc.exceptions import CalibrationError, FeatureError
from lamc.types import AnyArray, IntArray

_WITH_ROWS = ("csr", "csc", "lil", "dok")  # formats of sparse matrices that can be indexed
ROWS_AT_ONCE = 1024  # rows that are looked at together; bounds the memory that takes


def has_named_inputs(X: Any) -> bool:
    """Whether X is a dict of arrays that each have a row for each example."""
    return isinstance(X, Mapping) and not sparse.issparse(X)  # one kind of sparse matrix is a dict


def has_several_inputs(X: Any) -> bool:
    """Whether X is a tuple of arrays that each have a row for each example.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.containers import has_several_inputs
    >>> has_several_inputs((np.ones((5, 2)), np.ones((5, 3)))), has_several_inputs(([1.0], [2.0]))
    (True, False)
    """
    return isinstance(X, tuple) and len(X) > 0 and all(_is_matrix(part) for part in X)


def comes_as_it_comes(X: Any) -> bool:
    """Whether X is a torch DataLoader or the like, of which no row can be asked for."""
    return _is_of_torch(X, "DataLoader", "IterableDataset")


def count_rows(X: Any) -> int | None:
    """Number of rows; None if it is not known before they have come.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.containers import count_rows
    >>> count_rows({"ids": np.zeros((5, 3)), "mask": np.ones((5, 3))})
    5
    """
    if comes_as_it_comes(X):
        return None
    counts = [_num_samples(part) for part in _parts(X)]
    if len(set(counts)) > 1:
        names = [*X] if has_named_inputs(X) else range(len(counts))
        told = ", ".join(f"{n} in {name!r}" for name, n in zip(names, counts, strict=True))
        raise FeatureError(f"The inputs of X have different numbers of rows: {told}.")
    return counts[0]


def with_rows(X: Any) -> Any:
    """X in a form whose rows can be taken, which sparse matrices of some formats are not.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.containers import with_rows
    >>> with_rows(sparse.coo_array(np.eye(3))).format
    'csr'
    """
    if sparse.issparse(X):
        return X if X.format in _WITH_ROWS else X.tocsr()
    return X if hasattr(X, "__getitem__") or comes_as_it_comes(X) else np.asarray(X)


def take_rows(X: Any, rows: IntArray) -> Any:
    """Some of the rows, in a container of the same kind.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.containers import take_rows
    >>> take_rows((np.eye(3), np.ones((3, 1))), np.array([2]))
    (array([[0., 0., 1.]]), array([[1.]]))
    """
    if comes_as_it_comes(X):
        raise CalibrationError(
            "A DataLoader cannot be split into rows to train on and rows to calibrate on.\nGive "
            "fit X_cal and Y_cal, or the Dataset itself: X=loader.dataset."
        )
    if _is_of_torch(X, "Dataset"):
        return sys.modules["torch.utils.data"].Subset(X, rows.tolist())
    if has_named_inputs(X):
        return {name: take_rows(part, rows) for name, part in X.items()}
    if has_several_inputs(X):
        return tuple(take_rows(part, rows) for part in X)
    return X[rows] if _is_of_torch(X, "Tensor") else _safe_indexing(X, rows)


def traces(X: Any) -> AnyArray:
    """A number for each row, equal for equal rows; none where all rows would have to be loaded."""
    if comes_as_it_comes(X) or _is_of_torch(X, "Dataset"):
        return np.empty(0, dtype=np.uint64)
    parts = _parts(X)
    if len(parts) > 1:
        return fingerprints(np.column_stack([traces(part) for part in parts]))
    (rows,) = parts
    is_tensor = _is_of_torch(rows, "Tensor")
    if getattr(rows, "ndim", 2) == 2 and not is_tensor:
        return fingerprints(rows)
    starts = range(0, max(1, len(rows)), ROWS_AT_ONCE)
    some = (rows[start : start + ROWS_AT_ONCE] for start in starts)
    if is_tensor:  # of any type, bfloat16 too
        some = (part.detach().cpu().double().numpy() for part in some)
    return np.concatenate([fingerprints(part) for part in some])


def _parts(X: Any) -> list[Any]:
    if has_named_inputs(X):
        return [*X.values()]
    return [*X] if has_several_inputs(X) else [X]


def _is_of_torch(X: Any, *names: str) -> bool:
    """Whether X is of a class of torch or torch.utils.data; if it is, torch was imported."""
    rooms = [sys.modules[name] for name in ("torch", "torch.utils.data") if name in sys.modules]
    kinds = [getattr(room, name) for room in rooms for name in names if hasattr(room, name)]
    return isinstance(X, tuple(kinds))


def _is_matrix(part: Any) -> bool:
    return hasattr(part, "shape") and len(part.shape) >= 2
