"""Results files out of CSV files: a run can go on from what ``lamc bench export`` wrote."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.frames import read_csv_files
from lamc.benchmark.store import Store, must_be_there

if TYPE_CHECKING:
    import pandas as pd

_PLACE: Final = ["profile", "dataset", "method", "part", "unit"]  # what a unit stands for


@contextmanager
def opened(path: str | Path) -> Iterator[Store]:
    """A results file that must be there; an export becomes one for as long as this lasts.

    Examples
    --------
    >>> from lamc.benchmark.exported import opened
    >>> with opened("nowhere.csv") as store:
    ...     store.measurements()
    Traceback (most recent call last):
    lamc.benchmark.errors.BenchmarkError: There is no results file nowhere.csv...
    """
    path = must_be_there(path)
    if path.suffix.lower() != ".csv":
        yield Store(path, read_only=True)
        return
    with TemporaryDirectory(prefix="lamc-") as folder:
        store = Store(Path(folder) / "results.sqlite")
        try:
            fill(store, *read_csv_files(path))
        except sqlite3.IntegrityError as error:
            raise BenchmarkError(
                f"{path} and the files beside it do not fit together: {error}.\nExport the results "
                "again."
            ) from error
        yield store


def fill(store: Store, measurements: "pd.DataFrame", curves: "pd.DataFrame") -> None:
    """Write exported frames into an empty results file.

    A unit stands once in the file, but once in the frames for every profile and method that it
    stands for; of these, the first has its rows.
    """
    _check_settings(measurements)
    places = measurements[_PLACE].drop_duplicates()
    first = places.drop_duplicates("unit")
    store.write(
        {
            "unit": measurements.drop_duplicates("unit"),
            "measurement": measurements.merge(first, on=_PLACE),
            "point": curves.merge(first, on=_PLACE),
            "planned": places.assign(place=places.groupby("profile").cumcount()),
        }
    )


def _check_settings(measurements: "pd.DataFrame") -> None:
    """Refuse settings that are not those a unit was named by: its numbers would pass for others."""
    named = measurements[["unit", "settings"]].drop_duplicates()
    for unit, settings in named.itertuples(index=False):
        if sha256(settings.encode()).hexdigest() != unit:
            raise BenchmarkError(
                f"The settings of unit {unit[:12]}… are not those it was run with: {settings}\n"
                "The export was changed by hand, or by a program that rewrote its text. Export "
                "the results again."
            )
