"""Which columns of a table are features: none that give a label away, and no words for gaps."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from lamc.datasets import read
from lamc.exceptions import DatasetError

from .files import store, write

BESIDE = "width,tags,oak,elm\n1,oak;elm,1,1\n2,elm,0,1\n3,oak,1,0\n4,elm,0,1\n"


@pytest.mark.parametrize(
    "text", [BESIDE, BESIDE.replace("0", "no").replace(",1", ",yes")], ids=["0/1", "words"]
)
def test_marks_of_the_labels_are_no_features(tmp_path, text):
    path = write(tmp_path, text)
    message = r"'oak', 'elm' are 1 if 'tags' names.*\n.*id_column= takes.*labels=\[…\]"
    with pytest.raises(DatasetError, match=message):
        read(path, label_column="tags", separator=";")
    data = read(path, label_column="tags", separator=";", id_column=["oak", "elm"])
    assert data.feature_names.tolist() == ["width"]
    assert read(path, labels=["oak", "elm"], id_column="tags").feature_names.tolist() == ["width"]


def test_one_column_of_marks_is_enough(tmp_path):
    path = write(tmp_path, BESIDE.replace(",oak,elm", ",oak,age"))
    with pytest.raises(DatasetError, match="in each row, 'oak' is 1 if 'tags' names that label"):
        read(path, label_column="tags", separator=";")


def test_features_may_be_numbered_as_labels_are(tmp_path):
    """As pandas names columns: 0 and 1, where labels are 0 and 1 too."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (40, 3)).astype(float)).rename(columns=str)
    frame["2"] = rng.normal(size=40)
    frame["kind"] = np.arange(40) % 3
    frame.to_csv(tmp_path / "a.csv", index=False)
    data = read(tmp_path / "a.csv", label_column="kind")
    assert data.feature_names.tolist() == data.label_names.tolist() == ["0", "1", "2"]


def test_marks_with_one_row_that_differs_are_features(tmp_path):
    path = write(tmp_path, BESIDE.replace("4,elm,0,1", "4,elm,1,0"))
    data = read(path, label_column="tags", separator=";")
    assert data.feature_names.tolist() == ["width", "oak", "elm"]


def test_why_there_are_no_features_is_said(tmp_path):
    columns = {
        "v": pa.array([[1.0, 2.0], [3.0, 4.0]]),
        "title": ["an oak", "an elm"],
        "tags": ["oak", "elm"],
    }
    message = (
        r"2 rows, 0 features and 2 labels.*\nLeft out 'v': of type list<.*\n"
        r"Left out 'title': text with 2 different values\.\n.*number of a list.*words= names"
    )
    with pytest.raises(DatasetError, match=message):
        read(store(tmp_path, columns), label_column="tags")
    lines = '{"v": [1, 2], "tags": "oak"}\n{"v": [3, 4], "tags": "elm"}\n'
    with pytest.raises(DatasetError, match=r"(?s)0 features.*Left out 'v': of type list"):
        read(write(tmp_path, lines, "a.jsonl"), label_column="tags")
    with pytest.raises(DatasetError, match=r"0 features.*\n.*labels= or id_column= names is no"):
        read(write(tmp_path, "oak,elm\n1,0\n0,1\n"), labels=["oak", "elm"])


SOIL = "soil,y\nclay,0\nNA,1\nclay,0\npeat,1\n,1\nn/a,0\nloam,0\nloam,1\n"


def test_marks_for_missing_words_are_no_words(tmp_path):
    data = read(write(tmp_path, SOIL), labels=["y"])
    assert data.feature_names.tolist() == ["soil=clay", "soil=loam", "soil=peat"]
    missing = np.isnan(data.X)
    assert missing.all(axis=1).tolist() == [False, True, False, False, True, True, False, False]
    assert missing.any(axis=1).tolist() == missing.all(axis=1).tolist()


def test_they_are_words_in_columns_of_words(tmp_path):
    data = read(write(tmp_path, SOIL), labels=["y"], words="soil")
    assert "soil=NA" in data.feature_names
    assert np.isnan(data.X).all(axis=1).sum() == 1  # the blank


def test_yes_no_and_na_are_numbers(tmp_path):
    data = read(write(tmp_path, "wet,y\nyes,0\nNA,1\nno,0\nyes,1\n"), labels=["y"])
    assert data.feature_names.tolist() == ["wet"]
    np.testing.assert_array_equal(data.X.ravel(), [1, np.nan, 0, 1])


@pytest.mark.parametrize("cells", [["", " ", ""], ["NA", "", "nan"]])
def test_text_without_a_word_is_left_out(tmp_path, cells):
    data = read(store(tmp_path, {"x": [1, 2, 3], "t": cells, "y": [0, 1, 0]}), labels=["y"])
    assert data.feature_names.tolist() == ["x"]
    assert data.notes == ("Left out 't': without a value in any row.",)


def test_a_label_that_stands_for_a_missing_one_is_missing(tmp_path):
    with pytest.raises(DatasetError, match=r"row 3 .*the label 'y' is missing; "):
        read(write(tmp_path, "x,y\n1,yes\n2,NA\n3,no\n"), labels=["y"])
