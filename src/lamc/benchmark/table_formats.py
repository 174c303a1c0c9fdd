"""Tables in Markdown, LaTeX, CSV and HTML."""

import csv
import html
import re
from collections.abc import Callable, Sequence
from io import StringIO
from math import isnan

from lamc.benchmark.result_table import Cell, Table
from lamc.benchmark.table_text import Line, Text, blocks, head, notes, summary


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
    ...                    data_checksum="")
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
    def row(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def line(line: Line) -> str:
        return row([_markdown(line.name), *(_markdown_bold(text) for text in line.texts)])

    lines = [line(each) for block in blocks(table) for each in block]
    lines += [line(each) for each in summary(table)]
    return "\n".join(
        [
            f"### {_markdown(table.metric.heading)}",
            "",
            row([_markdown(name) for name in head(table)]),
            row(["---", *["---:"] * len(table.methods)]),
            *lines,
            "",
            *(f"- {_markdown(note)}" for note in notes(table)),
            "",
        ]
    )


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_|\[\]<>])", r"\\\1", text)


def _markdown_bold(text: Text) -> str:
    return f"**{_markdown(text.text)}**" if text.bold else _markdown(text.text)


def _latex_table(table: Table) -> str:
    def row(cells: Sequence[str]) -> str:
        return f"{' & '.join(cells)} \\\\"

    def line(line: Line) -> str:
        texts = (
            f"\\textbf{{{_latex(text.text)}}}" if text.bold else _latex(text.text)
            for text in line.texts
        )
        return row([_latex(line.name), *texts])

    ranked = [line(each) for each in summary(table)]
    return "\n".join(
        [
            "\\begin{table*}",
            "\\centering",
            f"\\caption{{{_latex(table.metric.heading)}}}",
            f"\\begin{{tabular}}{{l{'r' * len(table.methods)}}}",
            "\\toprule",
            row([_latex(name) for name in head(table)]),
            "\\midrule",
            *(line(each) for block in blocks(table) for each in block),
            *(["\\midrule", *ranked] if ranked else []),
            "\\bottomrule",
            "\\end{tabular}",
            *(f"\\par\\smallskip\\footnotesize {_latex(note)}" for note in notes(table)),
            "\\end{table*}",
            "",
        ]
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "†": r"\textsuperscript{\dag}",
    "*": r"\textsuperscript{*}",
    "≈": r"$\approx$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "…": r"\ldots{}",
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


_CSV_HEAD = (
    "metric",
    "dataset",
    "variant",
    "method",
    "mean",
    "std",
    "runs",
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
        cell.asked,
        cell.best,
        cell.near_best,
        table.left_out.get((dataset, method), ""),
        "" if paper is None else paper.mean,
        "" if paper is None else paper.std,
        _number(cell.difference),
        "" if paper is None else cell.agrees,
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
    columns = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head(table))
    bodies = [f"<tbody>\n{_html_lines(block)}\n</tbody>" for block in blocks(table)]
    ranked = summary(table)
    foot = [f"<tfoot>\n{_html_lines(ranked)}\n</tfoot>"] if ranked else []
    caption = html.escape(table.metric.heading)
    return "\n".join(
        [
            f'<div class="wide" role="region" aria-label="{caption}" tabindex="0">',
            "<table>",
            f"<caption>{caption}</caption>",
            f"<thead><tr>{columns}</tr></thead>",
            *bodies,
            *foot,
            "</table>",
            "</div>",
            "<ul>",
            *(f"<li>{html.escape(note)}</li>" for note in notes(table)),
            "</ul>",
        ]
    )


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
