"""``lamc bench figure``: pictures of results, for print."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.bench import options
from lamc.cli.output import Output


class Kind(StrEnum):
    """Figures that can be drawn."""

    calibration_size = "calibration-size"
    risk_coverage = "risk-coverage"
    promised_achieved = "promised-achieved"
    thresholds = "thresholds"


def figure(
    results: options.Results,
    kind: Annotated[Kind, typer.Option(help="What to draw.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A .png, .svg or .pdf file; else a .png named after the kind."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="For calibration-size, separated by commas: a line each."),
    ] = None,
    rule: options.Rule = None,
    alpha: options.Alpha = None,
    calibration: options.Calibration = None,
    profile: options.Profile = None,
    datasets: options.Datasets = None,
    methods: options.Methods = None,
    force: shared.Force = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Draw the effect of calibration size, risk and coverage, promises, or thresholds.

    Example: lamc bench figure results.sqlite --kind calibration-size -o size.svg

    Example: lamc bench figure results.sqlite --kind risk-coverage --datasets yeast,scene
    """
    from lamc.benchmark import figures
    from lamc.benchmark.drawing import check_path, write_figure
    from lamc.benchmark.store import read_curves, read_measurements

    if metric and kind is not Kind.calibration_size:
        raise typer.BadParameter(
            f"--metric is for --kind calibration-size; {kind} shows what it is named after."
        )
    path = output or Path(f"{kind}.png")
    check_path(path)
    shared.check_output(path, force=force)
    choice = options.choice(profile, "accepted", rule, alpha, calibration, None, datasets, methods)
    with Output(as_json=json, quiet=quiet) as out:
        if kind is Kind.calibration_size:
            shown = options.all_listed(metric) or figures.SIZE_METRICS
            drawn = figures.calibration_size(read_measurements(results), choice, shown)
        else:
            drawn = figures.OF_CURVES[kind](read_curves(results), choice)
        write_figure(drawn, path)
        out.show(f"Wrote {path}.")
        out.facts({"output": str(path), "kind": str(kind)})
