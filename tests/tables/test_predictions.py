"""Predictions of a file: what the model says in memory, whatever the layout and the batches."""

import io
import sys
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lamc import LAMC, Calibrator
from lamc.exceptions import DatasetError
from lamc.tables.labelled import DataFile, training_rows
from lamc.tables.predictions import (
    Chunk,
    Layout,
    chunks_of_dataset,
    chunks_of_scores,
    chunks_of_table,
    id_type_of,
    predict_rows,
)
from lamc.tables.scores import read_scored
from lamc.tables.source import source_of
from lamc.tables.truth import LabelColumns
from lamc.training import fit_rows, learner_named

WORDS = {1: "accepted", 0: "absent", -1: "open"}


@pytest.fixture
def calibrator(trees):
    rng = np.random.default_rng(0)
    truth = trees[["ash", "elm", "oak"]]
    scores = 0.6 * rng.random(truth.shape) + 0.4 * rng.random(truth.shape) * truth
    return Calibrator("three-way", alpha=0.2).fit(scores, truth)


@pytest.fixture(scope="module")
def model(folder):
    where = LabelColumns(("ash", "elm", "oak"))
    marks = DataFile(str(folder / "marks.parquet"), where, ("id",))
    (rows,) = training_rows(marks, calibrated_elsewhere=False)
    learner = learner_named("wan", ["epochs=2", "hidden=8"], seed=0)
    return fit_rows(LAMC(learner, rule="three-way", alpha=0.2, random_state=0), rows).model


TIDY = Layout()


def predict(model, path, target, *, layout=TIDY, id_column=None, rows=None):
    source = source_of(path)
    return predict_rows(
        model,
        chunks_of_table(model, source, id_column=id_column, rows=rows),
        target,
        "parquet",
        layout=layout,
        id_type=id_type_of(source, id_column),
    )


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_column_of_lists_does_not_identify_rows(model, folder, tmp_path, ending):
    table = pd.read_parquet(folder / "marks.parquet").assign(visits=[[1, 2]] * 200)
    path = tmp_path / f"visits.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_json(path, orient="records", lines=True)
    with pytest.raises(DatasetError, match="'visits' holds lists, which do not identify a row"):
        predict(model, path, tmp_path / "out.parquet", id_column="visits")
    assert not (tmp_path / "out.parquet").exists()


def test_tidy_rows_are_what_the_model_says(model, folder, trees, tmp_path):
    counts = predict(model, folder / "marks.parquet", tmp_path / "out.parquet", id_column="id")
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert found.columns.tolist() == ["id", "label", "score", "p_value", "decision"]
    X = trees[["height", "width", "leaf"]]
    n, k = len(trees), 3
    assert found["id"].tolist() == np.repeat(trees["id"], k).tolist()
    assert found["label"].tolist() == model.classes_.tolist() * n
    np.testing.assert_allclose(found["score"], model.predict_proba(X).ravel(), rtol=1e-9)
    np.testing.assert_allclose(found["p_value"], model.predict_p(X).ravel(), rtol=1e-9)
    decided = [WORDS[d] for d in model.decide(X).ravel()]
    assert found["decision"].tolist() == decided
    assert counts.rows == n
    assert counts.written == n * k
    assert counts.decisions == {
        word: decided.count(word) for word in ("accepted", "absent", "open")
    }
    assert counts.gaps.numbers == trees["height"].isna().sum() > 0


@pytest.mark.parametrize("rows", [17, 64, 150])
def test_the_size_of_a_batch_changes_nothing(model, folder, tmp_path, rows):
    path = folder / "lists.jsonl"
    predict(model, path, tmp_path / "whole.parquet", id_column="id", rows=1000)
    predict(model, path, tmp_path / "parts.parquet", id_column="id", rows=rows)
    whole, parts = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("whole", "parts"))
    pd.testing.assert_frame_equal(whole, parts, rtol=1e-6)  # the network computes in float32
    assert whole["decision"].tolist() == parts["decision"].tolist()


def test_only_some_decisions(model, folder, tmp_path):
    predict(model, folder / "tags.csv", tmp_path / "all.parquet")
    everything = pd.read_parquet(tmp_path / "all.parquet")
    for word in WORDS.values():
        target = tmp_path / f"{word}.parquet"
        predict(model, folder / "tags.csv", target, layout=Layout(only=word), rows=50)
        kept = everything[everything["decision"] == word].reset_index(drop=True)
        pd.testing.assert_frame_equal(pd.read_parquet(target), kept, rtol=1e-6)


@pytest.mark.parametrize("value", ["decision", "score", "p_value"])
def test_wide_rows_hold_the_same(model, folder, tmp_path, value):
    predict(model, folder / "tags.csv", tmp_path / "tidy.parquet", id_column="id")
    layout = Layout(wide=value)
    predict(model, folder / "tags.csv", tmp_path / "wide.parquet", layout=layout, id_column="id")
    tidy = pd.read_parquet(tmp_path / "tidy.parquet")
    wide = pd.read_parquet(tmp_path / "wide.parquet")
    assert wide.columns.tolist() == ["id", *model.classes_]
    assert wide[model.classes_].to_numpy().ravel().tolist() == tidy[value].tolist()


def test_a_calibrator_takes_scores(calibrator, tmp_path):
    scores = pd.DataFrame(np.random.default_rng(2).random((50, 3)), columns=["oak", "ash", "elm"])
    scores.to_parquet(tmp_path / "scores.parquet")
    predict(calibrator, tmp_path / "scores.parquet", tmp_path / "out.parquet", rows=8)
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert found["id"].tolist() == np.repeat(np.arange(50), 3).tolist()
    ordered = scores[calibrator.classes_]
    assert found["score"].tolist() == ordered.to_numpy().ravel().tolist()
    assert found["decision"].tolist() == [WORDS[d] for d in calibrator.decide(ordered).ravel()]


def test_a_score_out_of_range_is_placed_in_the_file_not_in_the_batch(calibrator, tmp_path):
    scores = np.full((20, 3), 0.5)
    scores[17, 2] = 1.5
    pd.DataFrame(scores, columns=calibrator.classes_).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DatasetError, match=r"row 19 .*: the score of 'oak' is 1.5"):
        predict(calibrator, tmp_path / "a.csv", tmp_path / "out.parquet", rows=5)
    assert not (tmp_path / "out.parquet").exists()


def test_labels_without_names_go_by_position(tmp_path):
    rng = np.random.default_rng(0)
    calibrator = Calibrator(alpha=0.2).fit(rng.random((99, 2)), rng.random((99, 2)) < 0.5)
    scores = pd.DataFrame(rng.random((10, 2)), columns=["x", "y"])
    scores.assign(key=range(10)).to_parquet(tmp_path / "a.parquet")
    predict(calibrator, tmp_path / "a.parquet", tmp_path / "out.parquet", id_column="key")
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert found["score"].tolist() == scores.to_numpy().ravel().tolist()
    assert found["label"].tolist() == ["0", "1"] * 10
    with pytest.raises(DatasetError, match=r"takes 2 columns, .* has 3: 'x', 'y', 'key'"):
        predict(calibrator, tmp_path / "a.parquet", tmp_path / "out.parquet")


def test_numbered_labels_go_by_name_where_columns_bear_it(tmp_path):
    rng = np.random.default_rng(0)
    calibrator = Calibrator(alpha=0.2).fit(
        rng.random((99, 3)), rng.random((99, 3)) < 0.5, classes=[10, 20, 30]
    )
    scores = pd.DataFrame(rng.random((10, 3)), columns=["30", "20", "10"])
    scores.assign(other=2.0).to_parquet(tmp_path / "a.parquet")
    predict(calibrator, tmp_path / "a.parquet", tmp_path / "out.parquet")
    found = pd.read_parquet(tmp_path / "out.parquet")
    ordered = scores[["10", "20", "30"]].to_numpy()
    assert found["score"].tolist() == ordered.ravel().tolist()
    assert found["label"].tolist() == ["10", "20", "30"] * 10
    scores.rename(columns={"20": "25"}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DatasetError, match=r"a column for '10', '30', but none for '20'"):
        predict(calibrator, tmp_path / "a.parquet", tmp_path / "out.parquet")


def test_a_key_that_the_first_line_lacks_is_refused_where_columns_go_by_position(tmp_path):
    rng = np.random.default_rng(0)
    calibrator = Calibrator(alpha=0.2).fit(rng.random((99, 2)), rng.random((99, 2)) < 0.5)
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 0.1, "y": 0.2}\n{"x": 0.1, "y": 0.2, "z": 0.3}\n')
    with pytest.raises(DatasetError, match="line 2 has 'z', which the first line does not have"):
        predict(calibrator, path, tmp_path / "out.parquet")


@pytest.mark.parametrize("layout", [TIDY, Layout(wide="score"), Layout(wide="p_value")])
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_scores_in_float32_are_written_in_float64(calibrator, tmp_path, layout, form):
    class Scorer:
        classes_, calibrator_ = calibrator.classes_, calibrator

        def predict_proba(self, X):
            return np.asarray(X, dtype=np.float32)

    X = np.random.default_rng(0).random((5, 3)).astype(np.float32)
    chunk = Chunk(pa.array(np.arange(5)), X)
    target = tmp_path / f"out.{form}"
    write = partial(predict_rows, Scorer(), layout=layout, id_type=pa.int64())
    counts = write(iter([chunk, chunk]), target, form)
    assert counts.rows == 10
    assert counts.decisions["accepted"] == 2 * (calibrator.decide(X) == 1).sum()
    if form == "parquet" and layout.wide != "p_value":
        found = pq.read_table(target)
        assert found.schema.types.count(pa.float64()) == (2 if layout.wide is None else 3)
        names = ["score"] if layout.wide is None else calibrator.classes_.tolist()
        read = np.column_stack([found[name].to_numpy() for name in names])
        np.testing.assert_array_equal(read.ravel()[: X.size], X.ravel())


def test_a_row_of_scores_is_no_header(tmp_path):
    rng = np.random.default_rng(0)
    unnamed = Calibrator(alpha=0.3).fit(rng.random((40, 2)), rng.random((40, 2)) < 0.5)
    path = tmp_path / "a.csv"
    path.write_text("0.9,0.1\n0.2,0.3\n")
    with pytest.raises(DatasetError, match=r"'0.9', '0.1', which are numbers and no names"):
        predict(unnamed, path, tmp_path / "out.csv")
    path.write_text("0,1\n0.9,0.1\n0.2,0.3\n")  # as pandas names columns
    assert predict(unnamed, path, tmp_path / "out.csv").rows == 2


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_scores_are_compared_in_the_type_that_files_have_them_in(kind, tmp_path):
    """A tenth in a short type is not a tenth in a longer one, where it may miss its threshold."""
    tenths = pd.DataFrame({"elm": np.full(40, 0.1), "oak": np.full(40, 0.7)})
    calibrator = Calibrator(alpha=0.2).fit(tenths, np.ones((40, 2), dtype=int))
    tenths.astype(kind).to_parquet(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", tenths.to_numpy(kind))
    source = source_of(tmp_path / "a.parquet")
    for chunks in (
        chunks_of_table(calibrator, source),
        chunks_of_scores(calibrator, tmp_path / "a.npy"),
    ):
        (chunk,) = chunks
        assert np.asarray(chunk.X).dtype == kind
        layout, path = Layout("score"), tmp_path / "found.parquet"
        counts = predict_rows(
            calibrator, iter([chunk]), path, "parquet", layout=layout, id_type=pa.int64()
        )
        assert counts.decisions["accepted"] == 80
    np.save(tmp_path / "truth.npy", np.ones((40, 2)))
    for name in ("a.parquet", "a.npy"):
        found = read_scored(tmp_path / name, tmp_path / "truth.npy", LabelColumns())
        assert found.scores.dtype == kind


def test_a_matrix_of_scores(calibrator, tmp_path):
    matrix = np.random.default_rng(0).random((7, 3))
    np.save(tmp_path / "a.npy", matrix)
    chunks = list(chunks_of_scores(calibrator, tmp_path / "a.npy", rows=3))
    assert [chunk.ids.to_pylist() for chunk in chunks] == [[0, 1, 2], [3, 4, 5], [6]]
    np.testing.assert_array_equal(np.vstack([chunk.X for chunk in chunks]), matrix)
    np.save(tmp_path / "a.npy", 2 * matrix)
    with pytest.raises(DatasetError, match=r"a.npy, row \d, counted from 0: the score of 'ash'"):
        list(chunks_of_scores(calibrator, tmp_path / "a.npy"))
    np.save(tmp_path / "a.npy", matrix[:, :2])
    with pytest.raises(DatasetError, match="2 columns of scores, but there are 3 labels"):
        list(chunks_of_scores(calibrator, tmp_path / "a.npy"))


def test_an_input_without_rows_gives_an_output_without_rows(calibrator, tmp_path):
    (tmp_path / "a.csv").write_text("ash,elm,oak\n")
    counts = predict(calibrator, tmp_path / "a.csv", tmp_path / "out.parquet")
    assert counts.rows == 0
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 0


def test_a_label_named_as_the_id_cannot_be_wide(tmp_path):
    rng = np.random.default_rng(0)
    calibrator = Calibrator(alpha=0.2)
    calibrator.fit(rng.random((99, 2)), rng.random((99, 2)) < 0.5, classes=["id", "oak"])
    (tmp_path / "a.csv").write_text("id,oak\n.5,.5\n")
    with pytest.raises(DatasetError, match="A label is named 'id'"):
        predict(calibrator, tmp_path / "a.csv", tmp_path / "out.parquet", layout=Layout("score"))


def test_the_type_of_an_id_is_kept(calibrator, tmp_path):
    half = [0.5, 0.5]
    table = pa.table({"key": pa.array([3, 1], pa.int16()), "ash": half, "elm": half, "oak": half})
    pq.write_table(table, tmp_path / "a.parquet")
    predict(calibrator, tmp_path / "a.parquet", tmp_path / "out.parquet", id_column="key")
    assert pq.read_schema(tmp_path / "out.parquet").field("id").type == pa.int16()


def test_standard_input_and_output(calibrator, monkeypatch):
    class Stream:
        def __init__(self, content=b""):
            self.buffer = io.BytesIO(content)

    monkeypatch.setattr(sys, "stdin", Stream(b"oak,ash,elm\n0.9,0,0.5\n"))
    monkeypatch.setattr(sys, "stdout", Stream())
    source = source_of("-")
    write = partial(predict_rows, calibrator, layout=Layout("score"), id_type=pa.int64())
    write(chunks_of_table(calibrator, source), "-", "jsonl")
    printed = sys.stdout.buffer.getvalue()
    assert printed == b'{"id": 0, "ash": 0.0, "elm": 0.5, "oak": 0.9}\n'


def test_a_data_set_that_is_no_table(tmp_path):
    (rows, _) = training_rows(DataFile("digit scenes"), calibrated_elsewhere=False)
    learner = learner_named("wan", ["epochs=1", "hidden=4"], seed=0)
    model = fit_rows(LAMC(learner, random_state=0), rows[:300]).model
    chunks = list(chunks_of_dataset(model, DataFile("digit scenes", part="test"), rows=150))
    assert [len(chunk.ids) for chunk in chunks] == [150, 150, 100]
