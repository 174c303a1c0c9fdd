"""``lamc bench export``: results as CSV files."""

from pathlib import Path
from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.bench import options
from lamc.cli.output import Output


def export(
    results: options.Results,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The CSV file; two more are put beside it.")
    ],
    profile: Annotated[
        str | None, typer.Option(help="Write the results of this profile only.")
    ] = None,
    force: shared.Force = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Write results as CSV: measurements, their settings, and curves.

    Example: lamc bench export results.sqlite -o results/paper.csv
    """
    from lamc.benchmark.errors import BenchmarkError
    from lamc.benchmark.frames import csv_files, write_csv_files
    from lamc.benchmark.store import read_results

    for file in csv_files(output):
        shared.check_output(file, force=force)
    with Output(as_json=json, quiet=quiet) as out:
        measurements, curves = read_results(results)
        if profile is not None:
            known = sorted(measurements["profile"].unique())
            if profile not in known:
                raise BenchmarkError(
                    f"{results} holds no results of the profile {profile!r}; it holds "
                    f"{', '.join(known) or 'none'}."
                )
            measurements = measurements[measurements["profile"] == profile]
            curves = curves[curves["profile"] == profile]
        files = write_csv_files(measurements, curves, output)
        out.show(*(str(file) for file in files))
        out.facts({"outputs": [str(file) for file in files], "measurements": len(measurements)})
