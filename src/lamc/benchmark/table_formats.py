"""Tables in Markdown, LaTeX, CSV and HTML."""

import csv
import html
from collections.abc import Callable, Sequence
from io import StringIO
from math import isnan

from lamc.benchmark.markup import latex_text, markdown_text
from lamc.benchmark.result_table import Cell, Table
from lamc.benchmark.table_text import (
    LEFT_OUT,
    Line,
    Text,
    blocks,
    head,
    left_out_lines,
    notes,
    summary,
)


def markdown(tables: Sequence[Table]) -> str:
    r"""Tables in GitHub's Markdown, each under a heading.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.result_table import table
    >>> from lamc.benchmark.table_formats import markdown
    >>> rows = pd.DataFrame({"dataset": ["yeast", "scene"] * 2, "method": ["AN", "AN", "ME", "ME"],
    ...                      "value": [0.5, 0.25, 0.75, 0.5]})
    >>> rows = rows.assign(profile="mine", variant="", exact=True, part="train", run=0, view="full",
    ...                    rule=None, alpha=None, calibration=None, positives=None,
    ...                    metric="one_error", settings='{"seeds": [0], "draw": "given"}',
    ...                    data_checksum="", unit="", versions="{}")
    >>> print("\n".join(markdown([table(rows, "one_error")]).splitlines()[:7]))
    ### One-error ↓
    <BLANKLINE>
    | data set | AN | ME |
    | --- | ---: | ---: |
    | scene | **0.250** | 0.500 |
    | yeast | **0.500** | 0.750 |
    | average rank | **1.00** | 2.00 |
    """
    return "\n".join(map(_markdown_table, tables))


def latex(tables: Sequence[Table]) -> str:
    r"""Tables in LaTeX, for the package booktabs.

    Examples
    --------
    >>> from lamc.benchmark.table_formats import latex
    >>> latex([])
    '% \\usepackage{booktabs}\n'
    """
    return "% \\usepackage{booktabs}\n" + "\n".join(map(_latex_table, tables))


def as_csv(tables: Sequence[Table]) -> str:
    """One line for each cell, unrounded; an empty field is no number.

    Examples
    --------
    >>> from lamc.benchmark.table_formats import as_csv
    >>> as_csv([]).split(",")[:7]
    ['metric', 'dataset', 'variant', 'method', 'mean', 'std', 'runs']
    """
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_CSV_HEAD)
    for table in tables:
        for dataset in table.datasets:
            for method in table.methods:
                writer.writerow(_csv_line(table, dataset, method))
    return stream.getvalue()


def as_html(tables: Sequence[Table]) -> str:
    """A page with the tables; headings of rows and columns are marked for screen readers.

    Examples
    --------
    >>> from lamc.benchmark.table_formats import as_html
    >>> as_html([]).splitlines()[0]
    '<!DOCTYPE html>'
    """
    body = "\n".join(map(_html_table, tables))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>LAMC benchmark</title>
<style>{_CSS}</style>
</head>
<body>
<main>
<h1>LAMC benchmark</h1>
{body}
</main>
</body>
</html>
"""


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "markdown": markdown,
    "latex": latex,
    "csv": as_csv,
    "html": as_html,
}


def _markdown_table(table: Table) -> str:
    lines = [*(line for block in blocks(table) for line in block), *summary(table)]
    left_out = left_out_lines(table)
    return "\n".join(
        [
            f"### {markdown_text(table.metric.heading)}",
            "",
            *_markdown_grid(head(table), lines),
            "",
            *([*_markdown_grid((LEFT_OUT, *table.methods), left_out), ""] if left_out else []),
            *(f"- {markdown_text(note)}" for note in notes(table)),
            "",
        ]
    )


def _markdown_grid(names: Sequence[str], lines: Sequence[Line]) -> list[str]:
    rows = [
        [markdown_text(name) for name in names],
        ["---", *["---:"] * (len(names) - 1)],
        *([markdown_text(line.name), *map(_markdown_bold, line.texts)] for line in lines),
    ]
    return [f"| {' | '.join(row)} |" for row in rows]


def _markdown_bold(text: Text) -> str:
    return f"**{markdown_text(text.text)}**" if text.bold else markdown_text(text.text)


def _latex_table(table: Table) -> str:
    lines = [line for block in blocks(table) for line in block]
    left_out = left_out_lines(table)
    return "\n".join(
        [
            "\\begin{table*}",
            "\\centering",
            f"\\caption{{{latex_text(table.metric.heading)}}}",
            *_latex_grid(head(table), lines, summary(table)),
            *(["\\par\\medskip"] if left_out else []),
            *(_latex_grid((LEFT_OUT, *table.methods), left_out) if left_out else []),
            *(f"\\par\\smallskip\\footnotesize {latex_text(note)}" for note in notes(table)),
            "\\end{table*}",
            "",
        ]
    )


def _latex_grid(
    names: Sequence[str], lines: Sequence[Line], summed: Sequence[Line] = ()
) -> list[str]:
    def row(cells: Sequence[str]) -> str:
        return f"{' & '.join(cells)} \\\\"

    def of(line: Line) -> str:
        return row([latex_text(line.name), *map(_latex_bold, line.texts)])

    return [
        f"\\begin{{tabular}}{{l{'r' * (len(names) - 1)}}}",
        "\\toprule",
        row([latex_text(name) for name in names]),
        "\\midrule",
        *map(of, lines),
        *(["\\midrule", *map(of, summed)] if summed else []),
        "\\bottomrule",
        "\\end{tabular}",
    ]


def _latex_bold(text: Text) -> str:
    return f"\\textbf{{{latex_text(text.text)}}}" if text.bold else latex_text(text.text)


_CSV_HEAD = (
    "metric",
    "dataset",
    "variant",
    "method",
    "mean",
    "std",
    "runs",
    "undefined",
    "asked",
    "best",
    "near_best",
    "left_out",
    "paper_mean",
    "paper_std",
    "difference",
    "agrees",
    "average_rank",
    "wins",
)


def _csv_line(table: Table, dataset: str, method: str) -> list[object]:
    cell = table.cells.get((dataset, method), Cell((), table.asked))
    paper = cell.paper
    return [
        table.metric.name,
        dataset,
        table.variants.get(dataset, ""),
        method,
        _number(cell.mean),
        _number(cell.std),
        len(cell.defined),
        len(cell.values) - len(cell.defined),
        cell.asked,
        cell.best,
        cell.near_best,
        table.left_out.get((dataset, method), ""),
        "" if paper is None else paper.mean,
        "" if paper is None else paper.std,
        _number(cell.difference),
        "" if cell.agrees is None else cell.agrees,
        table.average_ranks.get(method, ""),
        table.wins.get(method, ""),
    ]


def _number(value: float) -> float | str:
    return "" if isnan(value) else value


_CSS = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: 1.25rem; font-weight: 600; padding: 0.5rem 0; }
th, td { padding: 0.25rem 0.75rem; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; }
tbody th, tfoot th { font-weight: 400; }
thead, tbody, tfoot { border-top: 1px solid #767676; }
"""


def _html_table(table: Table) -> str:
    left_out = left_out_lines(table)
    heading = table.metric.heading
    return "\n".join(
        [
            *_html_grid(heading, head(table), blocks(table), summary(table)),
            *(_html_grid(f"{heading}: {LEFT_OUT}", head(table), [left_out]) if left_out else []),
            "<ul>",
            *(f"<li>{html.escape(note)}</li>" for note in notes(table)),
            "</ul>",
        ]
    )


def _html_grid(
    title: str,
    names: Sequence[str],
    bodies: Sequence[Sequence[Line]],
    summed: Sequence[Line] = (),
) -> list[str]:
    caption = html.escape(title)
    columns = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in names)
    return [
        f'<div class="wide" role="region" aria-label="{caption}" tabindex="0">',
        "<table>",
        f"<caption>{caption}</caption>",
        f"<thead><tr>{columns}</tr></thead>",
        *(f"<tbody>\n{_html_lines(lines)}\n</tbody>" for lines in bodies),
        *([f"<tfoot>\n{_html_lines(summed)}\n</tfoot>"] if summed else []),
        "</table>",
        "</div>",
    ]


def _html_lines(lines: Sequence[Line]) -> str:
    return "\n".join(
        f'<tr><th scope="row">{html.escape(line.name)}</th>'
        + "".join(f"<td>{_html_text(text)}</td>" for text in line.texts)
        + "</tr>"
        for line in lines
    )


def _html_text(text: Text) -> str:
    escaped = html.escape(text.text)
    return f"<strong>{escaped}</strong>" if text.bold else escaped
