"""Where a benchmark's data come from, and how they are known to be the same again."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from scipy import sparse

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.protocol import n_missing, things_of
from lamc.datasets import Dataset, catalogue, load
from lamc.datasets.readers.label_lists import one_label_note
from lamc.datasets.scenes import NAME as SCENES
from lamc.tables.labelled import DataFile, read_dataset
from lamc.tables.truth import LabelColumns
from lamc.types import AnyArray, SparseMatrix


@dataclass(frozen=True)
class Source:
    """A data set of the catalogue by name, or a file with what must be known to read it.

    Attributes
    ----------
    place : str
        A name of the catalogue, "digit scenes", or the path of a file.
    labels : tuple of str
        Names of the label columns of a table; ``*`` stands for any characters.
    label_column, separator : str or None
        Column that lists the labels of a row, and what stands between them.
    id_column, words : tuple of str
        Columns that identify a row, and columns that hold words.
    delimiter, decimal, encoding : str or None
        How the text of a file is to be read.

    Examples
    --------
    >>> from lamc.benchmark.sources import Source
    >>> Source("digit scenes").load()
    Dataset 'digit scenes': 4000 rows, 256 features, 10 labels, 2.3 labels a row
    """

    place: str
    labels: tuple[str, ...] = ()
    label_column: str | None = None
    separator: str | None = None
    id_column: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether the data are in a file of the user's."""
        return bool(Path(self.place).suffix or self.labels or self.label_column)

    def load(self) -> Dataset:
        """Load the data; what was loaded last is kept, while its files are not changed."""
        files = (Path(self.place), Path(self.place).with_suffix(".xml")) if self.is_file else ()
        return _load(self, tuple(_state(file) for file in files))


def _state(file: Path) -> tuple[int, int] | None:
    """When a file was written, and its length; None if it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=1)
def _load(source: Source, state: object) -> Dataset:
    if not source.is_file:
        return load(source.place)
    return read_dataset(
        DataFile(
            source.place,
            LabelColumns(source.labels, source.label_column, source.separator),
            ids=source.id_column,
            words=source.words,
            delimiter=source.delimiter,
            decimal=source.decimal,
            encoding=source.encoding,
        )
    )


@dataclass(frozen=True)
class Facts:
    """What a plan must know of a data set.

    Attributes
    ----------
    name, variant : str
        What it is called, and which variant of the catalogue it is; "" if of none.
    exact : bool
        Whether results can be set beside the paper's.
    checksum : str
        SHA-256 of its contents.
    rows, features, labels : int
        Its shape.
    scenes : bool
        Whether it is the embedded scenes, whose calibration and test rows share pictures.
    copies : bool
        Whether it is a user's and has rows with equal features, which belong into one part.
    has_parts : bool
        Whether it says itself which rows are to learn from, calibrate, choose by and test.
    missing : int
        Numbers that it lacks.
    """

    name: str
    variant: str
    exact: bool
    checksum: str
    rows: int
    features: int
    labels: int
    scenes: bool
    copies: bool = False
    has_parts: bool = False
    missing: int = 0

    @property
    def in_catalogue_as(self) -> str:
        """Its name if it is of the catalogue, else nothing: a user's file may have any name."""
        return self.name if self.variant else ""


def facts_of(source: Source) -> Facts:
    """Load a data set and say what a plan must know of it.

    Examples
    --------
    >>> from lamc.benchmark.sources import Source, facts_of
    >>> facts = facts_of(Source("digit scenes"))
    >>> facts.rows, facts.exact
    (4000, False)
    """
    data = source.load()
    if source.label_column is not None and one_label_note(source.label_column) in data.notes:
        raise BenchmarkError(
            f"{source.place}: {one_label_note(source.label_column)}\nA benchmark measures against "
            "all labels of a row. If a cell names all of them, say what would stand between "
            'several: --separator ";", or separator = ";" in a plan file.'
        )
    variants = catalogue[data.name].variants if data.variant is not None else ()
    scenes = data.name == SCENES and not source.is_file
    is_users = data.variant is None and not scenes
    return Facts(
        name=data.name,
        variant=data.variant or "",
        exact=any(each.comparable for each in variants if each.name == data.variant),
        checksum=checksum(data),
        rows=data.X.shape[0],
        features=data.X.shape[1],
        labels=data.Y.shape[1],
        scenes=scenes,
        copies=is_users and bool((things_of(data) != np.arange(data.X.shape[0])).any()),
        has_parts=data.split is not None,
        missing=n_missing(data.X),
    )


def checksum(data: Dataset) -> str:
    """SHA-256 of all that a benchmark reads of a data set: equal contents, whatever the file.

    Examples
    --------
    >>> from lamc.benchmark.sources import checksum
    >>> from lamc.datasets import digit_scenes
    >>> checksum(digit_scenes(50)) == checksum(digit_scenes(50))
    True
    >>> checksum(digit_scenes(50)) == checksum(digit_scenes(51))
    False
    """
    digest = sha256()

    def add(array: AnyArray) -> None:
        little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
        digest.update(f"{little.dtype.str}{little.shape}".encode())
        digest.update(little.tobytes())

    for matrix in (data.X, data.Y, data.observed):
        if matrix is None:
            digest.update(b"none")
        elif sparse.issparse(matrix):
            for array in _canonical(matrix):
                add(array)
        else:
            add(matrix)
    add(np.asarray(data.label_names, dtype=str))
    if data.split is not None:
        for part in ("train", "calibration", "validation", "test"):
            add(getattr(data.split, part))
    return digest.hexdigest()


def _canonical(matrix: SparseMatrix) -> tuple[AnyArray, ...]:
    """Arrays of a sparse matrix that do not depend on the order its entries are stored in."""
    ordered = sparse.csr_array(matrix).sorted_indices()
    where = (ordered.indices.astype(np.int64), ordered.indptr.astype(np.int64))
    return (np.asarray(ordered.shape, dtype=np.int64), *where, ordered.data)
