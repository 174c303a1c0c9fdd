"""Tables of data sets by methods: means and spreads, the best, ranks, wins, the paper beside."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import isnan, nan

import numpy as np
import pandas as pd

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.metric_names import Metric, metric_named
from lamc.benchmark.paper import LAMC_NAME, METRICS, Published, published
from lamc.benchmark.ranks import best, ranks
from lamc.benchmark.selection import VIEW_COLUMNS, Choice, Chosen, choose
from lamc.benchmark.significance import not_told_apart
from lamc.types import FloatArray

# Metrics of rankings: of accepted labels they are over the rows with an accepted true one.
LEAVES_ROWS_OUT = (*METRICS, "one_error")
DECIMALS = 12  # means that agree to so many are the same: what remains is rounding


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
    by_run : bool
        Whether every run was measured by itself; there is no spread otherwise.
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
    by_run: bool = True
    paper: Published | None = None

    @property
    def defined(self) -> tuple[float, ...]:
        """The values that are numbers."""
        return tuple(value for value in self.values if not isnan(value))

    @property
    def finished(self) -> bool:
        """Whether every run asked for is there, with a number or without."""
        return len(self.values) == self.asked

    @property
    def mean(self) -> float:
        """Mean over the runs that gave a number, without what is only rounding; NaN if none did."""
        return round(float(np.mean(self.defined)), DECIMALS) if self.defined else nan

    @property
    def std(self) -> float:
        """Sample standard deviation over these runs; NaN for fewer than two."""
        several = self.by_run and len(self.defined) > 1
        return float(np.std(self.defined, ddof=1)) if several else nan

    @property
    def complete(self) -> bool:
        """Whether every run asked for gave a number."""
        return len(self.defined) == self.asked

    @property
    def difference(self) -> float:
        """Mean minus the paper's; NaN if either is missing."""
        return nan if self.paper is None else self.mean - self.paper.mean

    @property
    def agrees(self) -> bool | None:
        """Whether the two intervals of mean ± standard deviation meet; None if one is missing."""
        if self.paper is None or isnan(self.std):
            return None
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
        Data sets on which every method has a number in every run. Ranks and wins are over these;
        there are none for one method, and for a metric that has no better side.
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

    def incomplete(self, dataset: str) -> tuple[str, ...]:
        """Methods that keep a data set from being ranked."""
        return _incomplete(self.cells, dataset, self.methods)

    def undefined(self, dataset: str) -> tuple[str, ...]:
        """Those of them that have all their runs, but not a number in each."""
        found = ((method, self.cells.get((dataset, method))) for method in self.incomplete(dataset))
        return tuple(method for method, cell in found if cell and cell.finished)

    def untested(self, dataset: str) -> tuple[str, ...]:
        """Methods with a mean that were not tested against the best: they or it are incomplete."""
        cells = {method: self.cells.get((dataset, method)) for method in self.methods}
        known = {method: cell for method, cell in cells.items() if cell and cell.defined}
        winners = [cell for cell in known.values() if cell.best and cell.by_run]
        if self.asked == 1 or not winners:
            return ()
        none_complete = not any(cell.complete for cell in winners)
        return tuple(
            method
            for method, cell in known.items()
            if not cell.best and (none_complete or not cell.complete)
        )


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
    cells = _with_best(_cells(chosen, shown), chosen, shown)
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
        left_out=_left_out(measurements, metric, chosen),
        variants=_variants(chosen.rows),
        ranked=ranked,
        average_ranks=average_ranks,
        wins=wins,
        test_to_train=chosen.test_to_train,
        remarks=chosen.remarks,
    )


def _cells(chosen: Chosen, metric: Metric) -> Cells:
    in_order = chosen.rows.sort_values("run").groupby(["dataset", "method"], sort=False)["value"]
    return {
        key: Cell(tuple(values.astype(float)), chosen.asked, by_run=metric.by_run)
        for key, values in in_order
    }


def _incomplete(cells: Cells, dataset: str, methods: Sequence[str]) -> tuple[str, ...]:
    found = ((method, cells.get((dataset, method))) for method in methods)
    return tuple(method for method, cell in found if cell is None or not cell.complete)


def _ranked(cells: Cells, chosen: Chosen, metric: Metric) -> tuple[str, ...]:
    if metric.better is None or len(chosen.methods) < 2:
        return ()
    return tuple(d for d in chosen.datasets if not _incomplete(cells, d, chosen.methods))


def _left_out(
    measurements: pd.DataFrame, metric: str, chosen: Chosen
) -> dict[tuple[str, str], float]:
    """Mean share of rows left out by the units in the table, under the names they have there."""
    if chosen.choice.view == "full" or metric not in LEAVES_ROWS_OUT:
        return {}
    key = ["unit", "run", *VIEW_COLUMNS]
    shares = measurements.loc[measurements["metric"] == "left_out", [*key, "value"]]
    of_table = chosen.rows[[*key, "dataset", "method"]].merge(shares, on=key)
    means: dict[tuple[str, str], float] = (
        of_table.groupby(["dataset", "method"])["value"].mean().dropna().to_dict()
    )
    return means


def _with_paper(cells: Cells, metric: str, view: str, in_catalogue: set[str]) -> Cells:
    """Cells with the paper's numbers; a user's file that is called like a data set has none."""
    paper = {
        key: number
        for key, number in published(metric).items()
        if view == "full" or key[1] == LAMC_NAME
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
    """Methods not told apart from the winners; only complete cells with a spread can be."""
    runs = {
        method: np.array(cell.values)
        for method in chosen.methods
        if (cell := cells.get((dataset, method))) and cell.complete and not isnan(cell.std)
    }
    winner = next((method for method in winners if method in runs), None)
    if winner is None:
        return frozenset()
    return not_told_apart(runs, winner, chosen.test_to_train) - set(winners)


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
