"""The two kinds of rows that a unit gives: measurements, and points of curves."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lamc.benchmark.views import View


class Measurement(NamedTuple):
    """One number: what was measured, in which run, through which view."""

    run: int
    seed: int
    view: str
    rule: str | None
    alpha: float | None
    calibration: str | None
    positives: int | None
    metric: str
    value: float


class Point(NamedTuple):
    """One point of a curve; ``label`` is None where it speaks of all labels."""

    run: int
    rule: str | None
    alpha: float | None
    calibration: str | None
    curve: str
    label: str | None
    x: float
    y: float


def measured(
    run: int, seed: int, name: str, values: Mapping[str, float], view: View | None = None
) -> Iterable[Measurement]:
    """One measurement for each metric of a view.

    Examples
    --------
    >>> from lamc.benchmark.records import measured
    >>> next(iter(measured(0, 0, "full", {"one_error": 0.25}))).value
    0.25
    """
    for metric, value in values.items():
        yield Measurement(
            run=run,
            seed=seed,
            view=name,
            rule=None if view is None else view.rule,
            alpha=None if view is None else view.alpha,
            calibration=None if view is None else view.calibration,
            positives=None if view is None else view.positives,
            metric=metric,
            value=float(value),
        )
