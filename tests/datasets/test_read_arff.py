"""ARFF files: Mulan's and MEKA's, dense and sparse, whole and damaged."""

import gzip
from pathlib import Path

import arff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lamc.datasets import read
from lamc.exceptions import DatasetError

XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
{}
</labels>
"""

SKY = """% weather
@relation sky

@attribute warmth numeric
@attribute rain {0,1}
@attribute wind {calm,breeze,gale}
@attribute sun {0,1}
@data
21.5,0,calm,1
9,1,gale,0
% a comment
?,1,breeze,1
"""


def write_xml(path: Path, *names: str) -> Path:
    path.write_text(XML.format("\n".join(f'<label name="{name}"></label>' for name in names)))
    return path


def write_sky(folder: Path, *, text: str = SKY, name: str = "sky.arff") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_labels_are_found_by_name_and_keep_the_order_of_the_arff_file(tmp_path):
    write_xml(tmp_path / "sky.xml", "sun", "rain")
    data = read(write_sky(tmp_path))
    assert data.name == "sky"
    assert data.label_names.tolist() == ["rain", "sun"]
    np.testing.assert_array_equal(data.Y.toarray(), [[0, 1], [1, 0], [1, 1]])
    assert data.Y.dtype == bool
    assert data.Y.format == "csr"


def test_nominal_features_become_named_columns_and_missing_values_nan(tmp_path):
    data = read(write_sky(tmp_path), labels=["rain", "sun"])
    names = ["warmth", "wind=calm", "wind=breeze", "wind=gale"]
    assert data.feature_names.tolist() == names
    np.testing.assert_array_equal(data.X, [[21.5, 1, 0, 0], [9, 0, 0, 1], [np.nan, 0, 1, 0]])
    assert data.X.dtype == np.float64


def test_a_list_sets_the_order_of_the_labels(tmp_path):
    data = read(write_sky(tmp_path), labels=["sun", "rain"])
    assert data.label_names.tolist() == ["sun", "rain"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize(
    "name", ["sky.arff", "sky-train.arff", "sky_test.arff", "sky-train-sparse.arff", "sky.arff.gz"]
)
def test_the_xml_beside_the_file_is_found(tmp_path, name):
    write_xml(tmp_path / "sky.xml", "rain")
    path = tmp_path / name
    path.write_bytes(gzip.compress(SKY.encode()) if name.endswith(".gz") else SKY.encode())
    assert read(path).label_names.tolist() == ["rain"]


def test_an_xml_elsewhere_may_be_given_and_its_nested_labels_count(tmp_path):
    xml = tmp_path / "names.txt"
    xml.write_text(XML.format('<label name="rain"><label name="sun"/></label>'))
    assert read(write_sky(tmp_path), labels=xml).label_names.tolist() == ["rain", "sun"]
    assert read(write_sky(tmp_path), labels=str(xml)).label_names.tolist() == ["rain", "sun"]


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("'weather: -C 2'", ["a", "b"]),
        ("'weather: -C -2 -split 30'", ["b", "c"]),
        ('"weather:-C 1"', ["a"]),
        ("weather: -C 1", ["a"]),
    ],
)
def test_meka_counts_labels_in_the_header(tmp_path, relation, expected):
    text = f"@relation {relation}\n" + "".join(f"@attribute {c} {{0,1}}\n" for c in "abc")
    data = read(write_sky(tmp_path, text=text + "@data\n1,0,1\n0,1,1\n"))
    assert data.label_names.tolist() == expected
    assert set(data.feature_names) == set("abc") - set(expected)


def test_header_and_xml_must_agree(tmp_path):
    text = SKY.replace("@relation sky", "@relation 'sky: -C 2'")
    write_xml(tmp_path / "sky.xml", "rain", "sun")
    with pytest.raises(DatasetError, match=r"sky\.xml and -C 2 disagree(?s:.*)labels=.*sky\.xml"):
        read(write_sky(tmp_path, text=text))


def test_sparse_rows_omit_the_first_value_that_is_declared(tmp_path):
    text = (
        "@relation 'r: -C 1'\n@attribute y {1,0}\n@attribute colour {red,green,blue}\n"
        "@attribute size numeric\n@attribute old {yes,no}\n@data\n"
        "{}\n{0 0,1 blue,2 2.5,3 no}\n{ 2 -1 , 1 ? }\n"
    )
    data = read(write_sky(tmp_path, text=text))
    np.testing.assert_array_equal(data.Y.toarray(), [[1], [0], [1]])
    names = ["colour=red", "colour=green", "colour=blue", "size", "old"]
    assert data.feature_names.tolist() == names
    nan = np.nan
    expected = [[1, 0, 0, 0, 1], [0, 0, 1, 2.5, 0], [nan, nan, nan, -1, 1]]
    np.testing.assert_array_equal(data.X.toarray(), expected)


def test_sparse_and_dense_files_of_the_same_rows_agree(tmp_path):
    header = SKY.partition("@data\n")[0] + "@data\n"
    sparse = header + "{0 21.5,3 1}\n{0 9,1 1,2 gale}\n{0 ?,1 1,2 breeze,3 1}\n"
    dense = read(write_sky(tmp_path), labels=["rain", "sun"])
    other = read(write_sky(tmp_path, text=sparse, name="b.arff"), labels=["rain", "sun"])
    np.testing.assert_array_equal(dense.X, other.X.toarray())
    np.testing.assert_array_equal(dense.Y.toarray(), other.Y.toarray())
    assert dense.feature_names.tolist() == other.feature_names.tolist()


def test_quotes_escapes_tabs_and_cases(tmp_path):
    text = (
        "@RELATION r\n@ATTRIBUTE\t'it\\'s\\tsaid'\tREAL\n@attribute \"a % b\" INTEGER % how many\n"
        "@attribute colour {'light blue' , \"a,b\", 'it\\'s {x}', plain}\n"
        "@attribute y{false, TRUE}\n@DATA\n"
        "1e-3, 2, 'light blue', false\n-4,?,\"a,b\",TRUE\n0,1,'it\\'s {x}',TRUE\n3,3,plain,false\n"
    )
    data = read(write_sky(tmp_path, text=text), labels=["y"])
    assert data.feature_names.tolist() == [
        "it's\tsaid",
        "a % b",
        "colour=light blue",
        "colour=a,b",
        "colour=it's {x}",
        "colour=plain",
    ]
    np.testing.assert_array_equal(data.X[:, :2], [[1e-3, 2], [-4, np.nan], [0, 1], [3, 3]])
    np.testing.assert_array_equal(data.X[:, 2:], np.eye(4))
    np.testing.assert_array_equal(data.Y.toarray().ravel(), [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("declared", "cells", "name", "column"),
    [
        ("{0,1}", "0 1 1", "f", [0, 1, 1]),
        ("{1,0}", "0 1 1", "f", [0, 1, 1]),
        ("{true,false}", "true false true", "f", [1, 0, 1]),
        ("{no,yes}", "no yes no", "f", [0, 1, 0]),
        ("{m,w}", "m w w", "f=w", [0, 1, 1]),
        ("{2,1}", "2 1 1", "f=1", [0, 1, 1]),
        ("{0}", "0 0 0", "f", [0, 0, 0]),
    ],
)
def test_two_values_are_one_column(tmp_path, declared, cells, name, column):
    rows = "".join(f"{cell},1\n" for cell in cells.split())
    text = f"@relation 'r: -C -1'\n@attribute f {declared}\n@attribute y {{0,1}}\n@data\n{rows}"
    data = read(write_sky(tmp_path, text=text))
    assert data.feature_names.tolist() == [name]
    np.testing.assert_array_equal(data.X.ravel(), column)


def test_text_and_dates_are_left_out_and_said_so(tmp_path):
    text = (
        "@relation 'r: -C -1'\n@attribute url string\n@attribute day date \"yyyy-MM-dd\"\n"
        "@attribute number numeric\n@attribute size numeric\n@attribute y {0,1}\n@data\n"
        "'http://a, b',\"2001-02-03\",17,1.5,1\n?,?,18,2,0\n"
    )
    data = read(write_sky(tmp_path, text=text), id_column="number")
    assert data.feature_names.tolist() == ["size"]
    assert data.notes == ("Left out 'url': text.", "Left out 'day': a date, which is no number.")


@pytest.mark.parametrize("declared", ["numeric", "{0,1}", "{false,true}", "{1.0,0.0}"])
def test_labels_are_numbers_or_words(tmp_path, declared):
    cells = {"{false,true}": ("false", "true"), "{1.0,0.0}": ("0.0", "1.0")}.get(declared, "01")
    text = f"@relation 'r: -C 1'\n@attribute y {declared}\n@attribute x numeric\n@data\n"
    data = read(write_sky(tmp_path, text=text + f"{cells[1]},5\n{cells[0]},6\n"))
    np.testing.assert_array_equal(data.Y.toarray().ravel(), [True, False])


def test_other_encodings_are_read_when_named(tmp_path):
    path = tmp_path / "sky.arff"
    path.write_bytes(SKY.replace("warmth", "Wärme").encode("latin-1"))
    with pytest.raises(DatasetError, match=r"sky\.arff, line 4: .*\n.*encoding='latin-1'"):
        read(path, labels=["rain"])
    assert read(path, labels=["rain"], encoding="latin-1").feature_names[0] == "Wärme"
    path.write_bytes(b"\xef\xbb\xbf" + SKY.replace("warmth", "Wärme").encode())
    assert read(path, labels=["rain"]).feature_names[0] == "Wärme"


def broken(old: str, new: str) -> str:
    assert old in SKY
    return SKY.replace(old, new)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (broken("9,1,gale,0", "9,1,gale"), "line 10: the row has 3 values.*4 attributes"),
        (broken("9,1,gale,0", "9,1,gale,0,5"), "line 10: the row has 5 values"),
        (broken("9,1,gale,0", "nine,1,gale,0"), "line 10: the value of 'warmth' is 'nine'.*number"),
        (broken("9,1,gale,0", "9,1,storm,0"), "line 10: the value of 'wind' is 'storm'.*'calm'"),
        (broken("9,1,gale,0", "9,1,,0"), r"line 10: the row cannot be read from ',0' on"),
        (broken("9,1,gale,0", "9,1,'gale,0"), "line 10: the row cannot be read"),
        (broken("9,1,gale,0", "{0 9,1 1}"), "line 10: a sparse row in a dense file"),
        (broken("9,1,gale,0", "9,?,gale,0"), "line 10: the label 'rain' is missing"),
        (broken("9,1,gale,0", "9,2,gale,0"), "line 10: the value of 'rain' is '2'.*'0', '1'"),
        (broken("rain {0,1}", "rain {0,1,2}").replace("9,1,", "9,2,"), "line 10: .*'rain' is '2'"),
        (broken("rain {0,1}", "rain numeric").replace("9,1,", "9,0.5,"), "line 10: .*is 0.5"),
        (broken("rain {0,1}", "rain {-1,1}").replace(",0,c", ",-1,c"), r"(?s)line 9: .*unknown"),
        (broken("rain {0,1}", "rain string"), "the label 'rain' is text"),
        (broken("rain {0,1}", "warmth {0,1}"), "line 5: .*'warmth' is declared again; line 4"),
        (broken("rain {0,1}", "rain {0,1"), "line 5: the values .* of 'rain' cannot be read"),
        (broken("rain {0,1}", "rain {0,0}"), "line 5: the values .* cannot be read"),
        (broken("rain {0,1}", "rain {}"), "line 5: the values .* cannot be read"),
        (broken("rain {0,1}", "rain"), "line 5: 'rain' is not a name and a type"),
        (broken("rain {0,1}", "rain relational"), "line 5: .*of type 'relational'"),
        (broken("@relation sky", "warmth,rain"), "line 2: 'warmth,rain' is neither @relation"),
        (SKY[: SKY.index("@data")], "ends within its header"),
        (SKY[: SKY.index("21.5")], "no rows after @data"),
        ("@relation r\n@data\n1\n", "line 2: @data comes before any @attribute"),
        (SKY.rstrip()[:-5], "line 12: the row has 3 values"),
    ],
)
def test_damaged_files_are_refused_by_line(tmp_path, text, message):
    with pytest.raises(DatasetError, match=r"sky\.arff") as caught:
        read(write_sky(tmp_path, text=text), labels=["rain", "sun"])
    assert caught.match(message)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{0 1,4 5}", "line 11: the row has a value for attribute 4, but there are 4"),
        ("{0 1,0 2}", "line 11: an attribute is given twice"),
        ("{0 1,3 1", "line 11: the row does not stand between braces"),
        ("{0 1,-1 1}", "line 11: the row cannot be read from '-1 1' on"),
        ("{0 1,,3 1}", "line 11: the row cannot be read from ',3 1' on"),
        ("{0}", "line 11: the row cannot be read from '0' on"),
        ("1,1,calm,1", "line 11: a dense row in a sparse file"),
        ("{1 ?}", "line 11: the label 'rain' is missing"),
    ],
)
def test_damaged_sparse_rows_are_refused_by_line(tmp_path, row, message):
    header = SKY.partition("@data\n")[0]
    path = write_sky(tmp_path, text=f"{header}@data\n{{0 1}}\n{{}}\n{row}\n")
    with pytest.raises(DatasetError) as caught:
        read(path, labels=["rain", "sun"])
    assert caught.match(message)


def test_a_long_header_cut_short_is_refused_at_once(tmp_path):
    values = ",".join(f"value{i}" for i in range(5000))
    path = write_sky(tmp_path, text=f"@relation r\n@attribute a {{{values}\n@data\n1\n")
    with pytest.raises(DatasetError, match="line 2: the values"):
        read(path, labels=["a"])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, r"Nothing says.*no sky\.xml.*\n.*labels=\["),
        ("none.xml", r"There is no file none\.xml"),
        ("rain", r"labels=\['rain'\]"),
        (["rian"], r"no column 'rian'.*Did you mean 'rain'\?"),
        (["rain", "rain"], "names the column 'rain' .* twice"),
        (["warmth"], "line 9: the label 'warmth' is 21.5"),
        (["warmth", "rain", "wind", "sun"], "0 features|'warmth' is 21.5"),
        ([], "0 labels"),
    ],
)
def test_labels_that_cannot_be_found_are_refused(tmp_path, labels, message):
    with pytest.raises(DatasetError) as caught:
        read(write_sky(tmp_path), labels=labels)
    assert caught.match(f"(?s).*{message}")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("", "is empty"),
        ("<labels><label name='rain'>", "line 1: .*cut short"),
        ("rain sun", "line 1: .*not the XML"),
        ("<labels></labels>", "names no label"),
        ("<labels>\n<label/></labels>", "line 2: a label has no name"),
        (XML.format("<label name='snow'/>"), r"no column 'snow', which sky\.xml names"),
        (XML.format("<label name='sun'/><label name='sun'/>"), r"sky\.xml names.*'sun'.*twice"),
        (
            '<!DOCTYPE labels [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n'
            "<labels><label name='&b;'/></labels>",
            "line 1: a document type",
        ),
    ],
)
def test_damaged_xml_is_refused(tmp_path, xml, message):
    (tmp_path / "sky.xml").write_text(xml)
    with pytest.raises(DatasetError) as caught:
        read(write_sky(tmp_path))
    assert caught.match(f"(?s).*{message}")


def test_a_sparse_file_without_features_is_refused(tmp_path):
    text = "@relation r\n@attribute a {0,1}\n@attribute b {1,0}\n@data\n{0 1}\n{}\n"
    with pytest.raises(DatasetError, match="2 rows, 0 features and 2 labels"):
        read(write_sky(tmp_path, text=text), labels=["a", "b"])


@pytest.mark.parametrize("count", [0, 4, -4, 9])
def test_meka_counts_that_leave_nothing_are_refused(tmp_path, count):
    text = SKY.replace("@relation sky", f"@relation 'sky: -C {count}'")
    with pytest.raises(DatasetError, match=rf"-C {count}, but it has 4 attributes"):
        read(write_sky(tmp_path, text=text))


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="{}"),
    min_size=1,
    max_size=6,
)


@given(
    names=st.lists(NAMES, min_size=4, max_size=4, unique=True),
    numbers=hnp.arrays(float, (5, 2), elements=st.floats(allow_nan=False, allow_infinity=False)),
    positions=hnp.arrays(int, 5, elements=st.integers(0, 2)),
    values=st.lists(NAMES.filter(lambda v: v != "?"), min_size=3, max_size=3, unique=True),
)
def test_what_another_program_wrote_is_read_back(
    tmp_path_factory, names, numbers, positions, values
):
    """liac-arff's encoder, with names and values it must quote."""

    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    table = arff.dumps(
        {
            "relation": "r",
            "attributes": [("a", "REAL"), ("b", "REAL"), ("c", values), ("d", ["0", "1"])],
            "data": [[*numbers[i].tolist(), values[positions[i]], "1"] for i in range(5)],
        }
    )
    for letter, name in zip("abcd", names, strict=True):
        table = table.replace(f"@ATTRIBUTE {letter} ", f"@ATTRIBUTE {quoted(name)} ")
    path = tmp_path_factory.mktemp("arff") / "r.arff"
    path.write_text(table, encoding="utf-8")
    data = read(path, labels=[names[3]])
    np.testing.assert_array_equal(data.X[:, :2], numbers)
    np.testing.assert_array_equal(data.X[:, 2:], np.eye(3)[positions])
    assert data.feature_names.tolist() == [*names[:2], *(f"{names[2]}={v}" for v in values)]
