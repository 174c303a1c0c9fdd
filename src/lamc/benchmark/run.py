"""Run the units of a plan that are not finished yet, and store each as it ends."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.executors import Outcome, folder_of, run_on_dask, run_on_processes
from lamc.benchmark.plan import Plan
from lamc.benchmark.store import Store
from lamc.benchmark.unit import Unit
from lamc.benchmark.watch import Watch


@dataclass(frozen=True)
class Failure:
    """A unit that could not be finished, and why."""

    unit: Unit
    traceback: str


def run_plan(
    plan: Plan, store: Store, *, jobs: int = 1, dask: str | None = None, watch: Watch | None = None
) -> list[Failure]:
    """Run what is not in the store, and return what failed.

    Only this process writes to the store. A unit is stored whole when it ends, so that a run that
    is stopped or killed at any time goes on from there when it is started again. What processes on
    this machine have trained of a unit's networks is kept beside the store after every epoch, so
    that hours of one unit are not lost either.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : Store
        Where results are and go.
    jobs : int
        Processes on this machine, without ``dask``.
    dask : str, optional
        Address of a Dask scheduler, or ``"local:4"`` for a cluster of four processes here.
    watch : Watch, optional
        Is told how far the run has come.

    Returns
    -------
    list of Failure
        Units that failed; the others are stored.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.benchmark.plan import profile
    >>> from lamc.benchmark.run import run_plan
    >>> from lamc.benchmark.store import Store
    >>> plan = profile("quick").only(
    ...     datasets=["digit scenes"], methods=["sklearn.naive_bayes:GaussianNB"], n_runs=1
    ... )
    >>> store = Store(Path(tempfile.mkdtemp()) / "results.sqlite")
    >>> run_plan(plan, store)
    []
    >>> store.measurements()["view"].unique().tolist()
    ['full', 'accepted']
    """
    watch = watch or Watch()
    if dask is not None and jobs != 1:
        raise BenchmarkError(
            f"{jobs} jobs are for processes on this machine, and {dask} is a cluster.\nGive one of "
            "the two: --jobs or --dask."
        )
    with store.lock():
        named = plan.units()
        retired = store.expect(plan.name, named, plan.settings)
        units = list({unit.key: unit for _, unit in named}.values())
        finished = store.finished(unit.key for unit in units)
        left = [unit for unit in units if unit.key not in finished]
        watch.begin(plan.name, left, n_finished=len(finished))
        if retired:
            watch.note(
                f"{plan.name} had other settings, data or source code before; what was measured "
                "with them stays in the file, but is not shown with what is measured now."
            )
        for name in dict.fromkeys(unit.facts.name for unit in left if unit.keeps_copies_together):
            watch.note(f"{name} has rows with equal features: these stay in one part.")
        for name, n in dict.fromkeys((unit.facts.name, unit.facts.missing) for unit in left):
            if n:
                watch.note(
                    f"{name} lacks {n:,} numbers: medians of the rows learnt from are taken."
                )
        unfinished = store.path.with_name(f"{store.path.name}.unfinished")
        return _run(left, store, _executor(jobs, dask, unfinished), watch, unfinished)


def _executor(
    jobs: int, dask: str | None, unfinished: Path
) -> Callable[[list[Unit]], Iterator[Outcome]]:
    if dask is not None:
        return lambda units: run_on_dask(units, dask)
    return lambda units: run_on_processes(units, jobs, unfinished)


def _run(
    units: list[Unit],
    store: Store,
    execute: Callable[[list[Unit]], Iterator[Outcome]],
    watch: Watch,
    unfinished: Path,
) -> list[Failure]:
    failures = []
    with watch:
        for outcome in execute(units):
            if outcome.result is None:
                failures.append(Failure(outcome.unit, outcome.traceback))
                watch.failed(outcome.unit)
            else:
                store.add(outcome.unit, outcome.result)
                rmtree(folder_of(outcome.unit, unfinished), ignore_errors=True)
                watch.done(outcome.unit, outcome.result.seconds)
    with suppress(OSError):  # it holds what others have not finished, or is not there
        unfinished.rmdir()
    return failures
