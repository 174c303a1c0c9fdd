"""``lamc bench table``, ``compare`` and ``figure`` as real processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from lamc.benchmark import figures
from lamc.benchmark.drawing import write_figure
from lamc.benchmark.frames import write_csv_files
from lamc.benchmark.result_table import table
from lamc.benchmark.store import read_curves, read_measurements
from lamc.benchmark.table_formats import as_csv, markdown

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


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    values = {
        (d, m): [0.3 + i / 10 + j / 50, 0.31 + i / 10 + j / 50]
        for i, d in enumerate(("CAL500", "scene", "yeast"))
        for j, m in enumerate(("LAMC", "SMILE", "AN"))
    }
    rows = joined(
        *(
            make(values, metric=metric)
            for make in (measured, accepted)
            for metric in ("average_precision", "coverage_error", "ranking_loss")
        )
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


def test_the_papers_three_tables_go_to_a_file(results, tmp_path):
    file = tmp_path / "new folder" / "tables.csv"
    done = bench("table", results, "--format", "csv", "-o", file)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("table", "--view", "accpted"), "no view 'accpted' here. They hold accepted and full"),
        (("figure", "--kind", "risk-coverage", "-o", "f.jpg"), "one of .png, .svg and .pdf"),
        (("table", "--positives", "few"), "a number or all"),
    ],
)
def test_errors_are_a_few_plain_lines(results, arguments, message):
    done = bench(arguments[0], results, *arguments[1:])
    assert done.returncode != 0
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
