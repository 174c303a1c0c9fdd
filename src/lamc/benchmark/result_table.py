"""Tables of data sets by methods: means and spreads, the best, ranks, wins, the paper beside."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import isnan, nan

import numpy as np
import pandas as pd

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.metric_names import Metric, metric_named
from lamc.benchmark.paper import METRICS, Published, published
from lamc.benchmark.ranks import best, ranks
from lamc.benchmark.selection import Choice, Chosen, choose, of_choice, of_fair_part
from lamc.benchmark.significance import not_told_apart
from lamc.types import FloatArray

# Metrics of rankings: of accepted labels they are over the rows with an accepted true one.
LEAVES_ROWS_OUT = (*METRICS, "one_error")


@dataclass(frozen=True)
class Cell:
    """What was measured of a method on a data set.

    Attributes
    ----------
    values : tuple of float
        A value for each run, in the order of runs. NaN where the metric is not defined.
    asked : int
        Number of runs that were planned.
    best : bool
        Whether no other mean of the data set is better.
    near_best : bool
        Whether the runs do not tell it apart from the best.
    paper : Published or None
        What the paper prints for it, where asked for.

    Examples
    --------
    >>> from lamc.benchmark.result_table import Cell
    >>> cell = Cell((0.5, 0.7), asked=3)
    >>> round(cell.mean, 3), round(cell.std, 3), cell.complete
    (0.6, 0.141, False)
    """

    values: tuple[float, ...]
    asked: int
    best: bool = False
    near_best: bool = False
    paper: Published | None = None

    @property
    def defined(self) -> tuple[float, ...]:
        """The values that are numbers."""
        return tuple(value for value in self.values if not isnan(value))

    @property
    def mean(self) -> float:
        """Mean over the runs that gave a number; NaN if none did."""
        return float(np.mean(self.defined)) if self.defined else nan

    @property
    def std(self) -> float:
        """Sample standard deviation over these runs; NaN for fewer than two."""
        return float(np.std(self.defined, ddof=1)) if len(self.defined) > 1 else nan

    @property
    def complete(self) -> bool:
        """Whether every run asked for gave a number."""
        return len(self.defined) == self.asked

    @property
    def difference(self) -> float:
        """Mean minus the paper's; NaN if either is missing."""
        return nan if self.paper is None else self.mean - self.paper.mean

    @property
    def agrees(self) -> bool:
        """Whether the two intervals of mean ± standard deviation meet."""
        if self.paper is None or isnan(self.std):
            return False
        return abs(self.difference) <= self.std + self.paper.std


Cells = dict[tuple[str, str], Cell]


@dataclass(frozen=True)
class Table:
    """One metric on all data sets by all methods; made by :func:`table`.

    Attributes
    ----------
    metric : Metric
        What is shown.
    described : str
        Which measurements it is of, in words.
    datasets, methods : tuple of str
        Rows and columns.
    cells : dict
        A :class:`Cell` by data set and method. What was not measured has none.
    asked : int
        Number of runs that were planned.
    left_out : dict
        Share of rows without an accepted true label, by data set and method: what a ranking of
        accepted labels does not speak of. Empty for full rankings and other metrics.
    variants : dict
        For each data set that is not the paper's, what is different.
    ranked : tuple of str
        Data sets on which every method is complete. Ranks and wins are over these; there are none
        for one method, and for a metric that has no better side.
    average_ranks : dict
        Mean rank of each method, 1 the best. Empty without ranked data sets.
    wins : dict
        On how many data sets each method is the best; all that tie win.
    test_to_train : float or None
        Test rows for each training row, if every run draws both anew; None if all share them.
    remarks : tuple of str
        What a reader of the numbers has to know.
    """

    metric: Metric
    described: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    cells: Cells
    asked: int
    left_out: dict[tuple[str, str], float]
    variants: dict[str, str]
    ranked: tuple[str, ...]
    average_ranks: dict[str, float]
    wins: dict[str, int]
    test_to_train: float | None
    remarks: tuple[str, ...]

    @property
    def beside_paper(self) -> bool:
        """Whether it has numbers of the paper."""
        return any(cell.paper for cell in self.cells.values())

    @property
    def complete(self) -> tuple[str, ...]:
        """Data sets on which every method has all its runs."""
        return tuple(d for d in self.datasets if not self.incomplete(d))

    def incomplete(self, dataset: str) -> tuple[str, ...]:
        """Methods that keep a data set from being ranked."""
        return _incomplete(self.cells, dataset, self.methods)


def table(
    measurements: pd.DataFrame,
    metric: str = "average_precision",
    choice: Choice | None = None,
    *,
    against_paper: bool = False,
) -> Table:
    """Tabulate a metric.

    Parameters
    ----------
    measurements : DataFrame
        As :func:`lamc.benchmark.store.read_measurements` gives it.
    metric : str, default="average_precision"
        Name of the metric.
    choice : Choice, optional
        Which measurements are meant; the full rankings, if not given.
    against_paper : bool, default=False
        Set the paper's numbers beside those that can be compared with them: on full rankings all,
        in other views LAMC's, since the paper excludes predictions of LAMC alone.

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.result_table import table
    >>> fixed = dict(profile="mine", dataset="yeast", variant="", exact=True, part="train", seed=0,
    ...              view="full", rule=None, alpha=None, calibration=None, positives=None,
    ...              metric="one_error", unit="", settings='{"seeds": [0, 1], "draw": "given"}',
    ...              data_checksum="", versions="{}")
    >>> rows = [dict(fixed, method=method, run=run, value=value)
    ...         for method, run, value in [("AN", 0, 0.25), ("AN", 1, 0.5), ("WAN", 0, 0.25)]]
    >>> made = table(pd.DataFrame(rows), "one_error")
    >>> made.cells["yeast", "AN"].mean, made.incomplete("yeast"), made.average_ranks
    (0.375, ('WAN',), {})
    """
    choice = choice or Choice()
    chosen = choose(measurements, metric, choice)
    shown = metric_named(metric)
    cells = _with_best(_cells(chosen), chosen, shown)
    if against_paper:
        in_catalogue = set(chosen.rows["dataset"][chosen.rows["variant"] != ""])
        cells = _with_paper(cells, metric, choice.view, in_catalogue)
    ranked = _ranked(cells, chosen, shown)
    average_ranks, wins = _ranking(cells, ranked, chosen.methods, shown)
    return Table(
        metric=shown,
        described=chosen.described,
        datasets=chosen.datasets,
        methods=chosen.methods,
        cells=cells,
        asked=chosen.asked,
        left_out=_left_out(measurements, metric, chosen.choice),
        variants=_variants(chosen.rows),
        ranked=ranked,
        average_ranks=average_ranks,
        wins=wins,
        test_to_train=chosen.test_to_train,
        remarks=chosen.remarks,
    )


def _cells(chosen: Chosen) -> Cells:
    in_order = chosen.rows.sort_values("run").groupby(["dataset", "method"], sort=False)["value"]
    return {key: Cell(tuple(values.astype(float)), chosen.asked) for key, values in in_order}


def _incomplete(cells: Cells, dataset: str, methods: Sequence[str]) -> tuple[str, ...]:
    found = ((method, cells.get((dataset, method))) for method in methods)
    return tuple(method for method, cell in found if cell is None or not cell.complete)


def _ranked(cells: Cells, chosen: Chosen, metric: Metric) -> tuple[str, ...]:
    if metric.better is None or len(chosen.methods) < 2:
        return ()
    return tuple(d for d in chosen.datasets if not _incomplete(cells, d, chosen.methods))


def _left_out(
    measurements: pd.DataFrame, metric: str, choice: Choice
) -> dict[tuple[str, str], float]:
    known = measurements["metric"][measurements["view"] == choice.view]
    if choice.view == "full" or metric not in LEAVES_ROWS_OUT or "left_out" not in set(known):
        return {}
    rows, _ = of_fair_part(of_choice(measurements, "left_out", choice)[0], choice.view)
    shares: dict[tuple[str, str], float] = (
        rows.groupby(["dataset", "method"])["value"].mean().to_dict()
    )
    return shares


def _with_paper(cells: Cells, metric: str, view: str, in_catalogue: set[str]) -> Cells:
    """Cells with the paper's numbers; a user's file that is called like a data set has none."""
    paper = {
        key: number
        for key, number in published(metric).items()
        if view == "full" or key[1] == "LAMC"
    }
    if not {key for key in paper if key[0] in in_catalogue} & cells.keys():
        raise BenchmarkError(
            f"The paper has no number of {metric} to set beside these. It has average_precision, "
            "coverage_error and ranking_loss on its twelve data sets, of LAMC and seven rivals."
        )
    return {
        key: replace(cell, paper=paper.get(key)) if key[0] in in_catalogue else cell
        for key, cell in cells.items()
    }


def _with_best(cells: Cells, chosen: Chosen, metric: Metric) -> Cells:
    if metric.better is None or len(chosen.methods) < 2:
        return cells
    means = _means(cells, chosen.datasets, chosen.methods)
    found = {}
    for dataset, own, is_best in zip(
        chosen.datasets, means, best(means, metric.better), strict=True
    ):
        alone = np.isfinite(own).sum() < 2
        winners = [] if alone else list(compress(chosen.methods, is_best))
        near = _near_best(cells, dataset, winners, chosen)
        for method in chosen.methods:
            if cell := cells.get((dataset, method)):
                found[dataset, method] = replace(
                    cell, best=method in winners, near_best=method in near
                )
    return found


def _near_best(cells: Cells, dataset: str, winners: list[str], chosen: Chosen) -> frozenset[str]:
    """Methods not told apart from the winners; only complete cells of two runs or more can be."""
    runs = {
        method: np.array(cell.values)
        for method in chosen.methods
        if (cell := cells.get((dataset, method))) and cell.complete and cell.asked > 1
    }
    if not winners or winners[0] not in runs:
        return frozenset()
    return not_told_apart(runs, winners[0], chosen.test_to_train) - set(winners)


def _ranking(
    cells: Cells, datasets: Sequence[str], methods: Sequence[str], metric: Metric
) -> tuple[dict[str, float], dict[str, int]]:
    if metric.better is None or not datasets:
        return {}, {}
    means = _means(cells, datasets, methods)
    average = ranks(means, metric.better).mean(axis=0).tolist()
    won = best(means, metric.better).sum(axis=0).tolist()
    return dict(zip(methods, average, strict=True)), dict(zip(methods, won, strict=True))


def _means(cells: Cells, datasets: Sequence[str], methods: Sequence[str]) -> FloatArray:
    missing = Cell((), asked=0)
    return np.array([[cells.get((d, m), missing).mean for m in methods] for d in datasets])


def _variants(rows: pd.DataFrame) -> dict[str, str]:
    """What is different from the paper's data, for every data set that is."""
    other = rows[~rows["exact"].astype(bool)].drop_duplicates("dataset")
    return {row.dataset: row.variant or "not in the paper" for row in other.itertuples()}
