"""The command ``lamc``: one command a file, and errors a person can act on."""

import sys
from typing import Annotated

import typer

from lamc.cli import data, demo
from lamc.exceptions import LAMCError

app = typer.Typer(
    name="lamc",
    help="Reliable labels from single positives, and an honest abstention for the rest.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command(name="demo")(demo.demo)
app.add_typer(data.app, name="data")


def _print_version(wanted: bool) -> None:
    if wanted:
        from lamc import __version__

        typer.echo(f"lamc {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; an error that LAMC raises on purpose becomes a few plain lines."""
    try:
        app()
    except LAMCError as error:
        typer.echo(f"lamc: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
