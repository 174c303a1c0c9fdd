"""How a command speaks: results on standard output, notes beside them, or one JSON document."""

import json
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_NUMBER = re.compile(r"[-−+]?[0-9][0-9,.]*( %)?")
_SAID_BETTER = "Found unknown categories"  # scikit-learn's words for what tables/gaps.py counts
_UNBOUNDED = 1 << 20  # more columns than any table takes
MOST_LABELS = 20  # of a table on a terminal


class Output:
    """What a command has to say; a context in which warnings become notes.

    Parameters
    ----------
    as_json : bool
        Print one JSON document at the end and nothing else.
    quiet : bool
        Print nothing but what was asked for as data.
    aside : bool
        Leave standard output to data, and say everything on standard error.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False, aside: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.aside = aside
        self.notes: list[str] = []
        self._warnings = warnings.catch_warnings()

    def __enter__(self) -> Self:
        self._warnings.__enter__()
        warnings.simplefilter("always")
        warnings.showwarning = self._note_warning
        return self

    def __exit__(self, *raised: Any) -> None:
        self._warnings.__exit__(*raised)

    @property
    def speaks(self) -> bool:
        """Whether people are to read the output."""
        return not (self.as_json or self.quiet)

    def note(self, text: str) -> None:
        """Say something worth knowing, once."""
        if text in self.notes:
            return
        self.notes.append(text)
        if self.speaks:
            self._print(text, aside=True)

    def show(self, *parts: "RenderableType") -> None:
        """Show a result to people."""
        if self.speaks:
            for part in parts:
                self._print(part, aside=self.aside)

    def data(self, text: str) -> None:
        """Print what was asked for as it is, also where the rest is quiet."""
        if not self.as_json:
            print(text, end="" if text.endswith("\n") else "\n")

    def facts(self, facts: Mapping[str, Any]) -> None:
        """Give the result to programs, with the notes."""
        if self.as_json:
            document = json.dumps(
                plain({**facts, "notes": self.notes}), ensure_ascii=False, indent=2
            )
            print(document, file=sys.stderr if self.aside else sys.stdout)

    @contextmanager
    def progress(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Show a bar on a terminal while something long is done; yields what moves it."""
        from rich.progress import Progress

        console = self._console(aside=True)
        shown = self.speaks and console.is_terminal
        with Progress(console=console, disable=not shown, transient=True) as bar:
            task = bar.add_task(title, total=total)
            yield lambda steps: bar.advance(task, steps)

    @contextmanager
    def waiting(self, title: str) -> Iterator[None]:
        """Show on a terminal that something is being done."""
        console = self._console(aside=True)
        if not (self.speaks and console.is_terminal):
            yield
            return
        with console.status(title):
            yield

    def _print(self, part: "RenderableType", *, aside: bool) -> None:
        console = self._console(aside=aside)
        # In a pipe that no one gave a width, text is not broken, so that paths stay whole, and a
        # table is as wide as its cells.
        if not (console.is_terminal or "COLUMNS" in os.environ):
            console.width = _UNBOUNDED
        console.print(part, markup=False, highlight=False, emoji=False)

    def _console(self, *, aside: bool) -> "Console":
        from rich.console import Console

        return Console(stderr=aside)

    def _note_warning(self, message: Warning | str, category: Any, *_: Any, **__: Any) -> None:
        from lamc.cli.shell import in_shell_words

        text = str(message)
        if issubclass(category, UserWarning) and not text.startswith(_SAID_BETTER):
            self.note(f"Warning: {in_shell_words(text)}")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> "Table":
    """Lay out rows of text; columns after the first whose cells are numbers stand to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    laid_out = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold")
    for position, column in enumerate(columns):
        numeric = all(_is_number(row[position]) for row in rows)
        justify: Literal["left", "right"] = "right" if numeric and position else "left"
        laid_out.add_column(Text(column), justify=justify, overflow="fold")  # nothing is cut off
    for row in rows:
        laid_out.add_row(*(Text(cell) for cell in row))
    return laid_out


def shortened(rows: Sequence[Sequence[str]], most: int = MOST_LABELS) -> list[Sequence[str]]:
    """Leave out the middle of many rows, and say how many are left out.

    Examples
    --------
    >>> from lamc.cli.output import shortened
    >>> shortened([("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")], most=3)
    [('a', '1'), ('… 2 more', ''), ('d', '4')]
    """
    if len(rows) <= most:
        return list(rows)
    head, tail = most // 2 + most % 2 - 1, most // 2
    left_out = len(rows) - head - tail
    gap = (f"… {left_out:,} more", *("" for _ in rows[0][1:]))
    return [*rows[:head], gap, *rows[len(rows) - tail :]]


def plain(value: Any) -> Any:
    """Make what JSON can hold of arrays and numbers; a number that is not finite becomes null.

    Examples
    --------
    >>> from lamc.cli.output import plain
    >>> plain({"thresholds": (0.5, float("inf"))})
    {'thresholds': [0.5, None]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _is_number(cell: str) -> bool:
    return not cell or cell == "–" or _NUMBER.fullmatch(cell) is not None
