"""Ways to do units of work: in this process, in processes here, on a Dask cluster."""

import os
import re
import signal
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.unit import Unit
from lamc.benchmark.work import Result, work

# What lamc ends with when it is asked to end, or its terminal is closed.
_TERMINATED: Final = (128 + signal.SIGTERM, 128 + getattr(signal, "SIGHUP", 1))


@dataclass(frozen=True, eq=False)
class Outcome:
    """A unit that has ended: with a result, or with the traceback of what went wrong."""

    unit: Unit
    result: Result | None
    traceback: str = ""


def attempt(unit: Unit, unfinished: Path | None = None) -> Outcome:
    """Do a unit; an error is an outcome like any other, for the other units go on.

    Networks under way are kept in a folder of the unit's own in ``unfinished``.

    Examples
    --------
    >>> from lamc.benchmark.executors import attempt
    >>> from lamc.benchmark.sources import Source, facts_of
    >>> from lamc.benchmark.unit import Unit
    >>> source = Source("digit scenes")
    >>> unit = Unit(source, facts_of(source), "AN", "train", (0,), "given", {"epochs": 0})
    >>> print(attempt(unit).traceback.splitlines()[-1])
    lamc.exceptions.SettingError: epochs=0; give a whole number from 1.
    """
    try:
        return Outcome(unit, work(unit, unfinished and folder_of(unit, unfinished)))
    except SystemExit as ended:
        if ended.code in _TERMINATED:
            raise  # this process was asked to end, and not by the estimator
        return Outcome(unit, None, traceback.format_exc())
    except Exception:
        return Outcome(unit, None, traceback.format_exc())


def folder_of(unit: Unit, unfinished: Path) -> Path:
    """Where networks of a unit are kept: those of another version of LAMC are not gone on with."""
    return unfinished / f"{unit.key[:16]}-{version('lamc')}"


def run_on_processes(
    units: Sequence[Unit], jobs: int, unfinished: Path | None = None
) -> Iterator[Outcome]:
    """Yield outcomes as they come from ``jobs`` processes; from this one if it is one job.

    When the system kills a worker, as when memory runs out, the units that were under way are
    tried again one at a time: only the one that cannot be done fails.
    """
    if jobs < 1:
        raise BenchmarkError(f"{jobs} jobs; give a whole number from 1.")
    if jobs == 1:
        yield from (attempt(unit, unfinished) for unit in units)
        return
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left = {unit.key: unit for unit in units}
    while left:
        try:
            for outcome in _in_parallel(list(left.values()), jobs, unfinished):
                del left[outcome.unit.key]
                yield outcome
        except TerminatedWorkerError:
            # Units are handed out in order, so these are the ones that were under way.
            for unit in list(left.values())[:jobs]:
                del left[unit.key]
                yield _alone(unit, unfinished)


def _in_parallel(units: Sequence[Unit], jobs: int, unfinished: Path | None) -> Iterator[Outcome]:
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=jobs,
        backend="loky",
        return_as="generator_unordered",
        pre_dispatch="n_jobs",
        batch_size=1,
        initializer=_depend_on_parent,
        initargs=(os.getpid(),),
    )
    yield from parallel(delayed(attempt)(unit, unfinished) for unit in units)


def _depend_on_parent(parent: int) -> None:
    """Let a worker end with the process that waits for it, and with nothing else.

    That process ends its workers when a user stops the run. When it is killed it cannot, and they
    would go on with units that the next run begins again.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _alone(unit: Unit, unfinished: Path | None) -> Outcome:
    """Do a unit in a process that may be killed."""
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with ProcessPoolExecutor(
        max_workers=1, initializer=_depend_on_parent, initargs=(os.getpid(),)
    ) as process:
        try:
            outcome: Outcome = process.submit(attempt, unit, unfinished).result()
        except TerminatedWorkerError as error:
            return Outcome(unit, None, f"The process that ran it was killed: {error}")
    return outcome


def run_on_dask(units: Sequence[Unit], address: str) -> Iterator[Outcome]:
    """Yield outcomes as they come from a Dask cluster.

    The client of distributed is used, not joblib's backend for Dask: its scheduler gives the unit
    of a worker that died to another worker, up to the three times that
    ``distributed.scheduler.allowed-failures`` allows.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise BenchmarkError(
            "Dask is not installed.\nInstall it with pip install 'dask[distributed]', or use "
            "--jobs instead of --dask."
        ) from error
    with _cluster(address) as scheduler, _connected(Client, scheduler) as client:
        _refuse_threads(client.nthreads())
        futures = {
            client.submit(attempt, unit, key=f"lamc-{unit.key}", priority=-place): unit
            for place, unit in enumerate(units)
        }
        for future in as_completed(list(futures), loop=client.loop):  # type: ignore[no-untyped-call]
            unit = futures.pop(future)
            lost = future.exception()
            if lost is None:
                yield future.result()
            else:
                yield Outcome(unit, None, "".join(traceback.format_exception(lost)))
            future.release()


def _cluster(address: str) -> AbstractContextManager[Any]:
    """The scheduler at an address, or a new cluster on this machine that ends with the run."""
    from distributed import LocalCluster

    kind, _, count = address.partition(":")
    if kind != "local":
        if not re.fullmatch(r"(\w+://)?[^:/\s]+:\d+/?", address):
            raise BenchmarkError(
                f"--dask {address}; give the address of a scheduler, such as tcp://10.0.0.1:8786, "
                "or local:4 for four processes on this machine."
            )
        return nullcontext(address)
    if not count.isdigit() or int(count) < 1:
        raise BenchmarkError(f"--dask {address}; give a number of processes, as in local:4.")
    cluster: AbstractContextManager[Any] = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=int(count), threads_per_worker=1, processes=True, dashboard_address=None
    )
    return cluster


def _connected(client: Any, scheduler: Any) -> AbstractContextManager[Any]:
    try:
        connected: AbstractContextManager[Any] = client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BenchmarkError(
            f"There is no Dask scheduler at {scheduler}: {error}.\nStart one with dask scheduler, "
            "or use --dask local:4."
        ) from error
    return connected


def _refuse_threads(threads: Mapping[str, int]) -> None:
    """Refuse workers that would do several units in one process: what each takes is measured."""
    for worker, count in threads.items():
        if count > 1:
            raise BenchmarkError(
                f"The Dask worker {worker} has {count} threads, and a unit takes a process.\n"
                "Start workers with dask worker --nthreads 1, and --nworkers for more of them."
            )
