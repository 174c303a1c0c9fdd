"""Columns as a file declares them, turned into features and labels.

A cell is a number, the position of a nominal value among the values of its column, or NaN where
the file has none. Text and dates have no such number: they are left out, and a note says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from scipy import sparse

from lamc.exceptions import DatasetError
from lamc.types import FloatArray, SparseMatrix
from lamc.wording import did_you_mean, some

# What stands for a missing value in text; as pyarrow has it.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "N/A", "NA", "NULL", "n/a", "null", "NaN", "nan", "-NaN"),
    *("-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
LEFT_OUT = "Left out"  # how a note on columns that are no features begins
_TRUTH = {"false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}


@dataclass(frozen=True)
class Column:
    """One column of a file.

    Attributes
    ----------
    name : str
        As the file has it.
    values : tuple of str, or None
        The values of a nominal column; None where the cells are numbers.
    left_out : str or None
        Why the column can be neither feature nor label; None where it can.
    """

    name: str
    values: tuple[str, ...] | None = None
    left_out: str | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file and their cells.

    Attributes
    ----------
    source : Path
        The file.
    columns : tuple of Column
        In the order of the file.
    cells : ndarray or scipy.sparse.csr_array of float64, shape (n, number of columns)
        Zero in a column that is left out.
    place : callable
        Where the file has a row, for people: ``"line 17"``.
    """

    source: Path
    columns: tuple[Column, ...]
    cells: FloatArray | SparseMatrix
    place: Callable[[int], str]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def select(self, positions: Sequence[int]) -> Self:
        """Return the table of some of the columns."""
        columns = tuple(self.columns[j] for j in positions)
        return replace(self, columns=columns, cells=self.cells[:, positions])


def find_columns(source: Path, columns: Sequence[str], wanted: Sequence[str], by: str) -> list[int]:
    """Return where the wanted columns are; ``by`` is who names them, for the message."""
    position = {name: j for j, name in enumerate(columns)}
    for name in wanted:
        if name not in position:
            raise DatasetError(
                f"{source} has no column {name!r}, which {by} names.{did_you_mean(name, columns)}\n"
                f"Its columns are {some(columns)}."
            )
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if list(wanted).count(name) > 1)
        raise DatasetError(f"{by} names the column {twice!r} of {source} twice.")
    return [position[name] for name in wanted]


def feature_matrix(
    table: Table,
) -> tuple[FloatArray | SparseMatrix, list[str], tuple[str, ...]]:
    """Return the features that the columns become, their names, and notes on columns left out.

    A number stays a number. A nominal column whose values read as false and true is one 0/1
    column under its own name; one with two other values is one column ``name=second value``; one
    with more has a column ``name=value`` for each.
    """
    used = table.select([j for j, c in enumerate(table.columns) if c.left_out is None])
    coded = [_feature_code(column) for column in used.columns]
    X = _decode(used.cells, [code for _, code in coded])
    return X, [name for names, _ in coded for name in names], _notes(table)


def word_columns(table: Table) -> tuple[str, ...]:
    """Names of the columns whose values are words, and so no features under their own name."""
    used = [column for column in table.columns if column.left_out is None]
    return tuple(column.name for column in used if not _keeps_its_name(column))


def label_matrix(table: Table) -> SparseMatrix:
    """Return the labels that the columns hold; each value must read as false or true."""
    for column in table.columns:
        if column.left_out is not None:
            raise DatasetError(
                f"{table.source}: the label {column.name!r} is {column.left_out}; a label column "
                "holds 0 and 1, or false and true."
            )
    codes = [
        None if column.values is None else np.array([[truth(value)] for value in column.values])
        for column in table.columns
    ]
    marks = sparse.csr_array(_decode(table.cells, codes))
    odd = (marks.data != 0) & (marks.data != 1)
    if odd.any():
        entry = int(np.argmax(odd))
        row = int(np.searchsorted(marks.indptr, entry, side="right")) - 1
        _refuse_label(table, row, int(marks.indices[entry]))
    marks.eliminate_zeros()
    return marks.astype(bool)


def left_out_note(names: Sequence[str], reason: str) -> str:
    """Say which columns are left out, and why.

    Examples
    --------
    >>> from lamc.datasets.readers.columns import left_out_note
    >>> left_out_note(["note"], "text with 31 different values")
    "Left out 'note': text with 31 different values."
    """
    return f"{LEFT_OUT} {some(names)}: {reason}."


def spelt(value: object) -> str:
    """Return a value as text; a whole number is spelt so whatever its type, 7 and not 7.0.

    Examples
    --------
    >>> from lamc.datasets.readers.columns import spelt
    >>> spelt(7.0), spelt(7.5), spelt("7.0")
    ('7', '7.5', '7.0')
    """
    if isinstance(value, (float, Decimal)) and -(2**53) < value < 2**53 and value == int(value):
        return str(int(value))
    return str(value)


def truth(value: str) -> float:
    """Return 1.0 for true, 0.0 for false, NaN for a word that is neither."""
    word = value.strip().lower()
    if word in _TRUTH:
        return _TRUTH[word]
    try:
        number = float(word)
    except ValueError:
        return np.nan
    return number if number in (0.0, 1.0) else np.nan


def _feature_code(column: Column) -> tuple[list[str], FloatArray | None]:
    """Name the features a column becomes; row v of their code is what its v-th value becomes."""
    if column.values is None:
        return [column.name], None
    if _keeps_its_name(column):
        return [column.name], np.array([[truth(value)] for value in column.values])
    code = np.eye(len(column.values))
    first = 1 if len(column.values) == 2 else 0  # of two values, the second says it all
    return [f"{column.name}={value}" for value in column.values[first:]], code[:, first:]


def _keeps_its_name(column: Column) -> bool:
    """Whether the cells are numbers, or values that read as false and true."""
    if column.values is None:
        return True
    truths = np.array([truth(value) for value in column.values])
    return len(np.unique(truths[~np.isnan(truths)])) == len(truths)


def _decode(cells: Any, codes: Sequence[FloatArray | None]) -> FloatArray | SparseMatrix:
    """Replace the position in each cell of a nominal column by that row of the column's code.

    A code that maps positions to themselves changes nothing, which keeps the usual sparse file
    of 0/1 columns sparse and quick. In other sparse columns a cell that the file omits stands
    for the first value, as position 0 does here.
    """
    kept = [j for j, code in enumerate(codes) if code is None or _is_identity(code)]
    blocks, sources = [cells[:, kept]], [np.array(kept, dtype=np.intp)]
    by_columns = cells.tocsc() if sparse.issparse(cells) else cells
    for j, code in enumerate(codes):
        if code is None or _is_identity(code):
            continue
        positions = by_columns[:, j]
        positions = positions.toarray() if sparse.issparse(positions) else positions
        missing = np.isnan(positions)
        block = code[np.where(missing, 0, positions).astype(np.intp)]
        block[missing] = np.nan
        blocks.append(block)
        sources.append(np.full(block.shape[1], j))
    order = np.argsort(np.concatenate(sources), kind="stable")
    if sparse.issparse(cells):
        columns = sparse.hstack([sparse.csc_array(block) for block in blocks], format="csc")
        return columns[:, order].tocsr()
    return np.hstack(blocks)[:, order]


def _is_identity(code: FloatArray) -> bool:
    return code.shape[1] == 1 and np.array_equal(code[:, 0], np.arange(len(code)))


def _notes(table: Table) -> tuple[str, ...]:
    reasons: dict[str, list[str]] = {}
    for column in table.columns:
        if column.left_out is not None:
            reasons.setdefault(column.left_out, []).append(column.name)
    return tuple(left_out_note(names, reason) for reason, names in reasons.items())


def _refuse_label(table: Table, row: int, j: int) -> NoReturn:
    column, cell = table.columns[j], table.cells[row, j]
    if np.isnan(cell):
        found, way_out = "is missing", "Fill it in, or remove the row."
    else:
        value = f"{cell:g}" if column.values is None else repr(column.values[int(cell)])
        found, way_out = f"is {value}", "Write 1 where the label is true and 0 where it is not."
        if value in ("-1", "'-1'"):
            way_out = "−1 is in use for absent and for unknown; write 0 where a label is absent."
    raise DatasetError(
        f"{table.source}, {table.place(row)}: the label {column.name!r} {found}; it may be 0 or "
        f"1, false or true.\n{way_out}"
    )
