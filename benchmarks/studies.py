"""What the studies share: a CSV file that holds what was found, and the command line."""

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path


class Findings:
    """Rows of a CSV file, one data set after the other; its first column names the data set."""

    def __init__(self, file: Path, columns: Sequence[str]) -> None:
        self.file = file
        if not file.exists():
            self.add([columns])

    def missing(self, datasets: Iterable[str]) -> list[str]:
        """The data sets of which the file holds nothing."""
        with self.file.open(newline="") as file:
            there = {row[0] for row in csv.reader(file)}
        return [name for name in datasets if name not in there]

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows behind the others."""
        with self.file.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def asked(about: str, datasets: Sequence[str], runs: int | None = None) -> argparse.Namespace:
    """The file, the data sets and, where a study has them, the number of runs."""
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("datasets", nargs="*", default=list(datasets), metavar="DATA SET")
    if runs is not None:
        parser.add_argument("--runs", type=int, default=runs, help="fits, with seeds 0, 1, 2, …")
    return parser.parse_intermixed_args()
