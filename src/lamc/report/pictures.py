"""Pictures as text that a page can hold."""

import struct
import zlib
from base64 import b64encode

import numpy as np

from lamc.types import AnyArray, FloatArray

LARGEST_SIDE = 96


def shades_of_grey(pictures: FloatArray) -> AnyArray:
    """Pictures as bytes, 0 black and 255 white; numbers outside 0 to 1 are brought there first."""
    numbers = np.nan_to_num(np.asarray(pictures, dtype=np.float64))
    low, high = min(numbers.min(initial=0), 0), max(numbers.max(initial=1), 1)
    return np.round((numbers - low) / (high - low) * 255).astype(np.uint8)


def png_address(grey: AnyArray) -> str:
    """A grey picture as a ``data:`` address of a PNG file.

    A side longer than 96 pixels is thinned out.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.report.pictures import png_address
    >>> png_address(np.zeros((2, 2), dtype=np.uint8))[:22]
    'data:image/png;base64,'
    """
    step = max(1, -(-max(grey.shape) // LARGEST_SIDE))
    grey = grey[::step, ::step]
    height, width = grey.shape
    lines = np.column_stack([np.zeros(height, dtype=np.uint8), grey])  # each with filter 0: none
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")
    png = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)
    return "data:image/png;base64," + b64encode(png).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
