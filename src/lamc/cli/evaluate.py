"""``lamc evaluate``: what was promised against what held-out rows show."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lamc.cli import options
from lamc.cli.output import Output, shortened, table
from lamc.cli.shell import in_shell_words

if TYPE_CHECKING:
    from lamc.evaluation import Claim, Estimate, Evaluation
    from lamc.tables.source import Format

_BETTER = {"average precision": "↑", "coverage": "↓", "ranking loss": "↓", "one-error": "↓"}
_MEANING = {
    "precision": "accepted labels that are true",
    "recall": "true labels that are accepted",
    "F1": "harmonic mean of the two",
    "Hamming loss": "pairs that are wrong, open ones counted as absent",
    "accepted": "pairs of a row and a label that are accepted",
    "left open": "pairs that are left open",
    "average precision": "how high the true labels of a row stand",
    "coverage": "how far down one must read to meet them all",
    "ranking loss": "pairs of a true and a false label in wrong order",
    "one-error": "rows with labels whose first one is false",
}


def evaluate(
    model: Annotated[
        Path, typer.Argument(help="A model of lamc train; with --scores, a calibrator.")
    ],
    data: Annotated[
        str | None,
        typer.Argument(help="Rows with all their labels, neither trained nor calibrated on."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the table of labels: a .csv, .parquet or .jsonl file, or - to print.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(help="Scores: a table with a column for each label, or a .npy matrix."),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Labels of the rows of --scores: a table, or .npy.")
    ] = None,
    labels: options.Labels = None,
    label_column: options.LabelColumn = None,
    separator: options.Separator = None,
    ids: options.Ids = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    from_: options.From = None,
    knowledge: options.Knowledge = None,
    part: options.Part = None,
    to: options.To = None,
    trust: options.Trust = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Measure on held-out rows what a model promised.

    Shares come with 95 % confidence intervals. For these, rows count as
    independent of each other, and the labels of a row do not.

    Example: lamc evaluate birds.lamc checked.csv --label-column species --separator ';'

    Example: lamc evaluate calibrator.lamc --scores scores.parquet --truth labels.parquet
    """
    from lamc.cli.held_out import held_out
    from lamc.evaluation import evaluate as measure
    from lamc.tables.source import STANDARD
    from lamc.tables.writers import target_format

    from_scores = options.scores_or_model(model, data, scores, truth)
    to_standard = output == STANDARD
    if output is not None and not to_standard:
        options.check_output(Path(output), force=force)
    written = None if output is None else target_format(output, said=to)
    file = options.data_file(
        str(data),
        labels=labels,
        label_column=label_column,
        separator=separator,
        ids=ids,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        knowledge=knowledge,
        part=part,
        from_=from_,
    )
    with Output(as_json=json, quiet=quiet, aside=to_standard) as out:
        fitted = options.load_model(model, trust)
        found = held_out(out, fitted, file, from_scores)
        calibrator = getattr(fitted, "calibrator_", fitted)
        result = measure(calibrator, found.scores, found.rows.labels)
        if output is not None and written is not None:
            _write_labels(result, output, written)
        _show(out, result)
        if output is not None and not to_standard:
            out.show(f"Wrote {output}.")
        out.facts(evaluation_facts(result))


def evaluation_facts(result: "Evaluation") -> dict[str, Any]:
    """An evaluation for programs."""
    columns = list(result.labels)
    rows = zip(*(result.labels[name].tolist() for name in columns), strict=True)
    return {
        "rows": result.n_rows,
        "promise": result.promise,
        "assumption": result.assumption,
        "claims": [_claim_facts(claim) for claim in result.claims],
        "ranking": {name: _estimate_facts(found) for name, found in result.ranking.items()},
        "decided": {name: _estimate_facts(found) for name, found in result.decided.items()},
        "labels": [dict(zip(columns, row, strict=True)) for row in rows],
    }


def claims_in_words(result: "Evaluation") -> list[str]:
    """What was promised, and what became of it, in sentences."""
    return [
        f"Promised {result.promised_for}: {result.promise}.",
        *([] if result.assumption is None else [f"Assumed: {in_shell_words(result.assumption)}"]),
        f"Measured on {result.n_rows:,} rows:",
        *(f"• {claim.in_words()}" for claim in result.claims),
    ]


def _show(out: Output, result: "Evaluation") -> None:
    out.show(*claims_in_words(result), "")
    ranking = [
        (f"{name} {_BETTER[name]}", found.as_number, _MEANING[name])
        for name, found in result.ranking.items()
    ]
    decided = [(name, str(found), _MEANING[name]) for name, found in result.decided.items()]
    columns = ("", "measured (95 % interval)", "meaning")
    out.show(
        table("How well the labels of a row are ranked, accepted or not", columns, ranking),
        table("What is decided", columns, decided),
        _labels(result),
    )


def _labels(result: "Evaluation") -> Any:
    of = result.labels

    def percent(name: str, k: int) -> str:
        value, low, high = (100 * of[f"{name}{end}"][k] for end in ("", "_low", "_high"))
        return "–" if value != value else f"{value:.1f} ({low:.1f}–{high:.1f})"

    rows = [
        (
            str(label),
            f"{of['status'][k]}: {of['reason'][k]}" if of["reason"][k] else str(of["status"][k]),
            *(f"{of[name][k]:,}" for name in ("true_rows", "accepted_rows", "open_rows")),
            percent("precision", k),
            percent("recall", k),
        )
        for k, label in enumerate(of["label"])
    ]
    columns = ("label", "status", "true", "accepted", "open", "precision in %", "recall in %")
    return table("Label by label, in rows", columns, shortened(rows))


def _write_labels(result: "Evaluation", output: str, format_: "Format") -> None:
    import pyarrow as pa

    from lamc.tables.writers import open_writer

    rows = pa.table(dict(result.labels))
    with open_writer(output, format_, rows.schema) as writer:
        writer.write(rows)


def _claim_facts(claim: "Claim") -> dict[str, Any]:
    return {
        "among": claim.among,
        "happens": claim.happens,
        "side": claim.side,
        "level": claim.level,
        "measured": _estimate_facts(claim.measured),
        "verdict": claim.verdict,
        "labels_judged": len(claim.labels),
        "labels_on_the_right_side": claim.n_kept,
        "labels_off_by_more_than_chance": claim.off.tolist(),
    }


def _estimate_facts(found: "Estimate") -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}
