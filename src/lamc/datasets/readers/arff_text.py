"""The ARFF text format: a header that declares columns, then dense or sparse rows.

Read by hand because liac-arff takes time exponential in the number of nominal values when a
header is cut short, keeps text where a number was declared, drops repeated sparse entries, and
knows neither tabs nor escapes in the header.
"""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from scipy import sparse

from lamc.datasets.readers.columns import Column, Table
from lamc.datasets.readers.files import numbered_lines
from lamc.exceptions import DatasetError
from lamc.types import FloatArray, IntArray, SparseMatrix
from lamc.wording import some

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_UNQUOTED = r"""[^'",\s][^,]*?"""
_ATTRIBUTE = re.compile(rf"""({_QUOTED}|[^'"\s{{][^\s{{]*)\s*(.*)""")
_NOMINAL = re.compile(rf"""\{{((?:{_QUOTED}|[^'"}}])*)\}}\s*(?:%.*)?""")
_VALUE = re.compile(rf"\s*({_QUOTED}|{_UNQUOTED})\s*(,|$)")
_ENTRY = re.compile(rf"\s*(\d+)\s+({_QUOTED}|{_UNQUOTED})\s*(,|$)")
_QUOTE = re.compile(r"""['"]""")
_NOT_PLAIN = re.compile(r"""['"?\s]""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}

_NUMBERS = ("numeric", "real", "integer")
_LEFT_OUT = {"string": "text", "date": "a date, which is no number"}

Converter = Callable[[str], float]


def parse_arff(path: Path, encoding: str) -> tuple[str, Table]:
    """Return what ``@relation`` says, and the table."""
    lines = (
        (number, stripped)
        for number, line in numbered_lines(path, encoding)
        if (stripped := line.strip()) and not stripped.startswith("%")
    )
    relation, columns = _read_header(path, lines)
    cells, numbers = _read_rows(path, lines, columns)
    return relation, Table(path, columns, cells, lambda row: f"line {numbers[row]}")


def _read_header(path: Path, lines: Iterator[tuple[int, str]]) -> tuple[str, tuple[Column, ...]]:
    relation = ""
    columns: list[Column] = []
    declared: dict[str, int] = {}
    for number, line in lines:
        keyword = line.split(maxsplit=1)[0]
        rest = line[len(keyword) :].strip()
        match keyword.lower():
            case "@relation":
                relation = _unquote(rest)
            case "@attribute":
                column = _read_attribute(path, number, rest)
                if column.name in declared:
                    raise DatasetError(
                        f"{path}, line {number}: the attribute {column.name!r} is declared "
                        f"again; line {declared[column.name]} has it already.\nRename one of them."
                    )
                declared[column.name] = number
                columns.append(column)
            case "@data" if columns:
                return relation, tuple(columns)
            case "@data":
                raise DatasetError(f"{path}, line {number}: @data comes before any @attribute.")
            case _:
                raise DatasetError(
                    f"{path}, line {number}: {_short(line)} is neither @relation, @attribute nor "
                    "@data, the lines an ARFF file begins with.\nIs it a file of another kind?"
                )
    raise DatasetError(
        f"{path} ends within its header, before an @data line.\n"
        "It may be cut short: fetch or write it again."
    )


def _read_attribute(path: Path, number: int, text: str) -> Column:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None or not match[2]:
        raise DatasetError(
            f"{path}, line {number}: {_short(text)} is not a name and a type.\n"
            "Write @attribute name numeric, or @attribute 'a name' {no, yes}."
        )
    name, declared = _unquote(match[1]), match[2]
    if declared.startswith("{"):
        return Column(name, _read_nominal(path, number, name, declared))
    kind = declared.split(maxsplit=1)[0].lower()
    if kind in _NUMBERS:
        return Column(name)
    if kind in _LEFT_OUT:
        return Column(name, left_out=_LEFT_OUT[kind])
    raise DatasetError(
        f"{path}, line {number}: the attribute {name!r} is of type {_short(declared)}; numeric, "
        "real, integer, string, date and {nominal, values} can be read."
    )


def _read_nominal(path: Path, number: int, name: str, declared: str) -> tuple[str, ...]:
    try:
        match = _NOMINAL.fullmatch(declared)
        values = _split(match[1]) if match else []
    except ValueError:
        values = []
    known = tuple(value for value in values if value is not None)
    if not known or len(set(known)) < len(values):
        raise DatasetError(
            f"{path}, line {number}: the values {_short(declared)} of {name!r} cannot be read.\n"
            "Write each value once, between braces and commas: {red, 'light blue'}."
        )
    return known


def _read_rows(
    path: Path, lines: Iterator[tuple[int, str]], columns: Sequence[Column]
) -> tuple[FloatArray | SparseMatrix, IntArray]:
    """Return the cells, and the line of each row. The first row says whether rows are sparse."""
    converters = [_converter(column) for column in columns]
    first = next(lines, None)
    if first is None:
        raise DatasetError(
            f"{path} has no rows after @data.\nIt may be cut short: fetch or write it again."
        )
    is_sparse = first[1].startswith("{")
    read_row = _sparse_row if is_sparse else _dense_row
    places, cells, ends, numbers = array("q"), array("d"), array("q", [0]), array("q")
    for number, line in chain([first], lines):
        try:
            row_places, row_cells = read_row(line, converters)
        except (ValueError, LookupError):
            fault = _fault(line, columns, converters, is_sparse)
            raise DatasetError(f"{path}, line {number}: {fault}") from None
        places.extend(row_places)
        cells.extend(row_cells)
        ends.append(len(cells))
        numbers.append(number)
    shape = (len(numbers), len(columns))
    if not is_sparse:
        return np.array(cells).reshape(shape), np.array(numbers)
    return sparse.csr_array((np.array(cells), places, ends), shape=shape), np.array(numbers)


def _converter(column: Column) -> Converter:
    """Return what turns the text of a cell into its number, or raises."""
    if column.left_out is not None:
        return _nothing
    if column.values is None:
        return float
    return {value: float(position) for position, value in enumerate(column.values)}.__getitem__


def _nothing(text: str) -> float:
    return 0.0


def _dense_row(line: str, converters: Sequence[Converter]) -> tuple[Sequence[int], list[float]]:
    if _NOT_PLAIN.search(line):
        return (), [
            np.nan if text is None else convert(text)
            for convert, text in zip(converters, _split(line), strict=True)
        ]
    return (), [convert(text) for convert, text in zip(converters, line.split(","), strict=True)]


def _sparse_row(line: str, converters: Sequence[Converter]) -> tuple[list[int], list[float]]:
    entries = _entries(line)
    places = [place for place, _ in entries]
    if len(set(places)) < len(places):
        raise ValueError("an attribute is given twice")
    return places, [np.nan if text is None else converters[place](text) for place, text in entries]


def _entries(line: str) -> list[tuple[int, str | None]]:
    """Split ``{3 yes,7 ?}`` into places and values; without quotes there is a quicker way."""
    if not (line.startswith("{") and line.endswith("}")):
        raise ValueError("the row does not stand between braces")
    inner = line[1:-1].strip()
    if not inner:
        return []
    if not _QUOTE.search(inner):
        pairs = [pair.split() for pair in inner.split(",")]
        if all(len(pair) == 2 and pair[0].isdecimal() for pair in pairs):
            return [(int(place), None if text == "?" else text) for place, text in pairs]
    return [(int(match[1]), _value(match[2])) for match in _scan(_ENTRY, inner)]


def _split(text: str) -> list[str | None]:
    """Split values at commas outside of quotes."""
    return [_value(match[1]) for match in _scan(_VALUE, text)]


def _scan(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Match a pattern, whose last group is the comma behind it, up to the end of the text."""
    at, comma = 0, ","
    while comma:
        match = pattern.match(text, at)
        if match is None:
            raise ValueError(f"the row cannot be read from {_short(text[at:])} on")
        yield match
        at, comma = match.end(), match[match.re.groups]


def _value(text: str) -> str | None:
    """Return the value that a piece of text writes, or None for ``?``: a missing one."""
    return None if text == "?" else _unquote(text)


def _unquote(text: str) -> str:
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return text
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)


def _fault(
    line: str, columns: Sequence[Column], converters: Sequence[Converter], is_sparse: bool
) -> str:
    """Say what is wrong with a row that could not be read."""
    if line.startswith("{") != is_sparse:
        kinds = ("dense", "sparse") if is_sparse else ("sparse", "dense")
        return f"a {kinds[0]} row in a {kinds[1]} file.\nWrite all rows one way."
    try:
        entries = _entries(line) if is_sparse else list(enumerate(_split(line)))
    except ValueError as error:
        return f"{error}.\nThe line may be cut short; a missing value is written ?."
    if not is_sparse and len(entries) != len(columns):
        return (
            f"the row has {len(entries)} values, but the header declares {len(columns)} "
            "attributes.\nThe line may be cut short, or a value with a comma not quoted."
        )
    for place, text in entries:
        if place >= len(columns):
            return (
                f"the row has a value for attribute {place}, but there are {len(columns)}, "
                "counted from 0."
            )
        if text is None:
            continue
        try:
            converters[place](text)
        except (ValueError, LookupError):
            column = columns[place]
            expected = "a number" if column.values is None else f"one of {some(column.values)}"
            return f"the value of {column.name!r} is {text!r}; the header declares {expected}."
    return "an attribute is given twice."


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
