"""``lamc evaluate``: the promise, the measurement, and what becomes of each label."""

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
