"""Runs as real processes: stopped, killed, crowded, spread over a cluster, and always the same."""

import contextlib
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import dask
import distributed  # noqa: F401  brings the settings that one test changes
import pytest
from pandas.testing import assert_frame_equal
from typer.testing import CliRunner

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.plan import Plan
from lamc.benchmark.plan_file import read_plan
from lamc.benchmark.run import run_plan
from lamc.benchmark.sources import Source
from lamc.benchmark.store import Store, read_curves, read_measurements
from lamc.benchmark.watch import BarWatch, LogWatch, Watch
from lamc.cli.bench import app

from .small import LAMC, bench, environment, repeatable, small_data, write_files

SLOW = ("mine:Slow", "mine:SlowToo", "mine:SlowAsWell")
RUN = ("run", "plan.toml", "-o", "results.sqlite")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two data sets, slow estimators, and a plan of them."""
    _enter(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Rows of the plan, run in this process from beginning to end."""
    elsewhere = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as monkeypatch:
        _enter(elsewhere, monkeypatch)
        store = Store(elsewhere / "results.sqlite")
        assert run_plan(read_plan(elsewhere / "plan.toml"), store) == []
    return repeatable(store.measurements()), store.curves()


def _enter(folder, monkeypatch):
    write_files(folder)
    (folder / "plan.toml").write_text(
        f'name = "mine"\nruns = 2\nparts = ["train"]\nmethods = {list(SLOW)}\n'
        'datasets = [{file = "first.npz"}, {file = "second.npz"}]\n'
    )
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "mine", raising=False)


def in_process(*arguments):
    """``lamc bench`` without a process of its own, which takes seconds to start."""
    return CliRunner().invoke(app, [*map(str, arguments)])


def begun(folder):
    """Name and process of every fit that was begun."""
    file = folder / "begun.txt"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def wait_for(condition, process=None):
    for _ in range(6000):
        if condition():
            return
        if process is not None and process.poll() is not None:
            pytest.fail(f"It ended too early:\n{process.communicate()}")
        time.sleep(0.02)
    pytest.fail("It never came about.")


def start(*arguments, folder):
    return subprocess.Popen(
        [LAMC, "bench", *map(str, arguments)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def assert_same(folder, undisturbed):
    rows, curves = undisturbed
    found = read_measurements(folder / "results.sqlite")
    assert not found.duplicated(["unit", "run", "view", "rule", "calibration", "metric"]).any()
    assert_frame_equal(repeatable(found), rows)
    assert_frame_equal(read_curves(folder / "results.sqlite"), curves)


def test_killed_at_any_moment_it_goes_on_with_nothing_lost_or_counted_twice(folder, undisturbed):
    (folder / "hold").touch()
    first = start(*RUN, folder=folder)
    wait_for(lambda: begun(folder), first)
    beside = bench(*RUN, folder=folder)
    assert beside.returncode == 1
    assert "Another lamc bench run is writing results.sqlite" in beside.stderr
    first.kill()
    first.communicate()
    (folder / "hold").unlink()

    moments = random.Random(0)
    for _ in range(2):
        process = start(*RUN, folder=folder)
        assert "to run" in process.stderr.readline()
        time.sleep(moments.uniform(0, 1.2))
        process.kill()
        process.communicate()
    last = bench(*RUN, folder=folder)
    assert last.returncode == 0, last.stderr
    assert_same(folder, undisturbed)
    assert not (folder / "results.sqlite.unfinished").exists()
    # A kill costs at most the unit under way, two fits: what was finished is not run again.
    assert 12 <= len(begun(folder)) <= 12 + 3 * 2
    n_begun = len(begun(folder))
    assert run_plan(read_plan("plan.toml"), Store("results.sqlite")) == []
    assert len(begun(folder)) == n_begun


def test_a_kill_takes_the_workers_with_it(folder, undisturbed):
    (folder / "hold").touch()
    first = start(*RUN, "--jobs", 2, folder=folder)
    wait_for(lambda: len(begun(folder)) == 2, first)
    workers = [int(process) for _, process in begun(folder)]
    first.kill()
    first.communicate()
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    (folder / "hold").unlink()
    last = bench(*RUN, "--jobs", 2, folder=folder)
    assert last.returncode == 0, last.stderr
    assert_same(folder, undisturbed)


def test_a_stop_by_hand_is_clean_and_goes_on_too(folder):
    (folder / "hold").touch()
    process = start(*RUN, "--jobs", 2, folder=folder)
    wait_for(lambda: len(begun(folder)) == 2, process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "The same command goes on from here" in said
    assert "Traceback" not in said
    assert len(read_measurements(folder / "results.sqlite")) == 0


def test_a_cluster_gives_the_same_numbers_though_a_worker_is_killed(folder, undisturbed):
    command = Path(sys.executable).with_name("dask")
    address = folder / "scheduler.json"
    local = ["--no-dashboard", "--scheduler-file", address]
    scheduler = [command, "scheduler", "--host", "127.0.0.1", "--port", "0", *local]
    worker = [command, "worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", *local]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    cluster = [
        subprocess.Popen(each, cwd=folder, env=environment(), **quiet)
        for each in (scheduler, worker, worker)
    ]
    try:
        wait_for(address.exists)
        (folder / "hold").touch()
        process = start(*RUN, "--dask", _address_in(address), folder=folder)
        wait_for(lambda: len({pid for _, pid in begun(folder)}) == 2, process)
        lost, victim = begun(folder)[0]
        assert int(victim) in [each.pid for each in cluster[1:]]
        os.kill(int(victim), signal.SIGKILL)
        (folder / "hold").unlink()
        _, said = process.communicate()
        assert process.returncode == 0, said
    finally:
        for each in cluster:
            each.kill()
            each.wait()
    assert_same(folder, undisturbed)
    assert len(begun(folder)) == 12 + 1
    assert Counter(name for name, _ in begun(folder))[lost] == 4 + 1


def test_a_cluster_on_this_machine_gives_the_same_numbers(folder, undisturbed):
    done = bench(*RUN, "--dask", "local:2", folder=folder)
    assert done.returncode == 0, done.stderr
    assert_same(folder, undisturbed)
    assert len({process for _, process in begun(folder)}) == 2


def _address_in(file):
    return json.loads(file.read_text())["address"]


def test_what_fails_is_told_at_the_end_and_the_others_go_on(folder):
    methods = "mine:Broken,mine:Killed,mine:Leaving,mine:Quick"
    options = ("--profile", "quick", "--datasets", "first.npz", "-o", "results.sqlite")
    done = bench("run", *options, "--methods", methods, "--jobs", 2, folder=folder)
    assert done.returncode == 1
    assert "RuntimeError: this one is broken on purpose" in done.stderr
    assert "The process that ran it was killed" in done.stderr
    assert "raise SystemExit(3)" in done.stderr
    # Not the last line of all: joblib's resource tracker, a process of its own, may speak after it.
    last = [line for line in done.stderr.splitlines() if line.startswith("lamc: ")][-1]
    assert last.startswith("lamc: 3 units failed: ")
    assert "first · mine:Broken · train" in last
    stored = read_measurements(folder / "results.sqlite")
    assert stored["method"].unique().tolist() == ["mine:Quick"]


def test_an_estimator_that_ends_the_process_fails_alone(folder):
    """In one process, where nothing stands between it and the benchmark."""
    options = ("--profile", "quick", "--datasets", "first.npz", "-o", "results.sqlite")
    done = in_process("run", *options, "--methods", "mine:Leaving,mine:Quick")
    assert done.exit_code == 1
    assert "1 unit failed: first · mine:Leaving · train." in done.stderr
    assert "SystemExit: 3" in done.stderr
    assert "raise SystemExit(3)" in done.stderr
    stored = read_measurements(folder / "results.sqlite")
    assert stored["method"].unique().tolist() == ["mine:Quick"]


def test_a_request_to_end_is_no_failure_of_the_unit_under_way(folder):
    (folder / "hold").touch()
    process = start(*RUN, folder=folder)
    wait_for(lambda: begun(folder), process)
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 143
    assert "failed" not in said
    assert len(begun(folder)) == 1


def test_a_users_code_that_is_changed_is_never_mixed_with_what_it_was(folder, monkeypatch):
    options = ("--profile", "quick", "--methods", "mine:Quick,MLML", "--set", "n_neighbors=5")
    assert in_process("run", *options, "--datasets", "first.npz").exit_code == 0
    monkeypatch.delitem(sys.modules, "mine")  # as in another process
    (folder / "mine.py").write_text((folder / "mine.py").read_text() + "# changed\n")
    done = in_process("run", *options, "--datasets", "second.npz")
    assert done.exit_code == 0, done.stderr
    assert "had other settings, data or source code before" in done.stderr
    rows = read_measurements(folder / "results.sqlite")
    assert set(zip(rows["dataset"], rows["method"], strict=True)) == {
        ("first", "MLML"),
        ("second", "MLML"),
        ("second", "mine:Quick"),
    }


def test_a_plan_that_is_run_on_fewer_parts_is_not_mixed_with_what_it_was(folder):
    def run(parts, *methods):
        plan = Plan("mine", (Source("first.npz"),), methods, 1, parts=parts)
        assert run_plan(plan, Store(folder / "results.sqlite")) == []

    run(("training", "train"), "mine:Quick")
    run(("train",), "mine:Quick", "mine:Slow")
    rows = read_measurements(folder / "results.sqlite")
    assert set(zip(rows["method"], rows["part"], strict=True)) == {
        ("mine:Quick", "train"),
        ("mine:Slow", "train"),
    }


def test_a_file_may_have_a_comma_in_its_name(folder):
    (folder / "first.npz").rename(folder / "oak, elm.npz")
    options = ("--profile", "quick", "--datasets", "oak, elm.npz", "--methods", "mine:Quick")
    listed = in_process("run", *options, "--dry-run")
    assert listed.stdout.splitlines()[0].endswith("first · mine:Quick · train")
    many = ",".join(["nothing"] * 100)
    done = in_process("run", "--profile", "quick", "--datasets", many, "--dry-run")
    assert "nothing" in str(done.exception)


def test_results_do_not_go_to_a_file_named_as_csv(folder):
    for command in ((*RUN[:-1], "mine.csv"), ("merge", "mine.csv", "other.sqlite")):
        Store(folder / "other.sqlite")
        done = in_process(*command)
        assert isinstance(done.exception, BenchmarkError)
        assert "Name it mine.sqlite; for CSV files, run lamc bench export" in str(done.exception)
        assert begun(folder) == []
        assert not list(folder.glob("mine.csv*"))


def test_a_program_is_told_what_was_run_and_what_failed(folder):
    options = ("--profile", "quick", "--datasets", "first.npz", "-o", "results.sqlite", "--json")
    listed = in_process("run", *options, "--methods", "mine:Quick", "--dry-run")
    (unit,) = json.loads(listed.stdout)["units"]
    assert (unit["dataset"], unit["method"], unit["part"]) == ("first", "mine:Quick", "train")
    done = bench("run", *options, "--methods", "mine:Broken,mine:Quick", folder=folder)
    assert done.returncode == 1
    facts = json.loads(done.stdout)
    assert (facts["finished_before"], facts["finished_now"]) == (0, 1)
    (failed,) = facts["failed"]
    assert failed["unit"] == "first · mine:Broken · train"
    assert "broken on purpose" in failed["traceback"]
    quiet = in_process("run", *options[:-1], "--methods", "mine:Quick", "--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")


def test_a_users_table_and_estimator_join_and_results_are_exported(folder):
    data = small_data("trees")
    table = "oak,elm,x,y\n" + "".join(
        f"{int(a)},{int(b or not a)},{x:.3f},{y:.3f}\n"
        for (a, b), (x, y) in zip(data.Y.toarray()[:, :2], data.X[:, :2], strict=True)
    )
    (folder / "trees.csv").write_text(table)
    named = ("--datasets", "trees.csv", "--labels", "oak,elm", "--methods", "mine:Quick,MLML")
    options = ("--profile", "resampled", *named, "--runs", 2, "-o", "results.sqlite")
    listed = in_process("run", *options, "--dry-run")
    lines = table.replace(",", ";").replace(".", ",").splitlines()
    lines = [f"{n or 'tree'};{line};{'é' * (n == 1)}" for n, line in enumerate(lines)]
    (folder / "trees.csv").write_text("\n".join(lines), encoding="latin-1")
    odd = ("--id", "tree", "--delimiter", ";", "--decimal", ",", "--encoding", "latin-1")
    as_odd = in_process("run", *options, *odd, "--dry-run")
    assert as_odd.stdout == listed.stdout, as_odd.output
    (folder / "trees.csv").write_text(table)
    assert [line.split("  ")[1] for line in listed.stdout.splitlines()] == [
        "trees · mine:Quick · train",
        "trees · MLML · train",
    ]
    assert not (folder / "results.sqlite").exists()
    done = in_process("run", *options, "--set", "n_neighbors=5")
    assert done.exit_code == 0, done.stderr
    exported = in_process("export", "results.sqlite", "-o", "out/mine.csv")
    assert exported.stdout.split() == [
        f"out/mine.{ending}" for ending in ("csv", "units.csv", "curves.csv")
    ]
    rows = read_measurements(folder / "out" / "mine.csv")
    assert_frame_equal(rows, read_measurements(folder / "results.sqlite"))
    assert rows["profile"].unique().tolist() == ["resampled, 2 runs, n_neighbors=5"]
    assert rows["method"].unique().tolist() == ["mine:Quick", "MLML"]
    assert str(folder) not in "".join(file.read_text() for file in (folder / "out").iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("plan.toml", "--profile", "quick"), "Name the profile in the plan file"),
        (("--profile", "quick", "--labels", "oak"), "no file is among the data sets"),
        (("plan.toml", "--jobs", "0"), "0 jobs"),
        (("plan.toml", "--set", "random_state=7"), "the runs have the seeds 0, 1"),
        (("plan.toml", "--dask", "local:x"), "as in local:4"),
        (("plan.toml", "--dask", "local:2", "--jobs", "2"), "Give one of the two"),
        (("plan.toml", "--dask", "tcp://127.0.0.1:1"), "no Dask scheduler"),
        (("plan.toml", "--dask", "nonsense"), "give the address of a scheduler"),
    ],
    ids=str,
)
def test_what_cannot_be_run_is_refused_in_plain_words(folder, options, words):
    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        done = in_process("run", *options)
    assert isinstance(done.exception, BenchmarkError)
    assert words in str(done.exception)


class Told(Watch):
    """Remembers what it is told."""

    def __init__(self):
        self.units, self.failures = [], []

    def done(self, unit, seconds):
        super().done(unit, seconds)
        self.units.append((str(unit), self.time_left()))

    def failed(self, unit):
        super().failed(unit)
        self.failures.append(str(unit))


@pytest.fixture
def one_breaks(folder):
    methods = ("mine:Quick", "mine:Broken")
    return Plan("mine", (Source("first.npz"),), methods, n_runs=1, parts=("train",))


@pytest.mark.parametrize("watch", [LogWatch(), BarWatch()], ids=lambda watch: type(watch).__name__)
def test_what_a_person_is_shown(folder, one_breaks, watch, capsys):
    run_plan(one_breaks, Store(folder / "results.sqlite"), watch=watch)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "first · mine:Quick · train: 0." in shown.err
    assert "first · mine:Broken · train: failed" in shown.err.replace("FAILED", "failed")


def test_a_watch_is_told_of_every_unit_and_of_the_time_left(folder, one_breaks):
    watch = Told()
    (failure,) = run_plan(one_breaks, Store(folder / "results.sqlite"), watch=watch)
    assert "broken on purpose" in failure.traceback
    assert watch.failures == ["first · mine:Broken · train"]
    ((name, left),) = watch.units
    assert name == "first · mine:Quick · train"
    assert left > 0
    assert watch.time_left() == 0


def test_the_time_left_counts_down_between_the_ends_of_units(folder, monkeypatch):
    clock = iter([0.0, 60.0, 60.0, 80.0, 200.0])  # asked at begin, done, and by each time_left
    monkeypatch.setattr("lamc.benchmark.watch.monotonic", lambda: next(clock))
    plan = Plan("mine", (Source("first.npz"),), ("mine:Quick", "mine:Slow"), parts=("train",))
    watch, units = Watch(), [unit for _, unit in plan.units()]
    watch.begin("mine", units, n_finished=0)
    assert watch.time_left() is None
    watch.done(units[0], 60.0)
    assert [watch.time_left() for _ in range(3)] == pytest.approx([60, 40, 0])


def test_a_terminal_shows_the_bar_with_the_time_left(folder):
    here, terminal = pty.openpty()
    process = subprocess.Popen(
        [LAMC, "bench", *RUN],
        cwd=folder,
        env=environment() | {"TERM": "xterm", "COLUMNS": "120"},
        stdout=subprocess.DEVNULL,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError), os.fdopen(here, "rb", buffering=0) as screen:
        while part := screen.read(10_000):
            shown += part
    assert process.wait() == 0
    assert re.search(r"mine \S+ [1-5]/6 \d:\d\d:\d\d about \d.* left", plain(shown))
    assert re.search(r"6/6 \d:\d\d:\d\d$", plain(shown).strip())


def plain(shown):
    """What a terminal was sent, without colours and movements."""
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode()).replace("\r", "\n")
