"""``lamc report`` at a shell."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

from lamc import LAMC, Calibrator
from lamc.cli import app
from lamc.datasets import digit_scenes, observe
from lamc.storage import save

from .cases import scored_rows

NAMES = ["ash", "elm", "fir", "oak"]


def run(*arguments, code=0):
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["report", *map(str, arguments)])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """A folder with a calibrator, scores and truth."""
    folder = tmp_path_factory.mktemp("trees")
    scores, labels = scored_rows(150, seed=2)
    calibrator = Calibrator("three-way", alpha=0.1).fit(scores, labels.to_array(), classes=NAMES)
    save(calibrator, folder / "calibrator.lamc")
    new, truth = scored_rows(80, seed=3)
    pd.DataFrame(new, columns=NAMES).to_parquet(folder / "scores.parquet")
    pd.DataFrame(truth.to_array(), columns=NAMES).to_csv(folder / "truth.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A model of digit scenes."""
    data = digit_scenes(random_state=0)
    rows, calibration = data.split.train[:400], data.split.calibration
    model = LAMC(GaussianNB(), rule="recall", random_state=0)
    model.fit(
        data.X[rows],
        observe(data.Y[rows], random_state=0),
        X_cal=data.X[calibration],
        Y_cal=data.Y[calibration],
    )
    path = tmp_path_factory.mktemp("digits") / "digits.lamc"
    model.save(path)
    return path


def test_scores_made_elsewhere(trees, tmp_path):
    output = tmp_path / "r.html"
    scored = ["--scores", trees / "scores.parquet", "--truth", trees / "truth.csv"]
    done = run(trees / "calibrator.lamc", *scored, "-o", output, "--about", "A forest.")
    assert str(output) in done.stdout
    text = output.read_text(encoding="utf-8")
    assert "A forest." in text
    assert "Report on scores.parquet" in text
    assert '<th scope="row" role="rowheader" class="name">fir</th>' in text


def test_rows_go_by_what_identifies_them(trees, tmp_path):
    for name, read in (("scores.parquet", pd.read_parquet), ("truth.csv", pd.read_csv)):
        rows = read(trees / name)
        rows.insert(0, "tree", [f"t{row} <b>" for row in range(len(rows))])
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    files = ["--scores", tmp_path / "scores.parquet.csv", "--truth", tmp_path / "truth.csv.csv"]
    run(trees / "calibrator.lamc", *files, "--id", "tree", "-o", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    called = re.findall("<h4>(.*)</h4>", text)
    assert len(called) == 18
    assert all(re.fullmatch(r"t\d+ &lt;b&gt;", name) for name in called)
    assert "counted from 0" not in text


def test_a_model_and_a_data_set_with_pictures(digits, tmp_path):
    output = tmp_path / "r.html"
    facts = json.loads(run(digits, "digit scenes", "-o", output, "--json").stdout)
    assert facts["report"] == str(output)
    assert facts["rows"] == 400
    assert not [note for note in facts["notes"] if note.startswith("Warning")]
    text = output.read_text(encoding="utf-8")
    assert "GaussianNB, loaded from digits.lamc." in text
    assert text.count('src="data:image/png') == 18


def test_rows_of_the_training_set_are_noticed(digits, tmp_path):
    arguments = (digits, "digit scenes", "--part", "train", "-o", tmp_path / "r.html", "--json")
    notes = json.loads(run(*arguments).stdout)["notes"]
    assert any("the model was trained on" in note for note in notes)


def test_an_output_is_replaced_only_when_asked(trees, tmp_path):
    output = tmp_path / "r.html"
    output.write_text("mine")
    arguments = [trees / "calibrator.lamc", "--scores", trees / "scores.parquet"]
    arguments += ["--truth", trees / "truth.csv", "-o", output, "--quiet"]
    assert "--force" in run(*arguments, code=1).stderr
    assert output.read_text() == "mine"
    assert run(*arguments, "--force").output == ""
    assert output.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_truth_that_is_not_whole_is_refused(trees, tmp_path):
    names = np.array(NAMES)[np.arange(80) % 4]
    pd.DataFrame({"seen": names}).to_csv(tmp_path / "seen.csv", index=False)
    output = tmp_path / "r.html"
    scored = ["--scores", trees / "scores.parquet", "--truth", tmp_path / "seen.csv"]
    done = run(trees / "calibrator.lamc", *scored, "--label-column", "seen", "-o", output, code=1)
    assert "needs all labels of every row" in done.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    "arguments",
    [["model.lamc"], ["model.lamc", "--scores", "s.csv"], []],
)
def test_wrong_use(arguments):
    assert "Usage" in run(*arguments, code=2).stderr


def test_rows_of_the_calibration_set_are_noticed_in_the_page_too(digits, tmp_path):
    output = tmp_path / "r.html"
    arguments = (digits, "digit scenes", "--part", "calibration", "-o", output, "--json")
    notes = json.loads(run(*arguments).stdout)["notes"]
    assert any("400 of 400 rows" in note and "calibrated on" in note for note in notes)
    text = output.read_text(encoding="utf-8")
    assert "<strong>Be wary.</strong> 400 of 400 rows have the same features" in text
