"""A data set as a Parquet table: a column for each feature, and one that lists the labels."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lamc.datasets import Dataset
from lamc.exceptions import DatasetError
from lamc.tables.batches import rows_at_once
from lamc.tables.writers import open_writer
from lamc.types import IntArray

LABELS = "labels"  # the column of lists


def write_parquet(data: Dataset, path: str | Path) -> tuple[str, ...]:
    """Write a data set to a Parquet table, batch by batch, and say what is not in it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.datasets import digit_scenes, read
    >>> from lamc.tables.conversion import write_parquet
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scenes.parquet"
    ...     notes = write_parquet(digit_scenes(50), path)
    ...     read(path, label_column="labels")
    Dataset 'scenes': 50 rows, 256 features, 10 labels, 2.6 labels a row
    >>> notes
    ('The split is not in the table.', 'The pictures are not in the table.')
    """
    if LABELS in data.feature_names:
        raise DatasetError(
            f"A feature is named {LABELS!r}, as the column of labels is to be.\n"
            "Write an .npz file instead."
        )
    n, d = data.X.shape
    step = rows_at_once(d, data.Y.shape[1])
    schema = _rows(data, np.arange(0)).schema
    with open_writer(path, "parquet", schema) as writer:
        for start in range(0, n, step):
            writer.write(_rows(data, np.arange(start, min(start + step, n))))
    return _not_written(data)


def _rows(data: Dataset, rows: IntArray) -> Any:
    import pyarrow as pa

    X: Any = data.X[rows]
    dense = X.toarray() if sparse.issparse(X) else X
    marks = data.Y[rows]
    names = pa.array(data.label_names[marks.indices].tolist(), pa.string())
    lists = pa.ListArray.from_arrays(pa.array(marks.indptr.astype(np.int32)), names)
    columns = [pa.array(np.ascontiguousarray(column)) for column in dense.T]
    return pa.table([*columns, lists], names=[*data.feature_names.tolist(), LABELS])


def _not_written(data: Dataset) -> tuple[str, ...]:
    seen = np.unique(data.Y.indices)
    unseen = np.delete(data.label_names, seen)
    absent = {
        "The split is": data.split is not None,
        "The observed labels are": data.observed is not None,
        "The pictures are": data.pictures is not None,
        f"Labels that no row has are ({', '.join(unseen[:8])})": len(unseen) > 0,
    }
    return tuple(f"{what} not in the table." for what, is_so in absent.items() if is_so)
