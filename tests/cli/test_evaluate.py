"""``lamc evaluate``: the promise, the measurement, and what becomes of each label."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from lamc import load
from lamc.evaluation import evaluate
from lamc.metrics import precision


@pytest.fixture
def held_out(trees):
    return [trees / "held_out.csv", "--label-column", "tags", "--separator", ";"]


def test_in_words(lamc, model, held_out):
    done = lamc("evaluate", model, *held_out)
    assert "Promised for each calibrated label: called absent in at most 10 %" in done.stdout
    assert "Measured on 200 rows:" in done.stdout
    assert "Of the labels that rows have," in done.stdout
    assert "at most 10 % was promised" in done.stdout
    for name in ("average precision", "ranking loss", "Hamming loss", "left open", "ash", "elm"):
        assert name in done.stdout


def test_the_numbers_are_those_of_the_library(lamc_json, model, held_out, trees, tmp_path):
    table = tmp_path / "labels.csv"
    facts = lamc_json("evaluate", model, *held_out, "-o", table)
    loaded, rows = load(model), pd.read_csv(trees / "held_out.csv")
    truth = pd.DataFrame({k: rows["tags"].str.contains(k).astype(int) for k in loaded.classes_})
    scores = loaded.predict_proba(rows[["height", "width", "leaf"]])
    expected = evaluate(loaded.calibrator_, scores, truth)
    for name, found in expected.ranking.items():
        assert facts["ranking"][name]["value"] == pytest.approx(found.value)
        assert facts["ranking"][name]["low"] == pytest.approx(found.low)
    accepted = loaded.calibrator_.decide(scores) == 1
    assert facts["decided"]["precision"]["value"] == pytest.approx(precision(truth, accepted))
    written = pd.read_csv(table)
    assert written["label"].tolist() == ["ash", "elm", "oak"]
    assert written["recall"].tolist() == pytest.approx([x["recall"] for x in facts["labels"]])


def test_rows_that_were_trained_on_are_told(lamc, model, trees):
    train = pd.read_csv(trees / "train.csv").assign(ash=1, elm=1, oak=1)
    train.to_csv(trees / "trained_on.csv", index=False)
    done = lamc("evaluate", model, trees / "trained_on.csv")
    assert "Warning: 400 of 400 rows have the same features as a row" in done.stderr


def test_one_observed_label_a_row_is_not_enough(lamc, model, trees):
    done = lamc("evaluate", model, trees / "train.csv", "--label-column", "seen", code=1)
    assert "needs all labels of every row" in done.stderr


def test_labels_that_the_model_does_not_know(lamc, model, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("height,width,leaf,tags\n1,1,long,elm;okk\n")
    done = lamc("evaluate", model, path, "--label-column", "tags", "--separator", ";", code=1)
    assert "'okk' is not among the 3 labels" in done.stderr
    assert "--labels" not in done.stderr  # they are the model's, not the user's
    assert "Did you mean 'oak'?" in done.stderr


@pytest.fixture
def scored(trees, calibrator, tmp_path):
    """Scores and truth of 60 rows, of which none has an elm."""
    rng = np.random.default_rng(1)
    names = ["ash", "elm", "oak"]
    pd.DataFrame(rng.random((60, 3)), columns=names).to_csv(tmp_path / "s.csv", index=False)
    truth = pd.DataFrame(rng.integers(0, 2, (60, 3)), columns=names).assign(elm=0)
    truth.to_csv(tmp_path / "t.csv", index=False)
    return [calibrator, "--scores", tmp_path / "s.csv", "--truth", tmp_path / "t.csv"]


def test_what_cannot_be_measured_is_null_in_json_lines(lamc, scored, tmp_path):
    lamc("evaluate", *scored, "-q", "-o", tmp_path / "labels.jsonl")
    text = (tmp_path / "labels.jsonl").read_text()
    elm = json.loads(text.splitlines()[1])
    assert elm["label"] == "elm"
    assert elm["recall"] is None


def test_the_table_of_labels_alone_is_printed(lamc, scored):
    done = lamc("evaluate", *scored, "-o", "-")
    assert pd.read_csv(io.StringIO(done.stdout))["label"].tolist() == ["ash", "elm", "oak"]
    assert "Measured on 60 rows" in done.stderr
    done = lamc("evaluate", *scored, "-o", "-", "--to", "jsonl", "--json")
    assert [json.loads(line)["label"] for line in done.stdout.splitlines()] == ["ash", "elm", "oak"]
    assert json.loads(done.stderr)["rows"] == 60


def test_how_to_write_is_checked_before_anything_is_read(lamc, trees, tmp_path):
    for name in ("labels.txt", "labels.parquet.gz"):
        done = lamc("evaluate", trees / "no.lamc", "no.csv", "-o", tmp_path / name, code=1)
        assert name in done.stderr
        assert "no.lamc" not in done.stderr


def test_scores_and_truth_are_read_as_said(lamc_json, scored, tmp_path):
    expected = lamc_json("evaluate", *scored)["ranking"]
    for name in ("s", "t"):
        text = (tmp_path / f"{name}.csv").read_text()
        (tmp_path / f"{name}.txt").write_text(text.replace(",", ";"), encoding="utf-16")
    files = ["--scores", tmp_path / "s.txt", "--truth", tmp_path / "t.txt"]
    read_as = ["--from", "csv", "--delimiter", ";", "--encoding", "utf-16"]
    assert lamc_json("evaluate", scored[0], *files, *read_as)["ranking"] == expected


def test_a_part_of_what_has_no_parts_is_wrong_use(lamc, model, held_out, scored):
    for arguments in ([model, *held_out], scored):
        done = lamc("evaluate", *arguments, "--part", "test", code=2)
        assert "carries no split, so it has no part 'test'" in done.stderr
        lamc("evaluate", *arguments, "--part", "all", "-q")
