"""``lamc train``: what was understood is said, and the model is the one of the library."""

import json

import numpy as np
import pandas as pd
import pytest

from lamc import load
from lamc.labels import Knowledge

from .conftest import FAST


def test_single_positives_in_one_column(lamc, trees, tmp_path):
    done = lamc(
        "train", trees / "train.csv", "--label-column", "seen", "--id", "id", *FAST,
        "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    assert "400 rows" in done.stderr
    assert "with one observed label each" in done.stderr
    assert "Warning: Calibrated on observed labels only" in done.stderr
    assert "--most-labels …" in done.stderr
    assert "Trained wan on 320 rows and calibrated it on 80 others." in done.stdout
    assert "accepts at least 90 % of the rows that have the label" in done.stdout
    model = load(tmp_path / "a.lamc")
    assert model.calibrator_.knowledge_ is Knowledge.SINGLE
    assert model.feature_names_in_.tolist() == ["height", "width", "leaf"]


def test_a_model_works_on_the_raw_columns_in_python_too(model, trees):
    rows = pd.read_parquet(trees / "new.parquet")
    loaded = load(model)
    assert loaded.predict(rows[["height", "width", "leaf"]]).shape == (200, 3)


def test_all_labels_allow_rules_that_need_them(lamc_json, trees, tmp_path):
    facts = lamc_json(
        "train", trees / "checked.parquet", "--labels", "ash,elm,oak", "--id", "id", *FAST,
        "--rule", "precision", "--alpha", "0.3", "--calibration-size", "100",
        "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    assert facts["trained_on"] + facts["calibrated_on"] == 200
    assert facts["calibrated_on"] == 100
    assert facts["rule"] == "precision"
    assert "with all their labels" in facts["notes"][0]
    assert [label["label"] for label in facts["labels"]] == ["ash", "elm", "oak"]
    assert facts["assumption"] is None


def test_validation_rows_are_chosen_by(lamc_json, trees, tmp_path):
    said = ["--label-column", "seen", "--id", "id", *FAST, "--alpha", 0.3]
    facts = lamc_json(
        "train", trees / "train.csv", *said, "--validation", trees / "checked.parquet",
        "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    assert "checked.parquet" in facts["notes"][2]
    (chosen,) = load(tmp_path / "a.lamc").estimator_[-1].selection_
    assert chosen["criterion"] == "average precision on fully labelled validation rows"


def test_the_same_seed_gives_the_same_file(lamc, trees, tmp_path):
    for name in ("a", "b"):
        lamc(
            "train", trees / "checked.parquet", "--labels", "a*h,oak,e*m", "--id", "id", *FAST,
            "--seed", 5, "-q", "-o", tmp_path / f"{name}.lamc",
        )  # fmt: skip
    assert (tmp_path / "a.lamc").read_bytes() == (tmp_path / "b.lamc").read_bytes()


def test_one_mark_a_row_is_asked_about(lamc, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,oak,elm\n" + "1,1,0\n2,0,1\n" * 20)
    done = lamc("train", path, "--labels", "oak,elm", "-o", tmp_path / "a.lamc", code=1)
    assert "Say which: --knowledge all, or --knowledge single." in done.stderr
    assert not (tmp_path / "a.lamc").exists()


def test_the_embedded_data_by_name(lamc_json, tmp_path):
    facts = lamc_json("train", "digit scenes", *FAST, "-o", tmp_path / "a.lamc")
    assert (facts["trained_on"], facts["calibrated_on"]) == (2800, 400)
    assert "(train)" in facts["notes"][0]
    assert "(calibration)" in facts["notes"][1]


def test_json_lines_give_the_model_that_csv_gives(lamc_json, trees, tmp_path):
    rows = pd.read_csv(trees / "train.csv")
    rows.to_json(tmp_path / "train.jsonl", orient="records", lines=True, double_precision=15)
    said = ["--label-column", "seen", "--id", "id", "--alpha", 0.3, *FAST]
    for path in (trees / "train.csv", tmp_path / "train.jsonl"):
        lamc_json("train", path, *said, "-o", tmp_path / f"{path.suffix}.lamc")
    one, other = (load(tmp_path / f"{ending}.lamc") for ending in (".csv", ".jsonl"))
    new = pd.read_parquet(trees / "new.parquet")[["height", "width", "leaf"]]
    np.testing.assert_allclose(one.predict_proba(new), other.predict_proba(new), atol=1e-6)


def test_quiet_is_quiet(lamc, trees, tmp_path):
    done = lamc(
        "train", trees / "train.csv", "--label-column", "seen", *FAST, "--most-labels", 3,
        "--alpha", 0.3, "-q", "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    assert done.output == ""
    assert "drawn at random" in load(tmp_path / "a.lamc").calibrator_.assumption_


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 1, "Nothing says which columns of"),
        (["--label-column", "sen"], 1, "Did you mean 'seen'?"),
        (["--label-column", "seen", "--rule", "precision"], 1, "needs all labels of every row"),
        (["--label-column", "seen", "--alpha", "1.5"], 2, "--alpha 1.5 is not a level"),
        (["--label-column", "seen", "--rule", "three-way", "--delta", "0.1"], 2, "no use for"),
        (["--label-column", "seen", "--method", "wam"], 2, "Did you mean 'wan'?"),
        (["--label-column", "seen", "--set", "efort=fast"], 2, "Did you mean 'effort'?"),
        (["--label-column", "seen", "--calibration-size", "1.5"], 1, "--calibration-size 1.5 with"),
        (["--label-column", "seen", "--calibration-size", "400"], 1, "--calibration-size 400 with"),
        (["--label-column", "seen", "--rule", "recal"], 2, "Invalid value"),
        (["--label-column", "seen", "--calibration", "no.csv"], 1, "There is no file no.csv"),
    ],
)
def test_what_cannot_be_done_is_said(lamc, trees, tmp_path, arguments, code, message):
    done = lamc("train", trees / "train.csv", *arguments, "-o", tmp_path / "a.lamc", code=code)
    assert message in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_an_output_is_replaced_only_on_request(lamc, trees, tmp_path):
    path = tmp_path / "a.lamc"
    path.write_text("mine")
    done = lamc("train", trees / "train.csv", "--label-column", "seen", "-o", path, code=1)
    assert "is there already" in done.stderr
    assert path.read_text() == "mine"
    done = lamc("train", trees / "train.csv", "--label-column", "seen", "-o", tmp_path, code=1)
    assert "is a folder" in done.stderr
    long = tmp_path / f"{'a' * 300}.lamc"
    done = lamc("train", trees / "train.csv", "--label-column", "seen", "-o", long, code=1)
    assert "cannot be written" in done.stderr
    assert "File name too long" in done.stderr


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["yeast", "rcv1subset1"])
def test_data_sets_of_the_catalogue(lamc, data_folder, monkeypatch, tmp_path, name):
    monkeypatch.setenv("LAMC_DATA", str(data_folder))
    done = lamc("train", name, *FAST, "-o", tmp_path / "a.lamc")
    assert "with one observed label each" in done.stderr
    found = json.loads(lamc("evaluate", tmp_path / "a.lamc", name, "--json").stdout)
    assert found["ranking"]["average precision"]["value"] > 0.2
    assert all(np.isfinite(claim["measured"]["value"]) for claim in found["claims"])


def test_a_name_that_does_not_tell_the_format(lamc, lamc_json, trees, tmp_path):
    data = tmp_path / "trees.txt"
    data.write_text((trees / "train.csv").read_text())
    command = ["train", data, "--label-column", "seen", "--id", "id", *FAST]
    done = lamc(*command, "-o", tmp_path / "a.lamc", code=1)
    assert "does not tell its format" in done.stderr
    assert "--from 'csv'" in done.stderr
    facts = lamc_json(*command, "--from", "csv", "-o", tmp_path / "a.lamc")
    assert facts["trained_on"] == 320


def test_a_part_of_a_table_is_wrong_use(lamc, trees, tmp_path):
    data = [trees / "train.csv", "--label-column", "seen", "--part", "train"]
    done = lamc("train", *data, "-o", tmp_path / "a.lamc", code=2)
    assert "carries no split, so it has no part 'train'" in done.stderr


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (["--delta", 0.2], {"delta": 0.2}),
        (["--few-positives", "pool"], {"few_positives": "pool"}),
        (["--per-label", 20], {"per_label": 20}),
    ],
    ids=lambda each: str(each),
)
def test_every_option_reaches_the_calibrator(options, changed, lamc, trees, tmp_path):
    lamc(
        "train", trees / "checked.parquet", "--labels", "ash,elm,oak", "--id", "id", *FAST,
        *options, "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    found = load(tmp_path / "a.lamc").calibrator_.settings_
    assert {name: getattr(found, name) for name in changed} == changed


def test_the_rows_held_out_go_by_the_seed(lamc, trees, tmp_path):
    found = []
    for seed in (1, 2, 1):
        lamc(
            "train", trees / "checked.parquet", "--labels", "ash,elm,oak", "--id", "id", *FAST,
            "--seed", seed, "-o", tmp_path / "a.lamc", "--force",
        )  # fmt: skip
        found.append(load(tmp_path / "a.lamc").calibration_rows_.tolist())
    assert found[0] == found[2] != found[1]
