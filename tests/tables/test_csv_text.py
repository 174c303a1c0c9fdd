"""The text of a CSV file: every encoding and line end, and where the header ends."""

import gzip
import io
import os
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc.datasets import read
from lamc.exceptions import DatasetError
from lamc.tables.batches import batches, column_names, whole_table
from lamc.tables.cells import Kind
from lamc.tables.csv_text import CsvText
from lamc.tables.source import source_of

TEXT = 'höhe,5" wide\n3,4\n7,8\n'
WANTED = {"höhe": Kind.NUMBER, '5" wide': Kind.NUMBER}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
@pytest.mark.parametrize("above", ["", "\n", "  \n\n"])
def test_every_encoding_and_line_end_gives_the_same_rows(tmp_path, end, encoding, above):
    path = tmp_path / "a.csv"
    path.write_bytes((above + TEXT).replace("\n", end).encode(encoding))
    table = whole_table(source_of(path, encoding=encoding), WANTED)
    assert [table[name].to_pylist() for name in WANTED] == [[3, 7], [4, 8]]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ('x,5" wide', ["x", '5" wide']),  # a quote inside a name is a character
        ('x,"5"" wide"', ["x", '5" wide']),
        ('x,"two\nlines"', ["x", "two\nlines"]),
        ('"x",6" by 4"', ["x", '6" by 4"']),
        ('x,a"b,c', ["x", 'a"b', "c"]),
    ],
)
def test_a_quote_in_the_header_swallows_no_rows(tmp_path, header, names):
    path = tmp_path / "a.csv"
    cells = ",".join(['"1"'] * len(names))
    path.write_text(f"{header}\n{cells}\n{cells}\n")
    assert column_names(source_of(path)) == names
    assert len(whole_table(source_of(path), {"x": Kind.NUMBER})) == 2


@given(
    lines=st.lists(st.text(st.characters(exclude_characters='\n\r"'), max_size=9), max_size=9),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-be"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    block=st.integers(1, 7),
)
def test_the_rows_are_what_comes_after_the_header(lines, encoding, end, block):
    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, block))

    rest = end.join(lines)
    text = CsvText(Slow(f"x,y{end}{rest}".encode(encoding, "ignore")), encoding)
    assert text.header(",") == ["x", "y"]
    assert text.read().decode() == rest.encode(encoding, "ignore").decode(encoding)


@pytest.mark.parametrize(
    ("text", "encoding", "message"),
    [
        (TEXT.encode("utf-16"), None, "(?s)header of .* is not utf-8 text.*--encoding utf-16"),
        (TEXT.encode("latin-1"), None, "(?s)header of .* is not utf-8 text.*--encoding latin-1"),
        (TEXT.encode("utf-16")[:-1], "utf-16", "(?s)is not utf-16 text.*--encoding"),
        (b"\n \n", None, "is empty"),
        (b",,\nx,y,z\n", None, "(?s)first row of .* is empty.*Remove the rows above"),
        (b'"' + b"x" * 200_000, None, "header of .* cannot be read: field larger"),
    ],
)
def test_what_has_no_header(tmp_path, text, encoding, message):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    with pytest.raises(DatasetError, match=message):
        list(batches(source_of(path, encoding=encoding), WANTED, rows=10))


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz"])
def test_a_packed_table_cut_short_is_told_as_such(tmp_path, name):
    line = "1,2\n" if "csv" in name else '{"x": 1}\n'
    whole = gzip.compress(b"x,y\n" * ("csv" in name) + line.encode() * 100_000)
    path = tmp_path / name
    path.write_bytes(whole[:-20])
    with pytest.raises(DatasetError, match=r"(?s)cannot be read: .*cut short"):
        whole_table(source_of(path), {"x": Kind.NUMBER})
    path.write_bytes(b"no archive")
    with pytest.raises(DatasetError, match="Not a gzipped file"):
        source_of(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("wanted", ["x", "note"])
def test_a_quote_that_is_not_closed_takes_no_rows_away(tmp_path, encoding, wanted):
    path = tmp_path / "a.csv"
    kinds = {wanted: Kind.NUMBER if wanted == "x" else Kind.AS_IS}
    closed = 'x,note\n1,ok\n2,"tall\nand old"\n'
    path.write_text(closed, encoding=encoding)
    assert len(whole_table(source_of(path, encoding=encoding), kinds)) == 2
    path.write_text('x,note\n1,ok\n2,"tall\n3,ok\n4,ok\n', encoding=encoding)
    with pytest.raises(DatasetError, match=r"row 3 \(the header is row 1\): a value in quotes is"):
        whole_table(source_of(path, encoding=encoding), kinds)
    with pytest.raises(DatasetError, match=r"row 3 \(the header is row 1\): a value in quotes is"):
        read(path, labels=["x"], encoding=encoding)


def test_a_pipe_is_not_read_twice(tmp_path):
    """What was looked at to tell the kind of file would be missing."""
    os.mkfifo(tmp_path / "a.csv")
    for reading in (source_of, partial(read, label_column="x")):
        with pytest.raises(DatasetError, match="is a pipe or a device"):
            reading(tmp_path / "a.csv")
