"""Functions and objects in words that change when they would compute something else.

A checkpoint must not go on with another loss or optimiser. Names do not tell: two lambdas have one,
and so have a loss with one setting and with another.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lamc.installed import is_users
from lamc.types import AnyArray

_PLAIN = (str, bytes, int, float, complex, bool, type(None))
_CODE = (FunctionType, type, partial)
_NOT_CODE = {"__doc__", "__firstlineno__", "__module__", "__qualname__"}


def fingerprint(value: Any) -> str:
    """What a value is and what it holds, the same in every run.

    Of a function that is its code, its defaults and what it closes over; of an object, its class
    and its attributes. Of code that is not installed, also what it calls by name, and of a class
    what it defines. What is installed has a version, which does not change unnoticed.

    Examples
    --------
    >>> from functools import partial
    >>> from lamc import losses
    >>> from lamc.learners.fingerprint import fingerprint
    >>> fingerprint("wan") == fingerprint("wan"), fingerprint(losses.wan) == fingerprint(losses.an)
    (True, False)
    >>> fingerprint(partial(losses.epr, expected=2)) == fingerprint(partial(losses.epr, expected=3))
    False
    """
    return blake2b(_told(value, (), set()).encode(), digest_size=16).hexdigest()


def _told(value: Any, inside: tuple[int, ...], followed: set[int]) -> str:
    """Words for a value; ``inside`` has the objects that it is a part of, which may hold it too.

    Users' functions and classes call each other, and are ``followed`` once.
    """
    if isinstance(value, _PLAIN):
        return repr(value)
    if id(value) in inside:
        return "itself"
    if isinstance(value, FunctionType | type) and is_users(value):
        if id(value) in followed:
            return _name(value)
        followed.add(id(value))
    inside = (*inside, id(value))
    parts: Any
    if isinstance(value, Tensor | np.ndarray):
        return repr((str(value.dtype), tuple(value.shape), _held(value)))
    if isinstance(value, Mapping):
        parts = [(str(name), part) for name, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = list(enumerate(value))
    elif isinstance(value, set | frozenset):
        return repr(sorted(_told(part, inside, followed) for part in value))
    elif isinstance(value, partial):
        parts = [("", value.func), ("args", value.args), ("keywords", value.keywords)]
    elif isinstance(value, MethodType):
        parts = [("", value.__func__), ("of", value.__self__)]
    elif isinstance(value, FunctionType):
        parts = [*_of_function(value)]
    elif isinstance(value, CodeType):
        parts = [("", value.co_code), ("names", value.co_names), ("holds", value.co_consts)]
    elif isinstance(value, type) and is_users(value):
        parts = [*_of_class(value)]
    elif isinstance(value, type | BuiltinFunctionType):
        return _name(value)
    else:
        parts = sorted(vars(value).items()) if hasattr(value, "__dict__") else []
    told = ", ".join(f"{name}: {_told(part, inside, followed)}" for name, part in parts)
    return f"{_name(type(value))}({told})"


def _of_function(function: FunctionType) -> list[tuple[str, Any]]:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [
        ("", f"{function.__module__}.{function.__qualname__}"),
        ("code", function.__code__),
        ("defaults", function.__defaults__),
        ("by name", function.__kwdefaults__),
        ("closes over", cells),
        *(_called_by(function.__code__, function.__globals__) if is_users(function) else ()),
    ]


def _called_by(code: CodeType, known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What code names: functions, classes and numbers of its module, and of modules it names."""
    for name in code.co_names:
        value = known.get(name)
        if isinstance(value, ModuleType):
            within = ((f"{name}.{each}", getattr(value, each, None)) for each in code.co_names)
            yield from ((each, part) for each, part in within if isinstance(part, _CODE))
        elif isinstance(value, (*_CODE, *_PLAIN, Tensor, np.ndarray)) and value is not None:
            yield name, value
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _called_by(part, known)


def _of_class(own: type) -> Iterator[tuple[str, Any]]:
    yield "", _name(own)
    for name, value in sorted(vars(own).items()):
        if isinstance(value, staticmethod | classmethod):
            yield name, value.__func__
        elif isinstance(value, property):
            yield name, value.fget
        elif isinstance(value, (FunctionType, *_PLAIN)) and name not in _NOT_CODE:
            yield name, value
    yield from (("base", base) for base in own.__bases__)


def _held(array: Tensor | AnyArray) -> Any:
    """What an array holds; of numbers a digest, for a module may have millions."""
    if isinstance(array, np.ndarray) and array.dtype.hasobject:
        return array.tolist()
    return blake2b(bytes_of(array), digest_size=16).hexdigest()


def bytes_of(array: Tensor | AnyArray) -> bytes:
    """The numbers of an array as bytes.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from lamc.learners.fingerprint import bytes_of
    >>> bytes_of(torch.tensor([65, 66], dtype=torch.uint8)), bytes_of(np.array([67], dtype="u1"))
    (b'AB', b'C')
    """
    if isinstance(array, Tensor):
        array = array.detach().cpu().contiguous().flatten().view(torch.uint8).numpy()
    return np.ascontiguousarray(array).tobytes()


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"
