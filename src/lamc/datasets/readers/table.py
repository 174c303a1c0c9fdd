"""CSV, Parquet and JSON lines: label columns by name, or one column that lists the labels of a row.

pyarrow reads the first two. It refuses a row that is too short, keeps repeated column names apart,
and tells text from missing values, where pandas mends in silence.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers import json_lines
from lamc.datasets.readers.arrow_columns import columns_of, is_number
from lamc.datasets.readers.checked import checked_dataset
from lamc.datasets.readers.columns import (
    Table,
    feature_matrix,
    find_columns,
    label_matrix,
    word_columns,
)
from lamc.datasets.readers.files import (
    NOT_CLOSED,
    csv_place,
    ends_within_quotes,
    open_bytes,
    text_of,
)
from lamc.datasets.readers.label_lists import (
    listed_labels,
    matrix_of_lists,
    names_one,
    one_label_note,
)
from lamc.datasets.readers.near_numbers import refuse_near_numbers
from lamc.exceptions import DatasetError
from lamc.types import FloatArray, SparseMatrix
from lamc.wording import some

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own

MOST_VALUES = 20  # of a text column that is taken as nominal
LEADING_ZERO = re.compile(rb"[^0-9.][-+]?0[0-9]")


def read_csv(
    path: Path,
    *,
    labels: Sequence[str] | None = None,
    label_column: str | None = None,
    separator: str | None = None,
    id_column: str | Sequence[str] | None = None,
    words: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Dataset:
    """Read a CSV file; see :func:`lamc.datasets.read`."""
    import pyarrow as pa
    from pyarrow import csv

    tabs = ".tsv" in (suffix.lower() for suffix in path.suffixes)
    between = delimiter or ("\t" if tabs else ",")
    point = decimal or "."
    check_marks(between, point)

    def read(text: Sequence[str], only: Sequence[str] = ()) -> ArrowTable:
        with open_bytes(path) as file:
            return csv.read_csv(
                file,
                csv.ReadOptions(encoding=encoding or "utf8", use_threads=False),
                csv.ParseOptions(delimiter=between, newlines_in_values=True),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(text, pa.string()),
                    include_columns=list(only),
                    decimal_point=point,
                ),
            )

    def place(row: int) -> str:
        return csv_place(row, path, delimiter=between, encoding=encoding or "utf-8")

    text = [*_listed(label_column), *_listed(words)]  # 007 stays 007
    try:
        table = read(text)
        _check_closed(path, table, place, encoding or "utf-8")
        if codes := _codes(path, table, read, encoding or "utf-8"):
            table = read([*text, *codes])
    except pa.ArrowInvalid as error:
        if "invalid UTF8" in str(error):
            raise UnicodeError(str(error).strip()) from error
        raise DatasetError(
            f"{path}: {str(error).strip()}.\nIts rows, of which the header is the first, should "
            "all have as many values: the file may be cut short, or need another delimiter=."
        ) from error
    _check_text(path, table)
    for mark in ";\t," if delimiter is None and table.num_columns == 1 else "":
        if mark in table.column_names[0]:
            raise DatasetError(
                f"{path} has one column, {table.column_names[0]!r}.\nSay delimiter={mark!r} if "
                "that is what stands between its values."
            )
    return _dataset(
        path,
        table,
        place,
        labels=labels,
        label_column=label_column,
        separator=separator,
        id_column=id_column,
        words=words,
        decimal=point,
    )


def read_parquet(
    path: Path,
    *,
    labels: Sequence[str] | None = None,
    label_column: str | None = None,
    separator: str | None = None,
    id_column: str | Sequence[str] | None = None,
    words: str | Sequence[str] | None = None,
) -> Dataset:
    """Read a Parquet file; see :func:`lamc.datasets.read`."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            table = file.read()
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise DatasetError(
            f"{path} cannot be read as a Parquet file: {error}\n"
            "It may be cut short or of another kind: fetch or write it again."
        ) from error
    return _dataset(
        path,
        table,
        lambda row: f"row {row}, counted from 0",
        labels=labels,
        label_column=label_column,
        separator=separator,
        id_column=id_column,
        words=words,
    )


def read_json_lines(
    path: Path,
    *,
    labels: Sequence[str] | None = None,
    label_column: str | None = None,
    separator: str | None = None,
    id_column: str | Sequence[str] | None = None,
    words: str | Sequence[str] | None = None,
    encoding: str | None = None,
) -> Dataset:
    """Read JSON lines; see :func:`lamc.datasets.read`."""
    text = [*_listed(label_column), *_listed(words)]
    table, lines = json_lines.read_table(path, text=text, encoding=encoding or "utf-8")
    return _dataset(
        path,
        table,
        lambda row: f"line {lines[row]}",
        labels=labels,
        label_column=label_column,
        separator=separator,
        id_column=id_column,
        words=words,
    )


def _dataset(
    path: Path,
    arrow: ArrowTable,
    place: Callable[[int], str],
    *,
    labels: Sequence[str] | None,
    label_column: str | None,
    separator: str | None,
    id_column: str | Sequence[str] | None,
    words: str | Sequence[str] | None,
    decimal: str | None = None,
) -> Dataset:
    _check_header(path, arrow)
    if isinstance(labels, (str, os.PathLike)):
        raise DatasetError(
            f"labels={os.fspath(labels)!r} is one name; the label columns of a table are named in "
            f"a list: labels=[{os.fspath(labels)!r}]."
        )
    if separator is not None and label_column is None:
        raise DatasetError(
            f"separator={separator!r} stands between the labels of one column; say which: "
            "label_column=…."
        )
    if label_column is None and labels is None:
        raise DatasetError(
            f"Nothing says which columns of {path} are labels.\nName them, labels=[…], or the one "
            f"that lists them, label_column=…. {_zero_one_columns(arrow)}"
        )
    names = arrow.column_names
    taken = find_columns(path, names, _listed(id_column), "id_column=")
    find_columns(path, names, _listed(words), "words=")
    notes: list[str] = []
    if label_column is None:
        chosen = find_columns(path, names, labels or (), "labels=")
        Y = label_matrix(columns_of(path, arrow.select(chosen), place, most_values=arrow.num_rows))
        label_names = [names[j] for j in chosen]
    else:
        chosen = find_columns(path, names, [label_column], "label_column=")
        cells = arrow.column(chosen[0])
        lists, hints = listed_labels(path, label_column, cells, separator, place, labels)
        if names_one(cells.type, separator):
            notes.append(one_label_note(label_column))
        notes += hints
        Y, label_names = matrix_of_lists(path, lists, labels, place)
    rest = arrow.select([j for j in range(len(names)) if j not in {*taken, *chosen}])

    def refuse(name: str, values: Sequence[str], cells: FloatArray) -> None:
        refuse_near_numbers(path, name, values, cells, place, decimal=decimal)

    few = min(MOST_VALUES, arrow.num_rows // 2)
    table = columns_of(path, rest, place, most_values=few, words=_listed(words), refuse=refuse)
    X, feature_names, left_out = feature_matrix(table)
    if label_column is not None:
        _refuse_marks(path, X, feature_names, Y, label_names, label_column)
    return checked_dataset(
        path,
        X=X,
        Y=Y,
        feature_names=feature_names,
        label_names=label_names,
        notes=(*notes, *left_out, *_words_note(table)),
        words=word_columns(table),
    )


def _refuse_marks(
    path: Path,
    X: Any,
    features: Sequence[str],
    Y: SparseMatrix,
    labels: Sequence[str],
    label_column: str,
) -> None:
    """Raise if features are the marks of labels, from which anything learns to read them off.

    A feature may bear the name of a label, as where both are numbered, if it says something else.
    """
    column, marks = {label: k for k, label in enumerate(labels)}, Y.tocsc()
    same = [
        name
        for j, name in enumerate(features)
        if name in column and np.array_equal(X[:, j], marks[:, [column[name]]].toarray().ravel())
    ]
    if same:
        raise DatasetError(
            f"{path}: in each row, {some(same)} {'is' if len(same) == 1 else 'are'} 1 if "
            f"{label_column!r} names that label, and else 0; what is to be learnt would be read "
            "off there.\nLeave such columns out: id_column= takes those that are no features. Or "
            "read the labels from them, labels=[…], and leave out label_column=."
        )


def _words_note(table: Table) -> tuple[str, ...]:
    """Say which columns are read as words and which as numbers, if any are words."""
    words = word_columns(table)
    used = [column.name for column in table.columns if column.left_out is None]
    numbers = [name for name in used if name not in words]
    if not words:
        return ()
    return (
        f"Read as words, each a 0/1 feature: {some(words)}."
        + (f" Read as numbers: {some(numbers)}." if numbers else ""),
    )


def check_marks(delimiter: str, decimal: str) -> None:
    """Raise unless a CSV file can be read with these between values and in numbers.

    Examples
    --------
    >>> from lamc.datasets.readers.table import check_marks
    >>> check_marks(";", ",")
    >>> check_marks(",", ",")
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: decimal=',' is also what stands between values.
    Say what does, for example delimiter=';'.
    """
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise DatasetError(
            f"delimiter={delimiter!r} is not one ASCII character that can stand between values."
        )
    if decimal not in (".", ","):
        raise DatasetError(f"decimal={decimal!r} is neither '.' nor ','.")
    if delimiter == decimal:
        raise DatasetError(
            f"decimal={decimal!r} is also what stands between values.\n"
            "Say what does, for example delimiter=';'."
        )


def _check_closed(
    path: Path, table: ArrowTable, place: Callable[[int], str], encoding: str
) -> None:
    """Raise if the file ends within quotes: rows after the quote are a part of a value then."""
    if not (table.num_rows and table.num_columns):
        return
    last = table.column(table.num_columns - 1)[-1].as_py()
    if not ends_within_quotes(last, ""):  # most files are spared the second reading
        return
    end = ""
    with open_bytes(path) as file, text_of(file, encoding) as text:
        while block := text.read(1 << 20):
            end = (end + block)[-256:]
    if ends_within_quotes(last, end):
        raise DatasetError(
            f"{path}, {place(table.num_rows - 1)}: {NOT_CLOSED}.\nClose or remove the quote."
        )


def _codes(
    path: Path, table: ArrowTable, read: Callable[..., ArrowTable], encoding: str
) -> list[str]:
    """Columns of whole numbers of which some begin with a needless 0, as codes do."""
    import pyarrow as pa
    import pyarrow.compute as pc

    schema = table.schema
    whole = [
        name
        for name, kind in zip(schema.names, schema.types, strict=True)
        if pa.types.is_integer(kind)
    ]
    if not whole or len(set(schema.names)) < len(schema.names):
        return []
    if not _may_hold_codes(path, encoding):
        return []
    spelt = read(whole, whole)
    return [
        name
        for name in whole
        if pc.any(pc.match_substring_regex(spelt[name], r"^\s*[-+]?0[0-9]")).as_py()
    ]


def _may_hold_codes(path: Path, encoding: str) -> bool:
    """Whether the bytes show a needless 0: a look that spares most files the second reading."""
    if "0".encode(encoding) != b"0":  # as UTF-16 does not
        return True
    with open_bytes(path) as file:
        before, found = b"\n", False
        while not found and (block := file.read(1 << 20)):
            found = LEADING_ZERO.search(before + block) is not None
            before = block[-3:]
    return found


def _listed(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _check_header(path: Path, arrow: ArrowTable) -> None:
    names = arrow.column_names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DatasetError(f"{path} has two columns named {twice!r}; rename one of them.")


def _check_text(path: Path, arrow: ArrowTable) -> None:
    import pyarrow as pa

    for name, kind in zip(arrow.column_names, arrow.schema.types, strict=True):
        if pa.types.is_binary(kind):  # what pyarrow makes of a cell that is not text
            raise DatasetError(
                f"{path}: the column {name!r} has bytes that are not UTF-8 text.\n"
                "Say which encoding the file has, for example encoding='latin-1'."
            )


def _zero_one_columns(arrow: ArrowTable) -> str:
    found = [
        name
        for name, cells in zip(arrow.column_names, arrow.columns, strict=True)
        if is_number(cells.type) and set(cells.unique().to_pylist()) <= {0, 1}
    ]
    if found:
        return f"Of its columns, these hold only 0 and 1: {some(found)}."
    return f"Its columns are {some(arrow.column_names)}."
