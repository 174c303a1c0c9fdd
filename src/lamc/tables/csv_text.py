"""The text of a CSV file: its bytes as UTF-8, whatever they were, and its header off the top."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from typing import IO, Any

from lamc.exceptions import DatasetError

_BLOCK = 1 << 18  # bytes read at once
_LINE_END = re.compile(rb"\n|\r(?=[^\n])")  # after \n, \r\n, or a \r alone as old Excel writes it
_MARK = codecs.BOM_UTF8
_END = 256  # characters at the end of what was read that are kept


class CsvText(io.RawIOBase):
    r"""The bytes of a text file as UTF-8, without the byte order mark.

    Parameters
    ----------
    stream : binary file
        Open to read.
    encoding : str
        Of its text.

    Examples
    --------
    >>> import io
    >>> from lamc.tables.csv_text import CsvText
    >>> text = CsvText(io.BytesIO("höhe,5\"\r3,4\r".encode("utf-16")), "utf-16")
    >>> text.header(",")
    ['höhe', '5"']
    >>> text.read()
    b'3,4\r'
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._ahead = b""
        self._is_utf8 = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._at_start = True
        self._at_end = False
        self.end = ""  # of what was read so far

    def readable(self) -> bool:
        """Whether it can be read: it can."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into a buffer, and return how many."""
        while not self._ahead and self._fill():
            pass
        part = self._ahead[: len(buffer)]
        buffer[: len(part)] = part
        self._ahead = self._ahead[len(part) :]
        return len(part)

    def header(self, delimiter: str) -> list[str]:
        """Names in the first row that is not blank, which then is read; none if there is none.

        A quoted name may hold a line end. A quote inside a name that is not quoted is a character
        like any other, as it is to pyarrow, which reads the rows.
        """
        try:
            for names in csv.reader(self._lines(), delimiter=delimiter):
                if len(names) > 1 or (names and names[0].strip()):
                    return names
        except csv.Error as error:
            raise DatasetError(f"{error}; a table starts with the names of its columns.") from error
        return []

    def _lines(self) -> Iterator[str]:
        while line := self._line():
            yield line.decode("utf-8")

    def _line(self) -> bytes:
        seen = 0
        while not (found := _LINE_END.search(self._ahead, seen)):
            seen = max(len(self._ahead) - 1, 0)  # a \r at the end may be half of \r\n
            if not self._fill():
                break
        end = len(self._ahead) if found is None else found.end()
        line, self._ahead = self._ahead[:end], self._ahead[end:]
        return line

    def _fill(self) -> bool:
        """Read on; whether there was more to read."""
        if self._at_end:
            return False
        block = self._stream.read(_BLOCK)
        self._at_end = not block
        text = block if self._is_utf8 else self._decoder.decode(block, self._at_end).encode()
        if self._at_start and text:
            text, self._at_start = text.removeprefix(_MARK), False
        self._ahead += text
        self.end = (self.end + text[-_END:].decode("utf-8", "replace"))[-_END:]
        return True
