"""Columns of a pyarrow table as numbers or as nominal values.

A table does not declare which text is nominal: it is where its values are few, or read as false
and true. Other text names or describes the row, and is left out.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lamc.datasets.readers.columns import MISSING, Column, Table, truth
from lamc.exceptions import DatasetError
from lamc.types import FloatArray

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own
ArrowColumn: TypeAlias = Any

Refusal: TypeAlias = Callable[[str, Sequence[str], FloatArray], None]

PANDAS_INDEX = "the index of a pandas frame"  # why a column is left out
_EMPTY = "without a value in any row"
_INDEX_NAMES = ("", "Unnamed: 0")  # in CSV, and what pandas makes of the former


def columns_of(
    path: Path,
    arrow: ArrowTable,
    place: Callable[[int], str],
    *,
    most_values: int,
    words: Sequence[str] = (),
    refuse: Refusal | None = None,
) -> Table:
    """Return the columns of a pyarrow table with their cells as numbers.

    Columns of text become nominal or are left out; ``refuse`` raises where they may be neither.
    Those named in ``words`` are nominal whatever they hold, be it NA.
    """
    index = index_names(arrow.schema.metadata)
    columns, cells = [], np.zeros((arrow.num_rows, arrow.num_columns))
    for j, name in enumerate(arrow.column_names):
        if name in index:
            columns.append(Column(name, left_out=PANDAS_INDEX))
            continue
        if name in words:
            values, cells[:, j] = _values(_as_words(path, name, arrow.column(j)), gaps=("",))
            column = Column(name, values)
        else:
            column, cells[:, j] = _column(name, arrow.column(j), most_values, refuse)
        columns.append(column)
    return Table(path, tuple(columns), cells, place)


def _column(
    name: str, cells: ArrowColumn, most_values: int, refuse: Refusal | None
) -> tuple[Column, FloatArray | float]:
    """Return a column and its cells as numbers."""
    import pyarrow as pa

    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if is_number(cells.type):
        return Column(name), cells.cast(pa.float64(), safe=False).to_numpy()
    if pa.types.is_null(cells.type):
        return Column(name, left_out=_EMPTY), 0.0
    if not _is_text(cells.type):
        return Column(name, left_out=_what_it_is(cells.type)), 0.0
    values, positions = _values(cells, gaps=MISSING)
    if not values:
        return Column(name, left_out=_EMPTY), 0.0
    if refuse is not None:
        refuse(name, values, positions)
    if len(values) > most_values and any(np.isnan(truth(value)) for value in values):
        return Column(name, left_out=f"text with {len(values)} different values"), 0.0
    return Column(name, values), positions


def _what_it_is(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "a date, which is no number"
    return (
        "a time, which is no number"
        if pa.types.is_time(kind)
        else f"of type {kind}, which is no number"
    )


def _as_words(path: Path, name: str, cells: ArrowColumn) -> ArrowColumn:
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        raise DatasetError(
            f"{path}: the column {name!r} is of type {kind}; words= is for text and whole numbers."
        )
    return cells.cast(kind).cast(pa.large_string())


def _values(cells: ArrowColumn, gaps: Sequence[str]) -> tuple[tuple[str, ...], FloatArray]:
    """Return the values of a text column, sorted, and the position of each cell's among them.

    A cell without a value, or with one that stands for none, has the position NaN.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(cells.cast(pa.large_string()))
    missing = pc.is_in(text, value_set=pa.array(gaps, pa.large_string()))
    text = pc.if_else(missing, pa.scalar(None, pa.large_string()), text)
    coded = pa.array(text.combine_chunks()).dictionary_encode()
    seen = coded.dictionary.to_pylist()
    rank = np.argsort(sorted(range(len(seen)), key=seen.__getitem__)).astype(np.float64)
    places = coded.indices.fill_null(len(seen)).to_numpy(zero_copy_only=False)
    return tuple(sorted(seen)), np.append(rank, np.nan)[places]


def is_number(kind: Any) -> bool:
    """Whether the cells of a pyarrow column of this type are numbers, or false and true.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from lamc.datasets.readers.arrow_columns import is_number
    >>> is_number(pa.float32()), is_number(pa.string())
    (True, False)
    """
    import pyarrow as pa

    return bool(
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
    )


def index_names(metadata: Mapping[bytes, bytes] | None) -> set[str]:
    """Names of columns in which pandas keeps its index; ``metadata`` is of a pyarrow schema.

    Examples
    --------
    >>> from lamc.datasets.readers.arrow_columns import index_names
    >>> sorted(index_names({b"pandas": b'{"index_columns": ["__index_level_0__"]}'}))
    ['', 'Unnamed: 0', '__index_level_0__']
    """
    told = json.loads((metadata or {}).get(b"pandas", b"{}")).get("index_columns", ())
    return {*_INDEX_NAMES, *(name for name in told if isinstance(name, str))}


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )
