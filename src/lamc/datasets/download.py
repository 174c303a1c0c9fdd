"""Fetch a file from a public address: whole, checked, and only then under its name."""

import hashlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lamc.datasets.catalogue import RemoteFile
from lamc.exceptions import DatasetError
from lamc.files import whole_file

if TYPE_CHECKING:
    from requests import RequestException

ATTEMPTS = 3
CHUNK = 1 << 16


def cache_folder() -> Path:
    """Folder that downloads are kept in: ``LAMC_CACHE``, or the system's place for caches.

    Examples
    --------
    >>> import os
    >>> from lamc.datasets.download import cache_folder
    >>> os.environ["LAMC_CACHE"] = "/tmp/lamc"
    >>> cache_folder().as_posix()
    '/tmp/lamc'
    >>> del os.environ["LAMC_CACHE"]
    """
    import pooch

    return Path(os.environ.get("LAMC_CACHE") or pooch.os_cache("lamc"))


def address_of(file: RemoteFile) -> str:
    """Address to fetch a file from; ``LAMC_MIRROR`` names another folder that holds it.

    Examples
    --------
    >>> from lamc.datasets.catalogue import RemoteFile
    >>> from lamc.datasets.download import address_of
    >>> address_of(RemoteFile("https://example.org/data", "yeast.arff"))
    'https://example.org/data/yeast.arff'
    """
    base = os.environ.get("LAMC_MIRROR") or file.base
    return f"{base.rstrip('/')}/{file.name}"


def download(file: RemoteFile, folder: Path, *, wait: float = 1.0) -> Path:
    """Fetch a file into a folder and return its path.

    The bytes go to a temporary file that takes its name when they are all there and the checksum
    fits. So the folder holds the whole file or none, whatever happens on the way. A connection
    that breaks is tried again from the start.

    Parameters
    ----------
    file : RemoteFile
        What to fetch.
    folder : Path
        Where to keep it.
    wait : float, default=1.0
        Seconds before the second attempt; twice as long before the third.

    Returns
    -------
    Path

    Examples
    --------
    >>> from pathlib import Path
    >>> from lamc.datasets.catalogue import RemoteFile
    >>> from lamc.datasets.download import download
    >>> nowhere = RemoteFile("http://127.0.0.1:9", "yeast.arff")
    >>> download(nowhere, Path("."), wait=0)
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: http://127.0.0.1:9/yeast.arff could not be fetched: ...
    """
    from requests import RequestException

    attempt = 1
    while True:
        try:
            return _fetch(file, folder)
        except RequestException as error:
            if attempt == ATTEMPTS or not _may_pass(error):
                raise DatasetError(_explain(file, folder, error)) from error
        except OSError as error:
            raise DatasetError(
                f"{file.name} cannot be written into {folder}: {error.strerror}.\n"
                "Set LAMC_CACHE to a folder with room that you may write to."
            ) from error
        time.sleep(wait * attempt)
        attempt += 1


def _fetch(file: RemoteFile, folder: Path) -> Path:
    """Fetch once."""
    import requests
    from pooch.downloaders import HTTPDownloader

    path = folder / file.name
    with whole_file(path) as part, _Bar(file.name) as bar:
        # Unpacked on the way, a file would not have the length that the server announces.
        get = HTTPDownloader(
            progressbar=bar, chunk_size=CHUNK, timeout=30, headers={"Accept-Encoding": "identity"}
        )
        get(address_of(file), str(part), None)
        # Older versions of urllib3 take a short answer for a whole one.
        if bar.total and part.stat().st_size != bar.total:
            raise requests.ConnectionError(f"{part.stat().st_size} of {bar.total} bytes came")
        _check_sum(file, part)
    return path


def _check_sum(file: RemoteFile, part: Path) -> None:
    if file.sha256 is None:
        return
    with part.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != file.sha256:
        raise DatasetError(
            f"{address_of(file)} is not the file it should be, and was removed: its SHA-256 is "
            f"{found}, not {file.sha256}.\nIf LAMC_MIRROR is set, the mirror holds another file; "
            "else the file was changed at its source: see the sources in lamc.datasets.catalogue."
        )


def _may_pass(error: "RequestException") -> bool:
    """Whether another attempt may go better: not if the server says the request is wrong."""
    return error.response is None or error.response.status_code in (408, 429, *range(500, 600))


def _explain(file: RemoteFile, folder: Path, error: "RequestException") -> str:
    if error.response is not None:
        reason = f"the server answers {error.response.status_code} {error.response.reason}"
    else:
        reason = f"the connection fails or breaks ({type(error).__name__})"
    return (
        f"{address_of(file)} could not be fetched: {reason}.\n"
        f"Try again later, or get {file.name} in another way and put it into {folder}, or into "
        "the folder that LAMC_DATA names. LAMC_MIRROR names another address to fetch it from."
    )


class _Bar:
    """A progress bar as pooch expects one; shown when standard error is a terminal."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(
            console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True
        )
        self._task = self._progress.add_task(name, total=None)
        self._total = 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    @property
    def total(self) -> int:
        """Bytes that the server announces; 0 if it does not say."""
        return self._total

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._total = n_bytes
        self._progress.update(self._task, total=n_bytes or None)

    def update(self, n_bytes: int) -> None:
        self._progress.advance(self._task, n_bytes)

    def reset(self) -> None:
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        self._progress.stop()
