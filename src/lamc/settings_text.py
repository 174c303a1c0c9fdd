"""Settings as a user types them, ``hidden=128``: a name, and the value that the text means."""

import ast
import tomllib
from typing import Any, Final

from lamc.exceptions import SettingError

_WORDS: Final = {"none": None, "true": True, "false": False}
_NOT_IN_PYTHON = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)


def parse_setting(text: str) -> tuple[str, Any]:
    """``key=value`` as it is typed: numbers, true, false, none, lists, or else a string.

    True, false and none are so in capital and small letters. A list may do without brackets.

    Examples
    --------
    >>> from lamc.settings_text import parse_setting
    >>> parse_setting("WAN.hidden=256"), parse_setting("hidden=labels")
    (('WAN.hidden', 256), ('hidden', 'labels'))
    >>> parse_setting("standardise=False")
    ('standardise', False)
    >>> parse_setting("learning_rate=[1e-3, 1e-2]"), parse_setting("learning_rate=1e-3,1e-2")
    (('learning_rate', (0.001, 0.01)), ('learning_rate', (0.001, 0.01)))
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        missing = "name" if equals else "value"
        raise SettingError(
            f"The setting {text!r} has no {missing}; give key=value, as in hidden=128."
        )
    if value.casefold() in _WORDS:
        return key, _WORDS[value.casefold()]
    try:
        return key, fixed(tomllib.loads(f"value = {value}")["value"])
    except tomllib.TOMLDecodeError:
        return key, fixed(_as_python(value))


def fixed(value: Any) -> Any:
    """A value as settings hold it: a list becomes a tuple.

    Examples
    --------
    >>> from lamc.settings_text import fixed
    >>> fixed([1, 2]), fixed("labels")
    ((1, 2), 'labels')
    """
    return tuple(value) if isinstance(value, list) else value


def _as_python(text: str) -> Any:
    """A number or list as Python writes it and TOML does not, such as .5 and (1, None)."""
    try:
        value = ast.literal_eval(text)
    except _NOT_IN_PYTHON:
        return text
    return value if isinstance(value, (int, float, tuple, list)) else text
