"""``lamc predict``: the labels of new rows, however many there are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lamc.cli import options
from lamc.cli.output import Output, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamc.tables.predictions import Chunk, Counts
    from lamc.tables.source import Source


def predict(
    model: Annotated[
        Path, typer.Argument(help="A model of lamc train, or a calibrator of lamc calibrate.")
    ],
    data: Annotated[
        str,
        typer.Argument(
            help="A file, the name of a data set, or - for standard input. For a calibrator, a "
            "table of scores, or a .npy matrix."
        ),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="A .parquet, .csv or .jsonl file, or - to print."),
    ] = "-",
    wide: Annotated[
        bool, typer.Option("--wide", help="One row for each input, a column for each label.")
    ] = False,
    value: Annotated[
        Literal["decision", "score", "p_value"] | None,
        typer.Option(help="What the columns of --wide hold; the decision unless it is said."),
    ] = None,
    only: Annotated[
        Literal["accepted", "absent", "open"] | None,
        typer.Option(help="Write only rows with this decision."),
    ] = None,
    id_column: options.Id = None,
    labels: options.Labels = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    part: options.Part = None,
    from_: options.From = None,
    to: options.To = None,
    rows: Annotated[
        int | None, typer.Option("--rows", help="Rows to work on at a time.", min=1)
    ] = None,
    trust: options.Trust = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Decide about every label of every row: accepted, absent, or left open.

    Writes a row for each input and label: id, label, score, decision, and
    p_value, the conformal p-value of "the label is present".
    Memory does not grow with the number of rows.

    Example: lamc predict birds.lamc new.parquet --id photo --only accepted -o found.parquet

    Example: cat new.csv | lamc predict birds.lamc - --to jsonl > found.jsonl
    """
    from lamc.tables.predictions import Layout, id_type_of, predict_rows
    from lamc.tables.source import STANDARD
    from lamc.tables.writers import target_format

    if only is not None and wide:
        raise typer.BadParameter("--only keeps rows of one label each; leave out --wide.")
    if value is not None and not wide:
        raise typer.BadParameter("--value says what the columns of --wide hold; add --wide.")
    to_screen = output == STANDARD
    if not to_screen:
        options.check_output(Path(output), force=force)
    written = target_format(output, said=to)
    layout = Layout(wide=(value or "decision") if wide else None, only=only)
    with Output(as_json=json, quiet=quiet, aside=to_screen) as out:
        fitted = options.load_model(model, trust)
        source, chunks, total = _input(
            fitted,
            data,
            id_column=id_column,
            reading={
                "labels": labels,
                "delimiter": delimiter,
                "encoding": encoding,
                "decimal": decimal,
                "part": part,
                "from_": from_,
            },
            rows=rows,
        )
        with out.progress("Predicting", total) as seen:
            counts = predict_rows(
                fitted,
                chunks,
                output,
                written,
                layout=layout,
                id_type=id_type_of(source, id_column),
                seen=seen,
            )
        _report(out, counts, output)


def _input(
    model: Any,
    data: str,
    *,
    id_column: str | None,
    reading: dict[str, Any],
    rows: int | None,
) -> "tuple[Source | None, Iterator[Chunk], int | None]":
    """The table to read if it is one, its rows in chunks, and their number if that is known."""
    from lamc.tables.batches import number_of_rows
    from lamc.tables.labelled import check_whole
    from lamc.tables.predictions import chunks_of_dataset, chunks_of_scores, chunks_of_table
    from lamc.tables.source import STANDARD

    file = options.data_file(
        data, **reading, label_column=None, separator=None, ids=None, knowledge=None
    )
    if data == STANDARD or file.is_table:
        check_whole(file.part, data)
        source = file.source()
        chunks = chunks_of_table(model, source, id_column=id_column, rows=rows)
        return source, chunks, number_of_rows(source)
    if id_column is not None:
        raise typer.BadParameter(f"--id names a column of a table, and {data} is none.")
    if Path(data).suffix.lower() == ".npy" and not hasattr(model, "estimator_"):
        check_whole(file.part, data)
        return None, chunks_of_scores(model, data, rows=rows), None
    options.refuse_calibrator(model, data)
    return None, chunks_of_dataset(model, file, rows=rows), None


def _report(out: Output, counts: "Counts", output: str) -> None:
    for note in counts.gaps.sentences():
        out.note(note)
    pairs = max(sum(counts.decisions.values()), 1)
    rows = [
        (decision, f"{count:,}", f"{100 * count / pairs:.1f} %")
        for decision, count in counts.decisions.items()
    ]
    out.show(
        table(
            f"Decisions about the labels of {counts.rows:,} rows",
            ("decision", "pairs of a row and a label", "share"),
            rows,
        ),
        f"Wrote {counts.written:,} rows to {'standard output' if output == '-' else output}.",
    )
    out.facts(
        {
            "output": output,
            "rows": counts.rows,
            "written": counts.written,
            "decisions": counts.decisions,
            "missing_numbers": counts.gaps.numbers,
            "missing_words": counts.gaps.words,
            "new_words": {name: sorted(words) for name, words in counts.gaps.new_words.items()},
        }
    )
