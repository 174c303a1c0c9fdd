"""What the commands make of tables as people have them: misspelt, with gaps, from Excel."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from lamc import load

from .conftest import FAST, make_trees

TRAIN = ("--label-column", "seen", "--id", "id", *FAST)
FEATURES = ["id", "height", "width", "leaf"]


@pytest.fixture
def seen():
    """Rows to train on."""
    return make_trees(120, 5)[[*FEATURES, "seen"]].assign(height=np.arange(120) / 4)


def test_a_misspelt_label_to_calibrate_on_is_refused(lamc, lamc_json, trees, tmp_path):
    checked = make_trees(200, 1)
    tags = [
        tags.replace("oak", "Oak" if i % 2 else "oak") for i, tags in enumerate(checked["tags"])
    ]
    checked[FEATURES].assign(seen=tags).to_csv(tmp_path / "checked.csv", index=False)
    said = [trees / "train.csv", "--label-column", "seen", "--separator", ";", "--id", "id", *FAST]
    right, wrong = trees / "checked.parquet", tmp_path / "checked.csv"
    for more in (["--calibration", wrong], ["--calibration", right, "--validation", wrong]):
        done = lamc("train", *said, *more, "-o", tmp_path / "a.lamc", code=1)
        assert re.search(r"checked\.csv, row \d+ .*'Oak' is not among the 3 labels", done.stderr)
        assert "Did you mean 'oak'?" in done.stderr
        assert "name all labels there are: --labels" in done.stderr
    facts = lamc_json(
        "train", *said, "--labels", "Oak,ash,elm,oak", "--calibration", wrong,
        "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    assert [label["label"] for label in facts["labels"]] == ["Oak", "ash", "elm", "oak"]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("NA", "row 12 (the header is row 1): the label in 'seen' is 'NA', which stands for a"),
        ("elm;oak", "'elm;oak' in 'seen' joins 'elm', 'oak', which are labels of other rows."),
    ],
)
def test_a_cell_that_is_no_label(lamc, seen, tmp_path, cell, message):
    seen.loc[10, "seen"] = cell
    seen.to_csv(tmp_path / "a.csv", index=False)
    done = lamc("train", tmp_path / "a.csv", *TRAIN, "-o", tmp_path / "a.lamc", code=1)
    assert message in done.stderr
    assert "--labels" in done.stderr
    if ";" in cell:
        assert "Say --separator ';' to split it" in done.stderr


def test_a_decimal_comma_is_asked_about_and_read(lamc, lamc_json, seen, tmp_path):
    seen.to_csv(tmp_path / "a.csv", index=False)
    seen.to_csv(tmp_path / "b.csv", index=False, sep=";", decimal=",")
    between = ["--delimiter", ";"]
    for command in (["train", "-o", tmp_path / "b.lamc", *TRAIN], ["data", "show", *TRAIN[:4]]):
        done = lamc(*command, tmp_path / "b.csv", *between, code=1)
        assert "row 2 (the header is row 1): the column 'height' holds '0,0'" in done.stderr
        assert "Say --decimal ',' if that is 0.0;" in done.stderr
        assert "--words 'height'" in done.stderr
    for name, more in [("a", []), ("b", [*between, "--decimal", ","])]:
        said = [*TRAIN, "--alpha", 0.3, *more]
        facts = lamc_json("train", tmp_path / f"{name}.csv", *said, "-o", tmp_path / f"{name}.lamc")
        assert (
            "Read as words, each a 0/1 feature: 'leaf'. Read as numbers: 'height', 'width'."
            in (facts["notes"])
        )
    one, other = (load(tmp_path / f"{name}.lamc") for name in "ab")
    np.testing.assert_allclose(one.thresholds_, other.thresholds_)
    done = lamc("predict", tmp_path / "b.lamc", tmp_path / "b.csv", *between, code=1)
    assert "Say --decimal ','" in done.stderr
    lamc_json(
        "predict", tmp_path / "b.lamc", tmp_path / "b.csv", *between, "--decimal", ",",
        "-o", tmp_path / "o.csv",
    )  # fmt: skip


def test_one_odd_cell_in_a_column_of_numbers(lamc, lamc_json, seen, tmp_path):
    seen["height"] = seen["height"].astype(object)
    seen.loc[7, "height"] = "<300"
    seen.to_csv(tmp_path / "a.csv", index=False)
    said = [tmp_path / "a.csv", *TRAIN, "-o", tmp_path / "a.lamc"]
    done = lamc("train", *said, code=1)
    assert "row 9 (the header is row 1): the column 'height' holds '<300', but 119" in done.stderr
    assert "--words 'height', or leave it out, --id 'height'." in done.stderr
    lamc("train", *said, "--id", "height", "--alpha", 0.3)
    assert load(tmp_path / "a.lamc").feature_names_in_.tolist() == ["width", "leaf"]
    facts = lamc_json("train", *said, "--words", "height", "--alpha", 0.3, "--force")
    assert (
        "Read as words, each a 0/1 feature: 'height', 'leaf'. Read as numbers: 'width'."
        in (facts["notes"])
    )


def test_the_features_of_a_file_are_shown(lamc, seen, tmp_path):
    seen.to_csv(tmp_path / "a.csv", index=False)
    done = lamc("data", "show", tmp_path / "a.csv", *TRAIN[:4])
    assert "features: height, width, leaf=long, leaf=needle, leaf=round" in done.stdout
    assert "Read as words, each a 0/1 feature: 'leaf'." in done.stderr


def test_every_command_tells_of_gaps(lamc, trees, model, tmp_path):
    odd = pd.read_parquet(trees / "checked.parquet")
    odd["height"] = np.nan
    odd["leaf"] = ["mauve", None] * 100
    odd.to_csv(tmp_path / "odd.csv", index=False)
    for command, *more in [
        ("calibrate",),
        ("evaluate",),
        ("predict", "-o", tmp_path / "o.csv"),
        ("report", "-o", tmp_path / "o.html"),
    ]:
        done = lamc(command, model, tmp_path / "odd.csv", *more)
        assert "200 missing numbers were taken for the median of the training rows." in done.stderr
        assert "in the column 'leaf', so they say nothing: mauve." in done.stderr
        assert "100 rows have no word in the column 'leaf'. Training met no such" in done.stderr
    done = lamc(
        "train", trees / "train.csv", *TRAIN, "--calibration", tmp_path / "odd.csv",
        "-o", tmp_path / "a.lamc",
    )  # fmt: skip
    missing = pd.read_csv(trees / "train.csv")["height"].isna().sum()
    assert f"{200 + missing} missing numbers were taken" in done.stderr
    assert "100 rows have no word in the column 'leaf'." in done.stderr
    assert "so they say nothing: mauve." in done.stderr


def test_tables_as_excel_writes_them(lamc, lamc_json, seen, tmp_path):
    text = "\n" + seen.to_csv(index=False)
    (tmp_path / "wide.csv").write_bytes(text.encode("utf-16"))
    (tmp_path / "old.csv").write_bytes(text.replace("\n", "\r").encode())
    for name, more in [("wide", ["--encoding", "utf-16"]), ("old", [])]:
        said = [*TRAIN, "--alpha", 0.3, *more]
        lamc("train", tmp_path / f"{name}.csv", *said, "-q", "-o", tmp_path / f"{name}.lamc")
        facts = lamc_json(
            "predict", tmp_path / f"{name}.lamc", tmp_path / f"{name}.csv", *more,
            "-o", tmp_path / f"{name}-found.csv",
        )  # fmt: skip
        assert facts["rows"] == 120
    one, other = (tmp_path / f"{name}-found.csv" for name in ("wide", "old"))
    assert one.read_bytes() == other.read_bytes()


def test_an_inch_mark_in_the_header_swallows_no_rows(lamc_json, model, trees, tmp_path):
    rows = pd.read_parquet(trees / "new.parquet").to_csv(index=False).splitlines()
    text = "\n".join([f'{rows[0]},dbh 5"', *(f'{row},"a"' for row in rows[1:])])
    (tmp_path / "a.csv").write_text(f"{text}\n")
    facts = lamc_json("predict", model, tmp_path / "a.csv", "-o", tmp_path / "o.csv")
    assert facts["rows"] == 200


def test_sparse_attributes_in_another_order(lamc, lamc_json, tmp_path):
    rng = np.random.default_rng(0)
    X, Y = rng.random((90, 4)) * (rng.random((90, 4)) < 0.5), rng.random((90, 2)) < 0.5
    for name, order in [("train", [0, 1, 2, 3]), ("turned", [2, 0, 3, 1])]:
        head = "".join(f"@attribute f{j} numeric\n" for j in order)
        head += "@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
        lines = []
        for x, y in zip(X[:, order], Y, strict=True):
            cells = [*x.tolist(), *y.astype(int).tolist()]
            lines.append("{" + ", ".join(f"{j} {c}" for j, c in enumerate(cells) if c) + "}\n")
        (tmp_path / f"{name}.arff").write_text(f"@relation 'r: -C -2'\n{head}{''.join(lines)}")
    lamc("train", tmp_path / "train.arff", *FAST, "-q", "-o", tmp_path / "a.lamc")
    for name in ("train", "turned"):
        lamc_json(
            "predict", tmp_path / "a.lamc", tmp_path / f"{name}.arff",
            "-o", tmp_path / f"{name}.csv",
        )  # fmt: skip
    assert (tmp_path / "train.csv").read_bytes() == (tmp_path / "turned.csv").read_bytes()


def test_scores_in_another_order_than_the_truth(lamc, calibrator, tmp_path):
    rng = np.random.default_rng(0)
    names = ["ash", "elm", "oak"]
    scores = pd.DataFrame(rng.random((60, 3)), columns=names).assign(id=range(100, 160))
    truth = pd.DataFrame(rng.integers(0, 2, (60, 3)), columns=names).assign(id=scores["id"])
    scores.to_csv(tmp_path / "scores.csv", index=False)
    truth[::-1].to_csv(tmp_path / "truth.csv", index=False)
    said = ["--scores", tmp_path / "scores.csv", "--truth", tmp_path / "truth.csv"]
    done = lamc("evaluate", calibrator, *said, code=1)
    assert "hold the same rows in different orders" in done.stderr
    assert "--id id" in done.stderr
    lamc("evaluate", calibrator, *said, "--id", "id")


def test_a_matrix_of_scores(lamc, calibrator, trees, tmp_path):
    np.save(tmp_path / "a.npy", pd.read_parquet(trees / "scores.parquet").to_numpy()[:50])
    done = lamc("predict", calibrator, tmp_path / "a.npy", "--to", "jsonl", "-q")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 150
    assert [row["id"] for row in rows[:4]] == [0, 0, 0, 1]


def test_a_packed_table_cut_short(lamc, model, tmp_path, trees):
    rows = pd.concat([pd.read_parquet(trees / "new.parquet")] * 50)
    rows.to_csv(tmp_path / "a.csv.gz", index=False)
    (tmp_path / "a.csv.gz").write_bytes((tmp_path / "a.csv.gz").read_bytes()[:-50])
    done = lamc("predict", model, tmp_path / "a.csv.gz", "-o", tmp_path / "o.csv", code=1)
    assert "It may be cut short" in done.stderr
    assert "not foreseen" not in done.stderr
    assert not (tmp_path / "o.csv").exists()
