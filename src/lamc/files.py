"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file that takes the name ``path`` when all went well, or else goes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.files import whole_file
    >>> path = Path(tempfile.mkdtemp()) / "names.txt"
    >>> with whole_file(path) as part:
    ...     _ = part.write_text("oak")
    ...     path.exists()
    False
    >>> path.read_text()
    'oak'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        yield part
        with part.open("r+b") as stream:
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
