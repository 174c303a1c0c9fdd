"""Small files for readers to read."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def write(folder: Path, text: str, name: str = "sky.csv") -> Path:
    """A file of text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def store(folder: Path, columns: dict[str, object]) -> Path:
    """A Parquet file."""
    path = folder / "sky.parquet"
    pq.write_table(pa.table(columns), path)
    return path
