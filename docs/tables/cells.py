"""What the tables of the pages are made from and of."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from lamc.benchmark.result_table import table
from lamc.benchmark.selection import Choice
from lamc.benchmark.store import read_measurements
from lamc.benchmark.table_formats import markdown
from lamc.benchmark.table_text import LEFT_OUT_NOTE

DOCS = Path(__file__).parents[1]
RESULTS = DOCS.parent / "results"

EXACT = ("CAL500", "scene", "yeast", "corel5k", "rcv1subset1", "Corel16k001", "delicious")
DATASETS = (*EXACT[:3], "Image", *EXACT[3:6], "tmc2007", "espgame", "iaprtc12", "mirflickr")
DATASETS += ("delicious",)


@cache
def measured(name: str) -> pd.DataFrame:
    """The measurements of a file in ``results/``."""
    return read_measurements(RESULTS / f"{name}.csv")


def rows_of(cells: Iterable[Sequence[str]], head: Sequence[str]) -> str:
    """A table in Markdown; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *cells))


def of_metric(file: str, metric: str, *, against_paper: bool = False, **choice: object) -> str:
    """What ``lamc bench table`` prints, without its heading and notes."""
    found = table(measured(file), metric, Choice(**choice), against_paper=against_paper)
    lines = markdown([found]).splitlines()
    text = "\n".join(line for line in lines if line.startswith("|") or not line).strip()
    said = [LEFT_OUT_NOTE] if found.left_out else []
    if found.ranked and len(found.ranked) < len(found.datasets):
        said.append(
            f"Ranks and wins are over the {len(found.ranked)} of {len(found.datasets)} data sets "
            "on which every method has a number in every run."
        )
    return "\n\n".join([text, *(fill(note, 100) for note in said)]) + "\n"


def means(profile: str, method: str, metric: str, part: str = "training") -> dict[str, float]:
    """The mean over runs of a metric of full rankings, by data set."""
    found = measured("paper").query(
        "profile == @profile and method == @method and part == @part and metric == @metric "
        "and view == 'full'"
    )
    return found.groupby("dataset")["value"].mean().to_dict()


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None or np.isnan(value) else f"{value:.{digits}f}"
