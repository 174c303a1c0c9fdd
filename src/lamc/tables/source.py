"""Where a table comes from: a Parquet, CSV or JSON lines file, or standard input."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, TextIO, get_args

from lamc.datasets.readers.files import (
    OPENERS,
    csv_place,
    damage_told,
    first_bytes,
    kind_of,
    open_bytes,
)
from lamc.datasets.readers.table import check_marks
from lamc.exceptions import DatasetError
from lamc.tables.csv_text import CsvText

Format = Literal["parquet", "csv", "jsonl"]

STANDARD = "-"  # standard input or output, as the shell writes it
_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass(frozen=True)
class Source:
    """A table to read, by :func:`source_of`.

    Attributes
    ----------
    path : Path or None
        The file; None for standard input.
    format : {"parquet", "csv", "jsonl"}
        How it is written.
    delimiter : str
        What stands between the values of a CSV file.
    encoding : str
        Of a text file.
    decimal : {".", ","}
        The decimal mark of numbers in text.
    """

    path: Path | None
    format: Format
    delimiter: str = ","
    encoding: str = "utf-8"
    decimal: str = "."

    def __str__(self) -> str:
        return "standard input" if self.path is None else str(self.path)

    def place(self, row: int) -> str:
        """Where the table has a row, counted from 0, for people."""
        if self.format == "csv":
            return csv_place(row, self.path, delimiter=self.delimiter, encoding=self.encoding)
        return f"row {row}, counted from 0"

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open to read bytes; standard input stays open afterwards."""
        if self.path is None:
            check_open(sys.stdin, "Standard input")
        opened = nullcontext(sys.stdin.buffer) if self.path is None else open_bytes(self.path)
        try:
            with damage_told(self), opened as stream:
                yield stream
        except UnicodeError as error:
            raise DatasetError(
                f"{self} is not {self.encoding} text: {error}.\n"
                "Say which encoding it has, for example --encoding latin-1."
            ) from error


def check_open(stream: TextIO | None, name: str) -> None:
    """Raise if standard input or output is closed, as who starts a program can have it.

    Examples
    --------
    >>> from lamc.tables.source import check_open
    >>> check_open(None, "Standard output")
    Traceback (most recent call last):
    lamc.exceptions.DatasetError: Standard output is closed.
    Name a file, or leave standard output open.
    """
    if stream is None:
        raise DatasetError(f"{name} is closed.\nName a file, or leave {name.lower()} open.")


def is_table(path: str | Path) -> bool:
    """Whether the ending of a name tells a table that can be read batch by batch.

    Examples
    --------
    >>> from lamc.tables.source import is_table
    >>> is_table("birds.csv.gz"), is_table("yeast.arff")
    (True, False)
    """
    return _ending(Path(path)) in _ENDINGS


def format_of(path: str | Path, *, said: str | None = None, option: str = "") -> Format:
    """How a table is written: as said, or as the ending of its name tells.

    Examples
    --------
    >>> from lamc.tables.source import format_of
    >>> format_of("out.parquet"), format_of("-", said="jsonl")
    ('parquet', 'jsonl')
    """
    if said is not None:
        if said not in get_args(Format):
            raise DatasetError(f"{option} {said} is none of {', '.join(get_args(Format))}.")
        return said  # type: ignore[return-value]
    if str(path) == STANDARD:
        return "csv"
    if not is_table(path):
        raise DatasetError(
            f"The name of {path} does not tell its format; these endings do: "
            f"{', '.join(_ENDINGS)}.\nRename it, or say {option} csv, jsonl or parquet."
        )
    return _ENDINGS[_ending(Path(path))]


def delimiter_of(path: str | Path) -> str:
    r"""What stands between the values of a CSV file of this name: a comma, or in .tsv a tab.

    Examples
    --------
    >>> from lamc.tables.source import delimiter_of
    >>> delimiter_of("birds.csv"), delimiter_of("birds.tsv.gz")
    (',', '\t')
    """
    return "\t" if _ending(Path(path)) == ".tsv" else ","


def source_of(
    path: str | Path,
    *,
    said: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Source:
    """Find out how a table is written, and check that it is there and of that kind.

    Parameters
    ----------
    path : str or path
        The file, or "-" for standard input.
    said : {"parquet", "csv", "jsonl"}, optional
        The format, where the name does not tell. Standard input is CSV unless it is said.
    delimiter : str, optional
        Of a CSV file: a comma, or in ``.tsv`` a tab, unless it is said.
    encoding : str, optional
        Of a text file; UTF-8 unless it is said.
    decimal : {".", ","}, optional
        The decimal mark of numbers in text; a point unless it is said.

    Examples
    --------
    >>> from lamc.tables.source import source_of
    >>> source_of("-", said="jsonl").format
    'jsonl'
    """
    format_ = format_of(path, said=said, option="--from")
    between = delimiter or delimiter_of(path)
    if format_ == "csv":
        check_marks(between, decimal or ".")
    _check_encoding(encoding)
    if str(path) == STANDARD:
        if format_ == "parquet":
            raise DatasetError(
                "Parquet cannot be read from standard input, for its end must be read first.\n"
                "Name the file, or send CSV or JSON lines."
            )
        return Source(None, format_, between, encoding or "utf-8", decimal or ".")
    source = Source(Path(path), format_, between, encoding or "utf-8", decimal or ".")
    _check_kind(source, Path(path))
    return source


def header_of(text: CsvText, source: Source) -> list[str]:
    """Read the names of the columns off the top of a CSV file; the text then is at the rows."""
    try:
        names = text.header(source.delimiter)
    except UnicodeDecodeError as error:
        starts_wide = bytes(error.object[:2]) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        raise DatasetError(
            f"The header of {source} is not {source.encoding} text.\nSay which encoding it has, "
            f"for example --encoding {'utf-16' if starts_wide else 'latin-1'}."
        ) from error
    except DatasetError as error:
        raise DatasetError(f"The header of {source} cannot be read: {error}") from error
    if not names:
        raise DatasetError(f"{source} is empty; a table starts with the names of its columns.")
    if not any(name.strip() for name in names):
        raise DatasetError(
            f"The first row of {source} is empty; a table starts with the names of its columns.\n"
            "Remove the rows above them."
        )
    check_names(source, names)
    return names


def check_names(source: Source, names: list[str]) -> None:
    """Raise if two columns have one name.

    Examples
    --------
    >>> from lamc.tables.source import check_names, source_of
    >>> check_names(source_of("-"), ["oak", "elm", "oak"])
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: standard input has two columns named 'oak'; rename one of them.
    """
    if len(set(names)) == len(names):
        return
    twice = next(name for name in names if names.count(name) > 1)
    is_value = source.format == "csv" and twice.replace(".", "").isdecimal()
    no_header = "\nIf it has no header, put a row of names above its rows."
    raise DatasetError(
        f"{source} has two columns named {twice!r}; rename one of them.{no_header * is_value}"
    )


def _ending(path: Path) -> str:
    packed = path.suffix.lower() in OPENERS
    return (path.with_suffix("") if packed else path).suffix.lower()


def _check_encoding(encoding: str | None) -> None:
    try:
        "".encode(encoding or "utf-8")
    except LookupError as error:
        raise DatasetError(f"{error}; write for example --encoding latin-1.") from error


def _check_kind(source: Source, path: Path) -> None:
    expected = "a Parquet file" if source.format == "parquet" else "text"
    found = kind_of(first_bytes(path))
    if found != expected:
        raise DatasetError(
            f"{path} is {found} by its first bytes, not a {source.format} table.\n"
            "Check where it comes from; if only its name is wrong, say --from csv, jsonl or "
            "parquet."
        )
