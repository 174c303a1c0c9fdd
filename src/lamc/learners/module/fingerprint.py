"""Functions and objects in words that change when they would compute something else.

A checkpoint must not go on with another loss or optimiser. Names do not tell: two lambdas have one,
and so have a loss with one setting and with another.
"""

from collections.abc import Mapping
from functools import partial
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np
from torch import Tensor

_PLAIN = (str, bytes, int, float, complex, bool, type(None))


def fingerprint(value: Any) -> str:
    """What a value is and what it holds, the same in every run.

    Of a function that is its code, its defaults and what it closes over; of an object, its class
    and its attributes. Code that these call is not looked at.

    Examples
    --------
    >>> from functools import partial
    >>> from lamc import losses
    >>> from lamc.learners.module.fingerprint import fingerprint
    >>> fingerprint("wan") == fingerprint("wan"), fingerprint(losses.wan) == fingerprint(losses.an)
    (True, False)
    >>> fingerprint(partial(losses.epr, expected=2)) == fingerprint(partial(losses.epr, expected=3))
    False
    """
    return blake2b(_told(value, ()).encode(), digest_size=16).hexdigest()


def _told(value: Any, inside: tuple[int, ...]) -> str:
    """Words for a value; ``inside`` has the objects that it is a part of, which may hold it too."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if id(value) in inside:
        return "itself"
    inside = (*inside, id(value))
    parts: Any
    if isinstance(value, Tensor | np.ndarray):
        return repr((str(value.dtype), tuple(value.shape), value.tolist()))
    if isinstance(value, Mapping):
        parts = [(str(name), part) for name, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = list(enumerate(value))
    elif isinstance(value, set | frozenset):
        return repr(sorted(_told(part, inside) for part in value))
    elif isinstance(value, partial):
        parts = [("", value.func), ("args", value.args), ("keywords", value.keywords)]
    elif isinstance(value, MethodType):
        parts = [("", value.__func__), ("of", value.__self__)]
    elif isinstance(value, FunctionType):
        parts = [*_of_function(value)]
    elif isinstance(value, CodeType):
        parts = [("", value.co_code), ("names", value.co_names), ("holds", value.co_consts)]
    elif isinstance(value, type | BuiltinFunctionType):
        return _name(value)
    else:
        parts = sorted(vars(value).items()) if hasattr(value, "__dict__") else []
    told = ", ".join(f"{name}: {_told(part, inside)}" for name, part in parts)
    return f"{_name(type(value))}({told})"


def _of_function(function: FunctionType) -> list[tuple[str, Any]]:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [
        ("", f"{function.__module__}.{function.__qualname__}"),
        ("code", function.__code__),
        ("defaults", function.__defaults__),
        ("by name", function.__kwdefaults__),
        ("closes over", cells),
    ]


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"
