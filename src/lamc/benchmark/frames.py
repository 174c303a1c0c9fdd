"""Results as data frames, and as CSV files that give the same frames back."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamc.benchmark.errors import BenchmarkError
from lamc.files import whole_file

if TYPE_CHECKING:
    import pandas as pd

_MEASUREMENT_TYPES: Final = {
    "profile": "str",
    "dataset": "str",
    "variant": "str",
    "exact": "bool",
    "method": "str",
    "part": "str",
    "run": "int64",
    "seed": "int64",
    "view": "str",
    "rule": "str",
    "alpha": "float64",
    "calibration": "str",
    "positives": "Int64",
    "metric": "str",
    "value": "float64",
    "unit": "str",
    "settings": "str",
    "data_checksum": "str",
    "versions": "str",
}
_CURVE_TYPES: Final = {
    "profile": "str",
    "dataset": "str",
    "method": "str",
    "part": "str",
    "run": "int64",
    "rule": "str",
    "alpha": "float64",
    "calibration": "str",
    "curve": "str",
    "label": "str",
    "x": "float64",
    "y": "float64",
    "unit": "str",
}
_OF_UNIT: Final = ["settings", "data_checksum", "versions"]  # the same for all rows of a unit
_MAY_BE_MISSING: Final = (
    "rule",
    "alpha",
    "calibration",
    "positives",
    "value",
    "label",
    "x",
    "y",
)


def as_measurements(frame: "pd.DataFrame") -> "pd.DataFrame":
    """A frame of measurements with the type of each column."""
    return _typed(frame, _MEASUREMENT_TYPES)


def as_curves(frame: "pd.DataFrame") -> "pd.DataFrame":
    """A frame of points with the type of each column."""
    return _typed(frame, _CURVE_TYPES)


def _typed(frame: "pd.DataFrame", types: dict[str, str]) -> "pd.DataFrame":
    """Columns in order and of their types; text is left as it is, for it may be missing."""
    return frame[list(types)].astype({name: of for name, of in types.items() if of != "str"})


def write_csv_files(
    measurements: "pd.DataFrame", curves: "pd.DataFrame", path: Path
) -> tuple[Path, ...]:
    """Write ``name.csv`` and beside it ``name.units.csv`` and ``name.curves.csv``.

    Settings and versions are long and the same for all rows of a unit, so they have a file of
    their own. The same results give the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.benchmark.store import Store
    >>> from lamc.benchmark.frames import write_csv_files
    >>> folder = Path(tempfile.mkdtemp())
    >>> store = Store(folder / "results.sqlite")
    >>> files = write_csv_files(store.measurements(), store.curves(), folder / "mine.csv")
    >>> [file.name for file in files]
    ['mine.csv', 'mine.units.csv', 'mine.curves.csv']
    """
    if path.suffix.lower() != ".csv":
        raise BenchmarkError(f"{path} does not end in .csv, by which results are known again.")
    units = measurements[["unit", *_OF_UNIT]].drop_duplicates()
    frames = (measurements.drop(columns=_OF_UNIT), units, curves)
    files = csv_files(path)
    for file, frame in zip(files, frames, strict=True):
        with whole_file(file) as part:
            frame.to_csv(part, index=False, lineterminator="\n")
    return files


def read_csv_files(path: Path) -> tuple["pd.DataFrame", "pd.DataFrame"]:
    """Read what :func:`write_csv_files` wrote: measurements, and curves."""
    for file in csv_files(path):
        if not file.is_file():
            raise BenchmarkError(
                f"{file} is missing, which belongs to {path}.\nExport the results again, or copy "
                "all three files."
            )
    rows, units, curves = (_read_csv(file) for file in csv_files(path))
    if not ({*rows["unit"], *curves["unit"]} <= {*units["unit"]}):
        raise BenchmarkError(
            f"{path} and the files beside it are of different exports: some settings are missing.\n"
            "Export the results again, or copy all three files."
        )
    return as_measurements(rows.merge(units, on="unit", how="left")), as_curves(curves)


def csv_files(path: Path) -> tuple[Path, Path, Path]:
    """Names of the files of measurements, units and curves.

    Examples
    --------
    >>> from pathlib import Path
    >>> from lamc.benchmark.frames import csv_files
    >>> [file.name for file in csv_files(Path("mine.csv"))]
    ['mine.csv', 'mine.units.csv', 'mine.curves.csv']
    """
    return path, path.with_suffix(".units.csv"), path.with_suffix(".curves.csv")


def _read_csv(file: Path) -> "pd.DataFrame":
    import pandas as pd

    types = {**_MEASUREMENT_TYPES, **_CURVE_TYPES}
    try:
        columns = pd.read_csv(file, nrows=0).columns
        return pd.read_csv(
            file,
            # Numbers stay text here: not every version of pandas reads them to the last digit.
            dtype={name: "str" if types[name] == "float64" else types[name] for name in columns},
            keep_default_na=False,
            na_values={name: [""] for name in columns if name in _MAY_BE_MISSING},
        )
    except (KeyError, ValueError, pd.errors.ParserError) as error:
        raise BenchmarkError(
            f"{file} is no file of results: {error}.\nGive one that lamc bench export wrote."
        ) from error
