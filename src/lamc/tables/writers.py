"""Write a table batch by batch, to a file that appears when it is whole, or to standard output."""

import json
import sys
from bz2 import BZ2File
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from gzip import GzipFile
from lzma import LZMAFile
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

from lamc.exceptions import DatasetError
from lamc.files import whole_file
from lamc.tables.source import STANDARD, Format, check_open, delimiter_of, format_of

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own
ArrowSchema: TypeAlias = Any

_ROW_GROUP = 1 << 18  # rows of a Parquet file that are compressed together


class Writer(Protocol):
    """Takes tables of one schema, one after the other."""

    def write(self, table: ArrowTable) -> None:
        """Add rows."""

    def close(self) -> None:
        """Write what is left, and end the file."""


def target_format(target: str | Path, *, said: str | None = None) -> Format:
    """How to write a table: as said, or as the name tells; raise where it cannot be written so.

    Examples
    --------
    >>> from lamc.tables.writers import target_format
    >>> target_format("out.tsv.gz"), target_format("-", said="jsonl")
    ('csv', 'jsonl')
    """
    format_ = format_of(target, said=said, option="--to")
    if str(target) == STANDARD:
        check_open(sys.stdout, "Standard output")
    if format_ != "parquet":
        return format_
    if str(target) == STANDARD:
        raise DatasetError(
            "Parquet is not written to standard output.\nName a file, or say --to csv or jsonl."
        )
    packed = Path(target).suffix.lower()
    if packed in _PACKERS:
        raise DatasetError(
            f"{target} cannot be written: Parquet is compressed inside.\nLeave out {packed}."
        )
    return format_


@contextmanager
def open_writer(target: str | Path, format_: Format, schema: ArrowSchema) -> Iterator[Writer]:
    r"""Open a table to write; the file takes its name when all rows are in it.

    Parameters
    ----------
    target : str or path
        The file, or "-" for standard output, where Parquet is refused. One that ends in .gz, .bz2
        or .xz is packed, and the values of a .tsv file have tabs between.
    format_ : {"parquet", "csv", "jsonl"}
        How to write it.
    schema : pyarrow.Schema
        Names and types of the columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow as pa
    >>> from lamc.tables.writers import open_writer
    >>> rows = pa.table({"label": ["oak"], "score": [0.25]})
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "out.jsonl"
    ...     with open_writer(path, "jsonl", rows.schema) as writer:
    ...         writer.write(rows)
    ...         writer.write(rows)
    ...     print(path.read_text(), end="")
    {"label": "oak", "score": 0.25}
    {"label": "oak", "score": 0.25}
    """
    target_format(target, said=format_)
    between = delimiter_of(target)
    if str(target) == STANDARD:
        yield from _writing(sys.stdout.buffer, format_, schema, between)
        sys.stdout.buffer.flush()
        return
    pack = _PACKERS.get(Path(target).suffix.lower(), nullcontext)
    with whole_file(Path(target)) as part, part.open("wb") as file, pack(file) as stream:
        yield from _writing(stream, format_, schema, between)


def _writing(
    stream: IO[bytes], format_: Format, schema: ArrowSchema, delimiter: str
) -> Iterator[Writer]:
    writer: Writer = _WRITERS[format_](stream, schema, delimiter)
    try:
        yield writer
    finally:  # also on the way out of an error, for some writers cannot be left open
        writer.close()


class _Parquet:
    """Gathers rows to groups of a good size."""

    def __init__(self, stream: IO[bytes], schema: ArrowSchema, _delimiter: str) -> None:
        from pyarrow import parquet

        self._file = parquet.ParquetWriter(stream, schema, compression="zstd")
        self._waiting: list[ArrowTable] = []

    def write(self, table: ArrowTable) -> None:
        self._waiting.append(table)
        if sum(waiting.num_rows for waiting in self._waiting) >= _ROW_GROUP:
            self._write_group()

    def close(self) -> None:
        if self._waiting:
            self._write_group()
        self._file.close()

    def _write_group(self) -> None:
        import pyarrow as pa

        self._file.write_table(pa.concat_tables(self._waiting), row_group_size=_ROW_GROUP)
        self._waiting = []


class _CSV:
    def __init__(self, stream: IO[bytes], schema: ArrowSchema, delimiter: str) -> None:
        from pyarrow import csv

        how = csv.WriteOptions(quoting_style="needed", delimiter=delimiter)
        self._file = csv.CSVWriter(stream, schema, write_options=how)

    def write(self, table: ArrowTable) -> None:
        self._file.write_table(table)

    def close(self) -> None:
        self._file.close()


class _JSONLines:
    """JSON has no word for a number that is not finite; it becomes null."""

    def __init__(self, stream: IO[bytes], _schema: ArrowSchema, _delimiter: str) -> None:
        self._stream = stream

    def write(self, table: ArrowTable) -> None:
        for row in _finite(table).to_pylist():
            line = json.dumps(row, ensure_ascii=False, allow_nan=False, default=str)
            self._stream.write(line.encode() + b"\n")

    def close(self) -> None:
        self._stream.flush()


def _finite(table: ArrowTable) -> ArrowTable:
    import pyarrow as pa
    from pyarrow import compute

    for position, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(position)
            kept = compute.if_else(compute.is_finite(column), column, None)
            table = table.set_column(position, field.name, kept)
    return table


def _gzip(file: IO[bytes]) -> AbstractContextManager[Any]:
    return GzipFile(filename="", mode="wb", fileobj=file, mtime=0)  # the same rows, the same bytes


def _bz2(file: IO[bytes]) -> AbstractContextManager[Any]:
    return BZ2File(file, "wb")


def _xz(file: IO[bytes]) -> AbstractContextManager[Any]:
    return LZMAFile(file, "wb")


_PACKERS: dict[str, Callable[[IO[bytes]], AbstractContextManager[Any]]] = {
    ".gz": _gzip,
    ".bz2": _bz2,
    ".xz": _xz,
}
_WRITERS: dict[Format, Any] = {"parquet": _Parquet, "csv": _CSV, "jsonl": _JSONLines}
