"""``lamc data``: the data sets that LAMC knows, and files that it can read."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="List, look at and read data sets.", no_args_is_help=True)


@app.command("list")
def list_() -> None:
    """List the data sets of the catalogue.

    Example: lamc data list
    """
    from lamc.datasets import catalogue

    typer.echo(catalogue)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A name of the catalogue, or a file.")],
    labels: Annotated[
        str | None, typer.Option(help="Columns that are labels, separated by commas.")
    ] = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column that lists the labels of a row.")
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="What stands between listed labels.")
    ] = None,
) -> None:
    """Describe a data set, by name or by file.

    Example: lamc data show yeast
    Example: lamc data show trees.csv --labels oak,elm
    """
    from lamc.datasets import load, read

    if Path(name).suffix or labels or label_column:
        columns = None if labels is None else labels.split(",")
        data = read(name, labels=columns, label_column=label_column, separator=separator)
    else:
        data = load(name)
    typer.echo(data)
    counts = data.Y.sum(axis=0)
    typer.echo(f"labels: {', '.join(data.label_names[:8])}{', …' if len(counts) > 8 else ''}")
    typer.echo(f"rows of a label: {int(counts.min())} to {int(counts.max())}")
    for note in data.notes:
        typer.echo(note)
