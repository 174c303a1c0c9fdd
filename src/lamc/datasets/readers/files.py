"""What a file is before anyone reads it: there, not empty, and what its first bytes say."""

import bz2
import csv
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from lamc.exceptions import DatasetError
from lamc.files import is_stream

OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"MATLAB 7.3", "a MATLAB 7.3 file"),
    (b"MATLAB 5.0", "a MATLAB file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x93NUMPY", "a single NumPy array"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    *((bytes([0x80, version]), "a Python pickle") for version in range(2, 6)),
)
_WEB_PAGE = re.compile(rb"\s*<(!doctype\s+html|html)\b", re.IGNORECASE)
_UNDECODED = re.compile("[\udc80-\udcff]")  # what errors="surrogateescape" makes of other bytes


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file to read; one that ends in .gz, .bz2 or .xz is unpacked on the way."""
    opener = OPENERS.get(path.suffix.lower())
    return path.open("rb") if opener is None else opener(path, "rb")


@contextmanager
def damage_told(source: object) -> Iterator[None]:
    """Turn what unpacking a damaged file raises into words; errors of the disk pass.

    Examples
    --------
    >>> from lamc.datasets.readers.files import damage_told
    >>> with damage_told("birds.csv.gz"):
    ...     raise EOFError("Compressed file ended early")
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: birds.csv.gz cannot be read: Compressed file ended early.
    It may be cut short, or not be packed as its name says: fetch or write it again.
    """
    try:
        yield
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if getattr(error, "errno", None) is not None:  # of the disk, not of what is on it
            raise
        raise DatasetError(
            f"{source} cannot be read: {error}.\n"
            "It may be cut short, or not be packed as its name says: fetch or write it again."
        ) from error


def first_bytes(path: Path) -> bytes:
    """Return the first bytes of a file, or raise if there is no file to read or nothing in it."""
    if not path.exists():
        raise DatasetError(f"There is no file {path}.\nCheck the name and the folder.")
    if path.is_dir():
        raise DatasetError(f"{path} is a folder; give the path of one file in it.")
    if is_stream(path):
        raise DatasetError(
            f"{path} is a pipe or a device, and what is read is looked at more than once.\nWrite "
            "it into a file first. lamc predict also reads standard input, named -."
        )
    with damage_told(path), open_bytes(path) as file:
        head = file.read(1024)
    if not head:
        raise DatasetError(f"{path} is empty.\nIt may be a download cut short: fetch it again.")
    return head


def ends_within_quotes(last: object, end: str) -> bool:
    r"""Whether a CSV file ended before a quote was closed, so that rows became part of a value.

    Parameters
    ----------
    last : object
        The last value of the last row.
    end : str
        The end of the file.

    Examples
    --------
    >>> from lamc.datasets.readers.files import ends_within_quotes
    >>> ends_within_quotes("tall\nelm,12", '3,"tall\nelm,12\n')
    True
    >>> ends_within_quotes("tall\nand old", '3,"tall\nand old"\n')
    False
    """
    in_lines = isinstance(last, str) and len(last.strip().splitlines()) > 1
    return in_lines and not end.rstrip().endswith('"')


NOT_CLOSED = "a value in quotes is not closed, and all that follows was taken for a part of it"


def csv_place(row: int, path: Path | None, *, delimiter: str, encoding: str) -> str:
    r"""Say where a CSV file has a row, with the blank lines above it, as spreadsheets count.

    Parameters
    ----------
    row : int
        Of those that were read, counted from 0.
    path : Path or None
        The file, which is read again. Without one, blank lines are not counted.
    delimiter, encoding : str
        How it is written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.datasets.readers.files import csv_place
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("age,seen\n20,oak\n\n21,elm\n")
    ...     csv_place(1, path, delimiter=",", encoding="utf-8")
    'row 4 (the header is row 1)'
    """
    header, number = 1, row + 2
    if path is not None:
        unread = suppress(csv.Error, StopIteration)  # to be told of the row is better than nothing
        with unread, open_bytes(path) as file, text_of(file, encoding) as text:
            rows = enumerate(csv.reader(text, delimiter=delimiter), start=1)
            top, names = next((at, cells) for at, cells in rows if "".join(cells).strip())
            one = len(names) == 1  # column, of which a blank line is a row with a gap
            found = next(islice((at for at, cells in rows if cells or one), row, None))
            header, number = top, found
    return f"row {number} (the header is row {header})"


def stem(path: Path) -> str:
    """Return a file's name without what tells its format and packing: ``a`` of ``a.csv.gz``."""
    return (path.with_suffix("") if path.suffix.lower() in OPENERS else path).stem


def kind_of(head: bytes) -> str:
    """Say what the first bytes of a file show it to be.

    Examples
    --------
    >>> import pickle
    >>> from lamc.datasets.readers.files import kind_of
    >>> kind_of(pickle.dumps([1, 2]))
    'a Python pickle'
    >>> kind_of(b"@relation yeast")
    'text'
    """
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if _WEB_PAGE.match(head):
        return "a web page"
    is_utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "a binary file" if b"\x00" in head and not is_utf16 else "text"


def numbered_lines(path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers, from 1; raise where one is not text."""
    with open_bytes(path) as file, text_of(file, encoding) as text:
        yield from decoded_lines(path, text, encoding)


@contextmanager
def text_of(stream: IO[bytes], encoding: str) -> Iterator[IO[str]]:
    """Read bytes as text, for :func:`decoded_lines`; the stream stays open afterwards."""
    text = io.TextIOWrapper(stream, encoding=_without_mark(encoding), errors="surrogateescape")
    try:
        yield text
    finally:
        text.detach()


def decoded_lines(source: object, text: IO[str], encoding: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of :func:`text_of` with their numbers, from 1.

    Examples
    --------
    >>> import io
    >>> from lamc.datasets.readers.files import decoded_lines, text_of
    >>> with text_of(io.BytesIO("höhe".encode("latin-1")), "latin-1") as text:
    ...     list(decoded_lines("a.txt", text, "latin-1"))
    [(1, 'höhe')]
    >>> with text_of(io.BytesIO("höhe".encode("latin-1")), "utf-8") as text:
    ...     list(decoded_lines("a.txt", text, "utf-8"))
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: a.txt, line 1: these bytes are not utf-8 text.
    Say which encoding the file has, for example encoding='latin-1'.
    """
    for number, line in enumerate(text, start=1):
        if not line.isascii() and _UNDECODED.search(line):
            raise DatasetError(
                f"{source}, line {number}: these bytes are not {encoding} text.\n"
                "Say which encoding the file has, for example encoding='latin-1'."
            )
        yield number, line


def _without_mark(encoding: str) -> str:
    """Make UTF-8 skip the byte order mark that some programs put in front."""
    return "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
