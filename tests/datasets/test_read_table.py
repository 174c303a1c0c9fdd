"""CSV, Parquet and JSON lines."""

import gzip
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc.datasets import read
from lamc.datasets.readers.columns import MISSING
from lamc.exceptions import DatasetError

from .files import store, write

SKY = "id,warmth,windy,rain,sun\n1,21.5,false,0,1\n2,9,true,1,0\n3,,true,1,1\n"
TAGS = "warmth,tags\n1,sun\n2, storm ;;storm;rain\n3,\n4,rain;storm\n"


def as_parquet(path: Path) -> Path:
    target = path.with_suffix(".parquet")
    pd.read_csv(path).to_parquet(target)
    return target


def as_json_lines(path: Path) -> Path:
    target = path.with_suffix(".jsonl")
    pd.read_csv(path).to_json(target, orient="records", lines=True)
    return target


@pytest.mark.parametrize("convert", [lambda path: path, as_parquet, as_json_lines])
def test_label_columns_by_name(tmp_path, convert):
    data = read(convert(write(tmp_path, SKY)), labels=["sun", "rain"], id_column="id")
    assert data.name == "sky"
    assert data.label_names.tolist() == ["sun", "rain"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1], [1, 1]])
    assert data.feature_names.tolist() == ["warmth", "windy"]
    np.testing.assert_array_equal(data.X, [[21.5, 0], [9, 1], [np.nan, 1]])
    assert data.X.dtype == np.float64
    assert data.Y.dtype == bool


def test_a_column_that_lists_labels(tmp_path):
    data = read(write(tmp_path, TAGS), label_column="tags", separator=";")
    assert data.label_names.tolist() == ["rain", "storm", "sun"]
    np.testing.assert_array_equal(data.Y.toarray(), [[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 0]])
    np.testing.assert_array_equal(data.X.ravel(), [1, 2, 3, 4])
    assert data.notes == ("In 1 of 4 rows 'tags' is empty: they are taken to have no label.",)


def test_labels_that_are_known_may_be_named(tmp_path):
    known = ["sun", "snow", "storm", "rain"]
    data = read(write(tmp_path, TAGS), label_column="tags", separator=";", labels=known)
    assert data.label_names.tolist() == known
    np.testing.assert_array_equal(data.Y.sum(axis=0), [1, 0, 2, 2])
    with pytest.raises(DatasetError, match=r"row 3 .*'rain' is not among the 3.*'rains'\?"):
        read(
            write(tmp_path, TAGS),
            label_column="tags",
            separator=";",
            labels=["sun", "storm", "rains"],
        )


def test_without_a_separator_a_cell_is_one_label_and_a_note_says_so(tmp_path):
    data = read(write(tmp_path, "x,kind\n1,007\n2,08\n3,007\n"), label_column="kind")
    assert data.label_names.tolist() == ["007", "08"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1], [1, 0]])
    assert data.notes == (
        "Each cell of 'kind' is one label; whether the row has others, the file does not say.",
    )
    joined = read(write(tmp_path, "x,kind\n1,a;b\n2,c;d\n3,a\n"), label_column="kind")
    assert joined.notes[1] == "'a;b' is read as one label; separator=';' splits it."
    with pytest.raises(DatasetError, match=r"row 3 .*'kind' is missing"):
        read(write(tmp_path, "x,kind\n1,a\n2,\n"), label_column="kind")


@pytest.mark.parametrize("convert", [Path, as_json_lines])
@pytest.mark.parametrize("separator", [None, ";"])
def test_a_label_that_stands_for_a_missing_one_is_no_label(tmp_path, convert, separator):
    path = write(tmp_path, "x,kind\n1,oak\n2,NaN?\n3,elm\n")
    path = convert(path)
    path.write_text(path.read_text().replace("NaN?", "NA"))
    with pytest.raises(DatasetError, match=r"(?s)(row|line) [23].*'kind' is 'NA', which.*labels=…"):
        read(path, label_column="kind", separator=separator)
    known = ["DE", "NA", "elm", "oak"]
    data = read(path, label_column="kind", separator=separator, labels=known)
    np.testing.assert_array_equal(data.Y.toarray(), [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])


@pytest.mark.parametrize("mark", [";", "|", ","])
def test_a_cell_that_joins_labels_of_the_column_is_refused(tmp_path, mark):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(["oak", "elm", "ash"] * 20))
    path = write(tmp_path, f'x,kind\n{rows}60,"oak{mark} ash"\n')
    message = r"(?s)row 62 .*'oak. ash' in 'kind' joins 'oak', 'ash'.*\nSay separator='.' to split"
    with pytest.raises(DatasetError, match=message):
        read(path, label_column="kind")
    assert read(path, label_column="kind", separator=mark).Y.shape == (61, 3)
    known = ["ash", "elm", "oak", f"oak{mark} ash"]
    assert read(path, label_column="kind", labels=known).Y.sum(axis=0)[-1] == 1
    path = write(tmp_path, f'x,kind\n{rows}60,"oak{mark}"\n')
    with pytest.raises(DatasetError, match="in 'kind' joins 'oak', which"):
        read(path, label_column="kind")
    path = write(tmp_path, f'x,kind\n{rows}60,"oak{mark} fir"\n')  # fir is no label by itself
    assert read(path, label_column="kind").Y.shape == (61, 4)


def test_a_parquet_column_of_lists(tmp_path):
    path = store(tmp_path, {"x": [1, 2, 3], "tags": [["b", "a"], [], ["b"]]})
    data = read(path, label_column="tags")
    assert data.label_names.tolist() == ["a", "b"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1], [0, 0], [0, 1]])
    with pytest.raises(DatasetError, match=r"'tags' holds lists of labels; leave out separator="):
        read(path, label_column="tags", separator=";")
    for cell in (None, ["a", None]):
        path = store(tmp_path, {"x": [1, 2, 3], "tags": [["a"], cell, ["b"]]})
        with pytest.raises(DatasetError, match="row 1, counted from 0: the label in 'tags' is"):
            read(path, label_column="tags")


def test_text_with_few_values_is_nominal_and_other_text_is_left_out(tmp_path):
    n = 60
    columns = {
        "colour": ["red", "green", "blue"] * (n // 3),
        "side": ["left", "right"] * (n // 2),
        "agreed": ["yes", "no", None] * (n // 3),
        "many": [f"v{i % 21}" for i in range(n)],
        "title": [f"row {i}" for i in range(n)],
        "day": [date(2020, 1, 1)] * n,
        "empty": pa.nulls(n),
        "size": np.arange(n, dtype=np.float32),
        "y": [0, 1] * (n // 2),
    }
    data = read(store(tmp_path, columns), labels=["y"])
    assert data.feature_names.tolist() == [
        "colour=blue",
        "colour=green",
        "colour=red",
        "side=right",
        "agreed",
        "size",
    ]
    nan = np.nan
    np.testing.assert_array_equal(
        data.X[:3], [[0, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [1, 0, 0, 0, nan, 2]]
    )
    assert data.notes == (
        "Left out 'many': text with 21 different values.",
        "Left out 'title': text with 60 different values.",
        "Left out 'day': a date, which is no number.",
        "Left out 'empty': without a value in any row.",
        "Read as words, each a 0/1 feature: 'colour', 'side'. Read as numbers: 'agreed', 'size'.",
    )


def test_missing_text_is_nan_in_every_column_it_becomes(tmp_path):
    text = "c,y\na,0\nb,1\nc,0\n,1\n  ,1\na,1\nb,0\nc,0\n"
    data = read(write(tmp_path, text), labels=["y"])
    assert data.feature_names.tolist() == ["c=a", "c=b", "c=c"]
    np.testing.assert_array_equal(data.X[3:6], [[np.nan] * 3, [np.nan] * 3, [1, 0, 0]])


def test_numbers_of_every_type_are_features(tmp_path):
    columns = {
        "a": pa.array([1, None], pa.int64()),
        "b": pa.array([True, False]),
        "c": pa.array(["1.5", "2.25"]).cast(pa.decimal128(5, 2)),
        "d": pa.array([2**60 + 1, 0], pa.uint64()),
        "e": pa.array([7, 8], pa.int8()).dictionary_encode(),
        "y": [True, False],
    }
    data = read(store(tmp_path, columns), labels=["y"])
    np.testing.assert_array_equal(data.X, [[1, 1, 1.5, 2.0**60, 7], [np.nan, 0, 2.25, 0, 8]])


@pytest.mark.parametrize("cells", ["0 1 1", "false TRUE True", "no yes Yes", "0.0 1.0 1"])
def test_labels_may_be_numbers_or_words(tmp_path, cells):
    text = "x,y\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells.split()))
    data = read(write(tmp_path, text), labels=["y"])
    np.testing.assert_array_equal(data.Y.toarray().ravel(), [0, 1, 1])


def test_the_index_that_pandas_writes_is_no_feature(tmp_path):
    frame = pd.DataFrame({"x": [1.5, 2.5], "y": [0, 1]}, index=[10, 20])
    frame.to_csv(tmp_path / "a.csv")
    frame.to_parquet(tmp_path / "a.parquet")
    pd.read_csv(tmp_path / "a.csv").to_parquet(tmp_path / "again.parquet")
    for path in (tmp_path / "a.csv", tmp_path / "a.parquet", tmp_path / "again.parquet"):
        data = read(path, labels=["y"])
        assert data.feature_names.tolist() == ["x"]
        assert "the index of a pandas frame" in data.notes[0]


def test_other_delimiters_packings_and_encodings(tmp_path):
    expected = read(write(tmp_path, SKY), labels=["rain", "sun"])
    tabs = write(tmp_path, SKY.replace(",", "\t"), "sky.tsv")
    packed = tmp_path / "sky.csv.gz"
    packed.write_bytes(gzip.compress(SKY.encode()))
    marked = tmp_path / "marked.csv"
    marked.write_bytes(b"\xef\xbb\xbf" + SKY.encode())
    semicolons = write(tmp_path, SKY.replace(",", ";"), "semi.csv")
    for path, options in [
        (tabs, {}),
        (packed, {}),
        (marked, {}),
        (semicolons, {"delimiter": ";"}),
    ]:
        data = read(path, labels=["rain", "sun"], **options)
        np.testing.assert_array_equal(data.X, expected.X)
        assert data.feature_names.tolist() == expected.feature_names.tolist()
    with pytest.raises(DatasetError, match=r"one column, 'id;warmth.*\n.*delimiter=';'"):
        read(semicolons, labels=["rain"])
    wide = tmp_path / "wide.csv"
    wide.write_bytes(SKY.encode("utf-16"))
    data = read(wide, labels=["rain", "sun"], encoding="utf-16")
    np.testing.assert_array_equal(data.X, expected.X)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("größe,y\n1,0\n2,1\n".encode("latin-1"))
    with pytest.raises(DatasetError, match="latin-1"):
        read(latin, labels=["y"])
    assert read(latin, labels=["y"], encoding="latin-1").feature_names.tolist() == ["größe"]
    latin.write_bytes("x,art\n1,groß\n2,klein\n".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"is not UTF-8 text.*\n.*encoding='latin-1'"):
        read(latin, label_column="art")
    latin.write_bytes("art,y\ngroß,0\nklein,1\n".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"'art' has bytes that are not UTF-8.*\n.*latin-1"):
        read(latin, labels=["y"])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (SKY, {}, r"Nothing says.*\n.*labels=\[…\].*only 0 and 1: 'windy', 'rain', 'sun'"),
        (SKY, {"labels": "rain"}, r"labels=\['rain'\]"),
        (SKY, {"labels": Path("sky.xml")}, r"labels=\['sky.xml'\]"),
        (SKY, {"labels": ["rain"], "delimiter": ";;"}, "delimiter=';;' is not one ASCII character"),
        (SKY, {"labels": ["rian"]}, r"no column 'rian'.*Did you mean 'rain'\?.*'warmth'"),
        (SKY, {"labels": ["rain"], "id_column": "no"}, "no column 'no', which id_column="),
        (SKY, {"label_column": "no"}, "no column 'no', which label_column="),
        (SKY, {"labels": ["rain"], "separator": ";"}, "separator=';'.*label_column="),
        (SKY, {"label_column": "id", "separator": ""}, "separator=''"),
        (SKY, {"labels": ["rain", "warmth"]}, r"row 2 \(.*'warmth' is 21.5"),
        (SKY, {"labels": ["id", "rain"]}, r"row 3 \(.*'id' is 2"),
        (SKY, {"labels": []}, "0 labels"),
        (SKY.replace("3,,true,1,1", "3,,true,,1"), {"labels": ["rain"]}, r"row 4 .*is missing"),
        (SKY.replace("3,,true,1", "3,,true,maybe"), {"labels": ["rain"]}, r"row 4 .*'maybe'"),
        (SKY.replace(",1,1", ",-1,1"), {"labels": ["rain"]}, r"row 4 .*is -1.*unknown"),
        (SKY.replace("id,", "warmth,"), {"labels": ["rain"]}, "two columns named 'warmth'"),
        (SKY[:-6], {"labels": ["rain"]}, r"Row #4: Expected 5 columns, got 3.*cut short"),
        (SKY + "4,1\n", {"labels": ["rain"]}, r"Row #5: Expected 5 columns, got 2"),
        ("id,rain\n", {"labels": ["rain"]}, "'rain' is without a value|0 rows"),
        ("id,rain\n", {"label_column": "rain", "separator": ";"}, "0 rows"),
        ("rain\n1\n0\n", {"labels": ["rain"]}, "0 features"),
        (TAGS, {"label_column": "tags", "separator": ";", "id_column": "warmth"}, "0 features"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, text, options, message):
    with pytest.raises(DatasetError) as caught:
        read(write(tmp_path, text), **options)
    assert caught.match(f"(?s).*{message}")


def test_quoted_cells_may_hold_anything(tmp_path):
    text = 'x,kind\n1,"a ""b"",\nc"\n2,d\n'
    assert read(write(tmp_path, text), label_column="kind").label_names.tolist() == [
        'a "b",\nc',
        "d",
    ]


def test_quoted_lines_go_on_where_pyarrow_cuts_the_file_into_blocks(tmp_path):
    rows, kind = 20_000, "many\nlines\n" * 9 + "end"
    data = read(write(tmp_path, "x,kind\n" + f'1,"{kind}"\n' * rows), label_column="kind")
    assert data.Y.shape == (rows, 1)
    assert data.label_names.tolist() == [kind]


def test_parquet_text_that_is_none_is_refused(tmp_path):
    ends = pa.py_buffer(np.array([0, 1, 2], dtype=np.int32))
    text = pa.StringArray.from_buffers(2, ends, pa.py_buffer(b"a\xff"))
    with pytest.raises(DatasetError, match=r"sky\.parquet cannot be read.*UTF8"):
        read(store(tmp_path, {"x": [1, 2], "t": text, "y": [0, 1]}), labels=["y"])


def test_a_damaged_parquet_file_is_refused(tmp_path):
    whole = store(tmp_path, {"x": [1.0, 2.0], "y": [0, 1]}).read_bytes()
    path = tmp_path / "part.parquet"
    for cut in (4, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(DatasetError, match=r"part\.parquet.*\n.*cut short"):
            read(path, labels=["y"])


NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5).filter(
    lambda name: name not in MISSING
)


@given(
    rows=st.lists(st.sets(NAMES, max_size=4), min_size=1, max_size=6).filter(any),
    separator=st.sampled_from([";", "|", " / ", "; "]),
)
def test_listed_labels_come_back(tmp_path_factory, rows, separator):
    frame = pd.DataFrame({"x": np.arange(len(rows)), "tags": [separator.join(r) for r in rows]})
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    frame.to_csv(path, index=False)
    data = read(path, label_column="tags", separator=separator)
    found = [set(data.label_names[np.flatnonzero(row)].tolist()) for row in data.Y.toarray()]
    assert found == rows


def test_json_lines_may_list_labels_and_be_packed(tmp_path):
    path = tmp_path / "sky.jsonl.gz"
    lines = [
        '{"warmth": 1, "air": "dry", "none": null, "tags": ["sun", 7]}',
        "",
        '{"warmth": null, "air": "wet", "none": null, "tags": []}',
        '{"warmth": 3.5, "air": "dry", "none": null, "tags": ["rain", "sun"]}',
        '{"warmth": true, "air": "wet", "none": null, "tags": ["sun"]}',
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    data = read(path, label_column="tags")
    assert data.label_names.tolist() == ["7", "rain", "sun"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0, 1], [0, 0, 0], [0, 1, 1], [0, 0, 1]])
    assert data.feature_names.tolist() == ["warmth", "air=wet"]
    np.testing.assert_array_equal(data.X, [[1, 0], [np.nan, 1], [3.5, 0], [1, 1]])
    assert data.notes == (
        "Left out 'none': without a value in any row.",
        "Read as words, each a 0/1 feature: 'air'. Read as numbers: 'warmth'.",
    )


def test_lists_of_labels_beside_plain_text_are_refused(tmp_path):
    lines = '{"x": 1, "tags": "ash"}\n{"x": 2, "tags": ["oak", "elm"]}\n'
    path = write(tmp_path, lines, "a.jsonl")
    message = r"a.jsonl, line 2: 'tags' holds \[\"oak\", \"elm\"\], but no list in line 1.\nWrite"
    with pytest.raises(DatasetError, match=message):
        read(path, label_column="tags")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_json_lines_in_another_encoding(tmp_path, encoding):
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"größe": 1, "y": 1}\n{"größe": 2, "y": 0}\n'.encode(encoding))
    data = read(path, labels=["y"], encoding=encoding)
    assert data.feature_names.tolist() == ["größe"]
    with pytest.raises(DatasetError, match=r"line 1: .* not utf-8 text.*\n.*encoding='latin-1'"):
        read(path, labels=["y"])


def test_a_number_that_names_a_label_is_its_name(tmp_path):
    path = write(tmp_path, '{"x": 1, "tag": 7}\n{"x": 2, "tag": "oak"}\n', "a.jsonl")
    assert read(path, label_column="tag").label_names.tolist() == ["7", "oak"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "has no rows"),
        ('{"x": 1, "oak": 1}\n{"x": 2}\n', r"line 2: there is no 'oak'.*\n.*null"),
        ('{"x": 1, "oak": 1}\n\n{"x": 2, "oak": 1, "y": 3}', "line 3 has 'y', which the first"),
        ('{"x": 1, "oak": 1}\n{"x": ', "line 2 is not JSON"),
        ('{"x": 1, "oak": 1}\n{"x": 1, "x": 900, "oak": 1}', "line 2 .*: the key 'x' occurs twice"),
        ('{"x": 1, "oak": 1}\n[1, 2]', "line 2 holds list"),
        ('{"x": 1, "oak": 1}\n\n{"x": 2, "oak": 2}', r"line 3: the label 'oak' is 2"),
        ('{"x": 1, "oak": 1}\n{"x": 2, "oak": null}', r"line 2: the label 'oak' is missing"),
        (f'{{"x": 1, "oak": 1}}\n\n{{"x": {"9" * 401}, "oak": 0}}', "line 3: .*of 401 digits"),
    ],
)
def test_json_lines_that_are_none(tmp_path, text, message):
    with pytest.raises(DatasetError, match=message):
        read(write(tmp_path, text, "a.jsonl"), labels=["oak"])


def test_a_list_with_a_gap_is_refused(tmp_path):
    path = write(tmp_path, '{"x": 1, "tags": ["oak", null]}\n', "a.jsonl")
    with pytest.raises(DatasetError, match="line 1: the label in 'tags' is missing"):
        read(path, label_column="tags")


@pytest.mark.parametrize("codes", [["01", "02", "10"], ["1", "007", "20"]])
def test_codes_with_leading_zeros_are_words(tmp_path, codes):
    rows = "".join(f"{10 * row},{codes[row % 3]},{row % 2}\n" for row in range(12))
    path = write(tmp_path, f"height,soil,oak\n{rows}")
    expected = ["height", *(f"soil={code}" for code in sorted(codes))]
    assert read(path, labels=["oak"]).feature_names.tolist() == expected
    path.write_text(path.read_text(), encoding="utf-16")
    assert read(path, labels=["oak"], encoding="utf-16").feature_names.tolist() == expected


@pytest.mark.parametrize("numbers", ["0", "10", "0.05", "-0.5", "100", "2001-01-05"])
def test_zeros_that_do_not_lead_are_no_codes(tmp_path, numbers):
    text = "day,height,oak\n" + f"{numbers},3,1\n{numbers},4,0\n" * 3
    assert "height" in read(write(tmp_path, text), labels=["oak"]).feature_names
    assert not any(
        "=" in name for name in read(write(tmp_path, text), labels=["oak"]).feature_names
    )


def test_a_code_far_down_a_long_file_is_found(tmp_path):
    rows = "".join(f"{row % 7 + 1},{row % 2}\n" for row in range(400_000))
    data = read(write(tmp_path, f"soil,oak\n{rows}007,1\n"), labels=["oak"])
    assert "soil=007" in data.feature_names
