"""Tables written batch by batch: whole or not at all, and read back as they were."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from lamc.exceptions import DatasetError
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


def test_parquet_is_not_printed():
    with (
        pytest.raises(DatasetError, match="--to csv or jsonl"),
        open_writer("-", "parquet", PARTS[0].schema),
    ):
        pass
