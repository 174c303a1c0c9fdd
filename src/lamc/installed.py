"""Which code is installed, and which is a user's own."""

import sys
from pathlib import Path
from sysconfig import get_path
from typing import Any, Final

_PACKAGES: Final = {"site-packages", "dist-packages"}


def is_installed(file: Path) -> bool:
    """Whether a file came with Python or with a package.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from lamc.installed import is_installed
    >>> is_installed(Path(json.__file__)), is_installed(Path("my_loss.py"))
    (True, False)
    """
    within = Path(get_path("stdlib")).resolve() in file.resolve().parents
    return within or not _PACKAGES.isdisjoint(part.name for part in file.parents)


def is_users(code: Any) -> bool:
    """Whether a function or class is a user's own: neither installed nor of this package.

    Examples
    --------
    >>> from json import dumps
    >>> from lamc.installed import is_users
    >>> is_users(dumps), is_users(is_users), is_users(int)
    (False, False, False)
    """
    name = code.__module__ or ""  # what text was made into may have none
    if name.partition(".")[0] == __name__.partition(".")[0]:
        return False
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if file is None:  # of a notebook; what is built in has a specification
        return getattr(module, "__spec__", None) is None
    return not is_installed(Path(file))
