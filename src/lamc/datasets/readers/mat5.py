"""MATLAB's level 5 files (-v6, -v7): the kinds of array that a data set is made of.

scipy.io.loadmat reads more, but trusts the type codes in the file: one damaged byte can end the
whole process (scipy pull request 25829). Here every code and length is checked.
"""

import math
import zlib
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from scipy import sparse

from lamc.types import AnyArray, SparseMatrix

Part: TypeAlias = tuple[int, memoryview]
Value: TypeAlias = AnyArray | SparseMatrix | None

_HEADER_SIZE = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = dict(zip((1, 2, 3, 4, 5, 6, 7, 9, 12, 13),
                    ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8", "i8", "u8"),
                    strict=True))  # fmt: skip
_TEXT = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}

_CELL, _CHAR, _SPARSE, _OPAQUE = 1, 4, 5, 17  # the last: arrays of strings, tables, dates
_CLASSES = dict(zip(range(6, 16),
                    ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"),
                    strict=True))  # fmt: skip
_COMPLEX = 0x800


def read_variables(content: bytes) -> dict[str, Value]:
    """Return the variables of a file by name; raise ValueError where it is damaged.

    Text is an array with one string a row, and cells are an array of what they hold. A struct,
    an object or a function is None.
    """
    order = {b"IM": "<", b"MI": ">"}.get(content[126:_HEADER_SIZE])
    if order is None:
        raise ValueError("it does not begin as a file of MATLAB 5 to 7 does")
    variables = {}
    for part in _parts(memoryview(content)[_HEADER_SIZE:], order):
        if part[0] == _COMPRESSED:
            part = _next(_parts(memoryview(zlib.decompress(part[1])), order))
        name, value = _array(part, order)
        variables[name] = value
    return variables


def _parts(data: memoryview, order: str) -> Iterator[Part]:
    """Split data into parts, each with its type and size in front and filled up to 8 bytes.

    A part of at most 4 bytes may share its 8 bytes with a shorter type and size.
    """
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise ValueError("it ends within the head of a part")
        kind, size = np.frombuffer(data[at : at + 8], f"{order}u4").tolist()
        start, following = at + 8, at + 8 + size
        if kind != _COMPRESSED:
            following += -size % 8
        if kind >> 16:
            kind, size, start, following = kind & 0xFFFF, kind >> 16, at + 4, at + 8
        if start + size > min(following, len(data)):
            raise ValueError(f"it ends within a part of {size} bytes")
        yield kind, data[start : start + size]
        at = following


def _next(parts: Iterator[Part]) -> Part:
    part = next(parts, None)
    if part is None:
        raise ValueError("a part of an array is missing")
    return part


def _array(part: Part, order: str) -> tuple[str, Value]:
    """Read an array: what it is, its shape, its name, and then what it holds."""
    if part[0] != _MATRIX:
        raise ValueError(f"an array was expected, but the type is {part[0]}")
    if not part[1]:
        return "", np.empty((0, 0))
    parts = _parts(part[1], order)
    flags = int(_numbers(_next(parts), order, size=2)[0])
    if flags & 0xFF == _OPAQUE:  # has no shape, but a name
        return bytes(_next(parts)[1]).decode(), None
    shape = tuple(_numbers(_next(parts), order).tolist())
    if len(shape) < 2 or not all(isinstance(side, int) and side >= 0 for side in shape):
        raise ValueError(f"an array has the shape {shape}")
    name = bytes(_next(parts)[1]).decode()
    kind, size = flags & 0xFF, math.prod(shape)
    if kind == _CELL:
        return name, _cells([_array(part, order)[1] for part in parts], shape)
    if kind == _CHAR:
        return name, _text(_next(parts), shape, order)
    if kind == _SPARSE:
        return name, _sparse(parts, shape, order, flags)
    if kind in _CLASSES:
        values = _numbers(_next(parts), order, size).astype(_CLASSES[kind])
        if flags & _COMPLEX:
            values = values + 1j * _numbers(_next(parts), order, size)
        return name, values.reshape(shape, order="F")
    return name, None


def _numbers(part: Part, order: str, size: int | None = None) -> AnyArray:
    """Read numbers; they may be stored in a smaller type than their array is of."""
    kind, data = part
    if kind not in _NUMBERS:
        raise ValueError(f"numbers were expected, but the type is {kind}")
    dtype = np.dtype(f"{order}{_NUMBERS[kind]}")
    if len(data) % dtype.itemsize or size not in (None, len(data) // dtype.itemsize):
        raise ValueError(f"{size} numbers were expected, but there are {len(data)} bytes")
    return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="))


def _cells(values: list[Value], shape: tuple[int, ...]) -> AnyArray:
    if len(values) != math.prod(shape):
        raise ValueError(f"{shape} cells were expected, but there are {len(values)}")
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells.reshape(shape, order="F")


def _text(part: Part, shape: tuple[int, ...], order: str) -> AnyArray:
    """Return the rows of a matrix of characters, which is stored by columns."""
    kind, data = part
    if kind not in _TEXT:
        raise ValueError(f"text was expected, but the type is {kind}")
    suffix = {"<": "-le", ">": "-be"}[order] if _TEXT[kind] in ("utf-16", "utf-32") else ""
    text = bytes(data).decode(_TEXT[kind] + suffix)
    if shape[0] == 1:
        return np.array([text])
    if len(text) != math.prod(shape):
        raise ValueError(f"{shape} characters were expected, but there are {len(text)}")
    return np.array([text[row :: shape[0]] for row in range(shape[0])], dtype=str)


def _sparse(parts: Iterator[Part], shape: tuple[int, ...], order: str, flags: int) -> SparseMatrix:
    """Read a sparse matrix; its arrays may be longer than what is in use."""
    if len(shape) != 2 or flags & _COMPLEX:
        raise ValueError(f"a sparse matrix of shape {shape} is not one of real numbers")
    rows, ends, values = (_numbers(_next(parts), order) for _ in range(3))
    used = int(ends[-1]) if len(ends) else 0
    return sparse.csc_array((values[:used], rows[:used], ends), shape=shape)
