"""Options that the commands which show results have in common."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from lamc.benchmark.selection import Choice

Results: TypeAlias = Annotated[
    Path, typer.Argument(help="Results: a .sqlite file, or .csv as exported.")
]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--metric", help="What to show, separated by commas; else the paper's three."),
]
View: TypeAlias = Annotated[
    str,
    typer.Option(help="full: all labels ranked. accepted: only the labels that a rule accepts."),
]
Rule: TypeAlias = Annotated[str | None, typer.Option(help="The rule that accepts.")]
Alpha: TypeAlias = Annotated[float | None, typer.Option(help="Level of the rule.")]
Calibration: TypeAlias = Annotated[
    str | None, typer.Option(help='"all labels" or "single positives".')
]
Positives: TypeAlias = Annotated[
    str | None, typer.Option(help="Most calibration positives a label: a number, or all.")
]
Profile: TypeAlias = Annotated[
    str | None, typer.Option(help="Which profile, if the results hold several.")
]
Datasets: TypeAlias = Annotated[
    str | None, typer.Option(help="Data sets to show, separated by commas; else all.")
]
Methods: TypeAlias = Annotated[
    str | None, typer.Option(help="Methods to show, separated by commas; else all.")
]

Part: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Rows that methods were fitted on: train, without the calibration rows, or training, "
        "with them; else what is fair."
    ),
]


def choice(
    profile: str | None,
    view: str,
    rule: str | None,
    alpha: float | None,
    calibration: str | None,
    positives: str | None,
    datasets: str | None,
    methods: str | None,
    part: str | None = None,
) -> "Choice":
    """The measurements that options mean."""
    from lamc.benchmark.selection import Choice

    return Choice(
        profile=profile,
        view=view,
        rule=rule,
        alpha=alpha,
        calibration=calibration,
        positives=_positives(positives),
        datasets=listed(datasets),
        methods=listed(methods),
        part=part,
    )


def listed(names: str | None) -> tuple[str, ...]:
    """Names that are separated by commas.

    Examples
    --------
    >>> from lamc.cli.bench.options import listed
    >>> listed("yeast, scene")
    ('yeast', 'scene')
    """
    return tuple(name.strip() for name in names.split(",") if name.strip()) if names else ()


def all_listed(options: list[str] | None) -> tuple[str, ...]:
    """Names of an option that may be given several times.

    Examples
    --------
    >>> from lamc.cli.bench.options import all_listed
    >>> all_listed(["precision,recall", "one_error"])
    ('precision', 'recall', 'one_error')
    """
    return tuple(name for each in options or () for name in listed(each))


def _positives(text: str | None) -> int | Literal["all"] | None:
    if text is None:
        return None
    if text == "all":
        return "all"
    if not text.isdecimal():
        raise typer.BadParameter(f"--positives is a number or all, and not {text!r}.")
    return int(text)
