"""Columns that are numbers but for a few cells, or but for their decimal mark, are not words."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lamc.datasets import read
from lamc.exceptions import DatasetError

AGES = [str(age) for age in range(20, 50)]


def write(folder: Path, values: list[str], delimiter: str = ",") -> Path:
    """A CSV file with a column of these, each twice, and a label."""
    rows = [f"{value}{delimiter}{i % 2}" for i, value in enumerate([*values, *values])]
    path = folder / "a.csv"
    path.write_text("\n".join([f"age{delimiter}y", *rows]) + "\n")
    return path


@pytest.mark.parametrize("odd", ["?", "<300", "unknown", "1.234,5", "4,5"])
def test_one_odd_cell_is_named_with_its_row(tmp_path, odd):
    path = write(tmp_path, [*AGES[:4], odd, *AGES[4:]], ";")
    with pytest.raises(DatasetError) as caught:
        read(path, labels=["y"], delimiter=";")
    assert caught.match(r"row 6 \(the header is row 1\): the column 'age' holds ")
    assert caught.match(f"(?s).*{odd.replace('?', '.')}', but 30 of its 31 different values are")
    assert caught.match(r"(?s).*leave it empty.*words='age'.*id_column='age'")
    data = read(path, labels=["y"], delimiter=";", words="age")
    assert data.X.shape == (62, 31)
    assert f"age={odd}" in data.feature_names


def test_a_missing_number_is_no_odd_cell(tmp_path):
    data = read(write(tmp_path, [*AGES, "NA", ""]), labels=["y"])
    assert data.feature_names.tolist() == ["age"]
    assert np.isnan(data.X).sum() == 4


@pytest.mark.parametrize("values", [["0,5", "1", "1,5"], [f"{age},25" for age in range(40)]])
def test_a_decimal_comma_is_asked_about_and_read(tmp_path, values):
    path = write(tmp_path, values, ";")
    with pytest.raises(
        DatasetError, match=r"(?s)row 2 .*numbers with a comma.*decimal=','.*is \d*\."
    ):
        read(path, labels=["y"], delimiter=";")
    data = read(path, labels=["y"], delimiter=";", decimal=",")
    expected = [float(value.replace(",", ".")) for value in values]
    np.testing.assert_array_equal(data.X[:, 0], expected * 2)


def test_a_decimal_point_where_a_comma_is_said(tmp_path):
    path = write(tmp_path, [f"{age}.5" for age in range(40)], ";")
    with pytest.raises(DatasetError, match=r"(?s)numbers with a point.*Say decimal='\.'"):
        read(path, labels=["y"], delimiter=";", decimal=",")


@pytest.mark.parametrize(
    ("decimal", "message"),
    [(",", "also what stands between values"), ("'", "neither '.' nor ','")],
)
def test_a_decimal_mark_that_cannot_be(tmp_path, decimal, message):
    with pytest.raises(DatasetError, match=message):
        read(write(tmp_path, AGES), labels=["y"], decimal=decimal)


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "3", "?"],  # grades
        ["A01.1", "E11.9", "I10", "J45.0"],  # of the ICD-10
        [f"0{i}" for i in range(1000, 1018)] + ["K1A"],  # postcodes
        ["1", "2", "3", "4", "5", "6", "7", "8", "9", "low", "high"],
    ],
)
def test_codes_and_small_columns_are_words(tmp_path, values):
    data = read(write(tmp_path, values), labels=["y"])
    assert data.feature_names.tolist() == [f"age={value}" for value in sorted(values)]
    assert data.notes == ("Read as words, each a 0/1 feature: 'age'.",)


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_whole_numbers_may_be_taken_as_words(tmp_path, form):
    path = write(tmp_path, ["10115", "20095", "80331"])
    if form == "parquet":
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"age": [10115, 20095, 80331] * 2, "y": [0, 1] * 3}), path)
    if form == "jsonl":
        path = tmp_path / "a.jsonl"
        path.write_text("".join(f'{{"age": {age}, "y": 1}}\n' for age in (10115, 20095, 80331)))
    data = read(path, labels=["y"], words=["age"])
    assert data.feature_names.tolist() == ["age=10115", "age=20095", "age=80331"]
    with pytest.raises(DatasetError, match="no column 'agee', which words="):
        read(path, labels=["y"], words=["agee"])


def test_a_fraction_is_no_word(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"age": [1.5, 2.5], "y": [0, 1]}), path)
    with pytest.raises(DatasetError, match="'age' is of type double; words= is for text and whole"):
        read(path, labels=["y"], words=["age"])


def test_text_that_a_file_declares_stays_text(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"age": AGES * 2, "x": [1] * 60, "y": [0, 1] * 30}), path)
    assert read(path, labels=["y"]).notes == ("Left out 'age': text with 30 different values.",)
    path = tmp_path / "a.jsonl"
    rows = [*AGES, '"?"']
    path.write_text("".join(f'{{"age": {age}, "y": 1}}\n' for age in rows))
    with pytest.raises(DatasetError, match=r"line 31: the column 'age' holds '.', but 30 of"):
        read(path, labels=["y"])


def test_the_row_is_counted_with_blank_lines(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f'{age},"on a\nhill",0\n' for age in AGES]
    path.write_text("".join(["\n\nage,where,y\n", *rows[:2], "\n\n", "?,,1\n", *rows[2:]]))
    with pytest.raises(DatasetError, match=r"row 8 \(the header is row 3\): the column 'age' hol"):
        read(path, labels=["y"])


def test_a_cell_too_long_to_be_read_again_leaves_blank_lines_out(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{age},{'long' * 50_000},0\n" for age in AGES]
    path.write_text("".join(["\nage,where,y\n", rows[0], "\n", "?,,1\n", *rows[1:]]))
    with pytest.raises(DatasetError, match=r"row 3 \(the header is row 1\): the column 'age' hol"):
        read(path, labels=["y"])
