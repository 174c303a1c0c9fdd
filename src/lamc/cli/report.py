"""``lamc report``: one HTML file on what a model promises and what held-out rows show."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lamc.cli import options
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.tables.labelled import DataFile


def report(
    model: Annotated[
        Path, typer.Argument(help="A model of lamc train; with --scores, a calibrator.")
    ],
    data: Annotated[
        str | None,
        typer.Argument(help="Rows with all their labels, neither trained nor calibrated on."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the report.")
    ] = Path("report.html"),
    scores: Annotated[
        Path | None,
        typer.Option(help="Scores: a table with a column for each label, or a .npy matrix."),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Labels of the rows of --scores: a table, or .npy.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading.")] = None,
    about: Annotated[
        str | None, typer.Option(help="A sentence or two on what made the scores.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
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
    trust: options.Trust = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write a report to look at, to print and to send: one HTML file.

    It says what is promised and what held-out rows show, label by label, and
    its slider shows what other levels and rules would do.

    Example: lamc report birds.lamc checked.csv --label-column species --separator ';' --open

    Example: lamc report calibrator.lamc --scores scores.parquet --truth labels.parquet -o s.html
    """
    from lamc.cli.held_out import held_out
    from lamc.report import write_report
    from lamc.tables.features import learner_of

    from_scores = options.scores_or_model(model, data, scores, truth)
    options.check_output(output, force=force)
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
    with Output(as_json=json, quiet=quiet) as out:
        fitted = options.load_model(model, trust)
        rows, found, cautions = held_out(out, fitted, file, from_scores)
        shown: dict[str, Any] = {}
        if from_scores is None:
            shown = _contents(file, rows.X)
            learner = type(learner_of(fitted.estimator_)).__name__
            about = about or f"{learner}, loaded from {model.name}."
        measured_on = Path(file.name) if from_scores is None else from_scores[0]
        with out.waiting("Writing the report …"):
            written = write_report(
                output,
                found,
                rows.labels,
                getattr(fitted, "calibrator_", fitted),
                title=title or f"Report on {measured_on.name}",
                row_names=None if rows.ids is None else rows.ids.tolist(),
                model=about,
                cautions=cautions,
                overwrite=force,
                **shown,
            )
        out.show(f"The report, to look at in a browser: {written.resolve()}")
        out.facts({"report": str(written), "rows": len(rows.labels)})
    if open_:
        typer.launch(written.resolve().as_uri())


def _contents(file: "DataFile", X: Any) -> dict[str, Any]:
    """What a report shows of single rows: pictures of a data set that has them, or features."""
    from lamc.tables.labelled import part_rows, read_dataset

    if not file.is_table:
        data = read_dataset(file)
        if data.pictures is not None:
            return {"data": data, "rows": part_rows(data, file.part, "test")[0]}
    return {"features": X}
