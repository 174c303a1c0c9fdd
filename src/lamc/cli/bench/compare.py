"""``lamc bench compare``: whether methods differ over data sets."""

from pathlib import Path
from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.bench import options
from lamc.cli.output import Output


def compare(
    results: options.Results,
    metric: Annotated[str, typer.Option(help="What to compare by.")] = "average_precision",
    view: options.View = "full",
    rule: options.Rule = None,
    alpha: options.Alpha = None,
    calibration: options.Calibration = None,
    positives: options.Positives = None,
    profile: options.Profile = None,
    datasets: options.Datasets = None,
    methods: options.Methods = None,
    part: options.Part = None,
    against: Annotated[
        str | None, typer.Option(help="Method to test the others against; LAMC if it is there.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Draw the critical-difference diagram: a .png, .svg or .pdf."
        ),
    ] = None,
    force: shared.Force = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Test by Friedman, Nemenyi and Wilcoxon, over the data sets that all methods have.

    Example: lamc bench compare results.sqlite --metric ranking_loss --against SMILE

    Example: lamc bench compare results.sqlite --view accepted -o ranks.svg
    """
    from lamc.benchmark.compare import compare as compare_methods
    from lamc.benchmark.compare_text import compare_text
    from lamc.benchmark.diagram import critical_difference_diagram
    from lamc.benchmark.drawing import check_path, write_figure
    from lamc.benchmark.result_table import table
    from lamc.benchmark.store import read_measurements
    from lamc.cli.bench.facts import comparison_facts

    if output is not None:
        check_path(output)
        shared.check_output(output, force=force)
    choice = options.choice(
        profile, view, rule, alpha, calibration, positives, datasets, methods, part
    )
    with Output(as_json=json, quiet=quiet) as out:
        found = compare_methods(table(read_measurements(results), metric, choice), against)
        out.data(compare_text(found))
        if output is not None:
            write_figure(critical_difference_diagram(found), output)
            out.show(f"Wrote {output}.")
        written = None if output is None else str(output)
        out.facts({"output": written, **comparison_facts(found)})
