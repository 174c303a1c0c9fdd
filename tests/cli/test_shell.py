"""The shell as a whole: help, exit codes, errors, stops."""

import ast
import math
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.resources import files

import pytest
from typer.testing import CliRunner

import lamc.cli.train
from lamc.cli import app
from lamc.cli.calibrated import _threshold
from lamc.cli.options import label_columns
from lamc.cli.output import Output, table
from lamc.cli.shell import _ADVICE, explained, in_shell_words
from lamc.cli.stops import stops_heard
from lamc.exceptions import LAMCError
from lamc.labels import as_labels

from .conftest import FAST, LAMC

COMMANDS = [
    ["train"], ["calibrate"], ["predict"], ["evaluate"], ["report"], ["demo"],
    ["data", "list"], ["data", "show"], ["data", "read"], ["data", "fetch"],
    ["bench", "run"], ["bench", "table"], ["bench", "compare"], ["bench", "figure"],
    ["bench", "readings"], ["bench", "export"],
]  # fmt: skip
HEAVY = {"torch", "pandas", "matplotlib", "sklearn", "numpy", "scipy", "pyarrow", "jinja2"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_the_common_options(lamc, command):
    text = re.sub(r"\s+", " ", lamc(*command, "--help").stdout)
    assert f"Example: lamc {' '.join(command)}" in text
    for option in ("--json", "--quiet", "--debug"):
        assert option in text


@pytest.mark.parametrize("command", [[], ["train"], ["bench", "run"]])
def test_help_is_light(command):
    code = (
        "import sys\nfrom lamc.cli import app\n"
        f"try:\n    app({[*command, '--help']!r})\n"
        "except SystemExit as end:\n    assert not end.code\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage" in done.stdout
    assert done.stderr.strip() == "[]"


def test_without_arguments_it_shows_help():
    result = CliRunner().invoke(app, [])
    assert "Usage: " in result.output


def test_the_version(lamc):
    assert lamc("--version").stdout.startswith("lamc 0.")


@pytest.mark.parametrize("arguments", [["dmeo"], ["demo", "--seed", "one"], ["train"]])
def test_wrong_use(lamc, arguments):
    assert "Usage" in lamc(*arguments, code=2).stderr


def test_completion(process):
    def completed(words, position):
        done = process(_LAMC_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(position))
        return done.stdout.split()

    assert set(completed("lamc ", 1)) >= {"train", "predict", "bench", "report"}
    assert completed("lamc train --method w", 3) == ["wan"]
    assert "three-way" in completed("lamc train --rule t", 3)


def test_a_traceback_is_shown_only_on_request(trees):
    runner = CliRunner()
    arguments = ["data", "show", str(trees / "no.csv")]
    plain = runner.invoke(app, arguments)
    assert plain.exit_code == 1
    assert plain.stderr.startswith("lamc: There is no file")
    assert "Traceback" not in plain.output
    for placed in ([*arguments, "--debug"], ["--debug", *arguments]):
        shown = runner.invoke(app, placed)
        assert shown.exit_code == 1
        assert "Traceback" in shown.stderr
        assert "lamc: There is no file" in shown.stderr


def test_what_was_not_foreseen_is_a_message_too(lamc, trees, monkeypatch, tmp_path):
    def broken(*_: object, **__: object) -> None:
        raise KeyError("boom")

    monkeypatch.setattr("lamc.tables.labelled.training_rows", broken)
    arguments = ["train", trees / "train.csv", "--label-column", "seen", "-o", tmp_path / "a"]
    done = lamc(*arguments, code=1)
    assert "KeyError: 'boom'" in done.stderr
    assert "--debug" in done.stderr


def test_a_full_disk_is_a_message_too(lamc, trees, monkeypatch, tmp_path):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path / "a"))

    monkeypatch.setattr("lamc.classifier.LAMC.save", full)
    arguments = ["train", trees / "train.csv", "--label-column", "seen", *FAST, "-q"]
    done = lamc(*arguments, "-o", tmp_path / "a", code=1)
    assert done.stderr == f"lamc: {tmp_path / 'a'}: No space left on device.\n"


def test_markup_in_names_is_printed_as_it_is(capsys):
    with Output() as out:
        out.show("[red]label[/red] [1]")
        out.note("[bold]note[/bold]")
    printed = capsys.readouterr()
    assert printed.out == "[red]label[/red] [1]\n"
    assert printed.err == "[bold]note[/bold]\n"


def test_a_path_is_not_broken_into_lines_unless_a_width_is_given(capsys, monkeypatch):
    path = "/a folder with a long name/" * 10
    monkeypatch.delenv("COLUMNS", raising=False)
    Output().show(f"Wrote {path}.")
    assert capsys.readouterr().out == f"Wrote {path}.\n"
    monkeypatch.setenv("COLUMNS", "60")
    Output().show(f"Wrote {path}.")
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_a_table_in_a_pipe_is_whole(capsys, monkeypatch):
    name, cells = "Pseudorchis_albida_subsp._straminea", ("0.1234 (0.1200–0.1300)",) * 5
    shown = table("Labels", ("label", *"abcde"), [(name, *cells)])
    monkeypatch.delenv("COLUMNS", raising=False)
    Output().show(shown)
    assert f"{name}   {'   '.join(cells)}" in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "60")
    Output().show(shown)
    narrow = capsys.readouterr().out
    assert max(map(len, narrow.splitlines())) <= 60
    assert "…" not in narrow


def test_a_table_of_a_command_in_a_pipe_is_whole(tmp_path):
    name = "a_label_whose_name_is_longer_than_others_and_fills_the_usual_width_of_80"
    (tmp_path / "s.csv").write_text(f"{name},b\n" + "0.2,0.8\n0.7,0.3\n" * 30)
    (tmp_path / "t.csv").write_text(f"{name},b\n" + "1,1\n0,1\n" * 30)
    done = subprocess.run(
        [LAMC, "calibrate", "--scores", tmp_path / "s.csv", "--truth", tmp_path / "t.csv"],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1"},
        check=True,
    )
    assert re.search(rf"{name} +30 +0\.2000 +calibrated", done.stdout)


@pytest.mark.parametrize("command", ["train", "calibrate", "report", "demo"])
def test_an_output_that_cannot_be_written_is_told_before_any_work(lamc, trees, command):
    data = {"train": ["no.csv"], "calibrate": ["no.lamc", "no.csv"], "report": ["no.lamc", "no"]}
    output = trees / "train.csv" / "a.lamc"
    done = lamc(command, *data.get(command, []), "-o", output, code=1)
    assert f"{output} cannot be written" in done.stderr
    assert "train.csv: Not a directory." in done.stderr
    done = lamc(command, *data.get(command, []), "-o", "-", code=2)
    assert "standard output" in done.stderr


def test_ctrl_c_is_clean_in_this_process(lamc, trees, monkeypatch, tmp_path):
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lamc.training.fit_rows", stop)
    arguments = ["train", trees / "train.csv", "--label-column", "seen", "-o", tmp_path / "a"]
    done = lamc(*arguments, code=130)
    assert "stopped" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_stop_while_rows_are_written_leaves_nothing(calibrator, trees, tmp_path, number, code):
    data = trees / "scores.parquet"
    with subprocess.Popen(
        [LAMC, "predict", calibrator, data, "--rows", "1", "-o", tmp_path / "out.parquet"],
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # nohup ignores it
    ) as running:
        while running.poll() is None and not list(tmp_path.glob(".out.parquet.*.part")):
            time.sleep(0.01)
        running.send_signal(number)
        _, errors = running.communicate()
    assert running.returncode == code
    assert b"Traceback" not in errors
    assert b"ignored" not in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "stop"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_stop_that_a_library_drops_is_raised_again(number, stop):
    def work():
        with suppress(BaseException):  # as NumPy does where it looks for attributes
            os.kill(os.getpid(), number)
        time.sleep(10)

    handlers = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    with pytest.raises(stop) as stopped, stops_heard():
        work()
    assert number == signal.SIGINT or stopped.value.code == 143
    del stopped
    time.sleep(0.2)  # nothing comes after the end
    assert handlers == [
        signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    ]


def test_a_reader_that_goes_away_is_no_error_to_speak_of(calibrator, trees):
    command = f"{LAMC} predict {calibrator} {trees / 'scores.parquet'} -q | head -n 2"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith('"id","label"')
    assert done.stderr == ""


def test_advice_for_labels_without_a_column_is_an_option():
    with pytest.raises(LAMCError) as found:
        as_labels([[1, 0], [1, 1]], classes=["ash", "elm"], knowledge="all").align(
            ["ash", "elm", "oak"]
        )
    told = explained(found.value)
    assert "--knowledge some." in told
    assert "as_labels" not in told


def test_an_error_of_the_library_is_raised_as_such_in_python():
    with pytest.raises(LAMCError):
        lamc.cli.train.options.load_model("no/such/model.lamc", None)


def test_labels_with_commas_are_named_in_quotes():
    where = label_columns('oak, "Carex nigra, agg.",elm', None, None, None)
    assert where.names == ("oak", "Carex nigra, agg.", "elm")


def test_each_type_to_trust_has_an_option():
    told = in_shell_words("load(path, trusted=['a.B', 'c.D']).")
    assert told == "--trust a.B --trust c.D."


@pytest.mark.parametrize(
    ("value", "shown"), [(0.25, "0.2500"), (0.0, "0.0000"), (5.5e-5, "5.5e-05"), (math.inf, "–")]
)
def test_small_thresholds_are_not_shown_as_zero(value, shown):
    assert _threshold(value) == shown


def test_output_in_another_encoding_says_what_it_can(process, model, trees):
    done = process("evaluate", model, trees / "checked.parquet", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert r"average precision \u2191" in done.stdout


def test_colons_in_the_name_of_a_file_are_no_picture(lamc, tmp_path):
    (tmp_path / ":bug:.csv").write_text("x,oak\n1,0\n2,1\n3,1\n")
    done = lamc("data", "show", tmp_path / ":bug:.csv", "--labels", "oak")
    assert "Dataset ':bug:'" in done.stdout


def test_advice_that_the_shell_words_otherwise_is_given_somewhere():
    """Else a sentence that was improved would reach the shell in the words of the library."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for path in files("lamc").rglob("*.py")
        if path.name != "shell.py"
    ]
    written = [_text_of(node) for tree in trees for node in ast.walk(tree)]
    for advice in _ADVICE:
        assert any(advice in text for text in written), advice


def _text_of(node):
    """The text of a string, without what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text_of, node.values))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
