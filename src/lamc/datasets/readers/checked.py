"""The last door of every reader: what passes is a Dataset whose parts agree."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers.columns import LEFT_OUT
from lamc.datasets.readers.files import stem
from lamc.datasets.splits import Split
from lamc.exceptions import DatasetError
from lamc.types import AnyArray, BoolArray, FloatArray, SparseMatrix


def checked_dataset(
    source: Path | str,
    *,
    X: Any,
    Y: Any,
    name: str | None = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    observed: Any = None,
    split: Split | None = None,
    pictures: FloatArray | None = None,
    notes: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Dataset:
    """Bring the parts to their common form, or say which do not fit together.

    ``source`` is the file, or what else messages should name. A data set without a name is called
    as its file is; features without names x0, x1, …, labels
    without names label0, label1, ….
    """
    _check_numbers(source, "X", X)
    _check_numbers(source, "Y", Y)
    n, k = Y.shape
    if X.shape[0] != n:
        turned = "\nY seems to be turned: it has a column for each row of X." * (k == X.shape[0])
        raise DatasetError(
            f"{source}: X has {X.shape[0]} rows, but Y has {n}; each has one a row.{turned}"
        )
    if 0 in (n, k, X.shape[1]):
        raise DatasetError(
            f"{source} holds {n} rows, {X.shape[1]} features and {k} labels; at least one of each "
            f"is needed.\n{_why_none(notes if n and X.shape[1] == 0 else ())}"
        )
    X = _feature_matrix(source, X)
    Y = _mark_matrix(source, "Y", Y)
    if observed is not None:
        _check_numbers(source, "Y_obs", observed)
        if observed.shape != Y.shape:
            raise DatasetError(
                f"{source}: Y_obs has the shape {observed.shape}, Y the shape {Y.shape}; they are "
                "the same labels of the same rows."
            )
        observed = _mark_matrix(source, "Y_obs", observed)
        _check_observed(source, Y, observed)
    if split is not None:
        _check_rows(source, split, n)
    if pictures is not None:
        _check_pictures(source, pictures, n)
    return Dataset(
        name=stem(Path(source)) if name is None else name,
        X=X,
        Y=Y,
        feature_names=_names(source, "feature", feature_names, X.shape[1], "x"),
        label_names=_names(source, "label", label_names, k, "label"),
        observed=observed,
        split=split,
        pictures=pictures,
        notes=tuple(notes),
        words=tuple(words),
    )


def _why_none(notes: Sequence[str]) -> str:
    """Say why there are no features, as the notes on columns tell, or what else may be wrong."""
    left_out = [note for note in notes if note.startswith(LEFT_OUT)]
    if not left_out:
        return (
            "The file may be cut short, or features and labels not told apart: a column that "
            "labels= or id_column= names is no feature."
        )
    return "\n".join(
        [
            *left_out,
            "A feature is a number, or one of a few words. Write each number of a list into a "
            "column of its own, and dates as numbers; of a table, words= names columns of text to "
            "take as words.",
        ]
    )


def is_unnamed(data: Dataset) -> bool:
    """Whether the features have no names but x0, x1, …, which a reader gave them.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes
    >>> from lamc.datasets.readers.checked import is_unnamed
    >>> is_unnamed(digit_scenes(10))
    False
    """
    return data.feature_names.tolist() == _numbered("x", data.X.shape[1])


def _feature_matrix(source: Path | str, X: Any) -> FloatArray | SparseMatrix:
    if sparse.issparse(X):
        return _rows_first(source, "X", X).astype(np.float64)
    return np.ascontiguousarray(X, dtype=np.float64)


def _mark_matrix(source: Path | str, name: str, Y: Any) -> SparseMatrix:
    """Check that a matrix holds 0 and 1 only, and keep the places of the ones."""
    marks = _rows_first(source, name, Y) if sparse.issparse(Y) else sparse.csr_array(Y)
    odd = (marks.data != 0) & (marks.data != 1)
    if odd.any():
        entry = int(np.argmax(odd))
        row = int(np.searchsorted(marks.indptr, entry, side="right")) - 1
        value = marks.data[entry].item()
        advice = (
            "−1 is in use for absent and for unknown; write 0 where a label is absent."
            if value == -1
            else "Write 1 where a label is true and 0 where it is not."
        )
        raise DatasetError(
            f"{source}: {name} holds {value} at row {row}, column {marks.indices[entry]}, counted "
            f"from 0; it may hold 0 and 1 only.\n{advice}"
        )
    marks.eliminate_zeros()
    return marks.astype(bool)


def _check_numbers(source: Path | str, name: str, matrix: Any) -> None:
    shape, dtype = getattr(matrix, "shape", ()), getattr(matrix, "dtype", np.dtype(object))
    if len(shape) != 2 or dtype.kind not in "biuf":
        raise DatasetError(
            f"{source}: {name} is an array of {dtype} of shape {tuple(shape)}; a matrix of real "
            "numbers with one row for each example is needed."
        )


def _rows_first(source: Path | str, name: str, matrix: Any) -> SparseMatrix:
    """Return the matrix by rows, each place stored once.

    scipy's own check passes over row ends that are wrong in a matrix without entries, and its
    compiled loops trust them.
    """
    ends, places = matrix.indptr, matrix.indices
    breadth = matrix.shape[1 if matrix.format == "csr" else 0]
    sound = (
        ends[0] == 0
        and ends[-1] == len(places) == len(matrix.data)
        and (np.diff(ends) >= 0).all()
        and (places >= 0).all()
        and (places < breadth).all()
    )
    if not sound:
        raise DatasetError(
            f"{source}: the sparse matrix {name} is damaged: it has entries outside its "
            f"{matrix.shape[0]} rows and {matrix.shape[1]} columns.\nFetch or write the file again."
        )
    by_rows = sparse.csr_array(matrix)
    by_rows.sum_duplicates()
    return by_rows


def _check_observed(source: Path | str, Y: SparseMatrix, observed: SparseMatrix) -> None:
    outside = (observed > Y).tocoo()
    if outside.nnz:
        raise DatasetError(
            f"{source}: Y_obs marks a label that Y does not, at row {outside.row[0]}, column "
            f"{outside.col[0]}, counted from 0; an observed label is a true one.\n"
            "Remove Y_obs from the file, and draw with lamc.datasets.observe(Y)."
        )


def _check_rows(source: Path | str, split: Split, n: int) -> None:
    last = int(np.concatenate([split.training, split.validation, split.test]).max())
    if last >= n:
        one_based = "\nIt seems to count rows from 1; subtract 1 from each." * (last == n)
        raise DatasetError(
            f"{source}: the split names row {last}, but there are {n} rows, counted from 0."
            f"{one_based}"
        )


def _check_pictures(source: Path | str, pictures: Any, n: int) -> None:
    kind = getattr(pictures, "dtype", np.dtype(object)).kind
    if kind not in "biuf":
        raise DatasetError(
            f"{source}: pictures is no array of numbers; one for each row is needed."
        )
    if len(pictures) != n:
        raise DatasetError(f"{source} has {len(pictures)} pictures for {n} rows.")


def _names(
    source: Path | str, what: str, names: Iterable[str] | None, size: int, prefix: str
) -> AnyArray:
    if names is None:
        return np.array(_numbered(prefix, size))
    array = np.asarray(list(names), dtype=str)
    if array.shape != (size,):
        raise DatasetError(f"{source} names {array.size} {what}s, but holds {size}.")
    unique, counts = np.unique(array, return_counts=True)
    if len(unique) < size:
        twice: BoolArray = counts > 1
        raise DatasetError(
            f"{source} has two {what}s named {unique[twice][0].item()!r}; rename one of them."
        )
    return array


def _numbered(prefix: str, size: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(size)]
