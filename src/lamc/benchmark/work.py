"""Do one unit of work: load, train, score, measure."""

import os
import platform
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from lamc.benchmark import curves
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.fit import Scored, fit_and_score
from lamc.benchmark.measure import accepted_metrics, full_metrics
from lamc.benchmark.memory import peak_megabytes, reset_peak
from lamc.benchmark.methods import check_source, is_own
from lamc.benchmark.protocol import Task, task_of
from lamc.benchmark.readings import readings
from lamc.benchmark.records import Measurement, Point, measured
from lamc.benchmark.sources import checksum
from lamc.benchmark.unit import Unit
from lamc.benchmark.views import views_of
from lamc.datasets import Dataset

_PACKAGES = ("lamc", "numpy", "scipy", "scikit-learn", "torch")


@dataclass(frozen=True, eq=False)
class Result:
    """What a unit gave.

    Attributes
    ----------
    measurements, points : list
        Its rows.
    versions : dict
        Of the packages that it was computed with.
    seconds : float
        How long it took.
    """

    measurements: list[Measurement]
    points: list[Point]
    versions: dict[str, str]
    seconds: float


def work(unit: Unit, folder: Path | None = None) -> Result:
    """Fit and measure all runs of a unit, on one thread.

    Networks are kept in a folder while they are trained. If it holds some of an earlier attempt,
    training goes on from there; what the unit took in all is not known then, and not stored.

    Examples
    --------
    >>> from lamc.benchmark.sources import Source, facts_of
    >>> from lamc.benchmark.unit import Unit
    >>> from lamc.benchmark.work import work
    >>> source = Source("digit scenes")
    >>> estimator = "sklearn.naive_bayes:GaussianNB"
    >>> unit = Unit(source, facts_of(source), estimator, "train", (0,), "given")
    >>> result = work(unit)
    >>> found = {row.metric: row.value for row in result.measurements if row.view == "full"}
    >>> found["average_precision"] > 0.4
    True
    """
    measures_memory = reset_peak()
    goes_on = folder is not None and folder.exists()
    start = perf_counter()
    with threadpool_limits(1):
        if is_own(unit.method):
            check_source(unit.method, unit.description["source"])
        measurements, points, seconds_fit = _runs(unit, _checked_data(unit), folder)
    seconds = perf_counter() - start
    spent = {}
    if not goes_on:
        spent["seconds_fit"] = seconds_fit / len(unit.seeds)
        spent["seconds_total"] = seconds / len(unit.seeds)
    if measures_memory:
        spent["peak_megabytes"] = peak_megabytes()
    for run, seed in enumerate(unit.seeds):
        measurements += measured(run, seed, "full", spent)
    return Result(measurements, points, versions(), seconds)


def versions() -> dict[str, str]:
    """Versions of what the numbers were computed with.

    Examples
    --------
    >>> from lamc.benchmark.work import versions
    >>> sorted(versions())
    ['lamc', 'numpy', 'python', 'scikit-learn', 'scipy', 'torch']
    """
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def _checked_data(unit: Unit) -> Dataset:
    """The data of a unit; another machine may have another file under the same name."""
    data = unit.source.load()
    found = checksum(data)
    if found != unit.facts.checksum:
        raise BenchmarkError(
            f"{unit.source.place} holds other data here (process {os.getpid()}) than where the "
            f"plan was made: checksum {found[:12]}, expected {unit.facts.checksum[:12]}.\n"
            "Give all machines the same file."
        )
    return data


def _runs(
    unit: Unit, data: Dataset, folder: Path | None
) -> tuple[list[Measurement], list[Point], float]:
    measurements: list[Measurement] = []
    points: list[Point] = []
    seconds = 0.0
    for draw, runs in _runs_by_draw(unit).items():
        task = task_of(
            data,
            unit.draw,
            draw,
            unit.part,
            unit.validation,
            scenes=unit.facts.scenes,
            copies=unit.keeps_copies_together,
        )
        start = perf_counter()
        seeds = [unit.seeds[run] for run in runs]
        place = None if folder is None else folder / str(draw)
        known_as = unit.facts.in_catalogue_as
        fitted = fit_and_score(unit.method, known_as, unit.settings, task, seeds, place)
        seconds += perf_counter() - start
        for run, scored in zip(runs, fitted, strict=True):
            measurements += _measure(unit, run, task, scored)
            points += _curves(run, task, scored)
    return measurements, points, seconds


def _runs_by_draw(unit: Unit) -> dict[int, list[int]]:
    """Runs that share their rows: all, or each by itself with the seed of its draw."""
    grouped: dict[int, list[int]] = defaultdict(list)
    for run, seed in enumerate(unit.seeds):
        grouped[0 if unit.draw == "given" else seed].append(run)
    return grouped


def _measure(unit: Unit, run: int, task: Task, scored: Scored) -> Iterator[Measurement]:
    seed, test = unit.seeds[run], scored.test
    yield from measured(run, seed, "full", full_metrics(task.test.labels, test))
    chosen = {_chosen_name(name): value for name, value in scored.chosen.items()}
    yield from measured(run, seed, "full", chosen)
    if scored.calibration is None:
        return
    for view in views_of(task, studies=unit.has_studies):
        found = accepted_metrics(task, test, view, scored.calibration)
        yield from measured(run, seed, "accepted", found, view)
    if unit.has_studies:
        for name, found in readings(task, test, scored.calibration):
            yield from measured(run, seed, name, found)


def _chosen_name(name: str) -> str:
    return name if name.startswith("validation") else f"chosen_{name}"


def _curves(run: int, task: Task, scored: Scored) -> Iterator[Point]:
    """Curves of the first run, which stands for the others."""
    if run > 0:
        return
    yield from curves.risk_coverage(run, task.test.labels, scored.test)
    if scored.calibration is not None:
        yield from curves.thresholds(run, task, scored.calibration)
        yield from curves.promised_achieved(run, task, scored.test, scored.calibration)
