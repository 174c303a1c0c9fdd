"""Cells as a model needs them: numbers, words, or what the table holds.

Each cell is read by itself. What a column becomes does not depend on the other cells that a batch
happens to hold, so a table gives the same values in batches of any size.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from lamc.datasets.readers.columns import MISSING, truth
from lamc.exceptions import DatasetError

ArrowColumn: TypeAlias = Any  # pyarrow has no types of its own

_SWAPPED = str.maketrans(",.", ".,")


class Kind(StrEnum):
    """What the cells of a column should become.

    Examples
    --------
    >>> from lamc.tables.cells import Kind
    >>> Kind("word") is Kind.WORD
    True
    """

    NUMBER = "number"  # float64; missing is null
    TRUTH = "truth"  # likewise, and false and true, no and yes are 0 and 1
    WORD = "word"  # text without blanks around it; missing, empty, NA and the like are null
    CODE = "code"  # likewise, but NA is a word
    AS_IS = "as it is"  # as Parquet has it; of text files, text


NUMERIC = (Kind.NUMBER, Kind.TRUTH)


def converted(
    cells: ArrowColumn, kind: Kind, *, name: str, place: Callable[[int], str], decimal: str = "."
) -> ArrowColumn:
    """Cells of a pyarrow column as a kind; the first one that cannot be is named.

    Numbers in text have the decimal mark ``decimal``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from lamc.tables.cells import Kind, converted
    >>> cells = pa.chunked_array([["1", "yes", " NA "]])
    >>> converted(cells, Kind.TRUTH, name="ripe", place=str).to_pylist()
    [1.0, 1.0, None]
    >>> cells = pa.chunked_array([["1,5", "2"]])
    >>> converted(cells, Kind.NUMBER, name="height", place=str, decimal=",").to_pylist()
    [1.5, 2.0]
    """
    import pyarrow as pa

    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if kind in NUMERIC:
        return _finite(_numbers(cells, kind, name, place, decimal), name, place)
    if kind is Kind.AS_IS:
        return cells
    return _words(cells, name, gaps=MISSING if kind is Kind.WORD else ("",))


def _numbers(
    cells: ArrowColumn, kind: Kind, name: str, place: Callable[[int], str], decimal: str
) -> ArrowColumn:
    import pyarrow as pa

    kinds = pa.types
    if _is_text(cells.type):
        return _parsed(cells, kind, name, place, decimal)
    if not (
        kinds.is_boolean(cells.type)
        or kinds.is_integer(cells.type)
        or kinds.is_floating(cells.type)
        or kinds.is_decimal(cells.type)
        or kinds.is_null(cells.type)
    ):
        raise DatasetError(f"The column {name!r} is of type {cells.type}; numbers are needed.")
    return cells.cast(pa.float64(), safe=False)


def _parsed(
    cells: ArrowColumn, kind: Kind, name: str, place: Callable[[int], str], decimal: str
) -> ArrowColumn:
    """Numbers that text spells; the usual column is parsed at once, others value by value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = _trimmed(cells, MISSING)
    spelt_so = text
    if decimal == ",":  # a point then is no decimal mark, and what has one is no number
        spelt_so = pc.replace_substring(pc.replace_substring(text, ".", "x"), ",", ".")
    try:
        return spelt_so.cast(pa.float64())
    except pa.ArrowInvalid:
        values = text.unique()
    spelt = []
    for value in values.to_pylist():
        number = None if value is None else _number(value, decimal, kind)
        if number is None and value is not None:
            row = text.index(value).as_py()
            raise DatasetError(
                f"{place(row)}: the column {name!r} holds {value!r}, and a number is needed."
                f"{_other_mark(value, decimal)}"
            )
        spelt.append(number)
    at = pc.index_in(text, value_set=values.cast(text.type))
    return pa.array(spelt, pa.float64()).take(at.combine_chunks())


def _finite(cells: ArrowColumn, name: str, place: Callable[[int], str]) -> ArrowColumn:
    """The cells, if none is infinite: no learner can use such a number."""
    import pyarrow.compute as pc

    infinite = pc.is_inf(cells)
    if pc.any(infinite).as_py():
        row = infinite.index(True).as_py()
        raise DatasetError(
            f"{place(row)}: the column {name!r} holds {cells[row].as_py()}, and a finite number is "
            "needed.\nWrite one, or leave the cell empty if it is not known."
        )
    return cells


def _number(word: str, decimal: str, kind: Kind = Kind.NUMBER) -> float | None:
    try:
        if "_" not in word:  # which Python takes for a mark of thousands
            return float(word if decimal == "." else word.translate(_SWAPPED))
    except ValueError:
        pass
    known = truth(word) if kind is Kind.TRUTH else float("nan")
    return known if known == known else None


def _other_mark(word: str, decimal: str) -> str:
    """Advice, if a word is a number with the other decimal mark."""
    other = "," if decimal == "." else "."
    return "" if _number(word, other) is None else f"\nSay --decimal '{other}' if that is its mark."


def _words(cells: ArrowColumn, name: str, gaps: Sequence[str]) -> ArrowColumn:
    import pyarrow as pa

    if not (_is_text(kind := cells.type) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        raise DatasetError(
            f"The column {name!r} is of type {cells.type}; words are needed, as in training."
        )
    return _trimmed(cells, gaps)


def _trimmed(cells: ArrowColumn, gaps: Sequence[str]) -> ArrowColumn:
    """Text without blanks around it, null where it is one of ``gaps``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(cells.cast(pa.large_string()))
    missing = pc.is_in(text, value_set=pa.array(gaps, pa.large_string()))
    return pc.if_else(missing, pa.scalar(None, pa.large_string()), text)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )
