"""``lamc bench merge``: results of several machines in one file."""

from pathlib import Path
from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.output import Output


def merge(
    results: Annotated[
        Path, typer.Argument(help="The results file to take others into; made if it is not there.")
    ],
    others: Annotated[list[Path], typer.Argument(help="Results files of other machines.")],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Take what other results files have finished into one.

    Example: lamc bench merge results.sqlite machine-a.sqlite machine-b.sqlite
    """
    from lamc.benchmark.store import Store, open_store

    with Output(as_json=json, quiet=quiet) as out:
        sources = [open_store(path) for path in others]  # all are looked at before one is taken
        store, taken = Store(results), []
        with store.lock():
            for source in sources:
                counts = store.take(source)
                taken.append({"file": str(source.path), **counts._asdict()})
                out.show(f"{source.path}: {counts.text()}")
        out.facts({"output": str(results), "taken": taken})
