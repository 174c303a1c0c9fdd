"""Exports as results files: nothing is lost on the way, and changed ones are refused."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.exported import opened
from lamc.benchmark.frames import write_csv_files
from lamc.benchmark.store import Store

from .test_store import RESULT, UNIT, filled

RESULTS = Path(__file__).parents[2] / "results"
TABLES = ("unit", "measurement", "point", "planned")
OTHER = replace(UNIT, method="GLOCAL")


@pytest.fixture
def store(tmp_path):
    """Two units, of which one stands for two methods and two profiles."""
    store = filled(Store(tmp_path / "results.sqlite"))
    store.expect("another", [("mine", OTHER), ("MLML", UNIT), ("as before", UNIT)])
    assert store.add(OTHER, replace(RESULT, points=[]))
    return store


def exported(store, path):
    write_csv_files(store.measurements(), store.curves(), path)
    return path


def rows(store, table):
    with closing(sqlite3.connect(store.path)) as connection:
        return sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)


def test_an_export_gives_the_results_file_again(store, tmp_path):
    with opened(exported(store, tmp_path / "a.csv")) as again:
        for table in TABLES:
            assert rows(again, table) == rows(store, table)
        assert_frame_equal(again.measurements(), store.measurements())
        assert_frame_equal(again.curves(), store.curves())
        path = again.path
    assert not path.exists()


def test_a_run_goes_on_from_an_export(store, tmp_path):
    into = Store(tmp_path / "new.sqlite")
    with opened(exported(store, tmp_path / "a.csv")) as export:
        assert into.take(export) == (2, 0, 0)
    assert into.finished([UNIT.key, OTHER.key]) == {UNIT.key, OTHER.key}


def test_a_changed_plan_of_the_same_name_is_not_mixed_with_an_export(store, tmp_path):
    into = Store(tmp_path / "new.sqlite")
    with opened(exported(store, tmp_path / "a.csv")) as export:
        into.take(export)
    facts = replace(UNIT.facts, name="shrubs", checksum="def")
    changed = replace(UNIT, facts=facts, settings={"n_neighbors": 3})
    assert into.expect("mine", [("MLML", changed)], '{"overrides":{"n_neighbors":3}}') == 1
    into.add(changed, RESULT)
    rows = into.measurements()
    assert rows["dataset"][rows["profile"] == "mine"].unique().tolist() == ["shrubs"]


def test_the_published_results_agree_with_themselves(tmp_path):
    into, places = Store(tmp_path / "all.sqlite"), []
    for name in ("paper", "resampled"):
        with opened(RESULTS / f"{name}.csv") as export:
            assert into.take(export).hidden == 0
            places += rows(export, "planned")
    assert rows(into, "planned") == sorted(places, key=repr)


def test_an_export_of_nothing_holds_nothing(tmp_path):
    empty = exported(Store(tmp_path / "empty.sqlite"), tmp_path / "a.csv")
    with opened(empty) as store:
        assert rows(store, "unit") == []


def test_a_results_file_is_opened_as_it_is(store):
    with opened(store.path) as same:
        assert same.path == store.path
    assert store.path.exists()


def test_settings_that_were_changed_are_refused(store, tmp_path):
    exported(store, tmp_path / "a.csv")
    units = tmp_path / "a.units.csv"
    units.write_text(units.read_text().replace("GLOCAL", "glocal"))
    with (
        pytest.raises(BenchmarkError, match="not those it was run with"),
        opened(tmp_path / "a.csv"),
    ):
        pass


def test_rows_that_do_not_fit_together_are_refused(store, tmp_path):
    path = exported(store, tmp_path / "a.csv")
    path.write_text(path.read_text().replace(",mine,", ",MLML,"))  # two units for one place
    with pytest.raises(BenchmarkError, match="Export the results again"), opened(path):
        pass
