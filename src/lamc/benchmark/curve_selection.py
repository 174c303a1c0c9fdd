"""From all curves to those of one figure."""

from dataclasses import dataclass

import pandas as pd

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.paper import METHODS
from lamc.benchmark.selection import Choice, in_order, narrowed, rows_named
from lamc.benchmark.training_rows import of_fair_part
from lamc.datasets import catalogue


@dataclass(frozen=True)
class ChosenCurves:
    """Points of one kind of curve; made by :func:`choose_curves`.

    Attributes
    ----------
    points : DataFrame
        One row for each point.
    datasets, methods : tuple of str
        In the order to show them: the paper's first.
    """

    points: pd.DataFrame
    datasets: tuple[str, ...]
    methods: tuple[str, ...]

    def of(self, dataset: str, method: str) -> pd.DataFrame:
        """The points of a method on a data set, by x."""
        points = self.points
        return points[(points["dataset"] == dataset) & (points["method"] == method)].sort_values(
            "x"
        )


def choose_curves(
    curves: pd.DataFrame, curve: str, choice: Choice, *, settle: tuple[str, ...] = ()
) -> ChosenCurves:
    """Take the points of one kind of curve, of the first run that has any.

    Parameters
    ----------
    curves : DataFrame
        As :func:`lamc.benchmark.store.read_curves` gives it.
    curve : str
        "risk-coverage", "threshold" or "promised-achieved".
    choice : Choice
        Which are meant: its profile, rule, alpha, calibration, datasets and methods count.
    settle : tuple of str
        Those of "rule", "alpha" and "calibration" of which a figure can show one only.

    Returns
    -------
    ChosenCurves
    """
    if curves.empty:
        raise BenchmarkError(
            "The results hold no curves yet. Make some with lamc bench run, or wait for the first "
            "unit to finish."
        )
    points, _ = narrowed(curves, "profile", choice.profile)
    points, _ = narrowed(points, "curve", curve)
    for name in ("rule", "alpha", "calibration"):
        wanted = getattr(choice, name)
        if name in settle or wanted is not None:
            points, _ = narrowed(points, name, wanted)
    points = rows_named(points, "dataset", choice.datasets)
    points = rows_named(points, "method", choice.methods)
    points, _ = of_fair_part(points, "full" if curve == "risk-coverage" else "accepted")
    points = points[points["run"] == points["run"].min()]
    _check_one_unit(points)
    return ChosenCurves(
        points,
        datasets=choice.datasets or in_order(points["dataset"], first=tuple(catalogue)),
        methods=choice.methods or in_order(points["method"], first=METHODS),
    )


def _check_one_unit(points: pd.DataFrame) -> None:
    for (dataset, method), units in points.groupby(["dataset", "method"])["unit"].unique().items():
        if len(units) > 1:
            raise BenchmarkError(
                f"The results hold {len(units)} curves of {method} on {dataset}, with different "
                "settings. Keep runs with different settings in different results files."
            )
