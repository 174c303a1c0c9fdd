"""One column that lists the labels of each row, turned into a label matrix."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lamc.datasets.readers.columns import did_you_mean, some
from lamc.exceptions import DatasetError
from lamc.types import SparseMatrix


def listed_labels(
    source: Path, name: str, column: Any, separator: str | None, place: Callable[[int], str]
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return the labels of each row of a pyarrow column, and notes on how it was read.

    A cell is a list already, or text: one label, or several with a separator between. An empty
    text with a separator lists no label. A cell without a value says nothing, and is refused.
    """
    import pyarrow as pa

    holds_lists = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    if holds_lists and separator is not None:
        raise DatasetError(
            f"{source}: the column {name!r} holds lists of labels; leave out separator=."
        )
    if separator == "":
        raise DatasetError("separator='' separates nothing; leave it out, or give a character.")
    rows: list[list[str]] = []
    for row, cell in enumerate(column.to_pylist()):
        names = cell if holds_lists else _names_in(cell, separator)
        if names is None or None in names:
            raise DatasetError(
                f"{source}, {place(row)}: the label in {name!r} is missing.\n"
                "Fill it in, or remove the row."
            )
        rows.append([str(label) for label in names])
    if holds_lists or separator is not None:
        return rows, ()
    return rows, _one_label_notes(name, [labels[0] for labels in rows])


def matrix_of_lists(
    source: Path,
    rows: Sequence[Sequence[str]],
    known: Sequence[str] | None,
    place: Callable[[int], str],
) -> tuple[SparseMatrix, list[str]]:
    """Return the label matrix, and its labels: the known ones, or all that occur, sorted."""
    names = sorted({label for row in rows for label in row}) if known is None else list(known)
    position = {label: j for j, label in enumerate(names)}
    for row, labels in enumerate(rows):
        for label in labels:
            if label not in position:
                raise DatasetError(
                    f"{source}, {place(row)}: {label!r} is not among the {len(names)} labels known "
                    f"here: {some(names)}."
                    f"{did_you_mean(label, names)}"
                )
    columns = [position[label] for labels in rows for label in set(labels)]
    ends = np.cumsum([0, *(len(set(labels)) for labels in rows)])
    shape = (len(rows), len(names))
    return sparse.csr_array((np.ones(len(columns), dtype=bool), columns, ends), shape=shape), names


def _names_in(cell: object, separator: str | None) -> list[str] | None:
    text = "" if cell is None else str(cell).strip()
    if separator is None:
        return [text] if text else None
    return (
        None if cell is None else [word for part in text.split(separator) if (word := part.strip())]
    )


def _one_label_notes(name: str, labels: Sequence[str]) -> tuple[str, ...]:
    notes = [
        f"Each cell of {name!r} is one label; whether the row has others, the file does not say."
    ]
    for mark in ";|,":
        joined = [label for label in labels if mark in label]
        if 2 * len(joined) > len(labels):
            notes.append(f"{joined[0]!r} is read as one label; separator={mark!r} splits it.")
    return tuple(notes)
