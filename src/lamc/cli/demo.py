"""``lamc demo``: the embedded data from end to end."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lamc.cli import options
from lamc.cli.evaluate import evaluation_facts
from lamc.cli.output import Output, table

if TYPE_CHECKING:
    from lamc.demo import Demo, Shown


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the report.")
    ] = Path("lamc-demo.html"),
    open_: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
    seed: options.Seed = 0,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Train, calibrate and measure on the embedded digit scenes.

    Takes less than a minute, needs no network, and writes a report to look at.

    Example: lamc demo --open
    """
    from lamc.demo import run_demo, write_demo_report

    options.check_output(output, force=force)
    with Output(as_json=json, quiet=quiet) as out:
        with out.waiting("Training on one observed label a scene …"):
            found = run_demo(seed)
        with out.waiting("Writing the report …"):
            report = write_demo_report(found, output, overwrite=force)
        _show(out, found)
        out.show(f"The report, to look at in a browser: {report.resolve()}")
        out.facts(
            {
                "report": str(report),
                "ranking": asdict(found.ranking),
                "ranking_by_frequency_alone": asdict(found.prior),
                "rules": [
                    {
                        "rule": shown.calibrator.rule,
                        "alpha": shown.calibrator.alpha,
                        **evaluation_facts(shown.evaluation),
                    }
                    for shown in found.rules
                ],
            }
        )
    if open_:
        typer.launch(report.resolve().as_uri())


def _show(out: Output, found: "Demo") -> None:
    from lamc.demo import draw_scenes

    data = found.data
    out.show(
        f"{data.X.shape[0]:,} scenes of 16 × 16 pixels show one to four handwritten digits, "
        f"{data.cardinality:.1f} different ones on average. In training, one of them is known.\n"
        "Two scenes, and all the labels they have:\n",
        draw_scenes(data, rows=(0, 1)),
    )
    out.show(_ranking(found), _rules(found))
    out.show("In brackets: 95 % confidence intervals, for which scenes count as independent.\n")


def _ranking(found: "Demo") -> Any:
    names = ("average_precision", "coverage_error", "ranking_loss", "one_error")
    rows = [
        (what, *(f"{getattr(metrics, name):.3f}" for name in names))
        for what, metrics in (
            ("networks and trees that learnt from the one label", found.ranking),
            ("how often each digit is named", found.prior),
        )
    ]
    columns = ("ranked by", "average precision ↑", "coverage ↓", "ranking loss ↓", "one-error ↓")
    return table("How well the digits of a test scene are ranked", columns, rows)


def _rules(found: "Demo") -> Any:
    n = found.rules[0].evaluation.n_rows
    rows = [
        (
            f"{shown.calibrator.rule}\nalpha {shown.calibrator.alpha:g}",
            shown.calibrator.promise_,
            _achieved(shown),
            *(_percent(shown, name) for name in ("precision", "left open")),
        )
        for shown in found.rules
    ]
    columns = ("rule", "promised for each digit", "achieved by all together", "precision", "open")
    return table(f"What is promised, and what {n:,} test scenes show", columns, rows)


def _achieved(shown: "Shown") -> str:
    """What became of each claim, in a few words; and which digits miss theirs."""
    lines = []
    for claim in shown.evaluation.claims:
        verdict = "" if claim.verdict is None else f": {claim.verdict.replace('not', 'NOT')}"
        lines.append(f"{claim.measured} {claim.happens}{verdict}")
        if len(claim.off):
            lines.append(f"(missed by more than chance: {', '.join(claim.off.tolist())})")
    return "\n".join(lines)


def _percent(shown: "Shown", name: str) -> str:
    return f"{100 * shown.evaluation.decided[name].value:.0f} %"
