"""``lamc calibrate``: thresholds for a model, or for scores made elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lamc.cli import options
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.rules import Calibrator
    from lamc.tables.labelled import DataFile
    from lamc.tables.scores import ScoredRows


def calibrate(
    model: Annotated[
        Path | None, typer.Argument(help="A model of lamc train; none with --scores.")
    ] = None,
    data: Annotated[
        str | None, typer.Argument(help="A file of rows to calibrate on; none with --scores.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; else only shown.")
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
    rule: Annotated[
        options.RuleName | None,
        options.promise_option(
            f"What to promise: {options.RULES}. As in the model, or recall.", "RULE"
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        options.promise_option("The share of errors that is allowed; as in the model, or 0.1."),
    ] = None,
    delta: options.Delta = None,
    few_positives: Annotated[
        Literal["abstain", "pool"] | None,
        options.promise_option("Labels with too few positives: left open, or put into groups."),
    ] = None,
    per_label: options.PerLabel = None,
    most_labels: options.MostLabels = None,
    seed: options.Seed = 0,
    trust: options.Trust = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Set one threshold for each label on rows that were not trained on.

    Example: lamc calibrate birds.lamc checked.parquet --rule precision --alpha 0.2 -o new.lamc

    Example: lamc calibrate --scores scores.parquet --truth labels.parquet -o calibrator.lamc
    """
    from lamc.cli.calibrated import calibrated_facts, calibrated_table
    from lamc.storage import save

    from_scores = options.scores_or_model(model, data, scores, truth)
    if from_scores is not None and model is not None:
        raise typer.BadParameter(f"With --scores and --truth there is no use for {model}.")
    if output is not None:
        options.check_output(output, force=force)
    if from_scores is not None or rule is not None:
        options.check_promise(rule or "recall", alpha, delta, few_positives, per_label)
    else:  # the rule is that of the model
        options.check_promise("recall", alpha, delta, None, None)
    promised = {
        "rule": rule,
        "alpha": alpha,
        "delta": delta,
        "few_positives": few_positives,
        "per_label": per_label,
    }
    chosen = {name: value for name, value in promised.items() if value is not None}
    reading = options.data_file(
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
    with Output(as_json=json, quiet=quiet) as out:
        if from_scores is not None:
            rows = options.scored_rows(*from_scores, reading)
            result: Any = _of_scores(rows, chosen, seed, most_labels)
            notes = rows.notes
        else:
            result, notes = _of_model(Path(str(model)), reading, chosen, seed, most_labels, trust)
        for note in notes:
            out.note(note)
        if output is not None:
            save(result, output)
        calibrator: Calibrator = getattr(result, "calibrator_", result)
        out.show(
            f"Calibrated on {calibrator.n_rows_:,} rows.",
            *calibrated_table(calibrator),
            "Nothing is written; -o says where to." if output is None else f"Wrote {output}.",
        )
        out.facts(
            {
                "output": None if output is None else str(output),
                "calibrated_on": calibrator.n_rows_,
                **calibrated_facts(calibrator),
            }
        )


def _of_scores(
    rows: "ScoredRows", chosen: dict[str, Any], seed: int, most_labels: int | None
) -> "Calibrator":
    from lamc import Calibrator

    calibrator = Calibrator(**chosen, keep_negatives=True, random_state=seed)
    return calibrator.fit(rows.scores, rows.labels, cardinality=most_labels)


def _of_model(
    path: Path,
    file: "DataFile",
    chosen: dict[str, Any],
    seed: int,
    most_labels: int | None,
    trust: list[str] | None,
) -> tuple[Any, tuple[str, ...]]:
    from lamc.tables.gaps import gaps_in
    from lamc.tables.labelled import rows_for_model

    model = options.load_model(path, trust)
    rows = rows_for_model(model, file, part="calibration")
    if chosen.get("rule", model.rule) != model.rule:  # what was said for one rule is not for others
        chosen = {"delta": None, "few_positives": "abstain", "per_label": None} | chosen
    model.set_params(**chosen, random_state=seed)
    model.calibrate(rows.X, rows.labels, cardinality=most_labels)
    return model, (*rows.notes, *gaps_in(model, rows.X))
