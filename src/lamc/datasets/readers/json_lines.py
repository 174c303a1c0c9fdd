"""JSON lines: one object a line, with a value for each column."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from lamc.datasets.readers.columns import did_you_mean, some, spelt
from lamc.datasets.readers.files import open_bytes
from lamc.exceptions import DatasetError

ArrowTable: TypeAlias = Any  # pyarrow has no types of its own
ArrowColumn: TypeAlias = Any


def read_table(path: Path, *, text: Sequence[str] = ()) -> tuple[ArrowTable, list[int]]:
    """Read a whole file as a pyarrow table, and the number of the line that each row stands on.

    The first line says which columns there are. A column holds numbers or lists where all its
    cells do, and else text. Columns named in ``text`` hold no numbers: a label 7 is the word.
    """
    import pyarrow as pa

    with open_bytes(path) as stream:
        numbered = list(numbered_objects(path, stream))
    if not numbered:
        raise DatasetError(f"{path} has no rows.")
    names = list(numbered[0][1])
    for number, row in numbered:
        check_keys(path, number, row, names)
        more = [name for name in row if name not in names]
        if more:
            raise DatasetError(
                f"{path}, line {number} has {some(more)}, which the first line does not have.\n"
                "Write null there where a value is missing."
            )
        for name in {*text} & {*names}:
            _refuse_parts(path, number, name, row[name])
    columns = {name: [row[name] for _, row in numbered] for name in names}
    cells = {
        name: pa.nulls(len(values))
        if all(value is None for value in values)
        else column(values, numbers=name not in text)
        for name, values in columns.items()
    }
    return pa.table(cells), [number for number, _ in numbered]


def _refuse_parts(path: Path, number: int, name: str, value: Any) -> None:
    """Raise if a cell that should be text, or a list of it, holds something with parts."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, (dict, list)):
            raise DatasetError(
                f"{path}, line {number}: {name!r} holds {json.dumps(item)}; text or a number is "
                "needed, or a list of them.\nWrite the names alone."
            )


def numbered_objects(
    source: object, stream: Iterable[bytes]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with the numbers of their lines; blank lines are passed."""
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
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


def check_keys(source: object, number: int, row: dict[str, Any], names: Iterable[str]) -> None:
    """Raise if an object lacks a column."""
    for name in names:
        if name not in row:
            raise DatasetError(
                f"{source}, line {number}: there is no {name!r}, which is needed."
                f"{did_you_mean(name, list(row))}\nWrite null where a value is missing."
            )


def column(values: Sequence[Any], *, numbers: bool = True, lists: bool = True) -> ArrowColumn:
    """Cells of a column: numbers or lists of text, if these may be and all are, else text.

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
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array([_text(value) for value in values], pa.string())


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return spelt(value) if isinstance(value, float) else json.dumps(value)
