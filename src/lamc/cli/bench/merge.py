"""``lamc bench merge``: results of several machines in one file."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.output import Output


def merge(
    results: Annotated[
        Path, typer.Argument(help="The results file to take others into; made if it is not there.")
    ],
    others: Annotated[
        list[Path], typer.Argument(help="Results files, or CSV files that lamc bench export wrote.")
    ],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Take what other results files have finished into one.

    Example: lamc bench merge results.sqlite machine-a.sqlite machine-b.sqlite

    Example: lamc bench merge results.sqlite export.csv
    """
    from lamc.benchmark.exported import opened
    from lamc.benchmark.store import Store

    with Output(as_json=json, quiet=quiet) as out, ExitStack() as files:
        # All are looked at before one is taken.
        sources = [files.enter_context(opened(path)) for path in others]
        store, taken = Store(results), []
        with store.lock():
            for path, source in zip(others, sources, strict=True):
                counts = store.take(source)
                taken.append({"file": str(path), **counts._asdict()})
                out.show(f"{path}: {counts.text()}")
        out.facts({"output": str(results), "taken": taken})
