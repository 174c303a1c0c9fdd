"""The command ``lamc``: one command a file, and errors a person can act on."""

import io
import sys
from typing import Annotated

import typer

from lamc.cli import bench, calibrate, data, demo, evaluate, predict, report, train
from lamc.cli.options import remember_debug
from lamc.cli.shell import Shell
from lamc.cli.stops import stops_heard

app = typer.Typer(
    name="lamc",
    cls=Shell,
    help="Reliable labels from single positives, and an honest abstention for the rest.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command(name="demo")(demo.demo)
app.command(name="train")(train.train)
app.command(name="calibrate")(calibrate.calibrate)
app.command(name="predict")(predict.predict)
app.command(name="evaluate")(evaluate.evaluate)
app.command(name="report")(report.report)
app.add_typer(data.app, name="data")
app.add_typer(bench.app, name="bench")


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
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show where an error happened.", callback=remember_debug),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # not so where nothing can be written
            stream.reconfigure(errors="backslashreplace")  # an arrow must not end a command
    with stops_heard():
        app()
