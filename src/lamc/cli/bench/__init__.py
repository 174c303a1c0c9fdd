"""``lamc bench``: run a benchmark, and show what came out."""

import typer

from lamc.cli.bench.compare import compare
from lamc.cli.bench.export import export
from lamc.cli.bench.figure import figure
from lamc.cli.bench.merge import merge
from lamc.cli.bench.readings import readings
from lamc.cli.bench.run import run
from lamc.cli.bench.table import table

app = typer.Typer(
    help="Run the benchmark, and show what came out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(merge)
app.command()(export)
app.command()(table)
app.command()(compare)
app.command()(figure)
app.command()(readings)
