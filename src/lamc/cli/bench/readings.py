"""``lamc bench readings``: how the paper may have scored LAMC, and how near each way comes."""

from typing import Annotated

import typer

from lamc.cli import options as shared
from lamc.cli.bench import options
from lamc.cli.output import Output


def readings(
    results: options.Results,
    profile: Annotated[str, typer.Option(help="Which profile.")] = "paper",
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    debug: shared.Debug = False,
) -> None:
    """Tabulate how near each reading of the paper comes to its numbers for LAMC.

    Example: lamc bench readings results.sqlite
    """
    from lamc.benchmark.nearness import nearness, nearness_text
    from lamc.benchmark.store import read_measurements
    from lamc.cli.bench.facts import reading_facts

    with Output(as_json=json, quiet=quiet) as out:
        found = nearness(read_measurements(results), profile=profile)
        out.data(nearness_text(found))
        out.facts({"profile": profile, "readings": [reading_facts(each) for each in found]})
