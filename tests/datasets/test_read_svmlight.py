"""Multi-label svmlight files, against scikit-learn's reader."""

import bz2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from lamc.datasets import read
from lamc.exceptions import DatasetError


def write(folder: Path, text: str) -> Path:
    path = folder / "some.svm"
    path.write_text(text)
    return path


ROW = st.tuples(
    st.sets(st.integers(0, 30), max_size=4),
    st.dictionaries(
        st.integers(0, 12), st.floats(allow_nan=False, allow_infinity=False), min_size=1
    ),
)


@given(rows=st.lists(ROW, min_size=1, max_size=8).filter(lambda rows: any(r[0] for r in rows)))
def test_equal_to_scikit_learn(tmp_path_factory, rows):
    lines = [
        ",".join(map(str, sorted(labels)))
        + " "
        + " ".join(f"{index}:{value!r}" for index, value in sorted(features.items()))
        for labels, features in rows
    ]
    path = write(tmp_path_factory.mktemp("svm"), "# a comment\n" + "\n\n".join(lines) + "\n")
    data = read(path)
    X, y = load_svmlight_file(str(path), multilabel=True)
    np.testing.assert_array_equal(data.X.toarray(), X.toarray())
    names = [[int(data.label_names[j]) for j in np.flatnonzero(row)] for row in data.Y.toarray()]
    assert names == [sorted(int(label) for label in labels) for labels in y]


def test_labels_are_named_by_their_numbers_in_numerical_order(tmp_path):
    data = read(write(tmp_path, "10,2 1:0.5 3:1 # a row\n 2:7\n2 1:1\n"))
    assert data.label_names.tolist() == ["2", "10"]
    assert data.feature_names.tolist() == ["x1", "x2", "x3"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1], [0, 0], [1, 0]])
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, 1], [0, 7, 0], [1, 0, 0]])


def test_order_and_repetition_within_a_row_do_not_matter(tmp_path):
    data = read(write(tmp_path, "2,1,2 3:3 1:1\n1 2:2\n"))
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 3], [0, 2, 0]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1], [1, 0]])
    assert data.X.has_canonical_format
    assert data.Y.has_canonical_format


def test_a_header_says_how_much_there_is_and_counts_from_zero(tmp_path):
    data = read(write(tmp_path, "2 4 3\n0,2 1:1 3:2\n1 2:5\n"))
    assert data.X.shape == (2, 4)
    assert data.label_names.tolist() == ["0", "1", "2"]
    np.testing.assert_array_equal(data.X.toarray(), [[0, 1, 0, 2], [0, 0, 5, 0]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0, 1], [0, 1, 0]])


def test_sizes_may_be_given_for_a_part_that_does_not_show_them(tmp_path):
    data = read(write(tmp_path, "1 2:1\n"), n_features=5, n_labels=3, zero_based=False)
    assert data.X.shape == (1, 5)
    assert data.X.toarray().tolist() == [[0, 1, 0, 0, 0]]
    assert data.Y.toarray().tolist() == [[False, True, False]]


def test_parts_of_a_file_that_counts_from_zero_have_the_same_columns(tmp_path):
    """The second shows no index 0, which made its features count from 1."""
    sizes = {"n_features": 4, "n_labels": 2, "zero_based": True}
    train = read(write(tmp_path, "0,1 0:1 2:5\n1 1:2 3:7\n"), **sizes)
    test = read(write(tmp_path, "0 2:5\n1 1:2 3:7\n"), **sizes)
    np.testing.assert_array_equal(test.X.toarray(), [[0, 0, 5, 0], [0, 2, 0, 7]])
    assert test.feature_names.tolist() == train.feature_names.tolist() == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("text", ["0 2:5\n1 1:2 3:7\n", "0 1:1\n", "0\n1\n"])
def test_where_the_features_start_is_not_guessed(tmp_path, text):
    path = write(tmp_path, text)
    message = (
        r"neither the feature index 0 nor 4.*\nSay which: zero_based=True, or zero_based=False"
    )
    with pytest.raises(DatasetError, match=message):
        read(path, n_features=4)
    for zero_based, names in ((True, "x0 x1 x2 x3"), (False, "x1 x2 x3 x4")):
        data = read(path, n_features=4, zero_based=zero_based)
        assert " ".join(data.feature_names) == names


@pytest.mark.parametrize(
    ("text", "names"), [("0 0:5 1:1\n", "x0 x1 x2 x3"), ("0 1:5 4:1\n", "x1 x2 x3 x4")]
)
def test_what_the_indices_show_need_not_be_said(tmp_path, text, names):
    assert " ".join(read(write(tmp_path, text), n_features=4).feature_names) == names


def test_another_count_than_the_file_shows_is_refused(tmp_path):
    with pytest.raises(DatasetError, match=r"line 1: the feature index 0 .*\nSay zero_based=True"):
        read(write(tmp_path, "1 0:1 2:3\n"), zero_based=False)
    with pytest.raises(DatasetError, match=r"index 4 is not among the 4, counted from 0\.\nGive"):
        read(write(tmp_path, "1 4:1\n"), n_features=4, zero_based=True)
    header = write(tmp_path, "1 4 3\n0 1:1\n")
    np.testing.assert_array_equal(read(header, zero_based=True).X.toarray(), [[0, 1, 0, 0]])
    with pytest.raises(DatasetError, match=r"in line 1.*count from 0\.\nLeave out zero_based=Fal"):
        read(header, zero_based=False)


def test_packed_files_are_unpacked(tmp_path):
    path = tmp_path / "some.libsvm.bz2"
    path.write_bytes(bz2.compress(b"3 1:2\n"))
    data = read(path)
    assert data.name == "some"
    assert data.X.toarray().tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\nx 1:2\n", "line 2: the label 'x' is not an integer"),
        ("1.5 1:2\n", "line 1: the label '1.5'"),
        ("1, 1:2\n", "line 1: the label ''"),
        ("1 1:2\n+1 1:2\n-1 2:1\n", r"line 3: the label -1 (?s:.*)two classes"),
        ("1 1:2\n1 3\n", "line 2: '3' is not index:value"),
        ("1 1:2\n1 3:\n", "line 2: '3:' is not index:value"),
        ("1 1:2\n1 a:1\n", "line 2: 'a:1' is not index:value"),
        ("1 1:2\n1 1:1_0\n", "line 2: '1:1_0' is not index:value"),
        ("1 1:2\n1_0 1:2\n", "line 2: the label '1_0' is not an integer"),
        ("1 1:2\n1 1:2:3\n", "line 2: '1:2:3' is not index:value"),
        ("1 1:2\n1 -1:2\n", "line 2: the feature index -1"),
        ("1 1:2\n1 2:2 2:3\n", "line 2: the feature index 2 is given twice"),
        ("1 1:2\n1 2:2 3:1 2:3\n", "line 2: the feature index 2 is given twice"),
        ("1 99999999999999999999:2\n", "line 1: a number is too large"),
        ("3 4 3\n0 1:1\n1 2:5\n", r"announces 3 rows in line 1, but has 2.\n.*cut short"),
        ("1 4 3\n0 4:1\n", "line 2: the feature index 4 is not among the 4"),
        ("1 4 3\n3 1:1\n", "line 2: the label 3 is not among the 3"),
        ("1 4000000000:2\n", "4000000000 features; up to 10000000 are read"),
        ("1 3 4000000000\n1 1:2\n", "4000000000 labels; up to"),
        ("# nothing\n\n", "no rows"),
        (" 1:2\n", "0 labels"),
        ("1\n", "0 features"),
        ("warmth,rain\n1,0\n", "line 1: the label 'warmth'"),
    ],
)
def test_damaged_files_are_refused_by_line(tmp_path, text, message):
    with pytest.raises(DatasetError, match=r"some\.svm") as caught:
        read(write(tmp_path, text))
    assert caught.match(message if message.startswith("(?") else f".*{message}")


def test_sizes_too_small_or_said_twice_are_refused(tmp_path):
    with pytest.raises(DatasetError, match="line 1: the feature index 7 is not among the 5"):
        read(write(tmp_path, "1 7:1\n"), n_features=5)
    with pytest.raises(DatasetError, match="line 1: the label 4 is not among the 3"):
        read(write(tmp_path, "4 7:1\n"), n_labels=3)
    with pytest.raises(DatasetError, match=r"says itself, in line 1.*\n.*n_features="):
        read(write(tmp_path, "1 4 3\n0 1:1\n"), n_features=5)
