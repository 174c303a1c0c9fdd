"""How near each reading of the paper comes to the numbers that it prints for LAMC."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.paper import LAMC_NAME, METRICS, published
from lamc.benchmark.readings import PREFIX

if TYPE_CHECKING:
    import pandas as pd

_SHORT: Final = {
    "average_precision": "AP",
    "coverage_error": "coverage",
    "ranking_loss": "ranking loss",
}


@dataclass(frozen=True)
class Nearness:
    """A reading, and how far it is from the paper.

    Attributes
    ----------
    reading : str
        How what was left after exclusion may have been scored.
    apart : dict of float
        Mean absolute difference to the paper's mean over the data sets, by metric; NaN if it is
        defined on none.
    met : int
        Cells whose difference is at most two of the paper's standard deviations.
    cells : int
        Cells compared: those in which the reading has a number.
    left_out : float
        Mean share of test rows that the reading leaves out.
    """

    reading: str
    apart: dict[str, float]
    met: int
    cells: int
    left_out: float


def nearness(measurements: "pd.DataFrame", *, profile: str = "paper") -> list[Nearness]:
    """Set every reading beside the paper's columns for LAMC, on the data that equal the paper's.

    Parameters
    ----------
    measurements : DataFrame
        As a results file gives them.
    profile : str
        The profile to look at.

    Returns
    -------
    list of Nearness
        The nearest first; those that have no number in some cell behind the others.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.nearness import nearness
    >>> rows = pd.DataFrame({"metric": ["average_precision", "coverage_error", "ranking_loss"],
    ...                      "value": [0.769, 0.4, 0.1]})
    >>> rows = rows.assign(profile="paper", dataset="yeast", exact=True, method="LAMC",
    ...                    view="reading: all rows")
    >>> (found,) = nearness(rows)
    >>> found.reading, found.apart["average_precision"], found.cells
    ('all rows', 0.0, 3)
    """
    rows = measurements[
        (measurements["profile"] == profile)
        & (measurements["method"] == LAMC_NAME)
        & measurements["exact"]
        & measurements["view"].str.startswith(PREFIX)
    ]
    if rows.empty:
        raise BenchmarkError(
            f"There are no readings of {LAMC_NAME} on the paper's own data in profile {profile!r}."
            "\nRun them: lamc bench run --profile paper --methods LAMC"
        )
    means = rows.groupby(["view", "dataset", "metric"])["value"].mean()
    found = [_nearness(view.removeprefix(PREFIX), means[view]) for view in rows["view"].unique()]
    most = max(each.cells for each in found)
    return sorted(found, key=lambda each: (each.cells < most, np.nansum([*each.apart.values()])))


def nearness_text(found: list[Nearness]) -> str:
    """Readings as a table in Markdown.

    Examples
    --------
    >>> from lamc.benchmark.nearness import Nearness, nearness_text
    >>> apart = {"average_precision": 0.01, "coverage_error": 0.1, "ranking_loss": 0.02}
    >>> print(nearness_text([Nearness("all rows", apart, 1, 3, 0.0)]))
    | reading | AP | coverage | ranking loss | cells within 2 std | rows left out |
    | --- | ---: | ---: | ---: | ---: | ---: |
    | all rows | 0.010 | 0.100 | 0.020 | 1 of 3 | 0 % |
    """
    head = ["reading", *_SHORT.values(), "cells within 2 std", "rows left out"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for each in found:
        values = (each.apart[metric] for metric in METRICS)
        apart = ["–" if np.isnan(value) else f"{value:.3f}" for value in values]
        met = f"{each.met} of {each.cells}"
        lines.append([each.reading, *apart, met, f"{each.left_out:.0%}".replace("%", " %")])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _nearness(reading: str, means: "pd.Series[float]") -> Nearness:
    apart: dict[str, list[float]] = {metric: [] for metric in METRICS}
    met = 0
    for metric, differences in apart.items():
        table = published(metric)
        for dataset, value in means.xs(metric, level="metric").items():
            if np.isnan(value):  # it left out every row, in every run
                continue
            cell = table[str(dataset), LAMC_NAME]
            differences.append(abs(value - cell.mean))
            met += abs(value - cell.mean) <= 2 * cell.std
    left_out = means[means.index.get_level_values("metric") == "left_out"]
    return Nearness(
        reading,
        {metric: float(np.mean(each)) if each else np.nan for metric, each in apart.items()},
        met=met,
        cells=sum(map(len, apart.values())),
        left_out=float(left_out.mean()) if len(left_out) else 0.0,
    )
