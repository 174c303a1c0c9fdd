"""``lamc bench export``: results as CSV files."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    results: Annotated[Path, typer.Argument(help="The results file (SQLite).")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The CSV file; two more are put beside it.")
    ],
    profile: Annotated[
        str | None, typer.Option(help="Write the results of this profile only.")
    ] = None,
) -> None:
    """Write results as CSV: measurements, their settings, and curves.

    Example: lamc bench export results.sqlite -o results/paper.csv
    """
    from lamc.benchmark.errors import BenchmarkError
    from lamc.benchmark.frames import write_csv_files
    from lamc.benchmark.store import read_curves, read_measurements

    measurements, curves = read_measurements(results), read_curves(results)
    if profile is not None:
        known = sorted(measurements["profile"].unique())
        if profile not in known:
            raise BenchmarkError(
                f"{results} holds no results of the profile {profile!r}; it holds "
                f"{', '.join(known) or 'none'}."
            )
        measurements = measurements[measurements["profile"] == profile]
        curves = curves[curves["profile"] == profile]
    for file in write_csv_files(measurements, curves, output):
        typer.echo(file)
