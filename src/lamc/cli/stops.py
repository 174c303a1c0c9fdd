"""Stops by Ctrl-C and by other programs: a command ends as by an error, with its files put away."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

_AGAIN: Final = 0.05  # seconds: enough to be out of the place where a stop was dropped


@contextmanager
def stops_heard() -> Iterator[None]:
    """Raise stops where they find the program, and again as long as it runs on.

    Code of other libraries drops exceptions in places: NumPy does where it looks for attributes of
    an object. A stop that went away is raised again.
    """
    if sys.platform == "win32":  # which has no timer for that
        yield
        return
    running = True
    asked: int = signal.SIGTERM

    class Stop:
        def __del__(self) -> None:
            if running:
                signal.setitimer(signal.ITIMER_REAL, _AGAIN)

    class Interrupted(Stop, KeyboardInterrupt):
        pass

    class Terminated(Stop, SystemExit):
        pass

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal asked
        if number != signal.SIGALRM:
            asked = number
        raise Interrupted if asked == signal.SIGINT else Terminated(128 + asked)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGALRM)}
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not so under nohup
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, stop)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not so in the background
        before[signal.SIGINT] = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
