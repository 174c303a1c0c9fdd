"""JSON lines: one object a line, with a value for each column."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

from lamc.datasets.readers.columns import spelt
from lamc.datasets.readers.files import decoded_lines, open_bytes, text_of
from lamc.exceptions import DatasetError
from lamc.wording import did_you_mean, some

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own
ArrowColumn: TypeAlias = Any


def read_table(
    path: Path, *, text: Sequence[str] = (), encoding: str = "utf-8"
) -> tuple[ArrowTable, list[int]]:
    """Read a whole file as a pyarrow table, and the number of the line that each row stands on.

    The first line says which columns there are. A column holds numbers or lists where all its
    cells do, and else text. Columns named in ``text`` hold no numbers: a label 7 is the word.
    """
    import pyarrow as pa

    with open_bytes(path) as stream, text_of(stream, encoding) as decoded:
        numbered = list(numbered_objects(path, decoded, encoding))
    if not numbered:
        raise DatasetError(f"{path} has no rows.")
    names = list(numbered[0][1])
    lists = Lists(path)
    for number, row in numbered:
        check_keys(path, number, row, names)
        check_same_keys(path, number, row, numbered[0][1])
        for name in {*text} & {*names}:
            _refuse_parts(path, number, name, row[name])
            lists.check(number, name, row[name])
    lines = [number for number, _ in numbered]
    columns = {name: [row[name] for _, row in numbered] for name in names}
    cells = {
        name: pa.nulls(len(values))
        if all(value is None for value in values)
        else column(values, numbers=name not in text, place=place_in(path, lines, name))
        for name, values in columns.items()
    }
    return pa.table(cells), lines


def _refuse_parts(path: Path, number: int, name: str, value: Any) -> None:
    """Raise if a cell that should be text, or a list of it, holds something with parts."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, (dict, list)):
            raise DatasetError(
                f"{path}, line {number}: {name!r} holds {json.dumps(item)}; text or a number is "
                "needed, or a list of them.\nWrite the names alone."
            )


class Lists:
    """Which columns hold lists, and which do not: the first line with a value says it.

    Parameters
    ----------
    source : object
        The file, for messages.

    Examples
    --------
    >>> from lamc.datasets.readers.json_lines import Lists
    >>> lists = Lists("trees.jsonl")
    >>> lists.check(1, "tags", ["oak", "elm"])
    >>> lists.check(2, "tags", "ash")
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: trees.jsonl, line 2: 'tags' holds "ash", but a list in line 1.
    Write a list into every line, or into none.
    """

    def __init__(self, source: object) -> None:
        self._source = source
        self._first: dict[str, tuple[int, bool]] = {}

    def check(self, number: int, name: str, value: Any) -> None:
        """Raise if a cell is a list where cells above are none, or the other way round."""
        if value is None:
            return
        first, in_lists = self._first.setdefault(name, (number, isinstance(value, list)))
        if isinstance(value, list) != in_lists:
            raise DatasetError(
                f"{self._source}, line {number}: {name!r} holds {json.dumps(value)}, but "
                f"{'a list' if in_lists else 'no list'} in line {first}.\n"
                "Write a list into every line, or into none."
            )


def numbered_objects(
    source: object, text: IO[str], encoding: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with the numbers of their lines; blank lines are passed."""
    for number, line in decoded_lines(source, text, encoding):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            raise DatasetError(
                f"{source}, line {number} is not JSON: {error}.\n"
                'JSON lines hold one object a line, such as {"height": 3.5}.'
            ) from error
        if not isinstance(row, dict):
            raise DatasetError(
                f"{source}, line {number} holds {type(row).__name__}, not an object such as "
                '{"height": 3.5}.'
            )
        yield number, row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return found


def check_keys(source: object, number: int, row: dict[str, Any], names: Iterable[str]) -> None:
    """Raise if an object lacks a column."""
    for name in names:
        if name not in row:
            raise DatasetError(
                f"{source}, line {number}: there is no {name!r}, which is needed."
                f"{did_you_mean(name, list(row))}\nWrite null where a value is missing."
            )


def check_same_keys(
    source: object, number: int, row: dict[str, Any], first: dict[str, Any]
) -> None:
    """Raise if an object has a column that the first one does not have."""
    more = [name for name in row if name not in first]
    if more:
        raise DatasetError(
            f"{source}, line {number} has {some(more)}, which the first line does not have.\n"
            "Write null there where a value is missing."
        )


def place_in(source: object, lines: Sequence[int], name: str) -> Callable[[int], str]:
    """Where the cells of a column are, for people.

    Examples
    --------
    >>> from lamc.datasets.readers.json_lines import place_in
    >>> place_in("a.jsonl", [1, 3], "height")(1)
    "a.jsonl, line 3: the column 'height'"
    """
    return lambda row: f"{source}, line {lines[row]}: the column {name!r}"


def column(
    values: Sequence[Any],
    *,
    numbers: bool = True,
    lists: bool = True,
    place: Callable[[int], str] = "row {}".format,
) -> ArrowColumn:
    """Cells of a column: numbers or lists of text, if these may be and all are, else text.

    ``place`` says where a cell is that is too large for a number.

    Examples
    --------
    >>> from lamc.datasets.readers.json_lines import column
    >>> column([1, None, 2.5]).to_pylist(), column([1, "oak"]).to_pylist()
    ([1.0, None, 2.5], ['1', 'oak'])
    >>> column([["oak", 7], []]).to_pylist()
    [['oak', '7'], []]
    """
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if lists and kinds == {list}:
        lists_of_text = [value if value is None else [*map(_text, value)] for value in values]
        return pa.array(lists_of_text, pa.list_(pa.string()))
    if numbers and kinds <= {int, float, bool}:
        return pa.array(_floats(values, place), pa.float64())
    return pa.array([_text(value) for value in values], pa.string())


def _floats(values: Sequence[Any], place: Callable[[int], str]) -> list[float | None]:
    found: list[float | None] = []
    for row, value in enumerate(values):
        try:
            found.append(None if value is None else float(value))
        except OverflowError as error:
            raise DatasetError(
                f"{place(row)} holds a whole number of {len(str(abs(value)))} digits, which is too "
                "large to compute with.\nWrite a smaller one, or null if it is not known."
            ) from error
    return found


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return spelt(value) if isinstance(value, float) else json.dumps(value)
