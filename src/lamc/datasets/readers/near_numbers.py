"""Text columns that would be numbers but for a few cells, or but for their decimal mark.

Such a column is refused, for as words it would say little, and no one would notice. It is one only
where that is nearly sure: codes such as ``A01.1`` and ``007``, and small columns such as 1, 2, 3
and ?, stay words.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lamc.datasets.readers.columns import MISSING
from lamc.exceptions import DatasetError
from lamc.types import FloatArray

MOST_NUMBERS = 0.9  # at least this share of the different values
FEWEST_NUMBERS = 10  # and at least so many
_NUMBERS = {
    mark: re.compile(rf"[-+]?(\d+({re.escape(mark)}\d*)?|{re.escape(mark)}\d+)([eE][-+]?\d+)?")
    for mark in ".,"
}
_CODE = re.compile(r"[-+]?0\d")  # no one writes a number so
_NAMES = {".": "point", ",": "comma"}


def refuse_near_numbers(
    source: Path,
    name: str,
    values: Sequence[str],
    cells: FloatArray,
    place: Callable[[int], str],
    *,
    decimal: str | None,
) -> None:
    """Raise if a text column is nearly sure to hold numbers.

    Parameters
    ----------
    source, name
        The file and the column, for the message.
    values : sequence of str
        The different values of the column.
    cells : ndarray of shape (n,)
        The position of each cell's value among them, NaN where there is none.
    place : callable
        Where the file has a row, for people.
    decimal : {".", ","} or None
        The decimal mark that numbers were looked for with; None for files that have types.

    Examples
    --------
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from lamc.datasets.readers.near_numbers import refuse_near_numbers
    >>> values = [*map(str, range(40, 59)), "?"]
    >>> refuse_near_numbers(
    ...     Path("a.csv"), "age", values, np.arange(20.0), lambda row: f"row {row}", decimal=".")
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: a.csv, row 19: the column 'age' holds '?', but 19 of its 20 ...
    """
    said = decimal or "."
    other = "," if said == "." else "."
    present = [value for value in values if value not in MISSING]
    numbers = {value for value in present if _NUMBERS[said].fullmatch(value)}
    others = {value for value in present if _NUMBERS[other].fullmatch(value)} - numbers
    if any(map(_CODE.match, numbers | others)):
        return

    def first(wanted: Callable[[str], bool]) -> tuple[str, int]:
        """The first cell whose value is wanted, and its row."""
        positions = [j for j, value in enumerate(values) if wanted(value)]
        row = int(np.argmax(np.isin(cells, positions)))
        return values[int(cells[row])], row

    if _enough(len(numbers), len(present)) and len(numbers) < len(present):
        cell, row = first(lambda value: value not in numbers and value not in MISSING)
        raise DatasetError(
            f"{source}, {place(row)}: the column {name!r} holds {cell!r}, but {len(numbers)} of "
            f"its {len(present)} different values are numbers.\nCorrect the cell, or leave it "
            f"empty if the number is not known; or take the column as words, words={name!r}, or "
            f"leave it out, id_column={name!r}."
        )
    all_of_them = 3 <= len(numbers | others) == len(present)
    if decimal and others and (all_of_them or _enough(len(numbers | others), len(present))):
        cell, row = first(others.__contains__)
        raise DatasetError(
            f"{source}, {place(row)}: the column {name!r} holds {cell!r}; its values are numbers "
            f"with a {_NAMES[other]}.\nSay decimal={other!r} if that is {cell.replace(',', '.')}; "
            f"if the {_NAMES[other]} marks thousands, remove it; or take the column as words, "
            f"words={name!r}."
        )


def _enough(numbers: int, values: int) -> bool:
    return numbers >= max(FEWEST_NUMBERS, MOST_NUMBERS * values)
