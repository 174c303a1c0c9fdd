"""Labels that a Parquet file or JSON lines have in lists, or in types that are no names."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lamc.datasets import read
from lamc.datasets.readers.label_lists import matrix_of_lists
from lamc.exceptions import DatasetError

from .files import store, write


def test_a_parquet_column_of_lists_of_one_length(tmp_path):
    """Two labels in each row; pandas and numpy write such lists as fixed_size_list."""
    cells = pa.array([["a", "b"], ["b", "c"]], pa.list_(pa.string(), 2))
    data = read(store(tmp_path, {"x": [1, 2], "tags": cells}), label_column="tags")
    assert data.label_names.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1, 0], [0, 1, 1]])
    assert data.notes == ()


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([{"l": "a"}, {"l": "b"}]),
        pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
        pa.array([[{"l": "a"}], []]),
        pa.array([[["a"]], [["b"]]]),
        pa.array([b"a", b"b"]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_labels_that_are_no_names_are_refused(tmp_path, cells):
    path = store(tmp_path, {"x": [1, 2], "tags": cells})
    with pytest.raises(DatasetError, match=r"'tags' is of type (struct|map|list|binary).*\nWrite"):
        read(path, label_column="tags")


@pytest.mark.parametrize("cell", ['{"l": "a"}', '["a", {"l": 1}]', '[["a"]]'])
def test_labels_in_json_lines_that_are_no_names_are_refused(tmp_path, cell):
    path = write(tmp_path, f'{{"x": 1, "tags": null}}\n{{"x": 2, "tags": {cell}}}\n', "a.jsonl")
    with pytest.raises(DatasetError, match=r"line 2: 'tags' holds .*; text or a number is needed"):
        read(path, label_column="tags")


@pytest.mark.parametrize("known", [None, ["a", "b"]])
@pytest.mark.parametrize(
    ("item", "message"),
    [("", "is missing"), ("  ", "is missing"), (" NA", "is 'NA'"), ("nan", "is 'nan', which")],
)
def test_items_of_lists_are_checked_as_cells_are(tmp_path, item, message, known):
    path = store(tmp_path, {"x": [1, 2, 3], "tags": [["a", " b "], ["b", item], ["a"]]})
    with pytest.raises(DatasetError, match=f"row 1, counted from 0: the label in 'tags' {message}"):
        read(path, label_column="tags", labels=known)


def test_items_of_lists_are_stripped_and_may_be_named_as_what_is_missing(tmp_path):
    path = store(tmp_path, {"x": [1, 2], "tags": [["a", " b "], ["NA", "b"]]})
    data = read(path, label_column="tags", labels=["a", "b", "NA"])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1, 0], [0, 1, 1]])


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([7.0, 8.5, 7.0]),
        pa.array(["7.0", "8.5", "7.0"]).cast(pa.decimal128(5, 1)),
        pa.array([[7.0], [8.5], [7.0]]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_whole_numbers_are_labels_without_a_point(tmp_path, cells):
    data = read(store(tmp_path, {"x": [1, 2, 3], "tags": cells}), label_column="tags")
    assert data.label_names.tolist() == ["7", "8.5"]


def test_whole_numbers_in_json_lines_are_labels_without_a_point(tmp_path):
    path = write(tmp_path, '{"x": 1, "tags": [7.0, 8]}\n{"x": 2, "tags": ["7"]}\n', "a.jsonl")
    assert read(path, label_column="tags").label_names.tolist() == ["7", "8"]


def test_labels_of_a_row_are_in_the_order_of_the_columns():
    """Whatever order a set happens to have them in, which differs from run to run."""
    labels = [f"label {i}" for i in range(50)]
    marks, names = matrix_of_lists(Path("a"), [labels[::-1], labels * 2, []], None, str)
    assert marks.has_canonical_format
    assert marks.indices.tolist() == [*range(50)] * 2
    assert names == sorted(labels)


def test_accents_that_look_the_same_are_the_same(tmp_path):
    text = "x,tags\n1,\u00c9picéa\n2,E\u0301pice\u0301a\n3,oak\n"
    data = read(write(tmp_path, text), label_column="tags")
    assert data.label_names.tolist() == ["E\u0301pice\u0301a", "oak"]
    assert data.Y.toarray()[:, 0].tolist() == [1, 1, 0]
    known = read(write(tmp_path, text), label_column="tags", labels=["oak", "\u00c9picéa"])
    assert known.Y.toarray()[:, 1].tolist() == [1, 1, 0]


def test_empty_cells_that_are_taken_for_no_label_are_counted(tmp_path):
    text = "x,tags\n1,oak\n2,\n3,oak;elm\n4,\n"
    data = read(write(tmp_path, text), label_column="tags", separator=";")
    assert np.diff(data.Y.indptr).tolist() == [1, 0, 2, 0]
    assert "In 2 of 4 rows 'tags' is empty: they are taken to have no label." in data.notes
    full = read(write(tmp_path, text.replace(",\n", ",elm\n")), label_column="tags", separator=";")
    assert not any("empty" in note for note in full.notes)


def test_an_empty_cell_among_lists_is_not_told_to_be_removed(tmp_path):
    text = "x,tags\n1,oak\n2,\n3,oak;elm\n4,elm\n"
    with pytest.raises(DatasetError, match=r"row 4 .*joins 'oak', 'elm'(?s:.*)separator=';'"):
        read(write(tmp_path, text), label_column="tags")
    with pytest.raises(DatasetError, match=r"row 3 .*missing(?s:.*)no label at all, say separator"):
        read(write(tmp_path, text.replace(";elm", "")), label_column="tags")
