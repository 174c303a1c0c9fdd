"""What a file says, taken only if it is of the kind it should be."""

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from lamc.exceptions import StorageError
from lamc.types import AnyArray

Facts: TypeAlias = dict[str, Any]  # what JSON can say
Arrays: TypeAlias = dict[str, AnyArray]
_DTypes: TypeAlias = dict[str, np.dtype[Any]]

_KINDS = {"f": "floats", "i": "integers", "u": "integers without sign"}
_NUMBERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
_SHORT = {"float16": np.float16, "float32": np.float32}
_OF_NUMBERS: _DTypes = {name: np.dtype(name) for name in ("bool", *_NUMBERS.split())}
_OF_LABELS: _DTypes = _OF_NUMBERS | {name: np.dtype(name) for name in ("str", "object")}
# An array gives every name the room of the longest. It may take so many bytes, or so many for each
# letter in the names; else a file of a few kilobytes could fill the memory.
_ROOM = 64 * 10**6
_ROOM_OF_A_LETTER = 100


def fact(facts: Any, name: str, *types: type) -> Any:
    """Entry of a manifest, which must be there and of one of the types.

    Examples
    --------
    >>> from lamc.storage.facts import fact
    >>> fact({"seed": True}, "seed", int)
    Traceback (most recent call last):
    lamc.exceptions.StorageError: its manifest gives True for 'seed'; expected is int.
    """
    if not isinstance(facts, dict) or name not in facts:
        raise StorageError(f"its manifest does not say {name!r}.")
    value = facts[name]
    if type(value) not in types:  # isinstance would take True for an integer
        expected = " or ".join("null" if t is type(None) else t.__name__ for t in types)
        raise StorageError(
            f"its manifest gives {value!r:.60} for {name!r}; expected is {expected}."
        )
    return value


def vector(arrays: Arrays, name: str, kinds: str, size: int | None = None) -> AnyArray:
    """Array of a file, which must be there, hold such numbers, and as many if a size is given."""
    if name not in arrays:
        raise StorageError(f"it has no array {name!r}.")
    array = arrays[name]
    as_many = array.ndim == 1 and size in (None, len(array))
    if not as_many or array.dtype.kind not in kinds:
        wanted = " or ".join(_KINDS[kind] for kind in kinds)
        raise StorageError(
            f"its array {name!r} holds {array.dtype} in the shape {array.shape}; expected are "
            f"{'' if size is None else f'{size} '}{wanted} in a row."
        )
    return array


def encode(value: Any, name: str) -> Any:
    """A constructor's parameter, in what JSON can say.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from lamc.storage.facts import decode, encode
    >>> encode(Fraction(1, 10), "alpha")
    {'fraction': [1, 10]}
    >>> decode(encode(Fraction(1, 10), "alpha"), "alpha")
    Fraction(1, 10)
    """
    if isinstance(value, (np.float16, np.float32)):
        return {"number": value.item(), "dtype": value.dtype.name}  # 0.1 of which is another 0.1
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float and isfinite(value):
        return value
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, (list, tuple)):
        return [encode(item, name) for item in value]
    if np.ndim(value) == 1:
        return _encode_array(np.asarray(value), name, _OF_NUMBERS)
    advice = "\nSet a number instead: set_params(random_state=0)." * (name == "random_state")
    raise StorageError(
        f"{name}={value!r:.60} cannot be saved; numbers, strings and lists of them can.{advice}"
    )


def decode(value: Any, name: str) -> Any:
    """Undo :func:`encode`."""
    if isinstance(value, list):
        return [decode(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        if value.keys() == {"fraction"}:
            return Fraction(*(fact({"part": part}, "part", int) for part in value["fraction"]))
        if value.keys() == {"number", "dtype"}:
            return _SHORT[value["dtype"]](fact(value, "number", float))
        return _decode_array(value, _OF_NUMBERS)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"its manifest gives {value!r:.60} for {name!r}.") from error


def encode_classes(classes: AnyArray) -> Facts:
    """Names of the labels, in what JSON can say.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.storage.facts import encode_classes
    >>> encode_classes(np.array(["oak", "elm"]))
    {'array': ['oak', 'elm'], 'dtype': 'str'}
    """
    try:
        _check_room(classes.tolist())
    except StorageError as error:
        raise StorageError(f"The labels cannot be saved: {error}") from error
    return _encode_array(classes, "classes", _OF_LABELS)


def decode_classes(facts: Any) -> AnyArray:
    """Names of the labels that a manifest gives: all strings or all numbers, each once."""
    packed = fact(facts, "classes", dict)
    _check_room(fact(packed, "array", list))
    try:
        classes = _decode_array(packed, _OF_LABELS)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"its manifest gives {packed!r:.60} for 'classes'.") from error
    if len(classes) == 0 or len(set(classes.tolist())) < len(classes):
        raise StorageError("its manifest names no label, or one twice.")
    return classes


def encode_parameters(parameters: Mapping[str, Any]) -> Facts:
    """Parameters of a constructor, by name."""
    return {name: encode(value, name) for name, value in parameters.items()}


def decode_parameters(facts: Any, names: set[str]) -> Facts:
    """Undo :func:`encode_parameters`, for a constructor with parameters of these names."""
    parameters = fact(facts, "parameters", dict)
    if parameters.keys() != names:
        odd = ", ".join(sorted(parameters.keys() ^ names))
        raise StorageError(f"its manifest lacks these parameters, or has them in vain: {odd}.")
    return {name: decode(value, name) for name, value in parameters.items()}


def _check_room(names: list[Any]) -> None:
    """Raise if an array of these names would be far larger than they are."""
    lengths = [len(name) for name in names if type(name) is str]
    longest = max(lengths, default=0)
    room = 4 * longest * len(names)
    if room > max(_ROOM, _ROOM_OF_A_LETTER * sum(lengths)):
        raise StorageError(
            f"the longest of {len(names)} label names has {longest} letters, and each of them "
            f"takes as much room: {room / 10**6:.0f} MB in all.\nShorten the longest names."
        )


def _encode_array(array: AnyArray, name: str, dtypes: _DTypes) -> Facts:
    dtype = "str" if array.dtype.kind == "U" else array.dtype.name
    packed = {"array": array.tolist(), "dtype": dtype}
    try:
        _decode_array(packed, dtypes)
    except (KeyError, TypeError, ValueError) as error:
        kinds = "numbers and strings" if "str" in dtypes else "numbers"
        raise StorageError(
            f"{name} is an array of {array.dtype} that cannot be saved; {kinds} can."
        ) from error
    return packed


def _decode_array(packed: Facts, dtypes: _DTypes) -> AnyArray:
    listed, dtype = packed["array"], dtypes[packed["dtype"]]
    if dtype.kind in "UO" and not all(type(value) is str for value in listed):
        raise TypeError(dtype)
    array = np.array(listed, dtype=dtype)
    if array.ndim != 1 or array.tolist() != listed:
        raise TypeError(dtype)
    return array
