"""Words of messages: lists of names, near misses, and what a piece of text spells."""

import difflib
from collections.abc import Sequence


def some(names: Sequence[object]) -> str:
    """List the first few of many names.

    Examples
    --------
    >>> from lamc.wording import some
    >>> some(["oak", "elm"]), some(range(12))
    ("'oak', 'elm'", '0, 1, 2, 3, 4, 5, 6, 7 and 4 more')
    """
    listed = ", ".join(repr(name) for name in names[:8])
    return listed + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def did_you_mean(name: object, known: Sequence[str]) -> str:
    """Return a question with the known name that comes closest, or nothing.

    Examples
    --------
    >>> from lamc.wording import did_you_mean
    >>> did_you_mean("hiden", ["hidden", "epochs"])
    " Did you mean 'hidden'?"
    """
    close = difflib.get_close_matches(str(name), known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def spells_number(text: str) -> bool:
    """Whether a text is a number, as Python reads it; 1_000 is none here.

    Examples
    --------
    >>> from lamc.wording import spells_number
    >>> spells_number("1e-3"), spells_number("red"), spells_number("1_000")
    (True, False, False)
    """
    if "_" in text:
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
