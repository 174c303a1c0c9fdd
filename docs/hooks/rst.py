"""Docstrings as Markdown: their reStructuredText roles and tables, which Markdown does not know."""

import re
from collections.abc import Callable

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc):`~?(?P<name>[\w.]+)`")
_SEVERAL = re.compile(
    r"^(?P<names>\w+(?:, (?:\w+|…))+)(?P<kind> : .*)?\n(?P<words>(?:(?: {4}.*)?\n?)+)", re.MULTILINE
)
_RULE = re.compile(r"^( *)(=+)( +=+)+ *$")


def without_roles(text: str, resolve: Callable[[str], str]) -> str:
    """Make links of roles; ``resolve`` gives the full path of a name."""

    def link(role: re.Match[str]) -> str:
        name = role["name"]
        return f'<autoref optional identifier="{resolve(name)}"><code>{name}</code></autoref>'

    return _ROLE.sub(link, text)


def one_parameter_each(text: str) -> str:
    """Describe parameters one by one that share a description.

    Griffe would take the type and the default of the first for those of all.
    """

    def each(found: re.Match[str]) -> str:
        names = [name for name in found["names"].split(", ") if name != "…"]
        kind, words = found["kind"] or "", found["words"].rstrip()
        blank = found["words"][len(words) :] or "\n"
        return "\n".join(f"{name}{kind}\n{words}" for name in names) + blank

    return _SEVERAL.sub(each, text)


def with_markdown_tables(text: str) -> str:
    """Make Markdown tables of simple reStructuredText tables."""
    lines = text.split("\n")
    made: list[str] = []
    while lines:
        rules = [number for number, line in enumerate(lines) if _RULE.match(line)][:3]
        if len(rules) < 3:
            return "\n".join([*made, *lines])
        top, middle, bottom = rules
        made += [*lines[:top], *_table(lines[top : bottom + 1], middle - top)]
        lines = lines[bottom + 1 :]
    return "\n".join(made)


def _table(lines: list[str], middle: int) -> list[str]:
    edges = [match.start() for match in re.finditer(r"=+", lines[0])]
    header = _rows(lines[1:middle], edges)
    body = _rows(lines[middle + 1 : -1], edges)
    return [
        *(_markdown_row(row) for row in header),
        "|" + "---|" * len(edges),
        *(_markdown_row(row) for row in body),
    ]


def _rows(lines: list[str], edges: list[int]) -> list[list[str]]:
    """Cells of a table; a line that does not fill all columns goes on with the row before."""
    rows: list[list[str]] = []
    for line in lines:
        cells = [
            line[start:end].strip() for start, end in zip(edges, [*edges[1:], None], strict=True)
        ]
        if all(cells) or not rows:
            rows.append(cells)
        else:
            rows[-1] = [f"{one} {more}".strip() for one, more in zip(rows[-1], cells, strict=True)]
    return rows


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
