"""What a table says, line by line and in words, before it is written in any format."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean

from lamc.benchmark.result_table import Cell, Table

MISSING = "–"
NEAR_BEST = "†"
AGREES = "≈"
OTHER_DATA = "*"
LEFT_OUT = "rows left out"
LEFT_OUT_NOTE = (
    "Rows left out: the mean share of test rows without an accepted true label. The numbers above "
    "do not speak of these rows, so that a method which leaves out more has it easier."
)


@dataclass(frozen=True)
class Text:
    """What stands in one place of a table."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Line:
    """A name and what stands beside it, method by method."""

    name: str
    texts: tuple[Text, ...]


def head(table: Table) -> tuple[str, ...]:
    """Headings of the columns."""
    return ("data set", *table.methods)


def blocks(table: Table) -> tuple[tuple[Line, ...], ...]:
    """The lines of each data set; with the paper beside, three for each."""
    return tuple(_block(table, dataset) for dataset in table.datasets)


def summary(table: Table) -> tuple[Line, ...]:
    """Average ranks and wins, where there are any."""
    if not table.ranked:
        return ()
    ranks = [table.average_ranks[method] for method in table.methods]
    wins = [table.wins[method] for method in table.methods]
    return (
        Line("average rank", tuple(Text(f"{r:.2f}", r == min(ranks)) for r in ranks)),
        Line("wins", tuple(Text(str(n), n == max(wins)) for n in wins)),
    )


def left_out_lines(table: Table) -> tuple[Line, ...]:
    """The share of rows left out, for each data set, and the mean over those that are ranked."""

    def line(name: str, datasets: Sequence[str]) -> Line:
        shares = (
            fmean(table.left_out.get((dataset, method), nan) for dataset in datasets)
            for method in table.methods
        )
        return Line(name, tuple(map(_share, shares)))

    known = {dataset for dataset, _ in table.left_out}
    lines = [line(dataset, [dataset]) for dataset in table.datasets if dataset in known]
    if len(table.ranked) > 1 and known:
        lines.append(line("mean, where ranked", table.ranked))
    return tuple(lines)


def lacking(table: Table, dataset: str) -> str:
    """Why a data set is not ranked: runs that are missing, and metrics that have no value.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.result_table import table
    >>> from lamc.benchmark.table_text import lacking
    >>> rows = pd.DataFrame({"dataset": ["yeast", "scene", "yeast"], "method": ["AN", "AN", "ME"],
    ...                      "value": [0.5, 0.25, None]})
    >>> rows = rows.assign(profile="mine", variant="", exact=True, part="train", run=0, view="full",
    ...                    rule=None, alpha=None, calibration=None, positives=None,
    ...                    metric="one_error", settings='{"seeds": [0], "draw": "given"}',
    ...                    data_checksum="", unit="", versions="{}")
    >>> made = table(rows, "one_error")
    >>> lacking(made, "yeast"), lacking(made, "scene")
    ('undefined for ME', 'runs missing for ME')
    """
    undefined = table.undefined(dataset)
    missing = tuple(name for name in table.incomplete(dataset) if name not in undefined)
    sometimes = tuple(name for name in undefined if table.cells[dataset, name].defined)
    said = {
        "runs missing for": missing,
        "undefined for": tuple(name for name in undefined if name not in sometimes),
        "undefined in some run for": sometimes,
    }
    return "; ".join(f"{words} {_listed(names, table)}" for words, names in said.items() if names)


def notes(table: Table) -> tuple[str, ...]:
    """What a reader of the table has to know, a sentence or two each."""
    cells = table.cells.values()
    return tuple(
        note
        for note in (
            _of_what(table),
            *table.remarks,
            _near_best_note(table) if any(cell.near_best for cell in cells) else "",
            _untested_note(table),
            _missing_note(table),
            _ranked_note(table),
            LEFT_OUT_NOTE if table.left_out else "",
            _paper_note(table) if table.beside_paper else "",
            _variants_note(table),
        )
        if note
    )


def cell_text(cell: Cell | None, digits: int) -> str:
    """A cell as printed.

    Examples
    --------
    >>> from lamc.benchmark.table_text import cell_text
    >>> from lamc.benchmark.result_table import Cell
    >>> cell_text(Cell((0.5, 0.7), asked=5), digits=3)
    '0.600 ± 0.141 (2 of 5 runs)'
    >>> cell_text(Cell((0.5, 0.7, float("nan")), asked=3), digits=3)
    '0.600 ± 0.141 (undefined in 1 of 3 runs)'
    >>> cell_text(None, digits=3)
    '–'
    """
    if cell is None:
        return MISSING
    text = f"{cell.mean:.{digits}f}" if cell.defined else "undefined"
    if not isnan(cell.std):
        text += f" ± {cell.std:.{digits}f}"
    if cell.near_best:
        text += f" {NEAR_BEST}"
    return text + _lacking_runs(cell)


def _lacking_runs(cell: Cell) -> str:
    """Which runs of a cell have no number, since they are missing or since the metric has none."""
    undefined = len(cell.values) - len(cell.defined)
    if not cell.finished:
        some = f"; undefined in {undefined} of them" if undefined and cell.defined else ""
        return f" ({len(cell.values)} of {cell.asked} runs{some})"
    return f" (undefined in {undefined} of {cell.asked} runs)" if undefined and cell.defined else ""


def _share(share: float) -> Text:
    return Text(MISSING if isnan(share) else f"{100 * share:.1f} %")


def _block(table: Table, dataset: str) -> tuple[Line, ...]:
    digits = table.metric.digits
    cells = [table.cells.get((dataset, method)) for method in table.methods]
    measured = Line(
        dataset + (f" {OTHER_DATA}" if dataset in table.variants else ""),
        tuple(Text(cell_text(cell, digits), cell is not None and cell.best) for cell in cells),
    )
    if not table.beside_paper:
        return (measured,)
    return (
        measured,
        Line("paper", tuple(Text(_paper_text(cell, digits)) for cell in cells)),
        Line("difference", tuple(Text(_difference_text(cell, digits)) for cell in cells)),
    )


def _paper_text(cell: Cell | None, digits: int) -> str:
    if cell is None or cell.paper is None:
        return MISSING
    return f"{cell.paper.mean:.{digits}f} ± {cell.paper.std:.{digits}f}"


def _difference_text(cell: Cell | None, digits: int) -> str:
    if cell is None or isnan(cell.difference):
        return MISSING
    text = f"{cell.difference:+z.{digits}f}".replace("-", "−")
    return f"{text} {AGREES}" if cell.agrees else text


def _of_what(table: Table) -> str:
    spread = (
        "One run"
        if table.asked == 1
        else f"Mean ± sample standard deviation over {table.asked} runs"
        if table.metric.by_run
        else f"Mean over {table.asked} runs, which were measured together"
    )
    best = "; best in bold" if any(cell.best for cell in table.cells.values()) else ""
    return f"{spread}{best}. Measured: {table.described}."


def _near_best_note(table: Table) -> str:
    test = (
        "Welch's t-test. All runs share their rows, so it does not speak of other data"
        if table.test_to_train is None
        else "corrected resampled t-test over runs with rows drawn anew"
    )
    return (
        f"{NEAR_BEST} The runs do not tell it apart from the best at 5 %, corrected by Holm "
        f"within the data set; {test}."
    )


def _untested_note(table: Table) -> str:
    untested = {dataset: table.untested(dataset) for dataset in table.datasets}
    named = ", ".join(
        f"{dataset} ({', '.join(each)})" for dataset, each in untested.items() if each
    )
    if not named:
        return ""
    return (
        "Not tested against the best, since it or they have no number in some run: "
        f"{named}. These may be no worse than the best."
    )


def _missing_note(table: Table) -> str:
    shown = len(table.cells) < len(table.datasets) * len(table.methods)
    undefined = any(cell.defined != cell.values for cell in table.cells.values())
    return " ".join(
        ([f"{MISSING} Not measured."] if shown else [])
        + (["Undefined: measured, but the metric has no value."] if undefined else [])
    )


def _ranked_note(table: Table) -> str:
    if table.metric.better is None or len(table.methods) < 2:
        return ""
    left_out = [
        f"{dataset} ({lacking(table, dataset)})"
        for dataset in table.datasets
        if dataset not in table.ranked
    ]
    if not left_out:
        return "Of methods that tie, each has the mean of their ranks, and each wins."
    return (
        "Ranks and wins are over the data sets on which every method has a number in every run: "
        f"{len(table.ranked)} of {len(table.datasets)}. Left out: {', '.join(left_out)}."
    )


def _paper_note(table: Table) -> str:
    with_paper = {key: cell for key, cell in table.cells.items() if cell.paper is not None}
    judged = {key: cell.agrees for key, cell in with_paper.items() if cell.agrees is not None}
    own_data = [agrees for (dataset, _), agrees in judged.items() if dataset not in table.variants]
    meet = (
        f"{AGREES} The intervals of mean ± standard deviation meet: {sum(own_data)} of "
        f"{len(own_data)} cells on the paper's own data."
        if judged
        else "Whether the intervals of mean ± standard deviation meet cannot be judged here: that "
        "needs two runs or more."
    )
    return (
        f"{meet} The paper excluded predictions of LAMC before it scored them, and does not say "
        "how."
    )


def _variants_note(table: Table) -> str:
    named = [
        f"{dataset} ({table.variants[dataset]})"
        for dataset in table.datasets
        if dataset in table.variants
    ]
    return f"{OTHER_DATA} Other data than the paper's: {', '.join(named)}." if named else ""


def _listed(methods: Sequence[str], table: Table) -> str:
    return "every method" if len(methods) == len(table.methods) > 1 else ", ".join(methods)
