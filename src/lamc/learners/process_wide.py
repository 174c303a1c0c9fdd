"""Settings that a process has once, for all its threads."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Shared:
    """A setting that several threads change for a while: the last one puts it back.

    If each put back what it found, one that found what another had set would leave that for good.

    Examples
    --------
    >>> from lamc.learners.process_wide import Shared
    >>> setting, shared = {"threads": 2}, Shared()
    >>> with shared.kept(setting.copy, setting.update):
    ...     setting["threads"] = 1
    >>> setting
    {'threads': 2}
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._within = 0
        self._before: Any = None

    @contextmanager
    def kept(self, read: Callable[[], Any], put_back: Callable[[Any], object]) -> Iterator[Any]:
        """Read the setting when the first comes in, and put it back when the last has left.

        Gives what was read. A thread that is within already puts back what it finds there.
        """
        if getattr(self._mine, "within", False):
            found = read()
            try:
                yield found
            finally:
                put_back(found)
            return
        with self._lock:
            if not self._within:
                self._before = read()
            self._within += 1
        self._mine.within = True
        try:
            yield self._before
        finally:
            self._mine.within = False
            with self._lock:
                self._within -= 1
                if not self._within:
                    put_back(self._before)
