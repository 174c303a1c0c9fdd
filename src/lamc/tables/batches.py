"""Read a table batch by batch, so that its length does not matter."""

import io
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic, sleep
from typing import IO, Any, TypeAlias

from lamc.datasets.readers.arrow_columns import index_names
from lamc.datasets.readers.columns import spelt
from lamc.datasets.readers.files import NOT_CLOSED, ends_within_quotes, text_of
from lamc.datasets.readers.json_lines import (
    Lists,
    check_keys,
    check_same_keys,
    column,
    numbered_objects,
    place_in,
)
from lamc.exceptions import DatasetError
from lamc.tables.cells import NUMERIC, Kind, converted
from lamc.tables.csv_text import CsvText
from lamc.tables.source import Source, check_names, header_of
from lamc.wording import did_you_mean, some

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own

_CSV_BLOCK = 1 << 24  # bytes read at once; a row must fit
_LONGEST_WAIT = 5.0  # seconds
_PAGE_BUFFER = 1 << 20  # bytes of a Parquet column that are read ahead


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a table that follow each other.

    Attributes
    ----------
    start : int
        How many rows of the table came before.
    table : pyarrow.Table
        The columns asked for, in the order asked for.
    """

    start: int
    table: ArrowTable

    def __len__(self) -> int:
        return self.table.num_rows


def batches(
    source: Source, columns: Mapping[str, Kind], *, rows: int, same_keys: bool = False
) -> Iterator[Batch]:
    r"""Yield the rows of a table in order, at most ``rows`` at once.

    Parameters
    ----------
    source : Source
        The table.
    columns : mapping from str to Kind
        The columns wanted and what their cells should be. Others are not read.
    rows : int
        Most rows of a batch.
    same_keys : bool
        Whether to refuse JSON lines with keys that the first line does not have. It should be so
        where the columns are all that the first line has.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.tables.batches import batches
    >>> from lamc.tables.cells import Kind
    >>> from lamc.tables.source import source_of
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trees.csv"
    ...     _ = path.write_text("name,height\noak,20\nelm,15\nash,12\n")
    ...     for batch in batches(source_of(path), {"height": Kind.NUMBER}, rows=2):
    ...         print(batch.start, batch.table["height"].to_pylist())
    0 [20.0, 15.0]
    2 [12.0]
    """
    start = 0
    for table in _READERS[source.format](source, columns, rows, same_keys):
        for first in range(0, table.num_rows, rows):
            part = table.slice(first, rows)
            yield Batch(start, _converted(source, part, columns, start))
            start += part.num_rows


def column_names(source: Source) -> list[str]:
    """Names of the columns of a file."""
    if source.format == "parquet":
        return _parquet_schema(source).names
    if source.format == "csv":
        with source.open() as stream:
            return header_of(CsvText(stream, source.encoding), source)
    with source.open() as stream, text_of(stream, source.encoding) as text:
        first = next(numbered_objects(source, text, source.encoding), (0, {}))[1]
    return list(first)


def index_columns(source: Source) -> set[str]:
    """Names that columns have in which pandas keeps the index of a frame."""
    return index_names(_parquet_schema(source).metadata if source.format == "parquet" else None)


def column_type(source: Source, name: str) -> Any:
    """Type of a column of a Parquet file; None for text files, whose cells have none."""
    return _parquet_schema(source).field(name).type if source.format == "parquet" else None


def number_of_rows(source: Source) -> int | None:
    """Rows of a table, if that can be told without reading it."""
    if source.format != "parquet":
        return None
    with _open_parquet(source) as file:
        return int(file.metadata.num_rows)


def rows_at_once(n_features: int, n_labels: int, *, entries: int = 1 << 19) -> int:
    """Rows of a batch so that neither its features nor its answers are more than ``entries``.

    Examples
    --------
    >>> from lamc.tables.batches import rows_at_once
    >>> rows_at_once(100, 1000)
    524
    """
    return max(1, entries // max(n_features, n_labels, 1))


def whole_table(
    source: Source, columns: Mapping[str, Kind], *, same_keys: bool = False
) -> ArrowTable:
    """All rows of a table at once; see :func:`batches`."""
    import pyarrow as pa

    read = batches(source, columns, rows=_all_rows(columns), same_keys=same_keys)
    parts = [batch.table for batch in read]
    if not parts:
        raise DatasetError(f"{source} has no rows.")
    try:
        return pa.concat_tables(parts)
    except pa.ArrowInvalid as error:  # of JSON lines, lists in some rows and text in others
        raise DatasetError(f"{source} holds cells of different types: {error}.") from error


def spelt_column(source: Source, name: str) -> list[str]:
    """The cells of the column that identifies the rows, as text; raise where one is missing."""
    check_columns(source, column_names(source), [name])
    cells = whole_table(source, {name: Kind.AS_IS}).column(0).to_pylist()
    for row, cell in enumerate(cells):
        if cell is None or cell != cell:
            raise DatasetError(
                f"{source}, {source.place(row)}: the {name} is missing, which should identify the "
                "row.\nFill it in, or remove the row."
            )
    return [spelt(cell) for cell in cells]


def check_columns(
    source: Source, names: Sequence[str], wanted: Sequence[str], *, advice: str = ""
) -> None:
    """Raise if the table lacks a column; ``advice`` says what to do about it."""
    missing = [name for name in wanted if name not in set(names)]
    if missing:
        _refuse_one_column(source, names)
        hint = did_you_mean(missing[0], names)
        raise DatasetError(
            f"{source} has no column {some(missing)}, which {'is' if len(missing) == 1 else 'are'} "
            f"needed.{hint}\nIts columns are {some(names)}.{advice}"
        )


def _refuse_one_column(source: Source, names: Sequence[str]) -> None:
    """Raise if a CSV file has one column, the name of which seems to be several."""
    if source.format != "csv" or len(names) != 1:
        return
    for mark, said in {";": "';'", "\t": "$'\\t'", ",": "','", "|": "'|'"}.items():
        if mark in names[0]:
            raise DatasetError(
                f"{source} has one column, {names[0]!r}.\nSay --delimiter {said} if that is what "
                "stands between its values."
            )


def _all_rows(columns: Mapping[str, Kind]) -> int:
    return rows_at_once(len(columns), 1, entries=1 << 22)


def _converted(
    source: Source, table: ArrowTable, columns: Mapping[str, Kind], start: int
) -> ArrowTable:
    import pyarrow as pa

    def place(row: int) -> str:
        return f"{source}, {source.place(start + row)}"

    cells = [
        converted(table.column(name), kind, name=name, place=place, decimal=source.decimal)
        for name, kind in columns.items()
    ]
    return pa.table(cells, names=list(columns))


def _parquet_schema(source: Source) -> Any:
    with _open_parquet(source) as file:
        check_names(source, file.schema_arrow.names)
        return file.schema_arrow


def _open_parquet(source: Source) -> Any:
    """Open a Parquet file so that a column is read page by page, however long its groups are."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(source.path, buffer_size=_PAGE_BUFFER, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(source, error) from error


def _parquet_tables(
    source: Source, columns: Mapping[str, Kind], rows: int, _same_keys: bool
) -> Iterator[ArrowTable]:
    import pyarrow as pa

    with _open_parquet(source) as file:
        check_names(source, file.schema_arrow.names)
        check_columns(source, file.schema_arrow.names, list(columns))
        try:
            for batch in file.iter_batches(rows, columns=list(columns), use_threads=False):
                yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(source, error) from error


def _unreadable(source: Source, error: Exception) -> DatasetError:
    return DatasetError(
        f"{source} cannot be read as a Parquet file: {error}\n"
        "It may be cut short or of another kind: fetch or write it again."
    )


def _csv_tables(
    source: Source, columns: Mapping[str, Kind], _rows: int, _same_keys: bool
) -> Iterator[ArrowTable]:
    import pyarrow as pa
    from pyarrow import csv

    with source.open() as stream:
        text = CsvText(stream, source.encoding)
        names = header_of(text, source)
        check_columns(source, names, list(columns))
        buffered = io.BufferedReader(text)
        held = weakref.ref(buffered)
        reader = None
        try:
            reader = csv.open_csv(
                buffered,
                csv.ReadOptions(column_names=names, block_size=_CSV_BLOCK, use_threads=False),
                csv.ParseOptions(
                    delimiter=source.delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=len(names) > 1,  # of one column, it is a row with a gap
                ),
                csv.ConvertOptions(
                    include_columns=list(dict.fromkeys([*columns, names[-1]])),
                    column_types=dict.fromkeys(names, pa.string()),
                ),
            )
            rows, last = 0, None
            for batch in reader:
                if batch.num_rows:
                    rows, last = rows + batch.num_rows, batch.column(names[-1])[-1].as_py()
                yield pa.Table.from_batches([batch]).select(list(columns))
            if ends_within_quotes(last, text.end):
                raise DatasetError(
                    f"{source}, {source.place(rows - 1)}: {NOT_CLOSED}.\nClose or remove the quote."
                )
        except pa.ArrowInvalid as error:
            if "Empty CSV file" in str(error):
                return
            raise DatasetError(_csv_trouble(source, names, str(error).strip())) from error
        finally:
            del reader, buffered
            _await_release(held)


def _csv_trouble(source: Source, names: Sequence[str], told: str) -> str:
    """What pyarrow says of a CSV file, with rows counted as everywhere here."""
    row = re.search(r"Row #(\d+): ?", told)
    where = f"{source}, {source.place(int(row[1]) - 1)}" if row else str(source)
    if "invalid UTF8" in told:
        column = re.search(r"column #(\d+)", told)
        of = f" in the column {names[int(column[1])]!r}" if column else ""
        return (
            f"{where}: there are bytes{of} that are not {source.encoding} text.\nSay which "
            "encoding the file has, for example --encoding latin-1."
        )
    said = told.removeprefix("CSV parse error: ")
    said = said.replace(row[0], "") if row else said
    return (
        f"{where}: {said[:1].lower()}{said[1:]}.\nIts rows should all have the {len(names)} values "
        "that its header has: it may be cut short, or need another --delimiter or --encoding."
    )


def _await_release(held: weakref.ref[Any]) -> None:
    """Wait until a thread of pyarrow's has let go of a file, for at most a few seconds.

    If Python ended before, that thread would end the process with an abort.
    """
    until = monotonic() + _LONGEST_WAIT
    while held() is not None and monotonic() < until:
        sleep(0.001)


def _json_tables(
    source: Source, columns: Mapping[str, Kind], rows: int, same_keys: bool
) -> Iterator[ArrowTable]:
    import pyarrow as pa

    with source.open() as stream, text_of(stream, source.encoding) as text:
        numbered = _checked_objects(source, text, columns, same_keys)
        while part := list(islice(numbered, rows)):
            lines = [number for number, _ in part]
            cells = [
                column(
                    [row[name] for _, row in part],
                    numbers=kind in NUMERIC,
                    lists=kind is Kind.AS_IS,
                    place=place_in(source, lines, name),
                )
                for name, kind in columns.items()
            ]
            try:
                yield pa.table(
                    [pa.chunked_array([values]) for values in cells], names=list(columns)
                )
            except pa.ArrowInvalid as error:
                raise DatasetError(f"{source}: {error}.") from error


def _checked_objects(
    source: Source, text: IO[str], columns: Mapping[str, Kind], same_keys: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines that have all columns, with the numbers of their lines."""
    lists = Lists(source)
    as_they_are = [name for name, kind in columns.items() if kind is Kind.AS_IS]
    first: dict[str, Any] | None = None
    for number, row in numbered_objects(source, text, source.encoding):
        first = row if first is None else first
        check_keys(source, number, row, columns)
        if same_keys:
            check_same_keys(source, number, row, first)
        for name in as_they_are:
            lists.check(number, name, row[name])
        yield number, row


_READERS = {"parquet": _parquet_tables, "csv": _csv_tables, "jsonl": _json_tables}
