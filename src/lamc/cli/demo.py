"""``lamc demo``: the embedded data from end to end."""

from typing import Annotated

import typer


def demo(
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
) -> None:
    """Train, calibrate and measure on the embedded digit scenes.

    Example: lamc demo --seed 1
    """
    from rich.console import Console
    from rich.table import Table

    from lamc.demo import draw_scenes, run_demo

    console = Console()
    with console.status("Training on one observed label a row …"):
        result = run_demo(seed)
    data = result.data
    console.print(
        f"{data.X.shape[0]} scenes of 16 × 16 pixels show one to four handwritten digits, "
        f"{data.cardinality:.1f} different ones on average. In training, one of them is known.",
        "\nTwo scenes, and all the labels they have:\n",
    )
    console.print(draw_scenes(data, rows=(0, 1)), highlight=False)

    ranking = Table(title="How well the labels of a test scene are ranked", title_justify="left")
    for column in ("", "average precision ↑", "coverage ↓", "ranking loss ↓", "one-error ↓"):
        ranking.add_column(column, justify="left" if not column else "right")
    for name, found in (
        ("WAN, a network trained on the observed label", result.ranking),
        ("label frequency alone", result.prior),
    ):
        ranking.add_row(
            name,
            f"{found.average_precision:.3f}",
            f"{found.coverage_error:.3f}",
            f"{found.ranking_loss:.3f}",
            f"{found.one_error:.3f}",
        )
    console.print(ranking, "")

    kept = Table(title="What is accepted, rule by rule, on test scenes", title_justify="left")
    kept.add_column("rule")
    kept.add_column("promise for each label", ratio=1)
    for column in ("accepted", "precision", "recall"):
        kept.add_column(column, justify="right")
    for promise in result.promises:
        kept.add_row(
            f"{promise.rule}\nalpha = {promise.alpha:g}",
            promise.promise,
            f"{promise.retention:.1%}",
            f"{promise.precision:.1%}",
            f"{promise.recall:.1%}",
        )
    console.print(kept)
    console.print("Precision and recall are over all pairs of a scene and a digit.")
