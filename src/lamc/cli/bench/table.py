"""``lamc bench table``: data sets by methods, in the format that a paper or a page needs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.bench import options
from lamc.cli.output import Output


class Format(StrEnum):
    """Formats of a table."""

    markdown = "markdown"
    latex = "latex"
    csv = "csv"
    html = "html"


class Against(StrEnum):
    """What can be set beside a table."""

    paper = "paper"


def table(
    results: options.Results,
    metric: options.Metrics = None,
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
        Against | None, typer.Option(help="Set the paper's numbers and the difference beside.")
    ] = None,
    format: Annotated[  # noqa: A002  the name of the option
        Format | None,
        typer.Option(help="What to write; else by the ending of the file, or markdown."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write to; else the terminal.")
    ] = None,
    force: shared.Force = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Tabulate metrics: data sets by methods, with the best, ranks and wins.

    Example: lamc bench table results.sqlite

    Example: lamc bench table results.sqlite --view accepted --metric precision,recall

    Example: lamc bench table results.sqlite --against paper -o tables.tex
    """
    from lamc.benchmark.paper import METRICS
    from lamc.benchmark.result_table import table as tabulate
    from lamc.benchmark.store import read_measurements
    from lamc.benchmark.table_formats import FORMATS
    from lamc.cli.bench.facts import table_facts
    from lamc.files import whole_file

    if output is not None:
        shared.check_output(output, force=force)
    choice = options.choice(
        profile, view, rule, alpha, calibration, positives, datasets, methods, part
    )
    with Output(as_json=json, quiet=quiet) as out:
        measurements = read_measurements(results)
        tables = [
            tabulate(measurements, name, choice, against_paper=against is Against.paper)
            for name in options.all_listed(metric) or METRICS
        ]
        text = FORMATS[format or _format_of(output)](tables)
        if output is None:
            out.data(text)
        else:
            with whole_file(output) as file:
                file.write_text(text, encoding="utf-8")
            out.show(f"Wrote {output}.")
        out.facts(
            {
                "output": None if output is None else str(output),
                "tables": [table_facts(each) for each in tables],
            }
        )


def _format_of(output: Path | None) -> Format:
    """What the ending of a file says, where it says something."""
    endings = {".tex": Format.latex, ".csv": Format.csv, ".html": Format.html, ".htm": Format.html}
    return endings.get("" if output is None else output.suffix.lower(), Format.markdown)
