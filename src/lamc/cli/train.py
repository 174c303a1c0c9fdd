"""``lamc train``: from a file with labels to a calibrated model."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lamc.cli import options
from lamc.cli.calibrated import calibrated_facts, calibrated_table
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.tables.labelled import DataFile
    from lamc.training import Fitted


def train(
    data: Annotated[str, typer.Argument(help="A file, or the name of a data set.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    labels: options.Labels = None,
    label_column: options.LabelColumn = None,
    separator: options.Separator = None,
    ids: options.Ids = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    words: options.Words = None,
    from_: options.From = None,
    knowledge: options.Knowledge = None,
    part: options.Part = None,
    method: Annotated[
        str,
        typer.Option(
            help="What learns to score: blend, wan, role, smile, …",
            autocompletion=options.complete_method,
        ),
    ] = "blend",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the method, such as hidden=128; repeatable."),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(help="A file of rows to calibrate on; else some rows are held out for it."),
    ] = None,
    validation: Annotated[
        str | None,
        typer.Option(
            help="A file of rows to choose by, drawn as the rows to be scored come; if all their "
            "labels are known, the method also learns how often each is true, and which come "
            "together."
        ),
    ] = None,
    calibration_size: Annotated[
        float, typer.Option(help="Share or number of rows to hold out for calibration.")
    ] = 0.2,
    rule: Annotated[
        options.RuleName, options.promise_option(f"What to promise: {options.RULES}.", "RULE")
    ] = "recall",
    alpha: Annotated[float, options.promise_option("The share of errors that is allowed.")] = 0.1,
    delta: options.Delta = None,
    few_positives: Annotated[
        Literal["abstain", "pool"],
        options.promise_option("Labels with too few positives: left open, or put into groups."),
    ] = "abstain",
    per_label: options.PerLabel = None,
    most_labels: options.MostLabels = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Train on rows with observed labels, and set a threshold for each label.

    In training, a label that is not marked counts as unknown.
    Numbers become features as they are, and text of few different words
    becomes 0/1 features. Other text is left out.

    Example: lamc train birds.csv --label-column species --id photo -o birds.lamc

    Example: lamc train birds.parquet --labels 'is_*' --rule precision --alpha 0.2 -o birds.lamc

    Example: lamc train birds.csv --label-column species --validation checked.csv -o birds.lamc

    Example: lamc train yeast.arff --method role --set hidden=128 -o yeast.lamc
    """
    from lamc import LAMC
    from lamc.exceptions import SettingError
    from lamc.tables.gaps import gaps_in
    from lamc.tables.labelled import rows_like, training_rows
    from lamc.training import fit_rows, learner_named, set_verbose

    options.check_output(output, force=force)
    options.check_promise(rule, alpha, delta, few_positives, per_label)
    try:
        learner = learner_named(method, settings or [], seed=seed)
    except SettingError as error:
        raise typer.BadParameter(str(error)) from error

    def file(name: str, part: options.PartName | None) -> "DataFile":
        return options.data_file(
            name,
            labels=labels,
            label_column=label_column,
            separator=separator,
            ids=ids,
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            words=words,
            knowledge=knowledge,
            part=part,
            from_=from_,
        )

    with Output(as_json=json, quiet=quiet) as out:
        rows = training_rows(file(data, part), calibrated_elsewhere=calibration is not None)
        if calibration is not None:
            rows += (rows_like(rows[0], file(calibration, None), part="calibration"),)
        chosen_by = None
        if validation is not None:
            chosen_by = rows_like(rows[0], file(validation, None), part="validation")
        read = rows if chosen_by is None else (*rows, chosen_by)
        for note in dict.fromkeys(note for each in read for note in each.notes):
            out.note(note)
        clf = LAMC(
            learner,
            rule=rule,
            alpha=alpha,
            delta=delta,
            few_positives=few_positives,
            per_label=per_label,
            calibration_size=_share_or_number(calibration_size),
            random_state=seed,
        )
        set_verbose(clf, out.speaks and sys.stderr.isatty())
        fitted = fit_rows(clf, *rows, validation=chosen_by, most_labels=most_labels)
        set_verbose(clf, False)
        for note in gaps_in(clf, *(each.X for each in read)):
            out.note(note)
        clf.save(output)
        _report(out, fitted, method, output)


def _share_or_number(size: float) -> float:
    """A size as the library takes it: what is typed as 100 is a number of rows."""
    return int(size) if size > 1 and size.is_integer() else size


def _report(out: Output, fitted: "Fitted", method: str, output: Path) -> None:
    for note in fitted.notes:
        out.note(note)
    calibrator = fitted.model.calibrator_
    out.show(
        f"Trained {method} on {fitted.n_trained:,} rows and calibrated it on "
        f"{fitted.n_calibrated:,} others.",
        *calibrated_table(calibrator),
        f"Wrote {output}.",
    )
    out.facts(
        {
            "model": str(output),
            "method": method.lower(),
            "trained_on": fitted.n_trained,
            "calibrated_on": fitted.n_calibrated,
            **calibrated_facts(calibrator),
        }
    )
