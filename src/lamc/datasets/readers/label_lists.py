"""One column that lists the labels of each row, turned into a label matrix."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
from scipy import sparse

from lamc.datasets.readers.columns import MISSING, spelt
from lamc.exceptions import DatasetError
from lamc.types import SparseMatrix
from lamc.wording import did_you_mean, some

JOINING = ";|,"  # what is put between labels that share a cell


def listed_labels(
    source: Path,
    name: str,
    column: Any,
    separator: str | None,
    place: Callable[[int], str],
    known: Sequence[str] | None = None,
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return the labels of each row of a pyarrow column, and hints at another way to read it.

    A cell is a list already, or text: one label, or several with a separator between. An empty
    text with a separator lists no label. A cell without a value says nothing, and is refused; so
    is NA and the like, and a cell that joins labels of the column, unless ``known`` labels have
    that name.
    """
    in_lists = holds_lists(column.type)
    _refuse_unreadable(source, name, column.type)
    if in_lists and separator is not None:
        raise DatasetError(
            f"{source}: the column {name!r} holds lists of labels; leave out separator=."
        )
    if separator == "":
        raise DatasetError("separator='' separates nothing; leave it out, or give a character.")
    gaps = set(MISSING) - set(known or ())
    one_each = names_one(column.type, separator)
    read = [
        _names_of(cell) if in_lists else _names_in(cell, separator) for cell in column.to_pylist()
    ]
    if one_each:  # lists that are taken for one label have empty cells for a reason
        cells = ["" if names is None else names[0] for names in read]
        _refuse_joined(source, name, cells, known or (), place)
    rows: list[list[str]] = []
    for row, names in enumerate(read):
        if names is None:
            no_label = (
                "; if the row has no label at all, say separator=';' or whatever stands between "
                "several"
            )
            raise DatasetError(
                f"{source}, {place(row)}: the label in {name!r} is missing.\n"
                f"Fill it in, or remove the row{no_label if one_each else ''}."
            )
        if found := gaps.intersection(names):
            raise DatasetError(
                f"{source}, {place(row)}: the label in {name!r} is {found.pop()!r}, which stands "
                "for a missing one.\nFill it in, or remove the row; if it is a label, name all "
                "labels there are, labels=…."
            )
        rows.append(names)
    if one_each:
        return rows, _joined_hints(cells)
    n_empty = 0 if in_lists else rows.count([])
    if not n_empty:
        return rows, ()
    return rows, (
        f"In {n_empty:,} of {len(rows):,} rows {name!r} is empty: they are taken to have no label.",
    )


def names_one(kind: Any, separator: str | None) -> bool:
    """Whether a cell of a pyarrow column of this type is one label, and says nothing of others."""
    return separator is None and not holds_lists(kind)


def holds_lists(kind: Any) -> bool:
    """Whether the cells of a pyarrow column of this type are lists.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from lamc.datasets.readers.label_lists import holds_lists
    >>> holds_lists(pa.list_(pa.string(), 2)), holds_lists(pa.string())
    (True, False)
    """
    import pyarrow as pa

    kinds = pa.types
    return bool(kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind))


def matrix_of_lists(
    source: Path,
    rows: Sequence[Sequence[str]],
    known: Sequence[str] | None,
    place: Callable[[int], str],
    advice: str = "",
) -> tuple[SparseMatrix, list[str]]:
    """Return the label matrix, and its labels: the known ones, or all that occur, sorted.

    ``advice`` says what to do about a label that is not known.
    """
    written = {label for row in rows for label in row}
    firsts: dict[str, str] = {}  # accents are written in two ways, which look the same
    for label in sorted(written) if known is None else known:
        firsts.setdefault(normalize("NFC", label), label)
    names = list(firsts.values()) if known is None else list(known)
    position = {label: j for j, label in enumerate(names)}
    alike = {label: firsts.get(normalize("NFC", label), label) for label in written - set(names)}
    rows = [[alike.get(label, label) for label in row] for row in rows]
    way_out = f"\n{advice}" if advice else ""
    for row, labels in enumerate(rows):
        for label in labels:
            if label not in position:
                raise DatasetError(
                    f"{source}, {place(row)}: {label!r} is not among the {len(names)} labels known "
                    f"here: {some(names)}."
                    f"{did_you_mean(label, names)}{way_out}"
                )
    columns = [column for labels in rows for column in sorted({position[name] for name in labels})]
    ends = np.cumsum([0, *(len(set(labels)) for labels in rows)])
    shape = (len(rows), len(names))
    return sparse.csr_array((np.ones(len(columns), dtype=bool), columns, ends), shape=shape), names


def _refuse_unreadable(source: Path, name: str, kind: Any) -> None:
    """Raise if cells, or what their lists hold, are no names but things with parts, or bytes."""
    import pyarrow as pa

    held = kind.value_type if holds_lists(kind) else kind
    if pa.types.is_nested(held) or pa.types.is_binary(held) or pa.types.is_large_binary(held):
        raise DatasetError(
            f"{source}: the column {name!r} is of type {kind}; labels are text or whole numbers, "
            "one in a cell or a list of them.\nWrite the names of the labels into a column of "
            "their own."
        )


def _names_of(cell: Sequence[object] | None) -> list[str] | None:
    """Names in a list; none if one is missing, for nobody knows which label it would be."""
    names = [] if cell is None else ["" if item is None else spelt(item).strip() for item in cell]
    return None if cell is None or "" in names else names


def _names_in(cell: object, separator: str | None) -> list[str] | None:
    text = "" if cell is None else spelt(cell).strip()
    if separator is None:
        return [text] if text else None
    return (
        None if cell is None else [word for part in text.split(separator) if (word := part.strip())]
    )


def _refuse_joined(
    source: Path,
    name: str,
    cells: Sequence[str],
    known: Sequence[str],
    place: Callable[[int], str],
) -> None:
    """Raise if a cell that should be one label is several, each a label of the column."""
    labels = {*cells, *known}
    for cell in dict.fromkeys(cells):
        for mark in JOINING:
            parts = [word for part in cell.split(mark) if (word := part.strip())]
            if mark in cell and parts and cell not in known and labels.issuperset(parts):
                raise DatasetError(
                    f"{source}, {place(cells.index(cell))}: {cell!r} in {name!r} joins "
                    f"{some(parts)}, which are labels of other rows.\nSay separator={mark!r} to "
                    "split it; if it is one label, name all labels there are, labels=…."
                )


def one_label_note(name: str) -> str:
    """What is said of a column whose cells are one label each.

    Examples
    --------
    >>> from lamc.datasets.readers.label_lists import one_label_note
    >>> one_label_note("species")
    "Each cell of 'species' is one label; whether the row has others, the file does not say."
    """
    return f"Each cell of {name!r} is one label; whether the row has others, the file does not say."


def _joined_hints(labels: Sequence[str]) -> tuple[str, ...]:
    """What may be several labels in a cell, where most cells are so."""
    notes = []
    for mark in JOINING:
        joined = [label for label in labels if mark in label]
        if 2 * len(joined) > len(labels):
            notes.append(f"{joined[0]!r} is read as one label; separator={mark!r} splits it.")
    return tuple(notes)
