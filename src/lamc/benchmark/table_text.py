"""What a table says, line by line and in words, before it is written in any format."""

from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean

from lamc.benchmark.result_table import Cell, Table

MISSING = "–"
NEAR_BEST = "†"
AGREES = "≈"
OTHER_DATA = "*"
LEFT_OUT_NOTE = (
    "Rows left out: the mean share of test rows without an accepted true label. The numbers do "
    "not speak of these rows, so that a method which leaves out more has it easier."
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
    """Average ranks, wins and the share of rows left out, where there are any."""
    lines = []
    if table.ranked:
        ranks = [table.average_ranks[method] for method in table.methods]
        wins = [table.wins[method] for method in table.methods]
        lines = [
            Line("average rank", tuple(Text(f"{r:.2f}", r == min(ranks)) for r in ranks)),
            Line("wins", tuple(Text(str(n), n == max(wins)) for n in wins)),
        ]
    if table.left_out and table.complete:
        shares = [
            fmean(table.left_out.get((dataset, method), nan) for dataset in table.complete)
            for method in table.methods
        ]
        lines.append(Line("rows left out", tuple(map(_share, shares))))
    return tuple(lines)


def notes(table: Table) -> tuple[str, ...]:
    """What a reader of the table has to know, a sentence or two each."""
    cells = table.cells.values()
    return tuple(
        note
        for note in (
            _of_what(table),
            *table.remarks,
            _near_best_note(table) if any(cell.near_best for cell in cells) else "",
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
    >>> cell_text(None, digits=3)
    '–'
    """
    if cell is None:
        return MISSING
    if not cell.defined:
        return "undefined"
    text = f"{cell.mean:.{digits}f}"
    if not isnan(cell.std):
        text += f" ± {cell.std:.{digits}f}"
    if cell.near_best:
        text += f" {NEAR_BEST}"
    if not cell.complete:
        text += f" ({len(cell.defined)} of {cell.asked} runs)"
    return text


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
        f"Mean ± sample standard deviation over {table.asked} runs"
        if table.asked > 1
        else "One run"
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


def _missing_note(table: Table) -> str:
    shown = len(table.cells) < len(table.datasets) * len(table.methods)
    undefined = any(not cell.defined for cell in table.cells.values())
    return " ".join(
        ([f"{MISSING} Not measured."] if shown else [])
        + (["Undefined: measured, but the metric has no value."] if undefined else [])
    )


def _ranked_note(table: Table) -> str:
    if table.metric.better is None or len(table.methods) < 2:
        return ""
    left_out = [
        f"{dataset} ({', '.join(table.incomplete(dataset))})"
        for dataset in table.datasets
        if dataset not in table.ranked
    ]
    if not left_out:
        return "Of methods that tie, each has the mean of their ranks, and each wins."
    return (
        "Ranks and wins are over the data sets on which every method has all its runs: "
        f"{len(table.ranked)} of {len(table.datasets)}. Left out, for lack of the methods in "
        f"brackets: {', '.join(left_out)}."
    )


def _paper_note(table: Table) -> str:
    own_data = [
        cell
        for (dataset, _), cell in table.cells.items()
        if cell.paper is not None and dataset not in table.variants
    ]
    agree = sum(cell.agrees for cell in own_data)
    return (
        f"{AGREES} The intervals of mean ± standard deviation meet: {agree} of {len(own_data)} "
        "cells on the paper's own data. The paper excluded predictions of LAMC before it scored "
        "them, and does not say how."
    )


def _variants_note(table: Table) -> str:
    named = [
        f"{dataset} ({table.variants[dataset]})"
        for dataset in table.datasets
        if dataset in table.variants
    ]
    return f"{OTHER_DATA} Other data than the paper's: {', '.join(named)}." if named else ""
