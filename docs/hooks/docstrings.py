"""What mkdocstrings reads: docstrings of the package, put into Markdown on the way."""

import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))  # mkdocstrings loads this file by its path

from rst import one_parameter_each, with_markdown_tables, without_roles


class MarkdownDocstrings(griffe.Extension):
    """Turn roles into links and tables into Markdown tables."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Go through all docstrings of a package, once it is loaded."""
        _convert(pkg)


def _convert(of: griffe.Object) -> None:
    if of.docstring is not None:
        text = one_parameter_each(with_markdown_tables(of.docstring.value))
        of.docstring.value = without_roles(text, lambda name: _path(of, name))
    for member in of.members.values():
        if not member.is_alias:
            _convert(member)


def _path(scope: griffe.Object, name: str) -> str:
    """The full path of a name as it is meant in the scope of an object."""
    for inside in (scope, scope.module):
        try:
            return inside.resolve(name)
        except griffe.NameResolutionError:
            continue
    return name
