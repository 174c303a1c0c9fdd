"""Names of labels: which values can be one, and where a label stands among the known ones."""

import difflib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from lamc.exceptions import LabelError
from lamc.types import AnyArray, BoolArray, IntArray

_Y = re.compile(r"""('[^'\n]*'|"[^"\n]*")|\b[yY]\b""")  # and quoted names, to pass over them


def check_classes(classes: npt.ArrayLike) -> AnyArray:
    """Names of labels as an array of integers or strings, each named once."""
    given = as_given(classes)
    if given.ndim != 1 or len(given) == 0:
        raise LabelError("The classes are a list of at least one label.")
    names = label_values(given, of="The list of classes", entry="entry")
    unique, counts = np.unique(names, return_counts=True)
    if len(unique) < len(names):
        raise LabelError(f"The label {unique[np.argmax(counts)].item()!r} is named twice.")
    return names


def as_given(values: Any) -> AnyArray:
    """An array of values as they are: numpy would make text of mixed ones, and cut off NULs.

    Examples
    --------
    >>> from lamc.labels.names import as_given
    >>> as_given(["oak", float("nan")])
    array(['oak', nan], dtype=object)
    """
    array = np.asarray(values)
    text_of_other = array.dtype.kind == "U" and not isinstance(values, np.ndarray)
    return np.asarray(values, dtype=object) if text_of_other else array


def label_values(
    values: AnyArray, *, of: str = "y", entry: str = "row", entries: IntArray | None = None
) -> AnyArray:
    """Values that name labels, all integers or all strings; the first odd one is named.

    ``entries`` numbers the values for messages, where their own positions would mislead.
    """
    if values.dtype == bool:
        raise LabelError(
            f"{of} is a vector of True and False, which could be two labels of these names, or "
            "the column of one label.\nPass strings for the first, y.reshape(-1, 1) for the "
            "second."
        )
    if values.dtype.kind in "mM":
        raise LabelError(
            f"Unknown label type: {of} holds dates or times; labels are integers or strings.\nPass "
            "them as text: y.astype(str)."
        )
    if np.issubdtype(values.dtype, np.integer):
        return values
    listed = values.tolist()

    def where(position: int) -> str:
        return f"{entry} {position if entries is None else entries[position]}"

    for position, value in enumerate(listed):
        if is_missing(value):
            raise LabelError(
                f"{of} has no label in {where(position)} (the value is {value!r}).\n"
                "Drop rows without a label (y.notna() in pandas), or pass them to predict() "
                "instead."
            )
        if isinstance(value, str) and value.endswith("\0"):
            raise LabelError(
                f"{of} names the label {value!r} in {where(position)}; a name cannot end in a NUL "
                "character, which would be lost.\nStrip it: name.rstrip('\\0')."
            )
    kinds = {_kind(value) for value in listed}
    if kinds <= {str}:
        return np.asarray(listed, dtype=str)
    if kinds <= {int}:
        return _whole_numbers(listed, of)
    if kinds <= {int, float}:
        numbers = np.asarray(listed, dtype=np.float64)
        whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
        if not whole.all():
            first = int(np.argmin(whole))
            raise LabelError(
                f"Unknown label type: continuous. {of} holds {numbers[first]} in {where(first)}; "
                "labels are integers or strings."
            )
        return _whole_numbers([int(value) for value in listed], of)
    found = " and ".join(sorted(kind.__name__ for kind in kinds))
    unsupported = "Complex data not supported" if complex in kinds else "Unknown label type"
    raise LabelError(
        f"{unsupported}: {of} holds values of type {found}; labels are all integers or all strings."
    )


def _kind(value: Any) -> type:
    """What a value is, whatever its width; True and False are no numbers here."""
    for kind, narrower in ((str, str), (int, np.integer), (float, np.floating)):
        if isinstance(value, (kind, narrower)) and not isinstance(value, bool):
            return kind
    return type(value)


def _whole_numbers(listed: list[Any], of: str) -> AnyArray:
    try:
        return np.asarray([int(value) for value in listed], dtype=np.int64)
    except OverflowError:
        far = max(listed, key=abs)
        raise LabelError(
            f"{of} holds {far}, which is too large for a number of 64 bits.\n"
            "Pass such labels as strings."
        ) from None


def find_labels(
    values: AnyArray, classes: AnyArray, *, at: str | None = None, rows: IntArray | None = None
) -> IntArray:
    """Positions of ``values`` among ``classes``.

    Where the classes are strings, integers count as positions; they are refused where a class that
    stands elsewhere is spelt like one of them. ``at`` or ``rows`` tell an error where the values
    come from.
    """
    values_numbered, classes_numbered = values.dtype.kind in "iu", classes.dtype.kind in "iu"

    def place(first: int) -> str:
        return at or f"Row {first if rows is None else rows[first]} of y"

    if values_numbered and not classes_numbered:
        positions = values
        outside = (values < 0) | (values >= len(classes))
        elsewhere = _spelt_elsewhere(values, classes)
        if elsewhere.any():
            first = int(np.argmax(elsewhere))
            _refuse_two_readings(int(values[first]), classes, place(first))
    elif classes_numbered and not values_numbered:
        positions = np.zeros(len(values), dtype=np.int64)
        outside = np.ones(len(values), dtype=bool)
    else:
        order = np.argsort(classes)
        positions = order[np.searchsorted(classes, values, sorter=order).clip(max=len(order) - 1)]
        outside = classes[positions] != values
    if outside.any():
        first = int(np.argmax(outside))
        _refuse_unknown(values[first].item(), classes, place(first))
    return positions.astype(np.int64)


def are_of_two_kinds(some: AnyArray, others: AnyArray) -> bool:
    """Whether labels are text in one place and numbers in the other, which numpy would compare.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.labels.names import are_of_two_kinds
    >>> are_of_two_kinds(np.array(["1", "2"]), np.array([1, 2]))
    True
    """
    return (some.dtype.kind == "U") != (others.dtype.kind == "U")


def _spelt_elsewhere(numbers: AnyArray, classes: AnyArray) -> BoolArray:
    """Numbers that are also the text of a class, but not of the class at their position."""
    spelt, last = numbers.astype(str), len(classes) - 1
    inside = (numbers >= 0) & (numbers <= last)
    there = inside & (classes[numbers.clip(0, last)] == spelt)
    return np.isin(spelt, classes) & ~there


def _refuse_two_readings(number: int, classes: AnyArray, place: str) -> None:
    other = "there is none"
    if 0 <= number < len(classes):
        other = f"that is {classes[number].item()!r}"
    raise LabelError(
        f"{place} hold{'' if place.endswith('labels') else 's'} the number {number}, which could "
        f"be the label {str(number)!r}, or the label at position {number}: {other}.\nPass names as "
        "text, such as y.astype(str)."
    )


def _refuse_unknown(value: Any, classes: AnyArray, place: str) -> None:
    if isinstance(value, str) and value in classes.astype(str) and classes.dtype.kind in "iu":
        raise LabelError(
            f"{place} hold{'' if place.endswith('labels') else 's'} the text {value!r}, but the "
            f"{len(classes)} known labels are numbers: {some_of(classes)}.\nPass numbers, such as "
            "y.astype(int)."
        )
    close = difflib.get_close_matches(str(value), [str(c) for c in classes.tolist()], n=1)
    hint = f"\nDid you mean {close[0]!r}?" if close and isinstance(value, str) else ""
    raise LabelError(
        f"{place} hold{'' if place.endswith('labels') else 's'} {value!r}, which is not among the "
        f"{len(classes)} known labels: {some_of(classes)}.{hint}"
    )


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, pandas' NA or NaT, or a blank string."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def some_of(classes: AnyArray) -> str:
    """List the first few names, for a message."""
    listed = ", ".join(repr(c) for c in classes[:5].tolist())
    return listed + (", …" if len(classes) > 5 else "")


@contextmanager
def told_of(called: str) -> Iterator[None]:
    """Say of labels by another name than y what is found wrong with them.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.labels.names import told_of
    >>> with told_of("Y_val"):
    ...     as_labels(["oak", "yew"], classes=["elm", "oak"])
    Traceback (most recent call last):
    ...
    lamc.exceptions.LabelError: Row 1 of Y_val holds 'yew', which is not among the 2 known ...
    """
    try:
        yield
    except LabelError as error:
        message = _Y.sub(lambda found: found[1] or called, str(error))
        raise type(error)(message) from error
