"""MATLAB files in the layout that SMILE's reference code reads.

``X`` and ``Y`` are dense or sparse. ``Y_obs``, the row numbers ``tr_idx``, ``va_idx`` and
``te_idx`` (counted from 0) and the cell array ``label_names`` may be missing.
"""

import zlib
from pathlib import Path
from typing import Any

import numpy as np

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers.checked import checked_dataset
from lamc.datasets.readers.mat5 import read_variables
from lamc.datasets.splits import Split
from lamc.exceptions import DatasetError
from lamc.types import AnyArray, IntArray

_PARTS = ("tr_idx", "va_idx", "te_idx")


def read_mat(path: Path) -> Dataset:
    """Read a MATLAB file; see :func:`lamc.datasets.read`."""
    variables = _load(path)
    for needed in ("X", "Y"):
        if needed not in variables:
            found = ", ".join(sorted(variables)) or "none"
            raise DatasetError(
                f"{path} has no variable {needed}; it has: {found}.\n"
                "Save features as X and 0/1 labels as Y, with one row for each example."
            )
    for used in ("X", "Y", "Y_obs", "label_names", *_PARTS):
        if used in variables and variables[used] is None:
            raise DatasetError(
                f"{path}: {used} is a struct, an object or an array of strings, which is not read "
                "here.\nSave it as a matrix, and label_names as a cell array of characters: "
                "cellstr(label_names)."
            )
    names = variables.get("label_names")
    return checked_dataset(
        path,
        X=variables["X"],
        Y=variables["Y"],
        label_names=None if names is None else _strings(path, names),
        observed=variables.get("Y_obs"),
        split=_split(path, variables),
    )


def _load(path: Path) -> dict[str, Any]:
    try:
        return read_variables(path.read_bytes())
    except (ValueError, zlib.error, RecursionError) as error:
        raise DatasetError(
            f"{path} cannot be read as a MATLAB file: {error}.\n"
            "It may be cut short or of another kind: fetch it again, or save it with -v7."
        ) from error


def v73_error(path: Path) -> DatasetError:
    """Return the error for a file of MATLAB 7.3, which is HDF5 and not read here."""
    return DatasetError(
        f"{path} is in MATLAB's 7.3 format (HDF5), which is not read here.\n"
        "In MATLAB save it again: load('a.mat'); save('a.mat', '-v7')."
    )


def _strings(path: Path, cells: Any) -> list[str]:
    """Read a cell array of strings, or a character matrix with one name a row."""
    flat: list[Any] = np.asarray(cells).ravel().tolist()
    names = ["".join(np.asarray(cell).ravel().astype(str)).strip() for cell in flat]
    if not all(names):
        raise DatasetError(
            f"{path}: entry {names.index('')} of label_names, counted from 0, is empty.\n"
            "Name each label, or remove label_names from the file."
        )
    return names


def _split(path: Path, variables: dict[str, Any]) -> Split | None:
    given = [part for part in _PARTS if part in variables]
    if not given:
        return None
    if len(given) < len(_PARTS):
        missing = [part for part in _PARTS if part not in variables]
        raise DatasetError(
            f"{path} has {' and '.join(given)}, but not {' and '.join(missing)}.\n"
            "Save all three parts of the split, or none."
        )
    try:
        return Split.from_parts(*(_rows(part, variables[part]) for part in _PARTS))
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}") from error


def _rows(part: str, numbers: AnyArray) -> IntArray:
    flat = np.asarray(numbers).ravel()
    if flat.dtype.kind not in "biuf" or not np.array_equal(flat, np.trunc(flat)):
        raise DatasetError(f"{part} holds {flat.dtype} values that are not row numbers.")
    return flat.astype(np.int64)
