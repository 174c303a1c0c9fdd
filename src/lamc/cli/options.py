"""Options that several commands have, and what they mean together."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from lamc.cli.shell import DEBUG, in_shell_words
from lamc.exceptions import CalibrationError, LAMCError

if TYPE_CHECKING:
    from lamc.tables.labelled import DataFile
    from lamc.tables.truth import LabelColumns

RULES = "recall, precision, three-way, set-recall or selective"
_READING, _RULE, _PRINTING = "How to read the data", "What to promise", "What to print"

RuleName = Literal["recall", "precision", "three-way", "set-recall", "selective"]
PartName = Literal["train", "calibration", "validation", "test", "all"]
KnowledgeName = Literal["single", "some", "all"]
TableName = Literal["csv", "jsonl", "parquet"]
FormatName = Literal["csv", "jsonl", "parquet", "arff", "svmlight", "mat", "npz"]


def remember_debug(ctx: typer.Context, wanted: bool) -> None:
    """Keep where every command finds it that tracebacks are to be shown."""
    ctx.meta[DEBUG] = bool(ctx.meta.get(DEBUG)) or wanted


def complete_method(incomplete: str) -> list[str]:
    """Names of methods that start so, for the shell to complete."""
    from lamc.learners import __all__ as names

    return [name.lower() for name in names if name.lower().startswith(incomplete.lower())]


Json: TypeAlias = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document.", rich_help_panel=_PRINTING),
]
Quiet: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print nothing but errors and data.", rich_help_panel=_PRINTING
    ),
]
Debug: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Show where an error happened.",
        callback=remember_debug,
        rich_help_panel=_PRINTING,
    ),
]
Force: TypeAlias = Annotated[
    bool, typer.Option("--force", "-f", help="Replace an output that is there.")
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of everything that is drawn.", min=0)]
Trust: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="A type in the model file to rebuild besides those known to be harmless; repeatable."
    ),
]

Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="0/1 columns that are labels: names with commas between, in double quotes if "
        "they have commas themselves, * for any characters. With --label-column, all labels there "
        "are. Of ARFF, Mulan's XML file too.",
        rich_help_panel=_READING,
    ),
]
LabelColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The one column that names the labels of a row.", rich_help_panel=_READING),
]
Separator: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="What stands between several labels in that column; else a cell is one label.",
        rich_help_panel=_READING,
    ),
]
Ids: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        help="A column that identifies a row, and is no feature; repeatable.",
        rich_help_panel=_READING,
    ),
]
Id: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--id",
        help="The column that identifies a row; else its number, from 0.",
        rich_help_panel=_READING,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(help="What stands between the values of a CSV file.", rich_help_panel=_READING),
]
Encoding: TypeAlias = Annotated[
    str | None, typer.Option(help="Encoding of a text file.", rich_help_panel=_READING)
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="MARK",
        help="The decimal mark of numbers in a CSV file: a point, or a comma.",
        rich_help_panel=_READING,
    ),
]
Words: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="A column that holds words, also if they are whole numbers or many; repeatable.",
        rich_help_panel=_READING,
    ),
]
From: TypeAlias = Annotated[
    FormatName | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="Format of what is read, if not by its name: csv, jsonl, parquet, arff, svmlight, "
        "mat or npz.",
        rich_help_panel=_READING,
    ),
]
To: TypeAlias = Annotated[
    TableName | None,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help="Format of the output, if not by its name: csv, jsonl or parquet.",
    ),
]
Knowledge: TypeAlias = Annotated[
    KnowledgeName | None,
    typer.Option(
        help="What the marked labels of a row are: the single one that was observed, some of its "
        "labels, or all.",
        rich_help_panel=_READING,
    ),
]
Part: TypeAlias = Annotated[
    PartName | None,
    typer.Option(
        metavar="PART",
        help="Rows to take of a data set that carries a split: train, calibration, validation, "
        "test, or all.",
        rich_help_panel=_READING,
    ),
]

Delta: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Let the promise hold with probability 1 − delta over the calibration set.",
        rich_help_panel=_RULE,
    ),
]
PerLabel: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Draw this many positives of each label and leave out the others.",
        min=1,
        rich_help_panel=_RULE,
    ),
]
MostLabels: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="With observed labels only: the most labels that any row has.",
        min=1,
        rich_help_panel=_RULE,
    ),
]


def promise_option(help_: str, metavar: str | None = None) -> Any:
    """An option on what to promise, whose default differs between commands."""
    return typer.Option(help=help_, metavar=metavar, rich_help_panel=_RULE)


def check_promise(
    rule: str,
    alpha: float | None,
    delta: float | None,
    few_positives: str | None,
    per_label: int | None,
) -> None:
    """Refuse what no rule can promise before any work; None stands for a default."""
    from lamc.rules.settings import Settings

    level = 0.1 if alpha is None else alpha
    try:
        Settings(rule, level, delta, few_positives or "abstain", per_label).check(1)
    except CalibrationError as error:
        raise typer.BadParameter(in_shell_words(str(error))) from error


def label_columns(
    labels: str | None,
    label_column: str | None,
    separator: str | None,
    knowledge: str | None,
) -> "LabelColumns":
    """Where labels are, from the options that say it."""
    from lamc.labels import Knowledge
    from lamc.tables.truth import LabelColumns

    stated = None if knowledge is None else Knowledge(knowledge)
    return LabelColumns(label_names(labels), label_column, separator, stated)


def label_names(text: str | None) -> tuple[str, ...]:
    """Names with commas between them; one with a comma in it stands in double quotes."""
    (names,) = csv.reader([(text or "").replace("\n", " ")], skipinitialspace=True)
    return tuple(name.strip() for name in names if name.strip())


def data_file(
    name: str,
    *,
    labels: str | None,
    label_column: str | None,
    separator: str | None,
    ids: list[str] | None,
    delimiter: str | None,
    encoding: str | None,
    knowledge: str | None,
    part: PartName | None,
    from_: FormatName | None,
    decimal: str | None,
    words: list[str] | None = None,
) -> "DataFile":
    """A data set and how to read it, from the options that say it."""
    from lamc.tables.labelled import DataFile

    where = label_columns(labels, label_column, separator, knowledge)
    id_columns = tuple(ids or ())
    return DataFile(
        name, where, id_columns, delimiter, encoding, part, from_, decimal, tuple(words or ())
    )


def check_output(path: Path, *, force: bool) -> None:
    """Raise before any work if the output cannot be written, or is there and may not be replaced.

    A pipe or a device is written to, and not replaced.
    """
    from lamc.files import check_writable, is_stream

    if str(path) == "-":
        raise typer.BadParameter(
            "- stands for standard output, to which this is not written. Name a file."
        )
    try:
        is_folder, is_there = path.is_dir(), path.exists() and not is_stream(path)
        if not is_folder and (force or not is_there):
            check_writable(path)
    except OSError as error:
        raise LAMCError(
            f"{path} cannot be written. {error.filename}: {error.strerror}.\n"
            "Name a file in a folder that you may write to."
        ) from error
    if is_folder:
        raise LAMCError(f"{path} is a folder.\nGive the name of a file in it.")
    if is_there and not force:
        raise LAMCError(f"{path} is there already.\nChoose another name, or replace it: --force.")


def scores_or_model(
    model: Path | None, data: str | None, scores: Path | None, truth: Path | None
) -> tuple[Path, Path] | None:
    """The files of scores and truth, or None for a model and data; anything else is wrong use."""
    if scores is None and truth is None:
        if model is None or data is None:
            raise typer.BadParameter(
                "Give a model and a file of rows, or --scores and --truth for scores of your own."
            )
        return None
    if scores is None or truth is None:
        raise typer.BadParameter("Give both --scores and --truth.")
    if data is not None:
        raise typer.BadParameter(f"With --scores and --truth there is no use for {data}.")
    return scores, truth


def scored_rows(scores: Path, truth: Path, file: "DataFile", classes: Any = None) -> Any:
    """Read scores and truth, in the order of ``classes`` if a calibrator has given them."""
    from lamc.tables.labelled import check_whole
    from lamc.tables.scores import read_scored

    check_whole(file.part, str(scores))
    if len(file.ids) > 1:
        raise typer.BadParameter("With --scores and --truth, --id is one column of both files.")
    return read_scored(
        scores,
        truth,
        file.labels,
        id_column=next(iter(file.ids), None),
        classes=classes,
        delimiter=file.delimiter,
        encoding=file.encoding,
        decimal=file.decimal,
        said=file.format,
    )


def load_model(path: Path, trust: list[str] | None) -> Any:
    """Load a model or a calibrator."""
    from lamc.storage import load

    return load(path, trusted=trust or ())


def refuse_calibrator(model: Any, data: str) -> None:
    """Raise if a calibrator, which has no scorer, is to work on features."""
    if not hasattr(model, "estimator_"):
        raise LAMCError(
            f"The model file holds a calibrator, which needs scores, and {data} holds features.\n"
            "Give a table with a column of scores for each label, or a .npy matrix."
        )
