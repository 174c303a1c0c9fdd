"""Scores and truth from two files: matched by what identifies a row, or by their order."""

import numpy as np
import pandas as pd
import pytest

from lamc.exceptions import DatasetError, LabelError
from lamc.labels import Knowledge
from lamc.tables.scores import read_scored, score_matrix
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


def test_rows_of_the_truth_that_have_no_scores_are_counted(tmp_path, scores, trees):
    scores.assign(id=trees["id"])[:150].to_parquet(tmp_path / "scores.parquet")
    trees[["id", *NAMES]].to_parquet(tmp_path / "truth.parquet")
    paths = tmp_path / "scores.parquet", tmp_path / "truth.parquet"
    found = read_scored(*paths, LabelColumns(), id_column="id", classes=np.array(NAMES))
    assert len(found.labels) == 150
    assert any("Left out: 50 of the 200 rows of" in note for note in found.notes)


def test_columns_come_in_the_order_of_a_calibrator(tmp_path, scores, trees):
    scores.assign(comment="x").to_parquet(tmp_path / "scores.parquet")
    trees[NAMES].to_parquet(tmp_path / "truth.parquet")
    order = np.array(["oak", "ash", "elm"])
    found = read_scored(
        tmp_path / "scores.parquet", tmp_path / "truth.parquet", LabelColumns(), classes=order
    )
    np.testing.assert_array_equal(found.scores, scores[order])
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[order])


def test_numbered_labels_go_by_name_where_columns_bear_it(tmp_path, scores, trees):
    named = dict(zip(NAMES, ["10", "20", "30"], strict=True))
    turned = scores[NAMES[::-1]].rename(columns=named)
    turned.to_parquet(tmp_path / "scores.parquet")
    trees[NAMES].rename(columns=named).to_parquet(tmp_path / "truth.parquet")
    paths = tmp_path / "scores.parquet", tmp_path / "truth.parquet"
    found = read_scored(*paths, LabelColumns(), classes=np.array([10, 20, 30]))
    np.testing.assert_array_equal(found.scores, scores[NAMES])
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[NAMES])
    assert found.labels.classes.tolist() == [10, 20, 30]
    by_position = read_scored(*paths, LabelColumns(), classes=np.array([1, 2, 3]))
    np.testing.assert_array_equal(by_position.scores, scores[NAMES[::-1]])
    with pytest.raises(DatasetError, match=r"(?s)a column for '20', '30', but none for '40'"):
        read_scored(*paths, LabelColumns(), classes=np.array([20, 30, 40]))


def test_scores_of_the_labels_that_are_named(tmp_path, scores, trees):
    scores.assign(comment="x", year=1999).to_csv(tmp_path / "scores.csv", index=False)
    trees[NAMES].to_csv(tmp_path / "truth.csv", index=False)
    for names in (("oak", "ash"), ("o*", "ash")):
        where = LabelColumns(names)
        found = read_scored(tmp_path / "scores.csv", tmp_path / "truth.csv", where)
        np.testing.assert_array_equal(found.scores, scores[["oak", "ash"]])
        np.testing.assert_array_equal(found.labels.positives.toarray(), trees[["oak", "ash"]])
        assert found.labels.classes.tolist() == ["oak", "ash"]
    with pytest.raises(DatasetError, match=r"scores.csv has no column 'aks'"):
        read_scored(tmp_path / "scores.csv", tmp_path / "truth.csv", LabelColumns(("aks",)))


def test_the_index_that_pandas_writes_holds_no_scores(tmp_path, scores, trees):
    frame = scores[NAMES][:2].set_index(pd.Index([1, 0]))  # they could be scores
    trees[NAMES][:2].to_csv(tmp_path / "truth.csv", index=False)
    frame.to_csv(tmp_path / "scores.csv")
    frame.to_parquet(tmp_path / "scores.parquet", index=True)
    pd.read_csv(tmp_path / "scores.csv").to_csv(tmp_path / "again.csv", index=False)
    for name, index in [
        ("scores.csv", ""),
        ("scores.parquet", "__index_level_0__"),
        ("again.csv", "Unnamed: 0"),
    ]:
        for classes in (None, np.arange(3)):
            found = read_scored(
                tmp_path / name, tmp_path / "truth.csv", LabelColumns(), classes=classes
            )
            np.testing.assert_allclose(found.scores, frame)
            assert found.notes[1] == f"Left out {index!r}: the index of a pandas frame."
    trees[NAMES][:2].to_csv(tmp_path / "truth.csv")
    with pytest.raises(DatasetError, match=r"column '', row 0, .*\nMatch .* --id '', or"):
        read_scored(tmp_path / "scores.csv", tmp_path / "truth.csv", LabelColumns())


def test_an_index_may_be_what_identifies_a_row(tmp_path, scores, trees):
    scores.set_index("id")[NAMES].to_parquet(tmp_path / "scores.parquet")
    trees[["id", *NAMES]][::-1].to_csv(tmp_path / "truth.csv", index=False)
    found = read_scored(
        tmp_path / "scores.parquet", tmp_path / "truth.csv", LabelColumns(), id_column="id"
    )
    np.testing.assert_array_equal(found.labels.positives.toarray(), trees[NAMES])
    assert len(found.notes) == 1


def test_a_label_that_the_first_line_lacks_is_refused(tmp_path):
    scores, truth = tmp_path / "scores.jsonl", tmp_path / "truth.jsonl"
    scores.write_text('{"oak": 0.1, "elm": 0.2}\n{"oak": 0.1, "elm": 0.2, "ash": 0.3}\n')
    truth.write_text('{"oak": 1, "elm": 1}\n{"oak": 1, "elm": 0, "ash": 0}\n')
    message = "line 2 has 'ash', which the first line does not have"
    for where in (LabelColumns(), LabelColumns(("*",))):
        with pytest.raises(DatasetError, match=f"scores.jsonl, {message}"):
            read_scored(scores, truth, where)
    scores.write_text('{"oak": 0.1, "elm": 0.2, "ash": 0.3}\n' * 2)
    with pytest.raises(DatasetError, match=f"truth.jsonl, {message}"):
        read_scored(scores, truth, LabelColumns(("*",)))
    found = read_scored(scores, truth, LabelColumns(("oak", "elm")))
    assert found.labels.names() == [["oak", "elm"], ["oak"]]


def test_a_missing_id_is_no_match_for_the_word_none(tmp_path):
    pd.DataFrame({"id": ["a", None], "oak": [0.1, 0.2]}).to_parquet(tmp_path / "scores.parquet")
    (tmp_path / "truth.csv").write_text("id,oak\nNone,1\na,0\n")
    with pytest.raises(DatasetError, match=r"scores.parquet, row 1, .*: the id is missing"):
        read_scored(
            tmp_path / "scores.parquet", tmp_path / "truth.csv", LabelColumns(), id_column="id"
        )


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
        ("a,b\n.5,\n", "a,b\n1,1\n", None, DatasetError, "(?s)row 2 .* 'b' is missing.*Fill it in"),
        ("plot,a\n7,.5\n", "plot,a\n7,1\n", None, DatasetError, "(?s)'plot' is 7.*named by --id"),
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


def test_a_vector_of_one_label_a_row_does_not_tell_all(tmp_path):
    np.save(tmp_path / "scores.npy", np.full((3, 2), 0.5))
    np.save(tmp_path / "seen.npy", [0, 1, 1])
    paths = tmp_path / "scores.npy", tmp_path / "seen.npy"
    for stated in (Knowledge.SINGLE, Knowledge.SOME, None):
        found = read_scored(*paths, LabelColumns(knowledge=stated))
        assert found.labels.knowledge is Knowledge.SINGLE
    with pytest.raises(LabelError, match="--knowledge all needs all labels of every row"):
        read_scored(*paths, LabelColumns(knowledge=Knowledge.ALL))


def test_several_arrays_in_one_file_are_no_matrix(tmp_path):
    with (tmp_path / "scores.npy").open("wb") as file:
        np.savez(file, scores=np.full((3, 2), 0.5))
    with pytest.raises(DatasetError, match=r"is a zip archive by its first bytes.*\n.*numpy.save"):
        score_matrix(tmp_path / "scores.npy")


@pytest.mark.parametrize("shape", [(2**50, 8), (10**30, 8)])
def test_a_matrix_that_promises_more_than_it_holds(tmp_path, shape):
    with (tmp_path / "scores.npy").open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(bytes(64))
    with pytest.raises(DatasetError, match=r"cannot be read as a NumPy array.*\n.*cut short"):
        score_matrix(tmp_path / "scores.npy")


def test_a_pickle_in_disguise_is_not_run(tmp_path):
    np.save(tmp_path / "scores.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DatasetError, match="cannot be read as a NumPy array"):
        read_scored(tmp_path / "scores.npy", tmp_path / "truth.npy", LabelColumns())


def test_what_predictions_call_id_is_the_column_that_identifies_rows(tmp_path):
    (tmp_path / "scores.csv").write_text("id,a\n2,.2\n1,.1\n")
    (tmp_path / "truth.csv").write_text("plot,a\n1,0\n2,1\n")
    found = read_scored(
        tmp_path / "scores.csv", tmp_path / "truth.csv", LabelColumns(), id_column="plot"
    )
    assert found.labels.positives.toarray().ravel().tolist() == [True, False]


def test_a_blank_line_of_a_table_with_one_column_is_a_row_with_a_gap(tmp_path):
    (tmp_path / "scores.csv").write_text("ash\n0.1\n\n0.9\n")
    (tmp_path / "truth.csv").write_text("ash\n0\n1\n1\n")
    with pytest.raises(DatasetError, match=r"row 3 .*the score of 'ash' is missing"):
        read_scored(tmp_path / "scores.csv", tmp_path / "truth.csv", LabelColumns())
