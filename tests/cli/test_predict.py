"""``lamc predict``: decisions for files and streams, in the formats asked for."""

import io
import json
import os
import threading

import numpy as np
import pandas as pd
import pytest

from lamc import load

FEATURES = ["height", "width", "leaf"]


def test_tidy_rows_in_a_file(lamc, model, trees, tmp_path):
    done = lamc("predict", model, trees / "new.parquet", "--id", "id", "-o", tmp_path / "o.parquet")
    found = pd.read_parquet(tmp_path / "o.parquet")
    rows = pd.read_parquet(trees / "new.parquet")
    decided = load(model).decide(rows[FEATURES])
    assert found["id"].tolist() == np.repeat(rows["id"], 3).tolist()
    assert (found["decision"] == "accepted").sum() == (decided == 1).sum()
    assert "Wrote 600 rows" in done.stdout
    missing = rows["height"].isna().sum()
    assert f"{missing} missing numbers were taken for the median" in done.stderr


def test_formats_hold_the_same(lamc, model, trees, tmp_path):
    frames = []
    for name in ("o.parquet", "o.csv", "o.jsonl"):
        lamc("predict", model, trees / "new.parquet", "-q", "-o", tmp_path / name)
    frames = [
        pd.read_parquet(tmp_path / "o.parquet").astype({"label": str, "decision": str}),
        pd.read_csv(tmp_path / "o.csv"),
        pd.read_json(tmp_path / "o.jsonl", lines=True, precise_float=True),
    ]
    for other in frames[1:]:
        pd.testing.assert_frame_equal(frames[0], other, check_dtype=False)


def test_a_stream_in_and_out(lamc, model, trees):
    text = (trees / "held_out.csv").read_text()
    done = lamc("predict", model, "-", "--id", "id", "--only", "accepted", stdin=text)
    found = pd.read_csv(io.StringIO(done.stdout))
    assert set(found["decision"]) == {"accepted"}
    assert found["id"].str.startswith("t2-").all()
    assert f"Wrote {len(found)} rows to standard output." in done.stderr
    lines = "".join(
        json.dumps(row) + "\n" for row in [{"height": 1, "width": None, "leaf": "long"}]
    )
    done = lamc(
        "predict", model, "-", "--from", "jsonl", "--to", "jsonl", "--wide", "-q", stdin=lines
    )
    (row,) = map(json.loads, done.stdout.splitlines())
    assert list(row) == ["id", "ash", "elm", "oak"]
    assert row["elm"] == "accepted"


def test_facts_do_not_mix_with_data(lamc, model, trees):
    done = lamc("predict", model, trees / "new.parquet", "--json")
    assert len(done.stdout.splitlines()) == 601
    facts = json.loads(done.stderr)
    assert facts["rows"] == 200
    assert sum(facts["decisions"].values()) == 600


def test_a_score_file_made_here_can_be_calibrated_here(lamc, lamc_json, model, trees, tmp_path):
    scores, calibrator = tmp_path / "scores.csv", tmp_path / "c.lamc"
    lamc(
        "predict", model, trees / "new.parquet", "--id", "id", "--wide", "--value", "score", "-q",
        "-o", scores,
    )  # fmt: skip
    truth = ["--truth", trees / "held_out.csv", "--label-column", "tags", "--separator", ";"]
    lamc("calibrate", "--scores", scores, *truth, "--id", "id", "-q", "-o", calibrator)
    facts = lamc_json("predict", calibrator, scores, "--id", "id", "-o", tmp_path / "o.csv")
    assert facts["rows"] == 200
    assert pd.read_csv(tmp_path / "o.csv")["id"].str.startswith("t2-").all()


def test_new_words_are_told(lamc, model, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("leaf,height,width\nmauve,1,1\n")
    done = lamc("predict", model, path, "-o", tmp_path / "o.csv")
    assert (
        "did not meet these words in the column 'leaf', so they say nothing: mauve." in done.stderr
    )
    assert "UserWarning" not in done.stderr


def test_a_data_set_that_is_no_table(lamc_json, lamc, tmp_path):
    lamc("train", "digit scenes", "--set", "effort=fast", "-q", "-o", tmp_path / "a.lamc")
    facts = lamc_json(
        "predict", tmp_path / "a.lamc", "scenes", "--part", "test", "-o", tmp_path / "o.parquet"
    )
    assert facts["rows"] == 400
    assert facts["written"] == 4000


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["checked.parquet", "--only", "accepted", "--wide"], 2, "leave out --wide"),
        (["checked.parquet", "--value", "score"], 2, "add --wide"),
        (["checked.parquet", "--part", "test"], 2, "carries no split, so it has no part 'test'"),
        (["no.csv"], 1, "There is no file"),
        (["checked.parquet", "--id", "key"], 1, "no column 'key'"),
        (["checked.parquet", "--id", "width"], 1, "'width' is among the columns that the model"),
        (["checked.parquet", "--to", "parquet"], 1, "Parquet is not written to standard output"),
        (["trees.lamc"], 1, "does not tell its format"),
        (["checked.parquet", "-o", "."], 1, "is a folder"),
        (["no.csv", "-o", "train.csv/o.csv"], 1, "cannot be written. train.csv: Not a directory"),
        (["no.csv", "-o", "o.parquet.gz"], 1, "Parquet is compressed inside"),
        (["digit scenes", "--id", "key"], 2, "--id names a column of a table"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_printed(
    lamc, model, trees, monkeypatch, arguments, code, message
):
    monkeypatch.chdir(trees)
    done = lamc("predict", model, *arguments, code=code)
    assert message in done.stderr
    assert done.stdout == ""


def test_a_calibrator_has_no_use_for_features(lamc, trees, tmp_path):
    (tmp_path / "s.csv").write_text("a,b\n" + "0.2,0.8\n0.7,0.3\n" * 30)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,1\n0,1\n" * 30)
    lamc(
        "calibrate", "--scores", tmp_path / "s.csv", "--truth", tmp_path / "t.csv", "-q",
        "-o", tmp_path / "c.lamc",
    )  # fmt: skip
    done = lamc("predict", tmp_path / "c.lamc", trees / "new.parquet", code=1)
    assert "no column 'a', 'b', which are needed" in done.stderr
    done = lamc("predict", tmp_path / "c.lamc", "digit scenes", code=1)
    assert "holds a calibrator, which needs scores" in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.csv", "leaf,height,width\nlong,1,1\nlong,2,-inf\n", "row 3 (the header is row 1)"),
        ("a.jsonl", '{"leaf": "long", "height": 1, "width": -Infinity}\n', "row 0, counted from 0"),
    ],
)
def test_an_infinite_number_is_named_with_its_place(lamc, model, tmp_path, name, text, place):
    (tmp_path / name).write_text(text)
    done = lamc("predict", model, tmp_path / name, code=1)
    assert f"{place}: the column 'width' holds -inf, and a finite number is needed" in done.stderr


def test_a_file_that_is_no_model(lamc, trees, tmp_path):
    done = lamc("predict", trees / "train.csv", trees / "new.parquet", code=1)
    assert "it is no model that lamc train or calibrate wrote" in done.stderr


def test_a_file_that_fails_late_leaves_nothing(lamc, model, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("leaf,height,width\n" + "long,1,1\n" * 50 + "long,tall,1\n")
    done = lamc("predict", model, path, "--rows", 10, "-o", tmp_path / "o.csv", code=1)
    assert "row 52 (the header is row 1): the column 'height' holds 'tall'" in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv"]


def test_a_pipe_and_a_link_stay_what_they_are(calibrator, trees, tmp_path, process):
    pipe, link, real = tmp_path / "pipe", tmp_path / "link.csv", tmp_path / "real.csv"
    os.mkfifo(pipe)
    real.write_text("old")
    link.symlink_to("real.csv")
    rows = pd.read_parquet(trees / "scores.parquet").head(3)
    rows.to_csv(tmp_path / "s.csv", index=False)
    came = []
    reader = threading.Thread(target=lambda: came.append(pipe.read_text()))
    reader.start()
    done = process("predict", calibrator, tmp_path / "s.csv", "-q", "--to", "csv", "-o", pipe)
    assert done.returncode == 0, done.stderr
    reader.join()
    assert len(came[0].splitlines()) == 10
    assert pipe.is_fifo()
    done = process("predict", calibrator, tmp_path / "s.csv", "-q", "-f", "-o", link)
    assert done.returncode == 0, done.stderr
    assert link.is_symlink()
    assert real.read_text() == came[0]


def test_endings_of_outputs_are_honoured(lamc, calibrator, trees, tmp_path):
    rows = pd.read_parquet(trees / "scores.parquet").head(3)
    rows.to_csv(tmp_path / "s.csv", index=False)
    for name in ("o.csv", "o.csv.gz", "o.tsv"):
        lamc("predict", calibrator, tmp_path / "s.csv", "-q", "-o", tmp_path / name)
    expected = pd.read_csv(tmp_path / "o.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "o.csv.gz"), expected)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "o.tsv", sep="\t"), expected)
