"""Labels of a table: every form gives the same labels, and what is open is asked."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lamc.exceptions import DatasetError, LabelError
from lamc.labels import Knowledge
from lamc.tables.source import source_of
from lamc.tables.truth import LabelColumns, labels_in_words, table_labels

NAMES = np.array(["ash", "elm", "oak"])


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("marks.parquet", LabelColumns(("ash", "elm", "oak"))),
        ("marks.parquet", LabelColumns(("a*h", "elm", "o*"))),
        ("tags.csv", LabelColumns(listed="tags", separator=";")),
        ("lists.parquet", LabelColumns(listed="tags")),
        ("lists.jsonl", LabelColumns(listed="tags")),
    ],
)
def test_every_form_gives_the_same_labels(folder, trees, name, where):
    labels, notes = table_labels(source_of(folder / name), where)
    assert labels.classes.tolist() == NAMES.tolist()
    assert labels.knowledge is Knowledge.ALL
    np.testing.assert_array_equal(labels.positives.toarray(), trees[NAMES].to_numpy())
    assert notes == ()


def test_columns_named_as_the_labels_need_not_be_said(folder, trees):
    order = np.array(["oak", "ash", "elm"])
    labels, _ = table_labels(source_of(folder / "marks.parquet"), LabelColumns(), order)
    assert labels.classes.tolist() == order.tolist()
    np.testing.assert_array_equal(labels.positives.toarray(), trees[order].to_numpy())


def test_they_serve_also_where_the_column_of_names_is_in_another_file(folder):
    where = LabelColumns(listed="seen")
    labels, _ = table_labels(source_of(folder / "marks.parquet"), where, NAMES)
    assert labels.knowledge is Knowledge.ALL


def test_one_name_a_row_is_the_observed_label(folder, trees):
    labels, _ = table_labels(source_of(folder / "seen.csv"), LabelColumns(listed="seen"))
    assert labels.knowledge is Knowledge.SINGLE
    assert labels.classes[labels.index()].tolist() == trees["seen"].tolist()
    assert "200 rows with one observed label each" in labels_in_words(labels)


def test_lists_of_one_length_are_lists(tmp_path):
    cells = pa.array([["oak", "elm"], ["ash", "oak"]], pa.list_(pa.string(), 2))
    pq.write_table(pa.table({"tags": cells}), tmp_path / "a.parquet")
    labels, _ = table_labels(source_of(tmp_path / "a.parquet"), LabelColumns(listed="tags"))
    assert labels.knowledge is Knowledge.ALL
    assert labels.names() == [["elm", "oak"], ["ash", "oak"]]


def test_labels_of_a_model_may_be_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,0\n1,0\n1,1\n")
    labels, _ = table_labels(source_of(path), LabelColumns(), np.array([0, 1]))
    assert labels.classes.tolist() == [0, 1]
    assert labels.positives.toarray().tolist() == [[False, True], [True, True]]


def test_one_mark_in_every_row_is_asked_about(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("oak,elm\n1,0\n0,1\n")
    with pytest.raises(LabelError, match="--knowledge all, or --knowledge single"):
        table_labels(source_of(path), LabelColumns(("oak", "elm")))
    for stated in Knowledge:
        where = LabelColumns(("oak", "elm"), knowledge=stated)
        assert table_labels(source_of(path), where)[0].knowledge is stated


def test_a_listed_label_that_a_model_does_not_know_is_refused(folder):
    source, where = source_of(folder / "tags.csv"), LabelColumns(listed="tags", separator=";")
    few = np.array(["ash", "elm"])
    with pytest.raises(DatasetError, match="'oak' is not among the 2 labels"):
        table_labels(source, where, few)
    with pytest.raises(DatasetError, match=r"(?s)'oak' is not among.*\nCorrect it\."):
        table_labels(source, where, few, advice="Correct it.")


@pytest.mark.parametrize("name", ["marks.parquet", "tags.csv"])
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("ash", "elm", "oka"), "(?s)names 'oka', but the labels are .*Did you mean 'oak'"),
        (("ash", "height"), "names 'height', but the labels are"),
        (("a*",), "leaves out 'elm', 'oak'"),
    ],
)
def test_names_that_are_not_those_of_a_model_are_refused(folder, name, names, message):
    listed = {"listed": "tags", "separator": ";"} if name == "tags.csv" else {}
    with pytest.raises(DatasetError, match=message):
        table_labels(source_of(folder / name), LabelColumns(names, **listed), NAMES)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("oak,elm\n1,0\n2,1\n", LabelColumns(("oak", "elm")), r"row 3 .*: the label 'oak' is 2"),
        ("oak,elm\n1,0\n,1\n", LabelColumns(("oak", "elm")), "the label 'oak' is missing"),
        (
            "oak,elm\n1,-1\n",
            LabelColumns(("oak", "elm")),
            "−1 is in use for absent and for unknown",
        ),
        ("oak,elm\n1,0\n", LabelColumns(("ok",)), "Did you mean 'oak'"),
        ("oak,elm\n1,0\n", LabelColumns(("is_*",)), r"No column fits 'is_\*'"),
        ("oak,elm\n1,0\n", LabelColumns(), "Nothing says which columns"),
        ("tags\noak\n\n", LabelColumns(listed="tag"), "Did you mean 'tags'"),
    ],
)
def test_labels_that_cannot_be_read(tmp_path, text, where, message):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DatasetError, match=message):
        table_labels(source_of(path), where)
