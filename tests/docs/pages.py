"""A page as a program: its code blocks in order, and the output it shows below them."""

import contextlib
import io
import os
import re
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lamc.exceptions import LAMCWarning

PYTHON, SHELL = "python", "sh"
LANGUAGES = {PYTHON, SHELL, "bibtex", "text"}  # one not listed would not be run
# Why a block may stay unrun. Anything else is an error in the page.
REASONS = {"installs packages", "needs a cluster", "needs torchvision", "takes hours"}

_FENCE = re.compile(
    r"(?P<before>[^\n]*)\n*^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<code>.*?)^ *```$",
    flags=re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"<!-- (?P<kind>not run|run in|output): (?P<what>.+?) -->")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Block:
    """A code block, and what the comment above it says."""

    language: str
    code: str
    mark: tuple[str, str] | None
    indented: bool
    follows_code: bool  # nothing but a comment stands between it and the block before


@dataclass(frozen=True)
class Step:
    """Code to run, and what it prints, if the page shows it."""

    language: str
    code: str
    shown: str | None
    about: bool  # numbers may differ a little: a network was trained on another machine


def blocks(text: str) -> list[Block]:
    """All code blocks of a page."""
    found, end = [], 0
    for fence in _FENCE.finditer(text):
        mark = _MARK.fullmatch(fence["before"].strip())
        between = text[end : fence.start("indent")]
        found.append(
            Block(
                fence["language"],
                fence["code"],
                None if mark is None else (mark["kind"], mark["what"]),
                bool(fence["indent"]),
                end > 0 and not _MARK.sub("", between).strip(),
            )
        )
        end = fence.end()
    return found


def steps(text: str) -> list[Step]:
    """What of a page is to be run, in order."""
    found: list[Step] = []
    runs = False
    for block in blocks(text):
        if block.language in (PYTHON, SHELL):
            runs = block.mark is None
            if runs:
                found.append(Step(block.language, block.code, None, False))
        elif block.language == "text" and block.follows_code and runs:
            about = block.mark == ("output", "about")
            found[-1] = Step(found[-1].language, found[-1].code, block.code, about)
            runs = False
    return found


def run(page: list[Step]) -> None:
    """Run the steps of a page in the current folder; Python blocks share their names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for step in page:
        printed = _run_python(step, names) if step.language == PYTHON else _run_shell(step.code)
        if step.shown is not None:
            difference = compare(step.shown, printed, about=step.about)
            assert difference is None, f"{difference}\n\nIt printed:\n{printed}"


def _run_python(step: Step, names: dict[str, Any]) -> str:
    """Run a block; a warning of LAMC's counts as printed, and has to be shown."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", LAMCWarning)
        exec(compile(step.code, "<page>", "exec"), names)
    given = [warning.message for warning in warned if issubclass(warning.category, LAMCWarning)]
    assert step.shown is not None or not given, f"It warned: {given[0]}"
    return "\n".join([printed.getvalue(), *(f"LAMCWarning: {message}" for message in given)])


def _run_shell(code: str) -> str:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "TERM": "dumb",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{code}\nended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def compare(shown: str, printed: str, *, about: bool = False) -> str | None:
    """Say where a page shows something else than was printed; None if it does not.

    A line of ``…`` stands for any lines. With ``about``, numbers may differ by a twentieth.
    """
    left = _lines(printed)
    anywhere = False
    for line in _lines(shown):
        if line == "…":
            anywhere = True
            continue
        while left and anywhere and not _alike(line, left[0], about):
            left.pop(0)
        if not left or not _alike(line, left[0], about):
            return f"The page shows {line!r}, but there is {left[0] if left else 'nothing'!r}."
        left.pop(0)
        anywhere = False
    if left and not anywhere:
        return f"The page ends before {left[0]!r}."
    return None


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _alike(shown: str, printed: str, about: bool) -> bool:
    if not about:
        return shown == printed
    if _NUMBER.sub("0", shown) != _NUMBER.sub("0", printed):
        return False
    pairs = zip(_numbers(shown), _numbers(printed), strict=True)
    return all(abs(one - other) <= 0.05 * max(one, other) + 0.01 for one, other in pairs)


def _numbers(line: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(line)]
