"""Tables written batch by batch: whole or not at all, and read back as they were."""

import bz2
import gzip
import json
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from lamc.exceptions import DatasetError
from lamc.tables.batches import column_names, whole_table
from lamc.tables.cells import Kind
from lamc.tables.source import source_of
from lamc.tables.writers import open_writer

PARTS = [
    pa.table({"id": ["a", 'b"c'], "score": [0.1, 1 / 3], "n": [1, 2]}),
    pa.table({"id": ["d,e\nf"], "score": [1e-17], "n": [3]}),
]


def rows_of(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".csv":
        return csv.read_csv(
            path, parse_options=csv.ParseOptions(newlines_in_values=True)
        ).to_pylist()
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("format_", ["parquet", "csv", "jsonl"])
def test_what_is_written_is_read_back(tmp_path, format_):
    path = tmp_path / f"out.{format_}"
    with open_writer(path, format_, PARTS[0].schema) as writer:
        for part in PARTS:
            writer.write(part)
        assert not path.exists()
    assert rows_of(path) == pa.concat_tables(PARTS).to_pylist()


@pytest.mark.parametrize("format_", ["parquet", "csv", "jsonl"])
def test_no_rows_are_a_file_all_the_same(tmp_path, format_):
    path = tmp_path / f"out.{format_}"
    with open_writer(path, format_, PARTS[0].schema):
        pass
    assert rows_of(path) == []


@pytest.mark.parametrize("format_", ["parquet", "csv", "jsonl"])
def test_what_fails_leaves_nothing_behind(tmp_path, format_):
    def fail():
        with open_writer(tmp_path / "out", format_, PARTS[0].schema) as writer:
            writer.write(PARTS[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("ending", "unpacked"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)]
)
@pytest.mark.parametrize("format_", ["csv", "jsonl"])
def test_what_is_named_as_packed_is_packed(tmp_path, format_, ending, unpacked):
    plain, packed = tmp_path / f"out.{format_}", tmp_path / f"out.{format_}{ending}"
    for path in (plain, packed):
        with open_writer(path, format_, PARTS[0].schema) as writer:
            for part in PARTS:
                writer.write(part)
    with unpacked(packed) as file:
        assert file.read() == plain.read_bytes()


def test_the_same_rows_make_the_same_packed_file(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        with open_writer(tmp_path / name, "csv", PARTS[0].schema) as writer:
            writer.write(PARTS[0])
    packed = (tmp_path / "a.csv.gz").read_bytes()
    assert packed == (tmp_path / "b.csv.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # the place of the time


def test_tabs_stand_between_the_values_of_tsv(tmp_path):
    path = tmp_path / "out.tsv"
    with open_writer(path, "csv", PARTS[0].schema) as writer:
        for part in PARTS:
            writer.write(part)
    assert path.read_text().startswith('"id"\t"score"\t"n"\n"a"\t0.1\t1\n')
    source = source_of(path)
    assert column_names(source) == ["id", "score", "n"]
    found = whole_table(source, {"id": Kind.AS_IS, "score": Kind.NUMBER})
    assert found.column("id").to_pylist() == ["a", 'b"c', "d,e\nf"]


def test_a_number_that_is_not_finite_is_null_in_json(tmp_path):
    path = tmp_path / "out.jsonl"
    rows = pa.table({"id": ["a", "b", "c", "d"], "score": [0.5, None, float("nan"), -float("inf")]})
    with open_writer(path, "jsonl", rows.schema) as writer:
        writer.write(rows)
    assert [row["score"] for row in rows_of(path)] == [0.5, None, None, None]


def test_parquet_is_not_packed(tmp_path):
    with (
        pytest.raises(DatasetError, match=r"compressed inside.\nLeave out \.gz"),
        open_writer(tmp_path / "out.parquet.gz", "parquet", PARTS[0].schema),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_parquet_is_not_printed():
    with (
        pytest.raises(DatasetError, match="--to csv or jsonl"),
        open_writer("-", "parquet", PARTS[0].schema),
    ):
        pass
