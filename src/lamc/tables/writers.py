"""Write a table batch by batch, to a file that appears when it is whole, or to standard output."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

from lamc.exceptions import DatasetError
from lamc.files import whole_file
from lamc.tables.source import STANDARD, Format

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own
ArrowSchema: TypeAlias = Any

_ROW_GROUP = 1 << 18  # rows of a Parquet file that are compressed together


class Writer(Protocol):
    """Takes tables of one schema, one after the other."""

    def write(self, table: ArrowTable) -> None:
        """Add rows."""

    def close(self) -> None:
        """Write what is left, and end the file."""


@contextmanager
def open_writer(target: str | Path, format_: Format, schema: ArrowSchema) -> Iterator[Writer]:
    r"""Open a table to write; the file takes its name when all rows are in it.

    Parameters
    ----------
    target : str or path
        The file, or "-" for standard output, where Parquet is refused.
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
    if str(target) == STANDARD:
        if format_ == "parquet":
            raise DatasetError(
                "Parquet is not written to standard output.\nName a file, or say --to csv or jsonl."
            )
        yield from _writing(sys.stdout.buffer, format_, schema)
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(target)) as part, part.open("wb") as stream:
        yield from _writing(stream, format_, schema)


def _writing(stream: IO[bytes], format_: Format, schema: ArrowSchema) -> Iterator[Writer]:
    writer: Writer = _WRITERS[format_](stream, schema)
    try:
        yield writer
    finally:  # also on the way out of an error, for some writers cannot be left open
        writer.close()


class _Parquet:
    """Gathers rows to groups of a good size."""

    def __init__(self, stream: IO[bytes], schema: ArrowSchema) -> None:
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
    def __init__(self, stream: IO[bytes], schema: ArrowSchema) -> None:
        from pyarrow import csv

        self._file = csv.CSVWriter(
            stream, schema, write_options=csv.WriteOptions(quoting_style="needed")
        )

    def write(self, table: ArrowTable) -> None:
        self._file.write_table(table)

    def close(self) -> None:
        self._file.close()


class _JSONLines:
    def __init__(self, stream: IO[bytes], schema: ArrowSchema) -> None:
        self._stream = stream

    def write(self, table: ArrowTable) -> None:
        for row in table.to_pylist():
            line = json.dumps(row, ensure_ascii=False, allow_nan=False, default=str)
            self._stream.write(line.encode() + b"\n")

    def close(self) -> None:
        self._stream.flush()


_WRITERS: dict[Format, Any] = {"parquet": _Parquet, "csv": _CSV, "jsonl": _JSONLines}
