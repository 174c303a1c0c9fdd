"""Tables batch by batch: the same values whatever the format and the size of a batch."""

import gc
import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc.exceptions import DatasetError
from lamc.tables.batches import (
    batches,
    column_names,
    number_of_rows,
    spelt_column,
    whole_table,
)
from lamc.tables.cells import Kind, converted
from lamc.tables.csv_text import CsvText
from lamc.tables.source import source_of
from lamc.tables.writers import target_format

WANTED = {"height": Kind.NUMBER, "leaf": Kind.WORD, "tall": Kind.TRUTH}
HEIGHTS = [3.5, None, 12.0, -1e-3, 7.0]
LEAVES = ["round", None, "long", "round", "needle"]
TALL = [True, False, True, None, False]


def as_csv(folder: Path) -> Path:
    path = folder / "trees.csv"
    rows = ["id,leaf,comment,height,tall", "a, round ,x,3.5,true", 'b,,"y,\nz",NA,false']
    rows += ["c,long,,12,yes", "d,round,1,-0.001,", "e,needle,,7,no"]
    path.write_text("\ufeff" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def as_packed_csv(folder: Path) -> Path:
    path = folder / "trees.tsv.gz"
    lines = ["leaf\theight\ttall", "round\t3.5\t1", "\t\t0", "long\t12\t1", "round\t-0.001\t"]
    path.write_bytes(gzip.compress("\n".join([*lines, "needle\t7\t0\n"]).encode()))
    return path


def as_parquet(folder: Path) -> Path:
    path = folder / "trees.parquet"
    leaf = pa.array(LEAVES).dictionary_encode()
    table = pa.table({"tall": TALL, "leaf": leaf, "height": pa.array(HEIGHTS, pa.float32())})
    pq.write_table(table, path, row_group_size=2)
    return path


def as_json_lines(folder: Path) -> Path:
    path = folder / "trees.jsonl"
    rows = zip(HEIGHTS, LEAVES, TALL, strict=True)
    lines = [json.dumps({"tall": t, "leaf": w, "height": h, "other": [1]}) for h, w, t in rows]
    path.write_text("\n".join(lines) + "\n\n")
    return path


FORMS = pytest.mark.parametrize("form", [as_csv, as_packed_csv, as_parquet, as_json_lines])


@FORMS
@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_values_depend_neither_on_the_format_nor_on_the_size_of_a_batch(tmp_path, form, rows):
    source = source_of(form(tmp_path))
    parts = list(batches(source, WANTED, rows=rows))
    assert all(len(part) <= rows for part in parts)
    assert [part.start for part in parts] == list(np.cumsum([0, *map(len, parts)])[:-1])
    table = pa.concat_tables([part.table for part in parts])
    assert table.column_names == list(WANTED)
    heights = table["height"].to_pylist()
    assert [None if h is None else round(h, 6) for h in heights] == HEIGHTS
    assert table["leaf"].to_pylist() == LEAVES
    assert table["tall"].to_pylist() == [None if t is None else float(t) for t in TALL]


@FORMS
def test_a_column_that_is_not_there_is_named(tmp_path, form):
    source = source_of(form(tmp_path))
    with pytest.raises(DatasetError, match=r"'heigth'[\s\S]*Did you mean 'height'\?"):
        list(batches(source, {"heigth": Kind.NUMBER}, rows=10))


def test_columns_are_told_without_reading_the_rows(tmp_path):
    assert column_names(source_of(as_csv(tmp_path))) == ["id", "leaf", "comment", "height", "tall"]
    parquet = source_of(as_parquet(tmp_path))
    assert number_of_rows(parquet) == 5
    assert column_names(source_of(as_json_lines(tmp_path))) == ["tall", "leaf", "height", "other"]


def test_where_a_cell_is_no_number_is_said_by_row_and_column(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text("height\n" + "1\n" * 10 + "tall\n")
    with pytest.raises(
        DatasetError, match=r"trees.csv, row 12 .*: the column 'height' holds 'tall'"
    ):
        list(batches(source_of(path), {"height": Kind.NUMBER}, rows=3))


def test_a_column_that_turns_from_whole_numbers_to_others_late_is_no_trouble(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text("height,note\n" + "1,2\n" * 500_000 + "2.5,late\n")
    *_, last = batches(source_of(path), {"height": Kind.NUMBER}, rows=100_000)
    assert last.table["height"].to_pylist()[-1] == 2.5


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_numbers_survive_being_spelt(numbers):
    spelt = pa.chunked_array([["" if x is None else repr(x) for x in numbers]])
    read = converted(spelt, Kind.NUMBER, name="x", place=str).to_pylist()
    assert read == numbers


def test_words_beside_numbers_are_read_value_by_value():
    cells = pa.chunked_array([["yes", "2"], ["no", "yes", "NA", "1e3"]])
    read = converted(cells, Kind.TRUTH, name="x", place=str)
    assert pa.chunked_array([read]).to_pylist() == [1, 2, 0, 1, None, 1000]
    with pytest.raises(DatasetError, match="holds 'yes', and a number is needed"):
        converted(cells, Kind.NUMBER, name="x", place=str)
    with pytest.raises(DatasetError, match="holds '1_000', and a number is needed"):
        converted(pa.chunked_array([["1_000"]]), Kind.TRUTH, name="x", place=str)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "x,y\n1\n", "all have the 2 values that its header has"),
        ("a.csv", "x,y\n1,2\n3\n", r"row 3 \(the header is row 1\): expected 2 columns, got 1"),
        ("a.csv", "x,y\n\n1,2\n\n3\n", r"row 5 \(the header is row 1\): expected 2 columns"),
        ("a.csv", "\nx,y\n\n1,2\ntall,2\n", r"row 5 \(the header is row 2\): the column 'x' hol"),
        ("a.csv", "x\n1\n\ntall\n", r"row 4 \(the header is row 1\): the column 'x' holds 'tall'"),
        ("a.csv", "x;y\n1;2\n", "one column, 'x;y'.\nSay --delimiter ';'"),
        ("a.csv", "x\ty\n1\t2\n", r"Say --delimiter \$'.t'"),
        ("a.csv", "x,x\n1,2\n", "two columns named 'x'"),
        ("a.csv", "y\n1\n", "no column 'x'"),
        ("a.jsonl", '{"x": 1}\n{"y": 2}\n', "line 2: there is no 'x'"),
        ("a.jsonl", '{"x": 1}\n[1]\n', "line 2 holds list"),
        ("a.jsonl", '{"x": 1}\nx\n', "line 2 is not JSON"),
        ("a.jsonl", f'{{"x": 1}}\n{{"x": {"9" * 401}}}\n', "line 2: .* 'x' .* of 401 digits"),
        ("a.parquet", "x\n1\n", "is text by its first bytes"),
        ("a.txt", "x\n1\n", "does not tell its format"),
        ("a.csv", "", "is empty"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DatasetError, match=message):
        list(batches(source_of(path), {"x": Kind.NUMBER}, rows=10))


def test_a_parquet_file_cut_short(tmp_path):
    path = as_parquet(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DatasetError, match="cannot be read as a Parquet file"):
        list(batches(source_of(path), WANTED, rows=10))


def test_a_parquet_file_with_two_columns_of_one_name(tmp_path):
    pq.write_table(pa.table([[1.0], [2.0], [3.0]], names=["x", "y", "x"]), tmp_path / "a.parquet")
    source = source_of(tmp_path / "a.parquet")
    for wanted in ("x", "y"):
        with pytest.raises(DatasetError, match="two columns named 'x'; rename one"):
            whole_table(source, {wanted: Kind.NUMBER})
    with pytest.raises(DatasetError, match="two columns named 'x'; rename one"):
        column_names(source)


@pytest.mark.parametrize("rows", [1, 10])
@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ('"ash" null ["oak","elm"]', r"line 3: 'x' holds \[\"oak\", .*no list in line 1"),
        ('null ["oak","elm"] "ash"', "line 3: 'x' holds \"ash\", but a list in line 2"),
    ],
)
def test_lists_beside_plain_text_are_refused(tmp_path, cells, message, rows):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"x": {cell}}}\n' for cell in cells.split(" ")))
    with pytest.raises(DatasetError, match=message):
        list(batches(source_of(path), {"x": Kind.AS_IS}, rows=rows))


@pytest.mark.parametrize("rows", [1, 10])
def test_more_columns_than_the_first_line_has_are_refused_where_all_are_taken(tmp_path, rows):
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1}\n{"x": 2, "y": 3}\n')
    source, wanted = source_of(path), {"x": Kind.NUMBER}
    assert len(list(batches(source, wanted, rows=rows))) == 2 // min(rows, 2)
    with pytest.raises(DatasetError, match=r"line 2 has 'y', which the first line does not have"):
        list(batches(source, wanted, rows=rows, same_keys=True))


@pytest.mark.parametrize("ids", [["a", None, "None"], [1.0, float("nan"), 2.0]])
def test_a_missing_id_is_refused(tmp_path, ids):
    pq.write_table(pa.table({"id": ids}), tmp_path / "a.parquet")
    with pytest.raises(DatasetError, match=r"a.parquet, row 1, counted from 0: the id is missing"):
        spelt_column(source_of(tmp_path / "a.parquet"), "id")


def test_a_table_without_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n")
    assert list(batches(source_of(path), {"x": Kind.NUMBER}, rows=10)) == []
    with pytest.raises(DatasetError, match="has no rows"):
        whole_table(source_of(path), {"x": Kind.NUMBER})


def test_another_encoding(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("größe\n3\n".encode("latin-1"))
    source = source_of(path, encoding="latin-1")
    assert whole_table(source, {"größe": Kind.NUMBER})["größe"].to_pylist() == [3]
    with pytest.raises(DatasetError, match="not utf-8 text"):
        column_names(source_of(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_another_encoding_of_json_lines(tmp_path, encoding, name):
    path = tmp_path / name
    lines = '{"größe": 3, "art": "a\u2028b"}\r\n{"größe": 4, "art": "ü"}\n'
    raw = lines.replace("\u2028", "-" if encoding == "latin-1" else "\u2028").encode(encoding)
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    source = source_of(path, encoding=encoding)
    assert column_names(source) == ["größe", "art"]
    table = whole_table(source, {"größe": Kind.NUMBER, "art": Kind.WORD})
    assert table["größe"].to_pylist() == [3, 4]
    assert table["art"].to_pylist()[1] == "ü"
    if encoding == "latin-1":
        with pytest.raises(DatasetError, match=r"line 1: .* not utf-8 text.\n.*encoding='latin-1'"):
            column_names(source_of(path))


def test_standard_input_stays_open(monkeypatch):
    class Stream:
        buffer = io.BytesIO('{"x": "ü"}\n'.encode("latin-1"))

    monkeypatch.setattr(sys, "stdin", Stream)
    source = source_of("-", said="jsonl", encoding="latin-1")
    reading = batches(source, {"x": Kind.WORD}, rows=1)
    assert next(reading).table["x"].to_pylist() == ["ü"]
    reading.close()
    assert not Stream.buffer.closed


def test_closed_standard_streams_are_told(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(DatasetError, match="Standard input is closed"):
        next(batches(source_of("-"), {"x": Kind.WORD}, rows=1))
    with pytest.raises(DatasetError, match="Standard output is closed"):
        target_format("-")


@pytest.mark.parametrize("whole", [True, False])
def test_a_csv_file_is_let_go_of_when_reading_ends(tmp_path, whole):
    """A thread that still held it at the end of the program would abort it."""
    path = tmp_path / "a.csv"
    path.write_text("height\n" + "20\n" * 1000)
    reading = batches(source_of(path), {"height": Kind.NUMBER}, rows=10)
    assert len(next(reading)) == 10
    if whole:
        assert sum(map(len, reading)) == 990
    reading.close()
    assert not [each for each in gc.get_objects() if isinstance(each, CsvText)]


def test_text_in_another_encoding_is_told_by_its_place(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("x,name\n1,oak\n2,épicéa\n".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"(?s)row 3 .* column 'name' .*--encoding latin-1"):
        list(batches(source_of(path), {"name": Kind.AS_IS}, rows=10))
