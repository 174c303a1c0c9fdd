"""Multi-label svmlight files, with or without the header of the extreme classification sets.

A row is ``label,label index:value index:value``; its labels may be missing. The header
``rows features labels`` says how many there are, and that features and labels count from 0.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from scipy import sparse

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers.checked import checked_dataset
from lamc.datasets.readers.files import numbered_lines
from lamc.exceptions import DatasetError
from lamc.types import FloatArray, IntArray, SparseMatrix
from lamc.wording import spells_number

MOST_COLUMNS = 10_000_000  # each has a name in memory


@dataclass(frozen=True, eq=False)
class _Rows:
    """What all rows hold, one after the other; row i ends at entry ``ends[i + 1]``."""

    path: Path
    lines: IntArray
    labels: IntArray
    label_ends: IntArray
    indices: IntArray
    values: FloatArray
    ends: IntArray


def read_svmlight(
    path: Path,
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | None = None,
) -> Dataset:
    """Read an svmlight file; see :func:`lamc.datasets.read`."""
    lines = (
        (number, words)
        for number, line in numbered_lines(path, "utf-8")
        if (words := line.partition("#")[0].split())
    )
    top = next(lines, None)
    if top is None:
        raise DatasetError(f"{path} has no rows: it holds comments and blank lines only.")
    header = _header(top[1])
    if header is None:
        rows = _read_rows(path, chain([top], lines))
        first = _first_index(rows, n_features, zero_based)
        seen = int(rows.indices.max(initial=first - 1)) + 1 - first
        d = seen if n_features is None else n_features
    elif n_features is not None or n_labels is not None:
        raise DatasetError(
            f"{path} says itself, in line {top[0]}, that it has {header[1]} features and "
            f"{header[2]} labels.\nLeave out n_features= and n_labels=."
        )
    elif zero_based is False:
        raise DatasetError(
            f"{path} says in line {top[0]} how much it holds, and with such a line features count "
            "from 0.\nLeave out zero_based=False; if they do count from 1, remove the line."
        )
    else:
        rows = _read_rows(path, lines)
        n, d, n_labels = header
        first = 0
        if len(rows.lines) != n:
            raise DatasetError(
                f"{path} announces {n} rows in line {top[0]}, but has {len(rows.lines)}.\n"
                "It may be cut short: fetch it again."
            )
    for what, count in (("features", d), ("labels", n_labels or 0)):
        if not 0 <= count <= MOST_COLUMNS:
            raise DatasetError(
                f"{path} would have {count} {what}; up to {MOST_COLUMNS} are read.\n"
                "The file may be damaged; if its numbers are hashes, number what occurs from 1."
            )
    label_numbers = np.unique(rows.labels) if n_labels is None else np.arange(n_labels)
    return checked_dataset(
        path,
        X=_feature_matrix(rows, first, d),
        Y=_label_matrix(rows, label_numbers),
        feature_names=[f"x{index}" for index in range(first, first + d)],
        label_names=[str(label) for label in label_numbers],
    )


def _header(words: list[str]) -> tuple[int, int, int] | None:
    if len(words) != 3 or not all(word.isdecimal() for word in words):
        return None
    n, d, k = (int(word) for word in words)
    return n, d, k


def _first_index(rows: _Rows, n_features: int | None, zero_based: bool | None) -> int:
    """The index of the first feature: as it is said, or as the indices show.

    svmlight counts from 1, some programs from 0. A part of a data set need not show which: two
    parts read apart would then be shifted against each other.
    """
    if zero_based is not None:
        return 0 if zero_based else 1
    seen = rows.indices
    if 0 in seen:
        return 0
    if n_features is not None and ((seen > 0) & (seen < n_features)).all():
        raise DatasetError(
            f"{rows.path} names neither the feature index 0 nor {n_features}, so it does not show "
            f"whether its {n_features} features count from 0 or from 1.\n"
            "Say which: zero_based=True, or zero_based=False."
        )
    return 1


def _read_rows(path: Path, lines: Iterable[tuple[int, list[str]]]) -> _Rows:
    numbers, labels, label_ends = array("q"), array("q"), array("q", [0])
    indices, values, ends = array("q"), array("d"), array("q", [0])
    for number, words in lines:
        try:
            marks = [] if ":" in words[0] else words.pop(0).split(",")
            if "_" in "".join([*marks, *words]):  # which Python takes for a mark of thousands
                raise ValueError
            pairs = [word.split(":") for word in words]
            labels.extend([int(mark) for mark in marks])
            indices.extend([int(index) for index, _ in pairs])
            values.extend([float(value) for _, value in pairs])
        except (ValueError, OverflowError):
            raise DatasetError(f"{path}, line {number}: {_fault(marks, words)}") from None
        numbers.append(number)
        label_ends.append(len(labels))
        ends.append(len(values))
    arrays = (np.array(part) for part in (numbers, labels, label_ends, indices, values, ends))
    return _Rows(path, *arrays)


def _fault(marks: list[str], words: list[str]) -> str:
    """Say which part of a row could not be read."""
    for mark in marks:
        if not mark.isdecimal():
            return (
                f"the label {mark!r} is not an integer from 0 up.\n"
                "Labels stand in front, with commas and no spaces between: 3,17 1:0.5 4:1."
            )
    for word in words:
        index, colon, value = word.partition(":")
        if not (colon and index.isdecimal() and spells_number(value)):
            return f"{word!r} is not index:value.\nThe line may be cut short."
    return "a number is too large to be read."


def _feature_matrix(rows: _Rows, first: int, d: int) -> SparseMatrix:
    outside = (rows.indices < first) | (rows.indices >= first + d)
    if outside.any():
        entry = int(np.argmax(outside))
        index = int(rows.indices[entry])
        way_out = "Give the larger n_features=" if index else "Say zero_based=True"
        raise DatasetError(
            f"{_place(rows, rows.ends, entry)}: the feature index {index} is not among the {d}, "
            f"counted from {first}.\n{f'{way_out}, or mend' if index >= 0 else 'Mend'} the file."
        )
    X = sparse.csr_array((rows.values, rows.indices - first, rows.ends), shape=(len(rows.lines), d))
    X.sort_indices()
    of = np.repeat(np.arange(len(rows.lines)), np.diff(rows.ends))
    again = (np.diff(X.indices) == 0) & (np.diff(of) == 0)
    if again.any():
        entry = int(np.argmax(again))
        raise DatasetError(
            f"{_place(rows, rows.ends, entry)}: the feature index {X.indices[entry] + first} is "
            "given twice.\nKeep one of the two values."
        )
    return X


def _label_matrix(rows: _Rows, known: IntArray) -> SparseMatrix:
    outside = (rows.labels < 0) | ~np.isin(rows.labels, known)
    if outside.any():
        entry = int(np.argmax(outside))
        raise DatasetError(
            f"{_place(rows, rows.label_ends, entry)}: the label {rows.labels[entry]} is not among "
            f"the {len(known)}, counted from 0.\nGive the larger n_labels=. If the labels are −1 "
            "and 1, this is a file for two classes, not for several labels."
        )
    columns = np.searchsorted(known, rows.labels)
    shape = (len(rows.lines), len(known))
    marks = sparse.csr_array((np.ones(len(columns)), columns, rows.label_ends), shape=shape)
    marks.sum_duplicates()
    return marks.astype(bool)


def _place(rows: _Rows, ends: IntArray, entry: int) -> str:
    row = int(np.searchsorted(ends, entry, side="right")) - 1
    return f"{rows.path}, line {rows.lines[row]}"
