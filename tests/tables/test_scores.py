"""Scores and truth from two files: matched by what identifies a row, or by their order."""

import numpy as np
import pandas as pd
import pytest

from lamc.exceptions import DatasetError, LabelError
from lamc.labels import Knowledge
from lamc.tables.scores import read_scored
from lamc.tables.truth import LabelColumns

NAMES = ["ash", "elm", "oak"]


@pytest.fixture
def scores(trees):
    rng = np.random.default_rng(1)
    return pd.DataFrame(rng.random((len(trees), 3)), columns=NAMES).assign(id=trees["id"])


def test_rows_belong_together_by_their_order(tmp_path, scores, trees):
    scores[NAMES].to_parquet(tmp_path / "scores.parquet")
    trees[["oak", "elm", "ash"]].to_csv(tmp_path / "truth.csv", index=False)
    found = read_scored(tmp_path / "scores.parquet", tmp_path / "truth.csv", LabelColumns())
    np.testing.assert_array_equal(found.scores, scores[NAMES])
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[NAMES])
    assert found.labels.classes.tolist() == NAMES


def test_rows_belong_together_by_what_identifies_them(tmp_path, scores, trees):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    shuffled = trees.sample(frac=1, random_state=0)
    shuffled[["id", "tags"]].to_parquet(tmp_path / "truth.parquet")
    found = read_scored(
        tmp_path / "scores.csv",
        tmp_path / "truth.parquet",
        LabelColumns(listed="tags", separator=";"),
        id_column="id",
    )
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[NAMES])


def test_ids_that_pandas_made_floats_of_are_whole_numbers(tmp_path, scores, trees):
    numbers = np.arange(len(trees))
    scores.assign(id=numbers).to_csv(tmp_path / "scores.csv", index=False)
    truth = trees[NAMES].assign(id=numbers.astype(float))[::-1]
    truth.to_parquet(tmp_path / "truth.parquet", index=False)
    found = read_scored(
        tmp_path / "scores.csv", tmp_path / "truth.parquet", LabelColumns(), id_column="id"
    )
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[NAMES])


def test_rows_in_another_order_are_refused_unless_they_are_matched(tmp_path, scores, trees):
    ids = trees["id"].tolist()
    scores.assign(id=ids).to_csv(tmp_path / "scores.csv", index=False)
    truth = trees[[*NAMES]].assign(id=ids, plot=np.arange(len(ids)) % 7)
    truth.to_parquet(tmp_path / "truth.parquet", index=False)
    turned = truth[::-1]
    turned.to_parquet(tmp_path / "turned.parquet", index=False)

    def read(name, **options):
        return read_scored(tmp_path / "scores.csv", tmp_path / name, LabelColumns(), **options)

    expected = read("truth.parquet", classes=np.array(NAMES))
    with pytest.raises(DatasetError, match=r"(?s)column 'id', row 0, .*'t0' in one.*--id id"):
        read("turned.parquet", classes=np.array(NAMES))
    matched = read("turned.parquet", classes=np.array(NAMES), id_column="id")
    np.testing.assert_array_equal(
        matched.labels.positives.toarray(), expected.labels.positives.toarray()
    )
    turned.assign(id=range(1, len(ids) + 1)).to_parquet(tmp_path / "other.parquet", index=False)
    other = read("other.parquet", classes=np.array(NAMES))  # its ids are of another kind
    assert len(other.labels) == len(ids)


def test_matrices_without_names(tmp_path, scores, trees):
    np.save(tmp_path / "scores.npy", scores[NAMES].to_numpy(dtype=np.float32))
    np.save(tmp_path / "truth.npy", trees[NAMES].to_numpy())
    found = read_scored(tmp_path / "scores.npy", tmp_path / "truth.npy", LabelColumns())
    assert found.labels.classes.tolist() == [0, 1, 2]
    assert found.labels.knowledge is Knowledge.ALL
    np.save(tmp_path / "seen.npy", np.arange(len(trees)) % 3)
    single = read_scored(tmp_path / "scores.npy", tmp_path / "seen.npy", LabelColumns())
    assert single.labels.knowledge is Knowledge.SINGLE
    named = read_scored(
        tmp_path / "scores.npy", tmp_path / "truth.npy", LabelColumns(), classes=np.array(NAMES)
    )
    assert named.labels.classes.tolist() == NAMES


def test_columns_come_in_the_order_of_a_calibrator(tmp_path, scores, trees):
    scores.assign(comment="x").to_parquet(tmp_path / "scores.parquet")
    trees[NAMES].to_parquet(tmp_path / "truth.parquet")
    order = np.array(["oak", "ash", "elm"])
    found = read_scored(
        tmp_path / "scores.parquet", tmp_path / "truth.parquet", LabelColumns(), classes=order
    )
    np.testing.assert_array_equal(found.scores, scores[order])
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[order])


@pytest.mark.parametrize(
    ("scores", "truth", "id_column", "error", "message"),
    [
        ("a,b\n.5,.5\n", "a,b\n1,1\n0,1\n", None, LabelError, "has 2 rows, but .* has 1"),
        (
            "a,b\n.5,1.5\n",
            "a,b\n1,1\n",
            None,
            DatasetError,
            "score of 'b' is 1.5; scores are numbers",
        ),
        ("a,b\n.5,\n", "a,b\n1,1\n", None, DatasetError, "score of 'b' is missing"),
        ("a,b\n.5,.5\n", "a,c\n1,1\n", None, DatasetError, "There is no column for 'b'"),
        ("i,a\n1,.5\n", "i,a\n2,1\n", "i", DatasetError, "1 of the 1 rows of .* are not in"),
        ("i,a\n1,.5\n1,.5\n", "i,a\n1,1\n", "i", DatasetError, "two rows with the i '1'"),
        ("id,label,score\n1,a,.5\n", "a\n1\n", None, DatasetError, "--wide --value score"),
        (".5,.9\n.1,.2\n", "a,b\n1,1\n", None, DatasetError, "numbers and no names"),
        (".5,.5\n.1,.2\n", "a,b\n1,1\n", None, DatasetError, "(?s)two .*it has no header"),
    ],
)
def test_files_that_do_not_fit(tmp_path, scores, truth, id_column, error, message):
    (tmp_path / "scores.csv").write_text(scores)
    (tmp_path / "truth.csv").write_text(truth)
    with pytest.raises(error, match=message):
        read_scored(
            tmp_path / "scores.csv", tmp_path / "truth.csv", LabelColumns(), id_column=id_column
        )


def test_a_pickle_in_disguise_is_not_run(tmp_path):
    np.save(tmp_path / "scores.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DatasetError, match="cannot be read as a NumPy array"):
        read_scored(tmp_path / "scores.npy", tmp_path / "truth.npy", LabelColumns())
