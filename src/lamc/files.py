"""Files that are written whole or not at all, and pipes, which cannot be."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES
from pathlib import Path
from stat import S_IMODE
from uuid import uuid4


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file that takes the name ``path`` when all went well, or else goes.

    Of a link, the file that it leads to is replaced. A pipe or a device is yielded itself. A file
    that replaces another has its permissions.

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
    if is_stream(path):
        yield path
        return
    target = _followed(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = _beside(target, "part")
    mode = S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        if mode is not None:
            part.touch(mode=0o600)  # what others may not read, they may not read half written
        yield part
        with part.open("r+b") as stream:
            os.fsync(stream.fileno())
        if mode is not None:
            part.chmod(mode)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def is_stream(path: Path) -> bool:
    """Whether there is a pipe or a device, which passes on what is written and keeps no file.

    Examples
    --------
    >>> import os
    >>> from pathlib import Path
    >>> from lamc.files import is_stream
    >>> is_stream(Path(os.devnull)), is_stream(Path("no/such/file.csv"))
    (True, False)
    """
    return path.exists() and not path.is_file() and not path.is_dir()


def check_writable(path: Path) -> None:
    """Raise what would keep :func:`whole_file` from writing, and leave everything as it is.

    Raises
    ------
    OSError
        Its ``filename`` is the folder, or the pipe or device, that cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.files import check_writable
    >>> file = Path(tempfile.mkdtemp()) / "names.txt"
    >>> file.touch()
    >>> check_writable(file.with_name("new") / "names.txt")
    >>> check_writable(file / "names.txt")
    Traceback (most recent call last):
    ...
    NotADirectoryError: [Errno 20] Not a directory: '...names.txt'
    """
    if is_stream(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), str(path))
        return
    target = _followed(path)
    folder = next(folder for folder in target.parents if folder.exists())
    target = folder / target.name
    test = _beside(target, "test")
    try:
        with suppress(FileNotFoundError):
            target.lstat()  # which a name that is too long makes fail
        test.touch()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(folder)) from None
    finally:
        with suppress(OSError):
            test.unlink()


def _followed(path: Path) -> Path:
    return path.resolve() if path.is_symlink() else path


def _beside(path: Path, ending: str) -> Path:
    """A new name for a temporary file, short enough wherever that of the file is."""
    return path.with_name(f".{path.name[:40]}.{uuid4().hex}.{ending}")
