"""Whether methods differ over data sets: Friedman, Nemenyi, and Wilcoxon against one of them.

A data set counts once, with the mean over its runs, and only if every method has a number in
every run.

References
----------
Demšar (2006), Statistical comparisons of classifiers over multiple data sets. Journal of Machine
Learning Research 7, 1–30.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.metric_names import Metric
from lamc.benchmark.paper import LAMC_NAME
from lamc.benchmark.result_table import DECIMALS, Table
from lamc.benchmark.significance import LEVEL, holm
from lamc.benchmark.table_text import lacking
from lamc.types import FloatArray


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that all methods have the same mean rank, corrected for ties."""

    statistic: float
    p: float


@dataclass(frozen=True)
class Nemenyi:
    """Nemenyi's test of every pair of methods, after Friedman's.

    Attributes
    ----------
    p : DataFrame
        p-values, by method and method.
    critical_difference : float
        Mean ranks that differ by more are told apart at 5 %.
    """

    p: pd.DataFrame
    critical_difference: float


@dataclass(frozen=True)
class Wilcoxon:
    """Wilcoxon's signed-rank test of a method against the chosen one.

    Attributes
    ----------
    method : str
        The method.
    better, worse, equal : int
        On how many data sets it is better, worse, or the same.
    median_difference : float
        Median of its mean minus the chosen method's.
    p, p_holm : float
        Two-sided p-value, alone and corrected by Holm for all methods compared.
    """

    method: str
    better: int
    worse: int
    equal: int
    median_difference: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Comparison:
    """What is known of the differences between methods; made by :func:`compare`.

    Attributes
    ----------
    metric : Metric
        What is compared.
    described : str
        Which measurements it is of, in words.
    remarks : tuple of str
        What a reader of the numbers has to know.
    datasets, methods : tuple of str
        What it is over.
    left_out : dict
        For each data set left out, the methods that have not a number in every run.
    reasons : dict
        For each data set left out, in words, whether runs are missing or have no value.
    average_ranks : dict
        Mean rank of each method, 1 the best.
    friedman : Friedman or None
        None for two methods.
    nemenyi : Nemenyi or None
        None for two methods.
    against : str
        The method that the others are tested against.
    wilcoxon : tuple of Wilcoxon
        One for each other method.
    """

    metric: Metric
    described: str
    remarks: tuple[str, ...]
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    left_out: dict[str, tuple[str, ...]]
    reasons: dict[str, str]
    average_ranks: dict[str, float]
    friedman: Friedman | None
    nemenyi: Nemenyi | None
    against: str
    wilcoxon: tuple[Wilcoxon, ...]


def compare(table: Table, against: str | None = None) -> Comparison:
    """Test the differences that a table shows.

    Parameters
    ----------
    table : Table
        Data sets by methods, of a metric that has a better side.
    against : str, optional
        Method to test the others against; LAMC, or else the first of the table.

    Returns
    -------
    Comparison

    Raises
    ------
    BenchmarkError
        If fewer than two methods, or fewer than two data sets that all have, are left.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.compare import compare
    >>> from lamc.benchmark.result_table import table
    >>> rows = pd.DataFrame({"dataset": ["yeast", "scene"] * 2, "method": ["AN", "AN", "ME", "ME"],
    ...                      "value": [0.5, 0.25, 0.75, 0.5]})
    >>> rows = rows.assign(profile="mine", variant="", exact=True, part="train", run=0, view="full",
    ...                    rule=None, alpha=None, calibration=None, positives=None,
    ...                    metric="one_error", settings='{"seeds": [0], "draw": "given"}',
    ...                    data_checksum="", unit="", versions="{}")
    >>> found = compare(table(rows, "one_error"), against="ME")
    >>> found.average_ranks, found.wilcoxon[0].better, found.wilcoxon[0].p
    ({'AN': 1.0, 'ME': 2.0}, 2, 0.5)
    """
    _check(table)
    against = against or (LAMC_NAME if LAMC_NAME in table.methods else table.methods[0])
    if against not in table.methods:
        raise BenchmarkError(
            f"There is no method {against!r} to compare with. There are {', '.join(table.methods)}."
            + "".join(f" {remark}" for remark in table.remarks)
        )
    means = pd.DataFrame(
        [[table.cells[d, m].mean for m in table.methods] for d in table.ranked],
        index=table.ranked,
        columns=table.methods,
    )
    if table.metric.better == "larger":
        means = -means  # from here on smaller is better
    many = len(table.methods) > 2
    return Comparison(
        metric=table.metric,
        described=table.described,
        remarks=table.remarks,
        datasets=table.ranked,
        methods=table.methods,
        left_out={d: table.incomplete(d) for d in _not_ranked(table)},
        reasons={d: lacking(table, d) for d in _not_ranked(table)},
        average_ranks=table.average_ranks,
        friedman=friedman(means) if many else None,
        nemenyi=nemenyi(means) if many else None,
        against=against,
        wilcoxon=wilcoxon(means, against, sign=-1.0 if table.metric.better == "larger" else 1.0),
    )


def friedman(values: pd.DataFrame) -> Friedman:
    """Friedman's test on data sets by methods; p = 1 where all methods always tie.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.compare import friedman
    >>> friedman(pd.DataFrame({"A": [1, 1, 1], "B": [2, 2, 2], "C": [3, 3, 3]})).statistic
    6.0
    """
    if (values.max(axis=1) == values.min(axis=1)).all():
        return Friedman(0.0, 1.0)
    found = stats.friedmanchisquare(*values.to_numpy().T)
    return Friedman(float(found.statistic), float(found.pvalue))


def nemenyi(values: pd.DataFrame) -> Nemenyi:
    """Nemenyi's test on data sets by methods.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.compare import nemenyi
    >>> found = nemenyi(pd.DataFrame({"A": [1, 1, 1], "B": [2, 2, 2], "C": [3, 3, 3]}))
    >>> round(found.critical_difference, 2), round(float(found.p.loc["A", "C"]), 3)
    (1.91, 0.038)
    """
    from scikit_posthocs import posthoc_nemenyi_friedman

    n_datasets, n_methods = values.shape
    p = posthoc_nemenyi_friedman(values.to_numpy())
    p.index = p.columns = values.columns
    return Nemenyi(p, critical_difference(n_methods, n_datasets))


def critical_difference(n_methods: int, n_datasets: int) -> float:
    """Difference of mean ranks above which Nemenyi's test tells two methods apart at 5 %.

    Examples
    --------
    >>> from lamc.benchmark.compare import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = stats.studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / sqrt(2)
    return float(quantile * sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def wilcoxon(values: pd.DataFrame, against: str, *, sign: float = 1.0) -> tuple[Wilcoxon, ...]:
    """Test every method against one, on data sets by methods, smaller being better.

    Half of the ranks of data sets without a difference count for either side, as Demšar does.

    Parameters
    ----------
    values : DataFrame
        Data sets by methods.
    against : str
        The method to test against.
    sign : float, default=1.0
        What the median difference is multiplied with: −1 for values that were negated.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.compare import wilcoxon
    >>> values = pd.DataFrame({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.4, 0.6, 0.8]})
    >>> wilcoxon(values, "A")[0].p
    0.125
    """
    others = [method for method in values.columns if method != against]
    differences = [(values[m] - values[against]).round(DECIMALS).to_numpy() for m in others]
    p_values = np.array([_signed_rank_p(difference) for difference in differences])
    return tuple(
        Wilcoxon(
            method=method,
            better=int((difference < 0).sum()),
            worse=int((difference > 0).sum()),
            equal=int((difference == 0).sum()),
            median_difference=sign * float(np.median(difference)),
            p=float(p),
            p_holm=float(corrected),
        )
        for method, difference, p, corrected in zip(
            others, differences, p_values, holm(p_values), strict=True
        )
    )


def _signed_rank_p(difference: FloatArray) -> float:
    if not difference.any():
        return 1.0
    return float(stats.wilcoxon(difference, zero_method="zsplit").pvalue)


def _check(table: Table) -> None:
    if table.metric.better is None:
        raise BenchmarkError(
            f"Neither side of {table.metric.name} is better, so methods cannot be ranked by it. "
            "Compare by another metric, as average_precision."
        )
    if len(table.methods) < 2:
        raise BenchmarkError(
            f"The results hold one method, {table.methods[0]}. A comparison needs two or more."
        )
    if len(table.ranked) < 2:
        raise BenchmarkError(
            "A comparison needs two data sets or more on which every method has a number in every "
            f"run. There {'is one' if table.ranked else 'are none'}{_way_out(table)}"
        )


def _way_out(table: Table) -> str:
    datasets = _not_ranked(table)
    if not datasets:
        return ". Run more data sets."
    unfinished = any(table.undefined(d) != table.incomplete(d) for d in datasets)
    no_value = any(table.undefined(d) for d in datasets)
    ways = [
        *(["finish the runs"] if unfinished else []),
        *(["choose a metric and a rule that give a value"] if no_value else []),
    ]
    named = ", ".join(f"{d} ({lacking(table, d)})" for d in datasets)
    return f". Left out: {named}. {', '.join(ways).capitalize()}, or name the methods to compare."


def _not_ranked(table: Table) -> list[str]:
    return [dataset for dataset in table.datasets if dataset not in table.ranked]
