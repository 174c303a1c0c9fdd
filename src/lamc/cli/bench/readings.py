"""``lamc bench readings``: how the paper may have scored LAMC, and how near each way comes."""

from typing import Annotated

import typer

from lamc.cli.bench import options


def readings(
    results: options.Results,
    profile: Annotated[str, typer.Option(help="Which profile.")] = "paper",
) -> None:
    """Tabulate how near each reading of the paper comes to its numbers for LAMC.

    Example: lamc bench readings results.sqlite
    """
    from lamc.benchmark.nearness import nearness, nearness_text
    from lamc.benchmark.store import read_measurements

    typer.echo(nearness_text(nearness(read_measurements(results), profile=profile)))
