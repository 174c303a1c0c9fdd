"""The report on many rows and labels: its size, which must allow it to be mailed, time and memory.

Run: python benchmarks/bench_report.py
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lamc import Calibrator, Labels, as_labels
from lamc.report import write_report
from ratios import peak_memory, print_table

LARGEST = 5e6  # bytes
CALIBRATION = 10_000


class Case(NamedTuple):
    """Number of held-out rows and of labels."""

    rows: int
    labels: int


CASES = [Case(2_000, 20), Case(10_000, 100), Case(100_000, 1_000)]


def scored_rows(case: Case) -> tuple[np.ndarray, Labels]:
    """Scores that are higher where a label is true; one row in ten to one in 2,000 has a label."""
    rng = np.random.default_rng(0)
    n = case.rows + CALIBRATION
    shares = np.geomspace(0.1, 0.0005, case.labels)
    Y = sparse.hstack([sparse.csc_array(rng.random((n, 1)) < share) for share in shares]).tocsr()
    scores = rng.random((n, case.labels), dtype=np.float32) ** 4
    rows, columns = Y.nonzero()
    scores[rows, columns] = np.sqrt(rng.random(len(rows), dtype=np.float32))
    return scores, as_labels(Y, knowledge="all")


def measure(case: Case) -> tuple[list[str], int]:
    """A line of the table, and the bytes of the report."""
    scores, truth = scored_rows(case)
    calibrator = Calibrator("recall", alpha=0.1, keep_negatives=True)
    calibrator.fit(scores[case.rows :], truth[case.rows :])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"

        def write() -> None:
            write_report(path, scores[: case.rows], truth[: case.rows], calibrator, overwrite=True)

        start, cpu = time.perf_counter(), time.process_time()
        write()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
        size, memory = path.stat().st_size, peak_memory(write)
    line = [
        f"{case.rows:,} × {case.labels:,}",
        f"{size / 1e6:.2f} MB",
        f"{seconds:,.1f} s",
        f"{cpu_seconds:,.1f} s",
        f"{scores.nbytes / 1e6:,.0f} MB",
        f"{memory:,.0f} MB",
    ]
    return line, size


if __name__ == "__main__":
    lines, sizes = zip(*(measure(case) for case in CASES), strict=True)
    print_table(
        f"A report, calibrated on {CALIBRATION:,} rows",
        ["rows × labels", "size", "time", "CPU", "scores", "extra memory"],
        lines,
    )
    if max(sizes) >= LARGEST:
        sys.exit(f"The largest report exceeds {LARGEST / 1e6:g} MB.")
