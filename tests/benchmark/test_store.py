"""The results file: what is written is read back, once, and never mixed."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from lamc.benchmark.agreement import Standing, agree
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.frames import write_csv_files
from lamc.benchmark.records import Measurement, Point
from lamc.benchmark.sources import Facts, Source
from lamc.benchmark.store import Store, read_curves, read_measurements, read_results
from lamc.benchmark.unit import Unit
from lamc.benchmark.work import Result

FACTS = Facts("trees", "", False, "abc", 100, 10, 5, scenes=False)
UNIT = Unit(Source("trees.csv"), FACTS, "MLML", "train", (0, 1), "given")
ELSEWHERE = replace(FACTS, name="shrubs", checksum="def")
EPOCHS_1, EPOCHS_4 = '{"epochs":1}', '{"epochs":4}'
RESULT = Result(
    measurements=[
        Measurement(0, 0, "full", None, None, None, None, "one_error", 0.1 + 0.2),
        Measurement(1, 1, "full", None, None, None, None, "one_error", np.nan),
        Measurement(0, 0, "accepted", "selective", 0.5, "all labels", 10, "recall", 1e-300),
        Measurement(0, 0, "accepted", "recall", 0.1, "single positives", None, "recall", 1 / 3),
    ],
    points=[
        Point(0, None, None, None, "risk-coverage", None, 0.1, 0.7),
        Point(0, "recall", 0.1, "all labels", "threshold", "NA", 3.0, 2 / 3),
        Point(0, "recall", 0.1, "all labels", "threshold", 'nan, "quoted"\nlabel', 4.0, 0.5),
    ],
    versions={"lamc": "1", "numpy": "2"},
    seconds=1.5,
)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.sqlite")


def filled(store, unit=UNIT, result=RESULT, profile="mine", method="MLML"):
    store.expect(profile, [(method, unit)])
    assert store.add(unit, result)
    return store


def test_what_is_stored_comes_back(store):
    rows = filled(store).measurements()
    assert rows["value"].tolist()[0] == 0.1 + 0.2
    assert np.isnan(rows["value"][1])
    assert rows["positives"].tolist() == [pd.NA, pd.NA, 10, pd.NA]
    assert rows["rule"].isna().tolist() == [True, True, False, False]
    assert rows["unit"].unique().tolist() == [UNIT.key]
    assert json.loads(rows["settings"][0]) == json.loads(UNIT.text)
    assert json.loads(rows["versions"][0]) == RESULT.versions
    assert store.curves()["y"].tolist() == [0.7, 2 / 3, 0.5]
    assert store.curves()["label"].tolist()[1:] == ["NA", 'nan, "quoted"\nlabel']


def test_files_of_two_machines_become_one(store, tmp_path):
    other = filled(Store(tmp_path / "other.sqlite"))
    twin = replace(UNIT, method="GLOCAL")
    filled(store, twin, method="GLOCAL")
    assert store.take(other) == (1, 0, 0)
    assert store.take(other) == (0, 1, 0)
    rows = store.measurements()
    mine = rows[rows["method"] == "MLML"].reset_index(drop=True)
    assert_frame_equal(mine, other.measurements())
    assert sorted(rows["method"].unique()) == ["GLOCAL", "MLML"]
    assert len(store.curves()) == 2 * len(other.curves())


def test_a_file_is_not_taken_into_itself(store):
    with pytest.raises(BenchmarkError, match="into itself"):
        store.take(Store(store.path))


def test_settings_of_the_file_that_takes_stand(store, tmp_path):
    changed = replace(UNIT, seeds=(0, 1, 2))
    other = filled(Store(tmp_path / "other.sqlite"), changed)
    filled(store)
    shown = store.measurements()
    assert store.take(other) == (1, 0, 1)
    assert store.finished([UNIT.key, changed.key]) == {UNIT.key, changed.key}
    assert_frame_equal(store.measurements(), shown)


def test_files_of_other_settings_are_never_in_one_table_though_of_other_data(store, tmp_path):
    """As when two machines run plans of one name that differ in a parameter and the data."""
    filled(store)
    changed = replace(UNIT, facts=ELSEWHERE, settings={"n_neighbors": 3})
    other = filled(Store(tmp_path / "other.sqlite"), changed)
    same = replace(UNIT, facts=ELSEWHERE, method="GLOCAL")
    filled(other, same, method="GLOCAL")
    taken = store.take(other)
    assert taken == (2, 0, 1)
    assert "give their plan another name" in taken.text()
    rows = store.measurements()
    assert set(zip(rows["dataset"], rows["method"], strict=True)) == {
        ("trees", "MLML"),
        ("shrubs", "GLOCAL"),
    }
    store.expect("under another name", [("MLML", changed)])
    assert set(store.measurements()["profile"]) == {"mine", "under another name"}


@pytest.mark.parametrize(
    ("ours", "theirs", "shown"),
    [
        (EPOCHS_1, EPOCHS_1, ["GLOCAL", "MLML"]),
        (EPOCHS_1, EPOCHS_4, ["MLML"]),
        (EPOCHS_1, '{"epochs":1,"parts":["train"]}', ["GLOCAL", "MLML"]),  # older, and newer
        (EPOCHS_1, "{}", ["GLOCAL", "MLML"]),  # as of an export
    ],
)
def test_files_of_two_plans_of_one_name_are_never_in_one_table(
    store, tmp_path, ours, theirs, shown
):
    other, unit = Store(tmp_path / "other.sqlite"), replace(UNIT, facts=ELSEWHERE, method="GLOCAL")
    store.expect("mine", [("MLML", UNIT)], ours)
    other.expect("mine", [("GLOCAL", unit)], theirs)
    store.add(UNIT, RESULT)
    other.add(unit, RESULT)
    assert store.take(other).hidden == 2 - len(shown)
    assert sorted(store.measurements()["method"].unique()) == shown


def test_a_unit_that_was_planned_and_comes_from_elsewhere_agrees_too(store, tmp_path):
    changed = replace(UNIT, facts=ELSEWHERE, settings={"n_neighbors": 3})
    store.expect("mine", [("MLML", changed)])  # planned, stopped before it was run
    assert store.take(filled(Store(tmp_path / "one.sqlite"))).hidden == 0
    assert store.take(filled(Store(tmp_path / "two.sqlite"), changed)).hidden == 1
    assert store.measurements()["dataset"].unique().tolist() == ["trees"]


def test_what_a_method_has_for_each_data_set_is_one_setting(store, tmp_path):
    """SMILE is run with its paper's parameters, which differ from data set to data set."""

    def smile(name, **changes):
        facts = replace(FACTS, name=name, variant="paper", checksum=name)
        return replace(UNIT, facts=facts, method="SMILE", **changes)

    filled(store, smile("yeast"), method="SMILE")
    other = filled(Store(tmp_path / "other.sqlite"), smile("scene"), method="SMILE")
    assert store.take(other) == (1, 0, 0)
    by_hand = smile("CAL500", settings={"p": 0.5})
    another = filled(Store(tmp_path / "another.sqlite"), by_hand, method="SMILE")
    assert store.take(another) == (1, 0, 1)


def test_csv_files_give_the_same_frames_and_the_same_bytes_again(store, tmp_path):
    path = filled(store).path
    written = write_csv_files(read_measurements(path), read_curves(path), tmp_path / "a.csv")
    assert [file.name for file in written] == ["a.csv", "a.units.csv", "a.curves.csv"]
    assert_frame_equal(read_measurements(tmp_path / "a.csv"), store.measurements())
    assert_frame_equal(read_curves(tmp_path / "a.csv"), store.curves())
    again = write_csv_files(
        read_measurements(tmp_path / "a.csv"), read_curves(tmp_path / "a.csv"), tmp_path / "b.csv"
    )
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in written]


def test_a_unit_counts_once(store):
    assert store.finished([UNIT.key]) == set()
    filled(store)
    other = replace(RESULT, measurements=RESULT.measurements[:1])
    assert not store.add(UNIT, other)
    assert len(store.measurements()) == len(RESULT.measurements)
    assert store.finished([UNIT.key, "another"]) == {UNIT.key}


def test_one_unit_goes_by_the_names_of_all_methods_and_profiles_it_stands_for(store):
    filled(store)
    store.expect("mine", [("LAMC", UNIT)])
    store.expect("other", [("MLML", UNIT)])
    rows = store.measurements()
    found = rows.groupby(["profile", "method"]).size().to_dict()
    assert found == {("mine", "LAMC"): 4, ("mine", "MLML"): 4, ("other", "MLML"): 4}


@pytest.mark.parametrize(
    "changed",
    [
        {"settings": {"row_smoothness": 2.0}},
        {"seeds": (0, 1, 2)},
        {"facts": replace(FACTS, checksum="another")},
    ],
    ids=str,
)
def test_changed_settings_and_data_take_the_place_of_old_ones(store, changed):
    filled(store)
    unit = replace(UNIT, **changed)
    store.expect("mine", [("MLML", unit)])
    assert len(store.measurements()) == 0  # not yet run, and the old ones are something else
    filled(store, unit=unit)
    assert store.measurements()["unit"].unique().tolist() == [unit.key]
    store.expect("mine", [("MLML", UNIT)])  # going back finds what was finished
    assert store.measurements()["unit"].unique().tolist() == [UNIT.key]


def test_other_data_of_one_name_are_never_in_one_table_though_of_another_method(store, tmp_path):
    filled(store)
    changed = replace(UNIT, method="GLOCAL", facts=replace(FACTS, checksum="edited"))
    other = filled(Store(tmp_path / "other.sqlite"), unit=changed, method="GLOCAL")
    assert store.take(other).hidden == 1
    assert store.measurements()["unit"].unique().tolist() == [UNIT.key]
    store.expect("mine", [("GLOCAL", changed)])
    assert store.measurements()["unit"].unique().tolist() == [changed.key]


def test_measurements_and_curves_are_of_one_moment(store, monkeypatch):
    """A unit that ends between the two reads is in neither."""
    filled(store)
    later = replace(UNIT, part="training")
    store.expect("mine", [("MLML", UNIT), ("MLML", later)])
    connect = Store._connect

    def told_of_statements(each):
        connection = connect(each)
        connection.set_trace_callback(
            lambda said: "JOIN point" in said and store.add(later, RESULT)
        )
        return connection

    monkeypatch.setattr(Store, "_connect", told_of_statements)
    measurements, curves = read_results(store.path)
    assert set(measurements["unit"]) == set(curves["unit"]) == {UNIT.key}
    monkeypatch.undo()
    measurements, curves = read_results(store.path)
    assert set(measurements["unit"]) == set(curves["unit"]) == {UNIT.key, later.key}


def test_changed_settings_of_a_plan_never_stand_beside_old_ones(store):
    other = replace(UNIT, method="GLOCAL")
    for unit in (UNIT, other):
        store.add(unit, RESULT)
    both = [("MLML", UNIT), ("GLOCAL", other)]
    assert store.expect("mine", both, EPOCHS_1) == 0
    assert store.expect("mine", both[:1], EPOCHS_1) == 0  # a part of the same plan
    assert sorted(store.measurements()["method"].unique()) == ["GLOCAL", "MLML"]
    assert store.expect("mine", both[:1], EPOCHS_4) == 2
    assert store.measurements()["method"].unique().tolist() == ["MLML"]
    assert store.finished([other.key]) == {other.key}
    assert store.expect("mine", both, EPOCHS_1) == 1
    assert sorted(store.measurements()["method"].unique()) == ["GLOCAL", "MLML"]


@pytest.mark.parametrize(
    "before",
    [{"settings": {"n_neighbors": 3}}, {"seeds": (0,)}, {"validation": "single positives"}],
    ids=str,
)
def test_nor_do_units_of_other_settings_whose_plan_is_not_known(store, before):
    """As when results come from an export, which says nothing of plans."""
    old = replace(UNIT, facts=ELSEWHERE, **before)
    filled(store, old)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("DELETE FROM plan")
    assert store.expect("mine", [("MLML", UNIT)], EPOCHS_1) == 1
    store.add(UNIT, RESULT)
    assert store.measurements()["dataset"].unique().tolist() == ["trees"]
    assert store.expect("mine", [("MLML", old)], EPOCHS_1) == 1
    assert store.measurements()["dataset"].unique().tolist() == ["shrubs"]


def test_nor_do_units_of_another_source_code(store, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "edited.py"
    file.write_text("from sklearn.naive_bayes import GaussianNB\nclass Own(GaussianNB): ...\n")
    old = replace(UNIT, method="edited:Own")
    store.expect("mine", [("edited:Own", old), ("MLML", UNIT)], EPOCHS_1)
    store.add(old, RESULT)
    store.add(UNIT, RESULT)
    file.write_text(file.read_text() + "# changed\n")
    new = replace(UNIT, method="edited:Own", facts=ELSEWHERE)
    assert store.expect("mine", [("edited:Own", new)], EPOCHS_1) == 1
    store.add(new, RESULT)
    rows = store.measurements()
    assert set(zip(rows["dataset"], rows["method"], strict=True)) == {
        ("trees", "MLML"),
        ("shrubs", "edited:Own"),
    }


def test_a_plan_that_says_more_than_an_older_file_is_the_same_plan(store):
    store.expect("mine", [("MLML", UNIT)], '{"runs":2}')
    store.add(UNIT, RESULT)
    newer = '{"parts":["train"],"runs":2}'
    assert store.expect("mine", [("GLOCAL", replace(UNIT, method="GLOCAL"))], newer) == 0
    assert store.measurements()["method"].unique().tolist() == ["MLML"]
    assert store.expect("mine", [], '{"parts":["training"],"runs":2}') == 1


def test_a_file_of_before_there_were_plans_is_gone_on_with(store, tmp_path):
    filled(store)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("DROP TABLE plan")
    into = Store(tmp_path / "into.sqlite")
    assert into.take(Store(store.path, read_only=True)) == (1, 0, 0)
    assert Store(store.path).expect("mine", [("MLML", UNIT)], EPOCHS_1) == 0


@pytest.fixture
def nobody_writes(store):
    """A results file where nothing can be written, looked at by a process that cannot."""
    filled(store)
    store.path.chmod(0o444)
    store.path.parent.chmod(0o555)
    yield store.path
    store.path.parent.chmod(0o755)


@pytest.mark.skipif(
    os.geteuid() == 0 and not shutil.which("setpriv"), reason="root writes anywhere"
)
def test_results_can_be_looked_at_where_nothing_can_be_written(nobody_writes):
    script = (
        "import sys; from lamc.benchmark.store import Store, read_measurements\n"
        "from lamc.benchmark.errors import BenchmarkError\n"
        "print(len(read_measurements(sys.argv[1])))\n"
        "try: Store(sys.argv[1]).expect('mine', [])\n"
        "except BenchmarkError as error: print(str(error).splitlines()[-1])"
    )
    bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--clear-groups"]
    as_nobody = bare if os.geteuid() == 0 else []
    for folder in nobody_writes.parents:
        if os.geteuid() == 0 and folder.name.startswith(("pytest-", "popen-")):
            folder.chmod(0o755)
    done = subprocess.run(
        [*as_nobody, sys.executable, "-c", script, nobody_writes],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": "/nonexistent"},
    )
    assert done.stdout.splitlines() == ["4", "Name another file, or see whether it may be written."]


def test_looking_changes_nothing(tmp_path):
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    with pytest.raises(BenchmarkError, match="not one of results"):
        read_measurements(empty)
    assert empty.read_bytes() == b""


def test_a_damaged_file_is_told_in_plain_words(store):
    path = filled(store).path
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(BenchmarkError, match="cannot be used as a results file"):
        read_measurements(path)


def test_what_fails_in_the_middle_of_a_unit_leaves_nothing_of_it(store):
    odd = replace(RESULT, points=[*RESULT.points, (1, 2)])
    store.expect("mine", [("MLML", UNIT)])
    with pytest.raises(sqlite3.Error):
        store.add(UNIT, odd)
    assert store.finished([UNIT.key]) == set()
    assert len(store.measurements()) == 0
    assert store.add(UNIT, RESULT)


def test_only_one_process_at_a_time_runs_into_a_file(store):
    code = (
        "import sys; from lamc.benchmark.store import Store\n"
        "with Store(sys.argv[1]).lock(): print('locked')"
    )
    command = [sys.executable, "-c", code, str(store.path)]
    with store.lock():
        refused = subprocess.run(command, capture_output=True, text=True)
    assert refused.returncode != 0
    assert "Another lamc bench run is writing" in refused.stderr
    assert subprocess.run(command, capture_output=True, text=True).stdout == "locked\n"


def test_files_that_are_no_results_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.sqlite"
    text.write_text("not a database, but long enough to be looked at " * 50)
    with pytest.raises(BenchmarkError, match="cannot be used as a results file"):
        Store(text)
    assert text.read_text().startswith("not a database")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(BenchmarkError, match="not one of results"):
        Store(other)
    assert other.read_bytes() == before


def test_a_results_file_is_not_named_as_csv(tmp_path):
    with pytest.raises(BenchmarkError, match=r"Name it .*a\.sqlite; .*bench export") as refused:
        Store(tmp_path / "a.csv")
    assert f"-o {tmp_path / 'a.csv'}" in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_it_can_be_read_while_it_is_written(store):
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_is_missing_is_named(store, tmp_path):
    with pytest.raises(BenchmarkError, match="There is no results file"):
        read_measurements(tmp_path / "none.sqlite")
    with pytest.raises(BenchmarkError, match="There is no folder"):
        Store(tmp_path / "no" / "folder.sqlite")
    filled(store)
    write_csv_files(store.measurements(), store.curves(), tmp_path / "a.csv")
    (tmp_path / "a.units.csv").unlink()
    with pytest.raises(BenchmarkError, match=r"a\.units\.csv is missing"):
        read_measurements(tmp_path / "a.csv")
    with pytest.raises(BenchmarkError, match=r"does not end in \.csv"):
        write_csv_files(store.measurements(), store.curves(), tmp_path / "a.txt")


def test_csv_files_of_different_exports_are_refused(store, tmp_path):
    filled(store)
    write_csv_files(store.measurements(), store.curves(), tmp_path / "a.csv")
    units = tmp_path / "a.units.csv"
    units.write_text(units.read_text().replace(UNIT.key, "another"))
    with pytest.raises(BenchmarkError, match="of different exports"):
        read_measurements(tmp_path / "a.csv")


def test_a_csv_file_of_something_else_is_refused(tmp_path):
    for name in ("a.csv", "a.units.csv", "a.curves.csv"):
        (tmp_path / name).write_text("oak,elm\n1,2\n")
    with pytest.raises(BenchmarkError, match="is no file of results"):
        read_measurements(tmp_path / "a.csv")


def test_units_for_which_copies_were_drawn_otherwise_are_not_of_one_table():
    """They were tested on other rows."""
    one, apart, together = (
        Standing(place, "mine", "", json.dumps({"dataset": "a", "method": method} | copies))
        for place, (method, copies) in enumerate(
            [("AN", {"copies": "together"}), ("WAN", {}), ("WAN", {"copies": "together"})]
        )
    )
    assert agree(one, together)
    assert not agree(one, apart)
