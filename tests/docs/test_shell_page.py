"""The page on the shell lists the commands that there are."""

import re
from pathlib import Path

import typer.main

from lamc.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "shell.md"


def commands(group, before="lamc"):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before} {name}")
        else:
            yield f"{before} {name}"


def test_commands():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(lamc [a-z ]+?)(?: [A-Z-].*?)?` \|", text, flags=re.MULTILINE)
    assert sorted(rows) == sorted(commands(typer.main.get_command(app)))
