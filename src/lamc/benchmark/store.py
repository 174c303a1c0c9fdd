"""Results in one SQLite file: a row a measurement, written in one transaction a unit."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamc.benchmark.agreement import Standing, agree, same_plan
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.frames import as_curves, as_measurements, read_csv_files
from lamc.benchmark.merging import Taken, retire, standing, take_in

if TYPE_CHECKING:
    import pandas as pd

    from lamc.benchmark.unit import Unit
    from lamc.benchmark.work import Result

_APPLICATION: Final = 0x4C414D43  # "LAMC": tells results from any other SQLite file
_LAYOUT: Final = 1

_TABLES: Final = """
CREATE TABLE unit (
    unit TEXT PRIMARY KEY, dataset TEXT NOT NULL, variant TEXT NOT NULL, exact INTEGER NOT NULL,
    part TEXT NOT NULL, settings TEXT NOT NULL, data_checksum TEXT NOT NULL, versions TEXT NOT NULL
);
CREATE TABLE measurement (
    unit TEXT NOT NULL REFERENCES unit, run INTEGER NOT NULL, seed INTEGER NOT NULL,
    view TEXT NOT NULL, rule TEXT, alpha REAL, calibration TEXT, positives INTEGER,
    metric TEXT NOT NULL, value REAL
);
CREATE TABLE point (
    unit TEXT NOT NULL REFERENCES unit, run INTEGER NOT NULL, rule TEXT, alpha REAL,
    calibration TEXT, curve TEXT NOT NULL, label TEXT, x REAL, y REAL
);
CREATE TABLE planned (
    profile TEXT NOT NULL, dataset TEXT NOT NULL, method TEXT NOT NULL, part TEXT NOT NULL,
    place INTEGER NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (profile, dataset, method, part)
);
CREATE INDEX measurement_of_unit ON measurement (unit);
CREATE INDEX point_of_unit ON point (unit);
"""

_PLAN: Final = """
CREATE TABLE IF NOT EXISTS plan (profile TEXT PRIMARY KEY, settings TEXT NOT NULL)
"""

_MEASUREMENTS: Final = """
SELECT profile, dataset, variant, exact, method, part, run, seed, view, rule, alpha, calibration,
       positives, metric, value, unit, settings, data_checksum, versions
FROM planned JOIN unit USING (unit, dataset, part) JOIN measurement USING (unit)
ORDER BY profile, place, dataset, method, part, measurement.rowid
"""
_CURVES: Final = """
SELECT profile, dataset, method, part, run, rule, alpha, calibration, curve, label, x, y, unit
FROM planned JOIN unit USING (unit, dataset, part) JOIN point USING (unit)
ORDER BY profile, place, dataset, method, part, point.rowid
"""
_FORGET_UNFINISHED: Final = """
DELETE FROM planned WHERE profile = ? AND unit NOT IN (SELECT unit FROM unit)
"""


class Store:
    """A results file; made if it is not there.

    Finished units are known by the hash of their settings. A profile names the unit that stands
    for each data set, method and part: of units with changed settings it shows the last one
    planned, so that they never mix.

    Parameters
    ----------
    path : str or path
        The file.
    read_only : bool
        Whether it is only looked at. It must be there then, and may lie where nothing can be
        written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.benchmark.store import Store
    >>> store = Store(Path(tempfile.mkdtemp()) / "results.sqlite")
    >>> len(store.measurements())
    0
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        if self.path.suffix.lower() == ".csv" and not read_only:
            raise BenchmarkError(
                f"Results are kept in an SQLite file, and {self.path} is named as CSV.\nName it "
                f"{self.path.with_suffix('.sqlite')}; for CSV files, run lamc bench export "
                f"{self.path.with_suffix('.sqlite')} -o {self.path} afterwards."
            )
        if not self.path.parent.is_dir():
            raise BenchmarkError(f"There is no folder {self.path.parent} to put results in.")
        with closing(self._connect()) as connection:
            self._prepare(connection)

    def finished(self, keys: Iterable[str]) -> set[str]:
        """Those of the units that are stored."""
        with closing(self._connect()) as connection:
            stored = {key for (key,) in connection.execute("SELECT unit FROM unit")}
        return stored & set(keys)

    def expect(
        self, profile: str, units: "Sequence[tuple[str, Unit]]", settings: str = "{}"
    ) -> int:
        """Let units, each under the name of a method, stand for a profile from now on.

        If the profile had other settings before, none of its units stands for it any more, so that
        numbers of different settings are never in one table; nor do those of a method whose source
        code was changed. They stay in the file, and stand for the profile again when it is run with
        their settings. Returns how many these are.
        """
        rows = [
            (profile, unit.facts.name, method, unit.part, place, unit.key)
            for place, (method, unit) in enumerate(units)
        ]
        asked = [Standing(0, profile, unit.facts.variant, unit.text) for _, unit in units]
        with closing(self._connect()) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            known = connection.execute("SELECT settings FROM plan WHERE profile = ?", (profile,))
            same = all(same_plan(before, settings) for (before,) in known)
            retired = [
                each
                for each in standing(connection)
                if each.profile == profile and not (same and all(agree(each, a) for a in asked))
            ]
            retire(connection, retired)
            connection.execute(_FORGET_UNFINISHED, (profile,))
            connection.execute("INSERT OR REPLACE INTO plan VALUES (?,?)", (profile, settings))
            connection.executemany("INSERT OR REPLACE INTO planned VALUES (?,?,?,?,?,?)", rows)
        return len(retired)

    def add(self, unit: "Unit", result: "Result") -> bool:
        """Store a finished unit, all of it or nothing; False if it is there already."""
        facts = unit.facts
        versions = json.dumps(result.versions, sort_keys=True)
        row = (unit.key, facts.name, facts.variant, facts.exact, unit.part, unit.text)
        with closing(self._connect()) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            added = connection.execute(
                "INSERT OR IGNORE INTO unit VALUES (?,?,?,?,?,?,?,?)",
                (*row, facts.checksum, versions),
            )
            if added.rowcount == 0:
                return False
            _insert(connection, "measurement", [(unit.key, *row) for row in result.measurements])
            _insert(connection, "point", [(unit.key, *row) for row in result.points])
        return True

    def take(self, other: "Store") -> Taken:
        """Take in what another file has finished, all of it or nothing.

        What stands for a profile here goes on to stand for it. Units of the other file that cannot
        be in one table with it, for their settings are different, are stored but not shown.
        """
        if other.path.samefile(self.path):  # each connection would wait for the other
            raise BenchmarkError(f"{other.path} is to be taken into itself.\nName other files.")
        with closing(self._connect()) as connection:
            connection.execute("ATTACH DATABASE ? AS other", (other._address(),))
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return take_in(connection)

    def write(self, tables: "Mapping[str, pd.DataFrame]") -> None:
        """Write frames that have the columns of tables, all of them or nothing."""
        with closing(self._connect()) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            for table, frame in tables.items():
                described = connection.execute(f"SELECT * FROM {table}").description
                columns = frame[[name for name, *_ in described]]
                plain = columns.astype(object).where(columns.notna(), None)
                _insert(connection, table, list(plain.itertuples(index=False, name=None)))

    def measurements(self) -> "pd.DataFrame":
        """All measurements of planned units, tidy.

        Returns
        -------
        pandas.DataFrame
            Columns profile, dataset, variant, exact, method, part, run, seed, view, rule, alpha,
            calibration, positives, metric, value, unit, settings, data_checksum and versions.
        """
        return as_measurements(*self._frames(_MEASUREMENTS))

    def curves(self) -> "pd.DataFrame":
        """All curves of planned units, a row a point.

        Returns
        -------
        pandas.DataFrame
            Columns profile, dataset, method, part, run, rule, alpha, calibration, curve, label, x,
            y and unit.
        """
        return as_curves(*self._frames(_CURVES))

    def everything(self) -> "tuple[pd.DataFrame, pd.DataFrame]":
        """Measurements and curves of the same units, even while a run adds some."""
        measurements, curves = self._frames(_MEASUREMENTS, _CURVES)
        return as_measurements(measurements), as_curves(curves)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from running units into this file.

        The lock is a transaction on an empty file beside it. It ends with the process, however
        that ends; the file stays, for to remove it would let two others in.
        """
        beside = self.path.with_name(f"{self.path.name}-lock")
        with closing(sqlite3.connect(beside, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                raise BenchmarkError(
                    f"Another lamc bench run is writing {self.path}.\nWait until it has ended, or "
                    "write to another file."
                ) from error
            yield

    def _frames(self, *queries: str) -> "list[pd.DataFrame]":
        """What queries find, all at one moment."""
        import pandas as pd

        found = []
        with closing(self._connect()) as connection:
            try:
                connection.execute("BEGIN")
                for query in queries:
                    cursor = connection.execute(query)
                    names = [column for column, *_ in cursor.description]
                    found.append(pd.DataFrame(cursor.fetchall(), columns=names))
            except sqlite3.DatabaseError as error:
                raise _unusable(self.path, error) from error
        return found

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self._address(), timeout=60, isolation_level=None, uri=True
            )
            connection.execute("PRAGMA foreign_keys = ON")
        except sqlite3.OperationalError as error:
            raise _unusable(self.path, error) from error
        return connection

    def _address(self) -> str:
        """Where SQLite finds the file; it needs files beside it unless nobody can write there."""
        place = self.path.absolute().as_uri()
        if not self.read_only:
            return place
        fixed = not os.access(self.path.parent, os.W_OK)
        return f"{place}?mode=ro{'&immutable=1' if fixed else ''}"

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables in a new file; leave one alone that holds something else.

        Files of the same layout that are older lack the table of plans.
        """
        try:
            if _is_empty(connection) and not self.read_only:
                connection.execute("PRAGMA journal_mode = WAL")
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    if _is_empty(connection):  # another process may have been first
                        _make_tables(connection)
            (found,) = connection.execute("PRAGMA application_id").fetchone()
            (layout,) = connection.execute("PRAGMA user_version").fetchone()
            if (found, layout) == (_APPLICATION, _LAYOUT) and not self.read_only:
                connection.execute(_PLAN)
        except sqlite3.DatabaseError as error:
            raise _unusable(self.path, error) from error
        if (found, layout) != (_APPLICATION, _LAYOUT):
            raise BenchmarkError(
                f"{self.path} is an SQLite file, but not one of results in the form that this "
                "version of LAMC writes.\nName another file."
            )


def _unusable(path: Path, error: sqlite3.Error) -> BenchmarkError:
    return BenchmarkError(
        f"{path} cannot be used as a results file: {error}.\nName another file, or see whether it "
        "may be written."
    )


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_LAYOUT}")


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        places = ",".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def read_measurements(path: str | Path) -> "pd.DataFrame":
    """Measurements of a results file, or of the CSV files that ``lamc bench export`` wrote.

    Examples
    --------
    >>> from lamc.benchmark.store import read_measurements
    >>> read_measurements("nowhere.csv")
    Traceback (most recent call last):
    lamc.benchmark.errors.BenchmarkError: There is no results file nowhere.csv...
    """
    return read_results(path)[0]


def read_curves(path: str | Path) -> "pd.DataFrame":
    """Curves of a results file, or of the CSV files that ``lamc bench export`` wrote.

    Examples
    --------
    >>> from lamc.benchmark.store import read_curves
    >>> read_curves("nowhere.sqlite")
    Traceback (most recent call last):
    lamc.benchmark.errors.BenchmarkError: There is no results file nowhere.sqlite...
    """
    return read_results(path)[1]


def read_results(path: str | Path) -> tuple["pd.DataFrame", "pd.DataFrame"]:
    """Measurements and curves of a results file, or of CSV files, of the same units.

    Examples
    --------
    >>> from lamc.benchmark.store import read_results
    >>> read_results("nowhere.sqlite")
    Traceback (most recent call last):
    lamc.benchmark.errors.BenchmarkError: There is no results file nowhere.sqlite...
    """
    path = must_be_there(path)
    if path.suffix.lower() == ".csv":
        return read_csv_files(path)
    return Store(path, read_only=True).everything()


def must_be_there(path: str | Path) -> Path:
    """The path, if there is a file."""
    path = Path(path)
    if not path.is_file():
        raise BenchmarkError(
            f"There is no results file {path}.\nMake one with lamc bench run --output {path}, or "
            "name one that is there."
        )
    return path
