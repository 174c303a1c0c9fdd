"""Scores made elsewhere, and the truth they are calibrated or measured against, from two files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from lamc.datasets.readers.arrow_columns import PANDAS_INDEX
from lamc.datasets.readers.columns import left_out_note
from lamc.datasets.readers.files import first_bytes, kind_of
from lamc.exceptions import DatasetError, LabelError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.tables.batches import (
    check_columns,
    column_names,
    column_type,
    index_columns,
    spelt_column,
    whole_table,
)
from lamc.tables.cells import Kind
from lamc.tables.features import check_header, columns_for, number_matrix
from lamc.tables.source import Source, source_of
from lamc.tables.truth import LabelColumns, known_labels, labels_in_words, table_labels
from lamc.types import AnyArray, FloatArray
from lamc.wording import some

ID = "id"  # what predictions call the column that identifies their rows

_ARRAY = "a single NumPy array"  # as its first bytes tell


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Scores and labels of the same rows.

    Attributes
    ----------
    scores : ndarray of shape (n, K)
        A score for each row and label.
    labels : Labels
        What is known of the labels, in the order of the columns of ``scores``.
    notes : tuple of str
        What is worth telling the user: first of all what was read.
    ids : ndarray of str, shape (n,), or None
        What identifies the rows, if a column does.
    """

    scores: FloatArray
    labels: Labels
    notes: tuple[str, ...]
    ids: AnyArray | None = None


def read_scored(
    scores: str | Path,
    truth: str | Path,
    where: LabelColumns,
    *,
    id_column: str | None = None,
    classes: AnyArray | None = None,
    said: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> ScoredRows:
    r"""Read scores and truth, row by row or by what identifies a row.

    Parameters
    ----------
    scores : path
        A table with a column of scores for each label, or a matrix in a ``.npy`` file.
    truth : path
        A table with the labels of the same rows, or a matrix of 0 and 1, or a vector of one
        observed label a row, in a ``.npy`` file.
    where : LabelColumns
        Where the table of truth has its labels; by default in columns named as in ``scores``.
        Labels that it names are those of which the scores are taken, unless ``classes`` are given.
    id_column : str, optional
        Column of both tables that says which rows belong together. Without it they are in the
        same order.
    classes : ndarray of shape (K,), optional
        The labels of a calibrator, in the order of which the result is.
    said, delimiter, encoding, decimal : str, optional
        How both tables are written; see :func:`lamc.tables.source.source_of`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.tables.scores import read_scored
    >>> from lamc.tables.truth import LabelColumns
    >>> with TemporaryDirectory() as folder:
    ...     scores, truth = Path(folder) / "scores.csv", Path(folder) / "truth.csv"
    ...     _ = scores.write_text("id,oak,elm\na,0.9,0.8\nb,0.2,0.7\n")
    ...     _ = truth.write_text("id,elm,oak\nb,1,0\na,1,1\n")
    ...     found = read_scored(scores, truth, LabelColumns(), id_column="id")
    >>> found.scores.tolist(), found.labels.names()
    ([[0.9, 0.8], [0.2, 0.7]], [['oak', 'elm'], ['elm']])
    """
    as_table = partial(
        source_of, said=said, delimiter=delimiter, encoding=encoding, decimal=decimal
    )
    names, matrix, ids, left_out = _scores(Path(scores), as_table, id_column, where, classes)
    check_unit(matrix, names, place=lambda row: f"{scores}, {_place(Path(scores), as_table, row)}")
    labels, notes = _truth(Path(truth), as_table, names, where)
    if id_column is None and not any(Path(p).suffix.lower() == ".npy" for p in (scores, truth)):
        _check_order(as_table(scores), as_table(truth), {*map(str, names), *where.names})
    if ids is not None and id_column is not None:
        others = _ids(as_table(truth), id_column)
        labels = labels[_matching(ids, others, scores, truth, id_column)]
        if n_unused := len(others) - len(labels):
            notes = (
                *notes,
                f"Left out: {n_unused:,} of the {len(others):,} rows of {truth}, which have no "
                f"scores in {scores}.",
            )
    if len(labels) != len(matrix):
        raise LabelError(
            f"{truth} has {len(labels)} rows, but {scores} has {len(matrix)}.\nGive the same rows "
            "in the same order, or say by --id which column tells what belongs together."
        )
    known = names if classes is None else classes
    labels = Labels(labels.positives, known, labels.knowledge, labels.negatives)
    sentence = f"Read the scores of {scores} for {labels_in_words(labels)}."
    return ScoredRows(matrix, labels, (sentence, *left_out, *notes), ids)


def score_matrix(path: str | Path, classes: AnyArray | None = None) -> FloatArray:
    """Read scores from a ``.npy`` file, which has a column for each of ``classes``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from lamc.tables.scores import score_matrix
    >>> with TemporaryDirectory() as folder:
    ...     np.save(Path(folder) / "scores.npy", [[0.9, 0.25]])
    ...     score_matrix(Path(folder) / "scores.npy", np.array(["elm", "oak"]))
    array([[0.9 , 0.25]])
    """
    matrix = _array(Path(path))
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
        raise DatasetError(
            f"{path} holds an array of {matrix.dtype} of shape {matrix.shape}; scores are a "
            "matrix of numbers with a row for each example and a column for each label."
        )
    if classes is not None:
        _check_number(Path(path), matrix.shape[1], classes)
    return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)


def as_stored(scores: Any, source: Source, columns: Iterable[str]) -> Any:
    """Scores in the float type that a Parquet file has them in, the longest if it has several.

    Scores are compared in the shorter of two types, and a table is read in the longest of all.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import pandas as pd
    >>> from lamc.tables.scores import as_stored
    >>> from lamc.tables.source import source_of
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.parquet"
    ...     pd.DataFrame({"oak": np.float32([0.1])}).to_parquet(path)
    ...     as_stored(np.array([[0.1]]), source_of(path), ["oak"])
    array([[0.1]], dtype=float32)
    """
    import pyarrow as pa

    if source.format != "parquet":
        return scores
    stored = [column_type(source, name) for name in columns]
    if not stored or not all(pa.types.is_floating(kind) for kind in stored):
        return scores
    return scores.astype(np.result_type(*(kind.to_pandas_dtype() for kind in stored)))


def check_unit(scores: FloatArray, names: AnyArray, *, place: Callable[[int], str]) -> None:
    """Raise unless all scores are numbers from 0 to 1; ``place`` says where a row is."""
    odd = ~((scores >= 0) & (scores <= 1))
    if odd.any():
        row, column = (int(axis) for axis in np.argwhere(odd)[0])
        value = scores[row, column]
        found = "is missing" if np.isnan(value) else f"is {value:g}"
        way_out = (
            "Fill it in, or remove the row."
            if np.isnan(value)
            else "Map raw scores there first, by 1 / (1 + exp(−score)) or any rising function. A "
            "column that identifies the rows is named by --id."
        )
        raise DatasetError(
            f"{place(row)}: the score of {str(names[column])!r} {found}; scores are numbers from 0 "
            f"to 1.\n{way_out}"
        )


def _scores(
    path: Path,
    as_table: Callable[[Path], Source],
    id_column: str | None,
    where: LabelColumns,
    classes: AnyArray | None,
) -> tuple[AnyArray, FloatArray, AnyArray | None, tuple[str, ...]]:
    """Names of the labels, matrix of scores, ids if a column has them, and notes."""
    if path.suffix.lower() == ".npy":
        if id_column is not None:
            raise DatasetError(f"{path} is a matrix and has no column {id_column!r} of ids.")
        matrix = score_matrix(path, classes)
        return (np.arange(matrix.shape[1]) if classes is None else classes), matrix, None, ()
    source = as_table(path)
    columns = column_names(source)
    if {"label", "score"} <= set(columns):
        raise DatasetError(
            f"{path} has one row for each label (its columns are {some(columns)}), but one column "
            "for each label is needed.\nWrite such a file with lamc predict --wide --value score."
        )
    if id_column is not None and id_column not in columns and ID in columns:
        id_column = ID  # as lamc predict calls it
    ids = None if id_column is None else _ids(source, id_column)
    others = [name for name in columns if name != id_column]
    pandas = index_columns(source)
    index = [name for name in others if name in pandas]
    chosen, all_taken = _score_columns(
        source, [name for name in others if name not in pandas], where, classes
    )
    if classes is not None:
        _check_number(path, len(chosen), classes)
    table = whole_table(source, dict.fromkeys(chosen, Kind.NUMBER), same_keys=all_taken)
    notes = (left_out_note(index, PANDAS_INDEX),) if index and all_taken else ()
    scores = as_stored(number_matrix(table, chosen), source, chosen)
    return np.asarray(chosen), scores, ids, notes


def _place(path: Path, as_table: Callable[[Path], Source], row: int) -> str:
    if path.suffix.lower() == ".npy":
        return f"row {row}, counted from 0"
    return as_table(path).place(row)


def _score_columns(
    source: Source, columns: list[str], where: LabelColumns, classes: AnyArray | None
) -> tuple[list[str], bool]:
    """Columns that hold scores, and whether they are taken because there are no others.

    They are those that bear the names of ``classes``, in their order, or those that ``where``
    names; without such names, all that there are.
    """
    if classes is not None and classes.dtype.kind == "U":
        return classes.tolist(), False
    if classes is not None:
        labels = [str(label) for label in classes.tolist()]
        found = columns_for(labels, source, columns)
        return found, found != labels
    if where.names:
        found = where.among(columns)
        check_columns(source, columns, found)
        return found, where.by_pattern
    check_header(source, columns)
    return columns, True


def _check_order(scores: Source, truth: Source, labels: set[str]) -> None:
    """Raise if a column of both tables says that their rows are in different orders.

    It does where it holds the same values in both, each once, and not in the same order.
    """
    shared = set(column_names(scores)) & set(column_names(truth)) - labels
    if not shared:
        return
    both = [whole_table(source, dict.fromkeys(shared, Kind.AS_IS)) for source in (scores, truth)]
    for name in sorted(shared):
        ours, theirs = ([str(cell) for cell in table[name].to_pylist()] for table in both)
        if ours != theirs and len(set(ours)) == len(ours) and sorted(ours) == sorted(theirs):
            row = next(row for row, cell in enumerate(ours) if cell != theirs[row])
            raise DatasetError(
                f"{scores} and {truth} hold the same rows in different orders: in their column "
                f"{name!r}, row {row}, counted from 0, is {ours[row]!r} in one and {theirs[row]!r} "
                f"in the other.\nMatch them by that column, --id {quote(name)}, or leave it out of "
                "one."
            )


def _check_number(path: Path, n_columns: int, classes: AnyArray) -> None:
    if n_columns != len(classes):
        raise DatasetError(
            f"{path} has {n_columns} columns of scores, but there are {len(classes)} labels."
        )


def _truth(
    path: Path, as_table: Callable[[Path], Source], names: AnyArray, where: LabelColumns
) -> tuple[Labels, tuple[str, ...]]:
    if path.suffix.lower() != ".npy":
        return table_labels(as_table(path), where, names)
    marks = _array(path)
    if marks.ndim == 1:
        one_each = as_labels(marks, classes=np.arange(len(names)))
        if where.knowledge is Knowledge.ALL:
            one_each.require(Knowledge.ALL, by="--knowledge all")
        return one_each, ()
    marked = as_labels(marks, knowledge="some")
    if marked.shape[1] != len(names):
        raise LabelError(
            f"{path} has {marked.shape[1]} columns, but there are scores for {len(names)} labels."
        )
    labels = known_labels(
        marked.positives, marked.classes, one_named=False, stated=where.knowledge, of=str(path)
    )
    return labels, ()


def _array(path: Path) -> AnyArray:
    found = kind_of(first_bytes(path))
    if found != _ARRAY:
        raise DatasetError(
            f"{path} is {found} by its first bytes, not {_ARRAY}.\nWrite it with numpy.save."
        )
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError, OverflowError) as error:
        raise DatasetError(
            f"{path} cannot be read as a NumPy array: {error}.\n"
            "It may be cut short, or need more memory than there is. Write it with numpy.save."
        ) from error


def _ids(source: Source, column: str) -> AnyArray:
    spelt = np.asarray(spelt_column(source, column))
    unique, counts = np.unique(spelt, return_counts=True)
    if len(unique) < len(spelt):
        raise DatasetError(
            f"{source} has two rows with the {column} {unique[np.argmax(counts)].item()!r}."
        )
    return spelt


def _matching(
    ids: AnyArray, others: AnyArray, scores: str | Path, truth: str | Path, column: str
) -> list[int]:
    """Where among ``others`` each of ``ids`` is."""
    position = {value: row for row, value in enumerate(others.tolist())}
    lacking = [value for value in ids.tolist() if value not in position]
    if lacking:
        raise DatasetError(
            f"{len(lacking)} of the {len(ids)} rows of {scores} are not in {truth}, for example "
            f"the one with the {column} {lacking[0]!r}."
        )
    return [position[value] for value in ids.tolist()]
