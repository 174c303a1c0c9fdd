"""The shell command as a real process."""

import subprocess
import sys
from pathlib import Path

import pytest

LAMC = Path(sys.executable).with_name("lamc")


def lamc(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LAMC, *arguments],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", **environment},
    )


def test_the_demo_runs_from_end_to_end_and_is_the_same_for_the_same_seed():
    done = lamc("demo", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert "average precision" in done.stdout
    assert "accepts at least 90 %" in done.stdout
    assert "Traceback" not in done.stderr
    assert lamc("demo", "--seed", "3").stdout == done.stdout


def test_without_arguments_it_shows_help():
    done = lamc()
    assert "Usage: lamc" in done.stdout + done.stderr


def test_the_version():
    done = lamc("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("lamc 0.")


def test_the_catalogue_is_listed():
    done = lamc("data", "list")
    assert done.returncode == 0
    assert "CAL500" in done.stdout
    assert "mirflickr" in done.stdout


def test_a_file_is_shown(tmp_path):
    file = tmp_path / "trees.csv"
    file.write_text("height,oak,elm\n3.5,1,0\n2.5,1,1\n1.0,0,1\n")
    done = lamc("data", "show", str(file), "--labels", "oak,elm")
    assert done.returncode == 0, done.stderr
    assert "3 rows, 1 features, 2 labels" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["data", "show", "yeats"], 1, "Did you mean 'yeast'?"),
        (["data", "show", "no/such/file.arff"], 1, "no/such/file.arff"),
        (["demo", "--seed", "one"], 2, "Invalid value"),
        (["dmeo"], 2, "No such command"),
    ],
)
def test_wrong_use_gets_a_sentence_and_an_exit_code(arguments, code, message, tmp_path):
    done = lamc(*arguments, LAMC_CACHE=str(tmp_path))
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
