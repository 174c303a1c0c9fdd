"""What goes wrong, as a person at a shell should meet it: a few lines and an exit code.

0 is success, 1 failure, 2 wrong use, 130 a stop by Ctrl-C, 143 a stop by another program.
"""

import re
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from lamc.exceptions import LAMCError, PartError

DEBUG = "lamc.debug"  # where a context keeps whether to show the traceback
_WRONG_USE, _STOPPED = 2, 130
# What the library calls its arguments, and what the shell calls them.
_OPTIONS = {
    "alpha": "--alpha",
    "cardinality": "--most-labels",
    "calibration_size": "--calibration-size",
    "decimal": "--decimal",
    "delimiter": "--delimiter",
    "delta": "--delta",
    "encoding": "--encoding",
    "few_positives": "--few-positives",
    "file_format": "--from",
    "id_column": "--id",
    "knowledge": "--knowledge",
    "label_column": "--label-column",
    "labels": "--labels",
    "per_label": "--per-label",
    "rule": "--rule",
    "separator": "--separator",
    "words": "--words",
}
# What the library advises where the shell has another way.
_ADVICE = {
    "Read a file of your own with lamc.datasets.read(path).": (
        "A file of your own is named with its ending, such as birds.csv."
    ),
    "say that Y lists only some of the true labels: as_labels(Y, knowledge='some').": (
        "say that the rows name only some of their labels: --knowledge some."
    ),
    "Give fully labelled rows, as a 0/1 matrix or as lists of labels.": (
        "Give fully labelled rows: 0/1 columns, or lists of labels with --separator. lamc train "
        "takes them in a file of their own, --calibration."
    ),
    "it is not a file that save() wrote": "it is no model that lamc train or calibrate wrote",
}
_ARGUMENT = re.compile(rf"\b({'|'.join(_OPTIONS)})= ?")
_ALONE = re.compile(r"(--[a-z-]+) (?=[.,;:)])")  # an option without a value, before a mark
_TRUST = re.compile(r"load\(path, trusted=\[(.*?)\]\)")


class Shell(TyperGroup):
    """The group of all commands, which turns errors into messages."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            typer.echo("\nlamc: stopped; what was not finished is not there.", err=True)
            raise typer.Exit(_STOPPED) from None
        except Exception as error:
            if hasattr(error, "format_message"):  # wrong use, which typer itself explains
                raise
            if ctx.meta.get(DEBUG):
                traceback.print_exc()
            typer.echo(f"lamc: {explained(error)}", err=True)
            raise typer.Exit(_WRONG_USE if isinstance(error, PartError) else 1) from None


def explained(error: Exception) -> str:
    """Say what went wrong in the words of the shell.

    Examples
    --------
    >>> from lamc.cli.shell import explained
    >>> from lamc.exceptions import DatasetError
    >>> explained(DatasetError("Say label_column=…."))
    'Say --label-column ….'
    >>> explained(DatasetError("Leave out label_column=, or say labels=[…]."))
    'Leave out --label-column, or say --labels […].'
    >>> print(explained(KeyError("height")))
    KeyError: 'height'.
    This was not foreseen. --debug shows where it happened.
    """
    if isinstance(error, LAMCError):
        return in_shell_words(str(error))
    if isinstance(error, OSError) and error.strerror:
        of = "" if error.filename is None else f"{error.filename}: "
        return f"{of}{error.strerror}."
    if isinstance(error, MemoryError):
        return "There is not enough memory."
    return (
        f"{type(error).__name__}: {error}.\nThis was not foreseen. --debug shows where it happened."
    )


def _trusting(types: str) -> str:
    """An option for each of the types."""
    return " ".join(f"--trust {name.strip(chr(39))}" for name in types.split(", "))


def in_shell_words(message: str) -> str:
    """Put options of the shell in the place of arguments of the library."""
    for advice, way in _ADVICE.items():
        message = message.replace(advice, way)
    message = _TRUST.sub(lambda found: _trusting(found[1]), message)
    message = _ARGUMENT.sub(lambda found: f"{_OPTIONS[found[1]]} ", message)
    return _ALONE.sub(r"\1", message)
