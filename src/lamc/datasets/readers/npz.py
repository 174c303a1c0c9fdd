"""LAMC's own files: a whole data set in one .npz, without pickle."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers.checked import checked_dataset
from lamc.datasets.splits import Split
from lamc.exceptions import DatasetError
from lamc.files import whole_file
from lamc.types import AnyArray, SparseMatrix

_FORMAT = "LAMC data set, version 1"
_PARTS = ("train", "calibration", "validation", "test")


def write_npz(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a data set to a file that :func:`lamc.datasets.read` gives back unchanged.

    The file appears whole or not at all, and the same data set gives the same bytes. It holds
    plain arrays: reading it runs no code. Parts that do not fit together are refused, and nothing
    is written. Features are written as float64, and sparse ones by rows.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : str or path
        Where to; the name ends in ``.npz``. A file that is there is replaced.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.datasets import digit_scenes, read, write_npz
    >>> with TemporaryDirectory() as folder:
    ...     write_npz(digit_scenes(100, random_state=0), Path(folder) / "scenes.npz")
    ...     read(Path(folder) / "scenes.npz").X.shape
    (100, 256)
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise DatasetError(f"{path} does not end in .npz, by which read() knows such a file.")
    data = checked_dataset(
        f"The data set {dataset.name!r}",
        name=str(dataset.name),
        X=_by_rows(dataset.X),
        Y=_by_rows(dataset.Y),
        feature_names=dataset.feature_names,
        label_names=dataset.label_names,
        observed=_by_rows(dataset.observed),
        split=dataset.split,
        pictures=dataset.pictures,
        notes=dataset.notes,
        words=dataset.words,
    )
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "name": np.array(data.name),
        "notes": np.array(data.notes, dtype=str),
        "feature_names": data.feature_names,
        "label_names": data.label_names,
        **_packed("X", data.X),
        **_packed("Y", data.Y),
    }
    if data.observed is not None:
        arrays |= _packed("observed", data.observed)
    if data.split is not None:
        arrays |= {f"split.{part}": getattr(data.split, part) for part in _PARTS}
    if data.pictures is not None:
        arrays["pictures"] = data.pictures
    if data.words:
        arrays["words"] = np.array(data.words, dtype=str)
    if dataset.variant is not None:
        arrays["variant"] = np.array(dataset.variant)
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)


def read_npz(path: Path) -> Dataset:
    """Read a file of :func:`write_npz`; see :func:`lamc.datasets.read`."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except Exception as error:  # a damaged file makes zipfile and numpy stumble in many ways
        raise DatasetError(
            f"{path} cannot be read: {error}.\nIt may be cut short, or hold something other than "
            "a data set; write it again with lamc.datasets.write_npz."
        ) from error
    if str(arrays.get("format")) != _FORMAT:
        raise DatasetError(
            f"{path} was not written by lamc.datasets.write_npz; its arrays are "
            f"{', '.join(sorted(arrays)) or 'none'}.\nMake a Dataset of them, and write that."
        )
    try:
        data = checked_dataset(
            path,
            name=str(arrays["name"]),
            X=_unpacked("X", arrays),
            Y=_unpacked("Y", arrays),
            feature_names=arrays["feature_names"],
            label_names=arrays["label_names"],
            observed=_unpacked("observed", arrays) if "observed.shape" in arrays else None,
            split=_split(path, arrays),
            pictures=arrays.get("pictures"),
            notes=arrays["notes"].tolist(),
            words=arrays["words"].tolist() if "words" in arrays else (),
        )
    except DatasetError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DatasetError(f"{path} is damaged: {error}.\nWrite it again.") from error
    return replace(data, variant=str(arrays["variant"])) if "variant" in arrays else data


def _packed(name: str, matrix: Any) -> dict[str, AnyArray]:
    """Return the arrays that make a matrix; those of a matrix of ones do without its data."""
    if not sparse.issparse(matrix):
        return {name: matrix}
    parts = {"indices": matrix.indices, "indptr": matrix.indptr, "shape": np.array(matrix.shape)}
    if matrix.dtype != bool:
        parts["data"] = matrix.data
    return {f"{name}.{part}": array for part, array in parts.items()}


def _by_rows(matrix: Any) -> Any:
    """Return a sparse matrix by rows, as a copy that checks may tidy up."""
    return sparse.csr_array(matrix, copy=True) if sparse.issparse(matrix) else matrix


def _unpacked(name: str, arrays: Mapping[str, AnyArray]) -> AnyArray | SparseMatrix:
    if name in arrays:
        return arrays[name]
    indices = arrays[f"{name}.indices"]
    data = arrays.get(f"{name}.data", np.ones(len(indices), dtype=bool))
    shape = tuple(arrays[f"{name}.shape"].tolist())
    return sparse.csr_array((data, indices, arrays[f"{name}.indptr"]), shape=shape)


def _split(path: Path, arrays: Mapping[str, AnyArray]) -> Split | None:
    if "split.train" not in arrays:
        return None
    try:
        return Split(*(arrays[f"split.{part}"] for part in _PARTS))
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}") from error
