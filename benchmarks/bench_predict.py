"""``lamc predict`` on a long Parquet file: peak memory and time of a real process.

The file is written and read in pieces, so memory must not grow with its rows. The model is the
default one, on the example of the tutorial.

Run: python benchmarks/bench_predict.py [rows]      # 1,000,000 by default; 10000000 takes minutes
"""

import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ratios import print_table

LAMC = Path(sys.executable).with_name("lamc")
WOODS = Path(__file__).parents[1] / "docs" / "examples" / "woods"
MOST_MEGABYTES = 1000
PIECE = 100_000


def write_rows(path: Path, n: int) -> None:
    """Rows of the example, over and over, each with a name of its own."""
    given = pd.read_csv(WOODS / "new.csv")
    writer = None
    for start in range(0, n, PIECE):
        names = np.arange(start, min(start + PIECE, n))
        part = given.iloc[names % len(given)].assign(site=names.astype(str))
        table = pa.Table.from_pandas(part, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def lamc(*arguments: object) -> None:
    subprocess.run([LAMC, *map(str, arguments), "-q"], check=True)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with TemporaryDirectory() as name:
        folder = Path(name)
        labels = ["--label-column", "species", "--separator", ";", "--id", "site"]
        model = folder / "woods.lamc"
        lamc(
            "train",
            WOODS / "walks.csv",
            *labels,
            "--calibration",
            WOODS / "surveys.csv",
            "-o",
            model,
        )
        rows = []
        for many in (n // 10, n):
            file = folder / f"{many}.parquet"
            write_rows(file, many)
            start = time.perf_counter()
            lamc("predict", model, file, "--id", "site", "-o", folder / f"{many}.out.parquet")
            spent = time.perf_counter() - start
            # Of all children so far; the longest file comes last.
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            kept = "met" if peak <= MOST_MEGABYTES else "MISSED"
            rows.append([f"{many:,}", f"{peak:,.0f}", f"{MOST_MEGABYTES:,} {kept}", f"{spent:.0f}"])
        print_table("lamc predict", ["rows", "peak, MB", "at most", "seconds"], rows)


if __name__ == "__main__":
    main()
