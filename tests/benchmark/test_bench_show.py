"""``lamc bench table``, ``compare`` and ``figure`` as real processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lamc.benchmark import figures
from lamc.benchmark.compare import compare
from lamc.benchmark.drawing import write_figure
from lamc.benchmark.frames import write_csv_files
from lamc.benchmark.nearness import nearness, nearness_text
from lamc.benchmark.paper import METRICS
from lamc.benchmark.result_table import table
from lamc.benchmark.store import read_curves, read_measurements
from lamc.benchmark.table_formats import as_csv, markdown
from lamc.cli import app

from .results import accepted, joined, measured, points

LAMC = Path(sys.executable).with_name("lamc")


def bench(*arguments, folder=None):
    return subprocess.run(
        [LAMC, "bench", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", "OMP_NUM_THREADS": "1"},
    )


def in_process(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    values = {
        (d, m): [0.3 + i / 10 + j / 50, 0.31 + i / 10 + j / 50]
        for i, d in enumerate(("CAL500", "scene", "yeast"))
        for j, m in enumerate(("LAMC", "SMILE", "AN"))
    }
    rows = joined(
        *(make(values, metric=metric) for make in (measured, accepted) for metric in METRICS)
    )
    curves = joined(
        *(points("risk-coverage", [(0.01, 0.1), (1, 0.8)], method=m) for m in ("LAMC", "AN"))
    )
    path = tmp_path_factory.mktemp("results") / "results.csv"
    write_csv_files(rows, curves, path)
    return path


def test_a_table_on_the_terminal_is_that_of_the_library(results):
    done = bench("table", results, "--metric", "ranking_loss", "--against", "paper")
    assert done.returncode == 0, done.stderr
    made = table(read_measurements(results), "ranking_loss", against_paper=True)
    assert done.stdout == markdown([made])


def test_metrics_are_separated_by_commas_or_given_several_times(results):
    names = ["ranking_loss", "coverage_error", "average_precision"]
    asked = ("--metric", "ranking_loss, coverage_error", "--metric", names[2])
    done = in_process("table", results, *asked)
    made = [table(read_measurements(results), name) for name in names]
    assert done.stdout == markdown(made)


def test_the_ending_of_a_file_says_what_to_write(results, tmp_path):
    for ending, begins in {".tex": "\\begin", ".HTML": "<", ".md": "#", ".csv": "metric,"}.items():
        file = tmp_path / f"table{ending}"
        done = in_process("table", results, "--metric", "ranking_loss", "-o", file)
        assert done.exit_code == 0, done.output
        assert begins in file.read_text()[:200], ending
    file = tmp_path / "asked.txt"
    assert in_process("table", results, "--format", "csv", "-o", file).exit_code == 0
    assert file.read_text().startswith("metric,")


def test_the_papers_three_tables_go_to_a_file(results, tmp_path):
    file = tmp_path / "new folder" / "tables.csv"
    done = bench("table", results, "-o", file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == f"Wrote {file}.".split()  # a long path may be broken at a space
    names = ("average_precision", "coverage_error", "ranking_loss")
    measurements = read_measurements(results)
    assert file.read_text() == as_csv([table(measurements, name) for name in names])


def test_a_comparison_with_its_diagram(results, tmp_path):
    file = tmp_path / "ranks.svg"
    options = ("--view", "accepted", "--against", "SMILE", "--methods", "LAMC,SMILE,AN")
    done = bench("compare", results, *options, "-o", file)
    assert done.returncode == 0, done.stderr
    assert "Friedman: χ² = 6.00 with 2 degrees of freedom" in done.stdout
    assert "against SMILE" in done.stdout
    assert "rule selective, alpha 0.5" in done.stdout
    assert file.read_text().startswith("<?xml")


def test_a_figure_has_the_bytes_that_another_process_gives_it(results, tmp_path):
    done = bench("figure", results, "--kind", "risk-coverage", "-o", "here.svg", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Wrote here.svg.\n"
    write_figure(figures.risk_coverage(read_curves(results)), tmp_path / "there.svg")
    assert (tmp_path / "here.svg").read_bytes() == (tmp_path / "there.svg").read_bytes()


COMMANDS = {
    "table": ("-o", "out.csv"),
    "compare": ("-o", "out.svg"),
    "figure": ("--kind", "risk-coverage", "-o", "out.svg"),
    "export": ("-o", "out.csv"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_program_gets_one_document_and_quiet_says_nothing_but_data(
    results, command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    done = in_process(command, results, *COMMANDS[command], "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["notes"] == []
    assert done.stderr == ""
    done = in_process(command, results, *COMMANDS[command], "--quiet", "--force")
    assert done.exit_code == 0, done.stderr
    assert (done.stdout == "") == (command != "compare")
    assert done.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_there_is_replaced_only_by_force(results, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = COMMANDS[command]
    out = tmp_path / options[-1]
    out.write_text("mine")
    done = in_process(command, results, *options)
    assert done.exit_code == 1
    assert done.stderr == (
        f"lamc: {out.name} is there already.\nChoose another name, or replace it: --force.\n"
    )
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    done = in_process(command, results, *options, "--force")
    assert done.exit_code == 0, done.stderr
    assert out.read_text() != "mine"


def test_an_export_replaces_none_of_its_three_files_unasked(results, tmp_path):
    (tmp_path / "out.curves.csv").write_text("mine")
    done = in_process("export", results, "-o", tmp_path / "out.csv")
    assert done.exit_code == 1
    assert "out.curves.csv is there already" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["out.curves.csv"]


def test_readings_for_people_and_for_programs(tmp_path):
    of = {"profile": "paper", "view": "reading: all rows"}
    rows = joined(*(measured({("yeast", "LAMC"): [0.5]}, metric=name, **of) for name in METRICS))
    path = tmp_path / "results.csv"
    write_csv_files(rows, points("risk-coverage", [(0, 0)]), path)
    (near,) = nearness(read_measurements(path))
    assert in_process("readings", path, "--quiet").stdout == f"{nearness_text([near])}\n"
    (shown,) = json.loads(in_process("readings", path, "--json").stdout)["readings"]
    assert (shown["reading"], shown["mean_difference"]) == ("all rows", near.apart)


def test_the_numbers_of_the_documents_are_those_of_the_library(results):
    def document(*arguments):
        return json.loads(in_process(*arguments, "--json").stdout)

    measurements = read_measurements(results)
    made = table(measurements, "ranking_loss", against_paper=True)
    shown = document("table", results, "--metric", "ranking_loss", "--against", "paper")
    (found,) = shown["tables"]
    cells = {(cell["dataset"], cell["method"]): cell for cell in found["cells"]}
    assert cells.keys() == made.cells.keys()
    for place, cell in made.cells.items():
        assert cells[place]["mean"] == cell.mean
        assert cells[place]["best"] == cell.best
        assert cells[place]["paper"]["mean"] == cell.paper.mean
    assert found["average_ranks"] == made.average_ranks
    shown = document("compare", results, "--metric", "ranking_loss")
    compared = compare(table(measurements, "ranking_loss"))
    assert shown["friedman"]["p"] == compared.friedman.p
    assert [test["p_holm"] for test in shown["wilcoxon"]] == [t.p_holm for t in compared.wilcoxon]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("table", "--view", "accpted"), "no view 'accpted' here. They hold accepted and full"),
        (("table", "--part", "training"), "no part 'training' here. They hold train"),
        (("compare", "--part", "tran"), "no part 'tran' here. They hold train"),
        (("figure", "--kind", "risk-coverage", "-o", "f.jpg"), "one of .png, .svg and .pdf"),
        (("table", "--positives", "few"), "a number or all"),
        (("figure", "--kind", "thresholds", "--metric", "recall"), "for --kind calibration-size"),
    ],
)
def test_errors_are_a_few_plain_lines(results, arguments, message):
    done = in_process(arguments[0], results, *arguments[1:])
    assert done.exit_code != 0
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_merging_takes_what_others_have_finished(tmp_path):
    small = ("run", "--datasets", "digit scenes", "--runs", 1, "--set", "epochs=1")
    for method in ("AN", "WAN"):
        path = tmp_path / f"{method}.sqlite"
        assert in_process(*small, "--methods", method, "--output", path).exit_code == 0
    into, first, second = (tmp_path / f"{name}.sqlite" for name in ("all", "AN", "WAN"))
    done = bench("merge", into, first, second)
    assert (done.returncode, done.stderr) == (0, "")
    assert "AN.sqlite: units taken: 1, known: 0" in " ".join(done.stdout.split())
    again = json.loads(in_process("merge", into, first, "--json").stdout)
    assert again["taken"] == [{"file": str(first), "added": 0, "known": 1, "hidden": 0}]
    assert sorted(read_measurements(into)["method"].unique()) == ["AN", "WAN"]
    csv, other = tmp_path / "all.csv", tmp_path / "other.sqlite"
    assert in_process("export", into, "-o", csv).exit_code == 0
    assert "units taken: 2, known: 0" in " ".join(in_process("merge", other, csv).stdout.split())
    gone_on = in_process(*small, "--methods", "AN,WAN", "--output", other)
    assert "2 units finished, 0 to run" in gone_on.output


def test_merging_refuses_before_it_takes_anything(tmp_path):
    into, missing = tmp_path / "all.sqlite", tmp_path / "missing.sqlite"
    done = in_process("merge", into, missing)
    assert done.exit_code == 1
    assert "There is no results file" in done.stderr
    assert not into.exists()
