"""Arrays as text that a page can hold: small, and exact to the last bit.

Along its first axis an array mostly changes by little. So it is written as differences of whole
numbers (the bits of a float are one), all first bytes, then all second bytes and so on, and that is
deflated, which browsers can undo.
"""

import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np

from lamc.types import AnyArray

_AS_WHOLE = {"float32": np.uint32, "uint32": np.uint32, "uint8": np.uint8}


def pack(arrays: Mapping[str, AnyArray]) -> tuple[dict[str, Any], str]:
    """Write arrays of float32, uint32 or uint8.

    Returns
    -------
    index : dict
        For each array its type, its shape, and where it begins.
    text : str
        The bytes of all, deflated, in base64.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.report.payload import pack
    >>> index, text = pack({"a": np.arange(100_000, dtype=np.uint32)})
    >>> index, len(text) < 1000
    ({'a': {'type': 'uint32', 'shape': [100000], 'at': 0}}, True)
    """
    index, parts, at = {}, [], 0
    for name, array in arrays.items():
        data = _planes(array)
        index[name] = {"type": array.dtype.name, "shape": list(array.shape), "at": at}
        parts.append(data)
        at += len(data)
    return index, b64encode(zlib.compress(b"".join(parts), 9)).decode("ascii")


def _planes(array: AnyArray) -> bytes:
    whole = np.ascontiguousarray(array).view(_AS_WHOLE[array.dtype.name])
    steps = np.diff(whole, axis=0, prepend=np.zeros_like(whole[:1]))  # wraps around, and back
    little = steps.astype(steps.dtype.newbyteorder("<"), copy=False)
    return little.view(np.uint8).reshape(-1, array.dtype.itemsize).T.tobytes()
