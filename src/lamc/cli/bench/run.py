"""``lamc bench run``: run what a plan asks for, and go on where it was stopped."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lamc.cli import options as shared
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.benchmark.plan import Plan
    from lamc.benchmark.run import Failure
    from lamc.benchmark.sources import Source
    from lamc.benchmark.watch import Watch


def run(
    plan: Annotated[Path | None, typer.Argument(help="A plan file (TOML).")] = None,
    profile: Annotated[
        str | None, typer.Option(help="paper, resampled or quick, where no plan file is given.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The results file (SQLite).")
    ] = Path("results.sqlite"),
    datasets: Annotated[
        str,
        typer.Option(
            help="Names or files of data sets, separated by commas. Several files with commas in "
            "their names need a plan file."
        ),
    ] = "",
    methods: Annotated[
        str,
        typer.Option(help="Names, or package.module:Class, separated by commas."),
    ] = "",
    runs: Annotated[int | None, typer.Option(help="Number of runs, with seeds 0, 1, …")] = None,
    validation: Annotated[
        Literal["all labels", "single positives"] | None,
        typer.Option(help="What is known of the rows to choose by."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value for all methods, or WAN.key=value for one."),
    ] = None,
    labels: shared.Labels = None,
    label_column: shared.LabelColumn = None,
    separator: shared.Separator = None,
    ids: shared.Ids = None,
    delimiter: shared.Delimiter = None,
    encoding: shared.Encoding = None,
    decimal: shared.Decimal = None,
    words: shared.Words = None,
    jobs: Annotated[int, typer.Option(help="Processes on this machine.")] = 1,
    dask: Annotated[
        str | None,
        typer.Option(help="A Dask scheduler, tcp://host:port, or local:4 for four processes."),
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="List the units and run nothing.")] = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Run a benchmark; the same command again goes on where it was stopped.

    Example: lamc bench run --profile paper --jobs 2

    Example: lamc bench run --profile quick --datasets scene --methods LAMC,SMILE --set epochs=5

    Example: lamc bench run plan.toml --dask tcp://10.0.0.1:8786
    """
    from lamc.benchmark.run import run_plan
    from lamc.benchmark.store import Store
    from lamc.settings_text import parse_setting

    chosen = _plan(plan, profile).only(
        datasets=_sources(
            datasets,
            labels=shared.label_names(labels),
            label_column=label_column,
            separator=separator,
            id_column=tuple(ids or ()),
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            words=tuple(words or ()),
        ),
        methods=_listed(methods),
        n_runs=runs,
        validation=validation,
        overrides=dict(parse_setting(each) for each in settings or []),
    )
    with Output(as_json=json, quiet=quiet) as out:
        if dry_run:
            _list(out, chosen)
            return
        watch = _watch(out)
        try:
            failures = run_plan(chosen, Store(output), jobs=jobs, dask=dask, watch=watch)
        except KeyboardInterrupt:
            typer.echo("Stopped. The same command goes on from here.", err=True)
            raise typer.Exit(130) from None
        out.facts(
            {
                "output": str(output),
                "plan": chosen.name,
                "finished_before": watch.n_finished,
                "finished_now": watch.n_units - len(failures),
                "failed": [
                    {"unit": str(failure.unit), "traceback": failure.traceback}
                    for failure in failures
                ],
            }
        )
    if failures:
        _report(failures)
        raise typer.Exit(1)


def _list(out: Output, plan: "Plan") -> None:
    """Print the units of a plan."""
    named = plan.units()
    out.data(
        "\n".join(f"{u.key[:12]}  {u.facts.name} · {method} · {u.part}" for method, u in named)
    )
    out.facts(
        {
            "plan": plan.name,
            "units": [
                {"key": u.key, "dataset": u.facts.name, "method": method, "part": u.part}
                for method, u in named
            ],
        }
    )


def _plan(file: Path | None, profile: str | None) -> "Plan":
    from lamc.benchmark import plan, plan_file
    from lamc.benchmark.errors import BenchmarkError

    if file is not None and profile is not None:
        raise BenchmarkError(
            f"Both the plan {file} and --profile {profile} are given.\nName the profile in the "
            'plan file instead: profile = "…".'
        )
    return plan.profile(profile or "paper") if file is None else plan_file.read_plan(file)


def _sources(datasets: str, **reading: Any) -> "list[Source]":
    """The data sets named; what is said of reading goes for the files among them."""
    from lamc.benchmark.errors import BenchmarkError
    from lamc.benchmark.sources import Source

    is_one = os.path.isfile(datasets)  # noqa: PTH113  of a long list, is_file would raise
    names = [datasets] if is_one else _listed(datasets)
    files = [name for name in names if Path(name).suffix]
    if any(reading.values()) and not files:
        raise BenchmarkError(
            "It is said how to read a file, but no file is among the data sets.\nName it: "
            "--datasets trees.csv. In a plan file, say it there."
        )
    return [Source(name, **reading) if name in files else Source(name) for name in names]


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _watch(out: Output) -> "Watch":
    from lamc.benchmark.watch import BarWatch, LogWatch, Watch

    if not out.speaks:
        return Watch()
    return BarWatch() if sys.stderr.isatty() else LogWatch()


def _report(failures: "list[Failure]") -> None:
    for failure in failures:
        typer.echo(f"\n{failure.unit} failed:\n{failure.traceback}", err=True)
    names = ", ".join(str(failure.unit) for failure in failures)
    count = "1 unit" if len(failures) == 1 else f"{len(failures)} units"
    typer.echo(f"lamc: {count} failed: {names}.", err=True)
