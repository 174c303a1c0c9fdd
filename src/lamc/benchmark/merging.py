"""Which units stand for a profile in a results file, and what becomes of those of another file."""

import sqlite3
from collections.abc import Iterable
from typing import Final, NamedTuple

from lamc.benchmark.agreement import Standing, same_plan, strangers

_STANDING: Final = """
SELECT planned.rowid, profile, variant, settings
FROM main.planned JOIN main.unit USING (unit, dataset, part) ORDER BY profile, place, planned.rowid
"""
_TAKE: Final = """
INSERT OR IGNORE INTO main.planned
SELECT * FROM other.planned WHERE profile = ? AND unit IN (SELECT unit FROM other.unit)
"""
_HIDDEN: Final = """
SELECT count(*) FROM other.planned AS theirs JOIN other.unit USING (unit, dataset, part)
WHERE NOT EXISTS (
    SELECT 1 FROM main.planned AS ours WHERE ours.unit = theirs.unit
    AND ours.profile = theirs.profile AND ours.method = theirs.method
)
"""


class Taken(NamedTuple):
    """What came of taking in another results file: units added, and those that were there already.

    ``hidden`` counts units that cannot be in one table with what stands for their profile here.
    """

    added: int
    known: int
    hidden: int

    def text(self) -> str:
        """In words.

        Examples
        --------
        >>> from lamc.benchmark.merging import Taken
        >>> Taken(added=3, known=1, hidden=0).text()
        'units taken: 3, known: 1'
        """
        said = f"units taken: {self.added}, known: {self.known}"
        if self.hidden:
            said += (
                f", not shown for other settings or data here: {self.hidden}\nTo see these too, "
                "give their plan another name and run it into this file, or take them into a file "
                "of their own."
            )
        return said


def standing(connection: sqlite3.Connection) -> list[Standing]:
    """The finished units that stand for a profile, in the order of their plans."""
    return [Standing(*row) for row in connection.execute(_STANDING)]


def retire(connection: sqlite3.Connection, units: Iterable[Standing]) -> None:
    """Let units no longer stand for their profile; they stay in the file."""
    rows = [(each.place,) for each in units]
    connection.executemany("DELETE FROM main.planned WHERE rowid = ?", rows)


def take_in(connection: sqlite3.Connection) -> Taken:
    """Take what the attached file ``other`` has finished into the one that it is attached to."""
    (n_units,) = connection.execute("SELECT count(*) FROM other.unit").fetchone()
    added = connection.execute(
        "SELECT unit FROM other.unit EXCEPT SELECT unit FROM main.unit"
    ).fetchall()
    before = standing(connection)
    for table in ("unit", "measurement", "point"):
        connection.executemany(
            f"INSERT INTO main.{table} SELECT * FROM other.{table} WHERE unit = ?", added
        )
    _take_profiles(connection)
    places = {each.place for each in before}
    new = [each for each in standing(connection) if each.place not in places]
    retire(connection, strangers(before, new))
    (hidden,) = connection.execute(_HIDDEN).fetchone()
    return Taken(len(added), n_units - len(added), hidden)


def _take_profiles(connection: sqlite3.Connection) -> None:
    """Let units of the other file stand for their profiles, save where the plan is another here."""
    ours = dict(connection.execute("SELECT profile, settings FROM main.plan"))
    theirs = {}
    if _has_plans(connection):
        theirs = dict(connection.execute("SELECT profile, settings FROM other.plan"))
    for (profile,) in connection.execute("SELECT DISTINCT profile FROM other.planned").fetchall():
        if same_plan(ours.get(profile, "{}"), theirs.get(profile, "{}")):
            connection.execute(_TAKE, (profile,))
    connection.executemany("INSERT OR IGNORE INTO main.plan VALUES (?,?)", theirs.items())


def _has_plans(connection: sqlite3.Connection) -> bool:
    """Whether the other file is not of before there were plans."""
    found = connection.execute("SELECT name FROM other.sqlite_master WHERE name = 'plan'")
    return found.fetchone() is not None
