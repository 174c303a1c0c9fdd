"""The figures: calibration size, risk and coverage, promised and achieved, thresholds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lamc.benchmark.curve_selection import choose_curves
from lamc.benchmark.curves import FEW_LABELS
from lamc.benchmark.drawing import Axes, Figure, in_legend, legend_above, panels, stroke, style
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.metric_names import metric_named
from lamc.benchmark.paper import LAMC_NAME, METRICS
from lamc.benchmark.selection import Choice, in_order, narrowed, rows_named, rows_with
from lamc.datasets import catalogue

SIZE_METRICS = (*METRICS, "true_retention")
LEAST_COVERAGE = 1e-3  # below, a curve is of a few pairs and says little
MANY_POINTS = 8  # of a curve, so that some of them have no marker
SHARES = (-0.02, 1.02)  # an axis of shares, on which markers at 0 and 1 are not cut in half
LEVELS = (0.1, 0.9)  # of the labels, four in five are between
FOOT = 0.15  # of the height that the points need, for the numbers below them


def calibration_size(
    measurements: pd.DataFrame,
    choice: Choice | None = None,
    metrics: Sequence[str] = SIZE_METRICS,
) -> Figure:
    """Metrics of the accepted labels against the most calibration positives a label.

    The lines are means over the runs in which a metric is defined, the bands reach one standard
    deviation to either side.

    Parameters
    ----------
    measurements : DataFrame
        As :func:`lamc.benchmark.store.read_measurements` gives it.
    choice : Choice, optional
        Which measurements are meant. One method is shown, LAMC if none is named.
    metrics : sequence of str
        A line each.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.figures import calibration_size
    >>> rows = pd.DataFrame({"positives": [1, 10], "value": [0.5, 0.6]})
    >>> rows = rows.assign(profile="mine", dataset="yeast", method="LAMC", part="train", run=0,
    ...                    view="accepted", rule="selective", alpha=0.5, calibration="all labels",
    ...                    metric="average_precision")
    >>> figure = calibration_size(rows, metrics=["average_precision"])
    >>> figure.axes[0].lines[0].get_ydata()
    array([0.5, 0.6])
    """
    choice = choice or Choice()
    rows = _size_rows(measurements, choice, metrics)
    datasets = choice.datasets or in_order(rows["dataset"], first=tuple(catalogue))
    sizes = [*sorted(rows["positives"].dropna().unique().tolist()), "all"]
    if not rows["positives"].isna().any():
        sizes.remove("all")
    places = {size: place for place, size in enumerate(sizes)}
    rows = rows.assign(
        place=[places["all" if pd.isna(size) else size] for size in rows["positives"]]
    )
    with style():
        figure, grid = panels(datasets, "calibration positives a label, at most", "")
        for axes, dataset in zip(grid, datasets, strict=True):
            for i, name in enumerate(metrics):
                of_metric = rows[(rows["dataset"] == dataset) & (rows["metric"] == name)]
                _draw_sizes(axes, of_metric, i, metric_named(name).heading)
            axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
            axes.set_ylim(SHARES)
        legend_above(figure, grid)
    return figure


def risk_coverage(curves: pd.DataFrame, choice: Choice | None = None) -> Figure:
    """Share of errors among the pairs kept, against the share of pairs kept, for every method.

    Shown from one pair in a thousand.

    Parameters
    ----------
    curves : DataFrame
        As :func:`lamc.benchmark.store.read_curves` gives it.
    choice : Choice, optional
        Which curves are meant.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.figures import risk_coverage
    >>> curves = pd.DataFrame({"x": [0.1, 1.0], "y": [0.2, 0.7], "label": None})
    >>> curves = curves.assign(profile="mine", dataset="yeast", method="LAMC", part="train", run=0,
    ...                        rule=None, alpha=None, calibration=None,
    ...                        curve="risk-coverage", unit="")
    >>> [line.get_label() for line in risk_coverage(curves).axes[0].lines]
    ['LAMC']
    """
    chosen = choose_curves(curves, "risk-coverage", choice or Choice())
    with style():
        x_label = "pairs of a row and a label that are kept"
        figure, grid = panels(chosen.datasets, x_label, "errors among them")
        for axes, dataset in zip(grid, chosen.datasets, strict=True):
            for i, method in enumerate(chosen.methods):
                points = chosen.of(dataset, method)
                if points.empty:
                    continue
                drawn = stroke(i)
                many = len(points) >= MANY_POINTS
                axes.plot(
                    points["x"],
                    points["y"],
                    color=drawn.colour,
                    linestyle=drawn.dashes,
                    marker=drawn.marker,
                    markevery=(0.03 * (i + 1) % 0.25, 0.25) if many else None,
                    label=in_legend(method),
                )
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.set_xlim(LEAST_COVERAGE, 1.1)
            axes.set_ylim(SHARES)
        legend_above(figure, grid)
    return figure


def promised_achieved(curves: pd.DataFrame, choice: Choice | None = None) -> Figure:
    """What the rules promise against what test rows show, as a mean over labels.

    On the thin line the promise is met. Where labels were looked at one by one, their number
    stands at the foot of the panel, and a bar spans four in five of them; fewer than five have no
    bar, and a hollow marker.

    Parameters
    ----------
    curves : DataFrame
        As :func:`lamc.benchmark.store.read_curves` gives it.
    choice : Choice, optional
        Which curves are meant. One method is shown, LAMC if none is named.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.figures import promised_achieved
    >>> curves = pd.DataFrame({"x": [0.5, 0.9], "y": [0.6, 0.9], "label": None})
    >>> curves = curves.assign(profile="mine", dataset="yeast", method="LAMC", part="train", run=0,
    ...                        rule="recall", alpha=[0.5, 0.1], calibration="all labels",
    ...                        curve="promised-achieved", unit="")
    >>> [line.get_label() for line in promised_achieved(curves).axes[0].lines][1:]
    ['recall, mean over labels']
    """
    choice = choice or Choice()
    chosen = choose_curves(curves, "promised-achieved", choice, settle=("calibration",))
    method = _one_method(choice, chosen.methods)
    with style():
        x_label = "promised; at the foot, how many labels a mean is over, where they were counted"
        figure, grid = panels(chosen.datasets, x_label, "achieved")
        for axes, dataset in zip(grid, chosen.datasets, strict=True):
            points = chosen.of(dataset, method)
            axes.axline((0.5, 0.5), slope=1, color="0.6", linewidth=0.8)
            for i, rule in enumerate(("recall", "precision")):
                _draw_promise(axes, points[points["rule"] == rule], i, rule)
        lowest = min(0.9, grid[0].get_ylim()[0])  # all panels share it: that of the lowest point
        grid[0].set_ylim(lowest - FOOT * (1.02 - lowest), 1.02)
        legend_above(figure, grid)
    return figure


def thresholds(curves: pd.DataFrame, choice: Choice | None = None) -> Figure:
    """The threshold of every label against the number of its calibration positives.

    Labels without a threshold are not shown; the title of a panel says how many are.

    Parameters
    ----------
    curves : DataFrame
        As :func:`lamc.benchmark.store.read_curves` gives it.
    choice : Choice, optional
        Which curves are meant. One method and one rule are shown: LAMC and selective, if none is
        named.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.figures import thresholds
    >>> curves = pd.DataFrame({"x": [3, 20], "y": [0.2, 0.7], "label": ["oak", "elm"]})
    >>> curves = curves.assign(profile="mine", dataset="yeast", method="LAMC", part="train", run=0,
    ...                        rule="selective", alpha=0.5, calibration="all labels",
    ...                        curve="threshold", unit="")
    >>> thresholds(curves).axes[0].get_title(loc="left")
    'yeast · 2 labels'
    """
    choice = choice or Choice()
    chosen = choose_curves(curves, "threshold", choice, settle=("rule", "alpha", "calibration"))
    method = _one_method(choice, chosen.methods)
    with style():
        figure, grid = panels(chosen.datasets, "calibration positives of the label", "threshold")
        for axes, dataset in zip(grid, chosen.datasets, strict=True):
            points = chosen.of(dataset, method)
            axes.scatter(
                points["x"], points["y"], s=6, facecolor="none", edgecolor="black", linewidth=0.5
            )
            axes.set_title(f"{dataset} · {len(points)} labels")
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.set_ylim(SHARES)
    return figure


def _size_rows(measurements: pd.DataFrame, choice: Choice, metrics: Sequence[str]) -> pd.DataFrame:
    rows, _ = narrowed(measurements, "profile", choice.profile)
    rows = rows_with(rows, "view", "accepted")
    rows = rows_with(rows, "part", "train")
    for name in ("rule", "alpha", "calibration"):
        rows, _ = narrowed(rows, name, getattr(choice, name))
    for metric in metrics:
        rows_with(rows, "metric", metric)
    rows = rows[rows["metric"].isin(metrics)]
    rows = rows_with(rows, "method", _one_method(choice, tuple(rows["method"].unique())))
    rows = rows_named(rows, "dataset", choice.datasets)
    twice = rows[rows.duplicated(["dataset", "metric", "positives", "run"])]
    if not twice.empty:
        first = twice.iloc[0]
        raise BenchmarkError(
            f"The results hold two values of {first['metric']} for {first['method']} on "
            f"{first['dataset']}, run {first['run']}. Keep runs with different settings in "
            "different results files."
        )
    return rows


def _one_method(choice: Choice, found: Sequence[str]) -> str:
    if len(choice.methods) > 1:
        raise BenchmarkError(
            f"This figure shows one method, and {len(choice.methods)} were named: "
            f"{', '.join(choice.methods)}. Name one."
        )
    if choice.methods:
        return choice.methods[0]
    return LAMC_NAME if LAMC_NAME in found else found[0]


def _draw_sizes(axes: Axes, rows: pd.DataFrame, i: int, label: str) -> None:
    drawn = stroke(i)
    by_size = rows.groupby("place")["value"]
    mean, spread = by_size.mean(), by_size.std().fillna(0.0)
    axes.fill_between(
        mean.index, mean - spread, mean + spread, color=drawn.colour, alpha=0.2, linewidth=0
    )
    axes.plot(
        mean.index,
        mean,
        color=drawn.colour,
        linestyle=drawn.dashes,
        marker=drawn.marker,
        label=label,
    )


def _draw_promise(axes: Axes, points: pd.DataFrame, i: int, rule: str) -> None:
    drawn = stroke(i)
    means = points[points["label"].isna()]
    of_labels = points[points["label"].notna()].groupby("x")["y"]
    counts = of_labels.size()
    if not means.empty:
        axes.plot(
            means["x"],
            means["y"],
            color=drawn.colour,
            linestyle=drawn.dashes,
            marker=drawn.marker,
            label=f"{rule}, mean over labels",
        )
    few = means[means["x"].isin(counts.index[counts < FEW_LABELS])]
    if not few.empty:
        axes.plot(
            few["x"],
            few["y"],
            color=drawn.colour,
            linestyle="none",
            marker=drawn.marker,
            markerfacecolor="white",
            markeredgecolor=drawn.colour,
            markeredgewidth=0.9,
            label=f"{rule}, fewer than five labels",
        )
    for promised, achieved in of_labels:
        many = len(achieved) >= FEW_LABELS
        if many:
            _draw_bar(axes, promised, achieved, i, rule)
        axes.annotate(
            f"{('●■' if many else '○□')[i]} {len(achieved)}",
            (promised, 0.09 * i + 0.02),
            xycoords=("data", "axes fraction"),
            horizontalalignment="center",
            fontsize=5.5,
        )


def _draw_bar(axes: Axes, promised: float, achieved: pd.Series, i: int, rule: str) -> None:
    beside = promised + 0.006 * (2 * i - 1)  # so that the bars of two rules do not cover
    axes.plot(
        [beside] * 2,
        np.quantile(achieved, LEVELS),
        color=stroke(i).colour,
        alpha=0.45,
        linewidth=2.5,
        solid_capstyle="butt",
        label=f"{rule}, four labels in five",
    )


OF_CURVES = {
    "risk-coverage": risk_coverage,
    "promised-achieved": promised_achieved,
    "thresholds": thresholds,
}
