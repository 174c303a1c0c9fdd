"""The file around a model: a zip whose parts are stored as they are.

Nothing in it is compressed, so a file cannot unpack to more than its own size.
"""

import os
from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from lamc.exceptions import StorageError

ZIP_START = b"PK\x03\x04"


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Put named parts into a zip; the same parts give the same bytes.

    Examples
    --------
    >>> from io import BytesIO
    >>> from lamc.storage.archive import unzipped, zipped
    >>> unzipped(BytesIO(zipped({"a": b"oak"})))
    {'a': b'oak'}
    """
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for name, data in parts.items():
            archive.writestr(ZipInfo(name), data)  # ZipInfo is of 1980; a bare name, of now
    return buffer.getvalue()


def unzipped(stream: BinaryIO) -> dict[str, bytes]:
    """Read the parts of such a zip into memory, or raise if it is any other."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    start = stream.read(len(ZIP_START))
    if not start:
        raise StorageError("it is empty.")
    if start != ZIP_START:
        pickled = start[:1] == b"\x80"
        raise StorageError(
            "it is a pickle, which would run code when loaded.\nSave the model with save()."
            if pickled
            else "it is not a file that save() wrote."
        )
    try:
        with ZipFile(stream) as archive:
            _refuse_more_than(size, archive.infolist())
            return {name: archive.read(name) for name in archive.namelist()}
    except StorageError:
        raise
    except Exception as error:  # a damaged file makes zipfile stumble in many ways
        raise StorageError(
            f"it is cut short or damaged ({error}).\nCopy it again, or save the model again."
        ) from error


def _refuse_more_than(size: int, parts: list[ZipInfo]) -> None:
    names = [part.filename for part in parts]
    packed = [part.filename for part in parts if part.compress_type != ZIP_STORED]
    declared = sum(part.file_size for part in parts)
    if packed:
        raise StorageError(f"its part {packed[0]!r} is compressed, which save() never does.")
    if len(set(names)) < len(names):
        raise StorageError("two of its parts have the same name.")
    if declared > size:
        raise StorageError(f"its parts claim {declared} bytes, but the file has {size}.")
