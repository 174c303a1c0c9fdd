"""How far a run has come, and about how long it still takes."""

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Self

from lamc.benchmark.unit import Unit

_ALL = ""  # in place of a method


@dataclass
class Spent:
    """What units took, and how much work they were thought to be."""

    seconds: float = 0.0
    cost: float = 0.0

    @property
    def rate(self) -> float:
        """Seconds for a piece of work."""
        return self.seconds / self.cost


class Watch:
    """Is told of a run, and shows nothing.

    Examples
    --------
    >>> from lamc.benchmark.watch import Watch
    >>> watch = Watch()
    >>> watch.begin("paper", [], n_finished=3)
    >>> watch.time_left() is None
    True
    """

    def begin(self, plan: str, units: Sequence[Unit], *, n_finished: int) -> None:
        """A run begins with these units; others were finished before."""
        self.plan, self.n_finished, self.n_units = plan, n_finished, len(units)
        self.start = self._last = monotonic()
        self._left = {unit.key: unit for unit in units}
        self._spent: dict[str, Spent] = defaultdict(Spent)
        self._seconds_left: float | None = None

    @property
    def n_ended(self) -> int:
        """Units that were stored or failed."""
        return self.n_units - len(self._left)

    def done(self, unit: Unit, seconds: float) -> None:
        """A unit is stored."""
        for of in (unit.method, _ALL):
            self._spent[of].seconds += seconds
            self._spent[of].cost += unit.cost
        self._end(unit)

    def failed(self, unit: Unit) -> None:
        """A unit failed."""
        self._end(unit)

    def _end(self, unit: Unit) -> None:
        del self._left[unit.key]
        self._last = monotonic()
        everything = self._spent.get(_ALL)
        if everything is not None:
            work = sum(
                unit.cost * self._spent.get(unit.method, everything).rate
                for unit in self._left.values()
            )
            at_once = everything.seconds / (self._last - self.start)
            self._seconds_left = work / at_once

    def note(self, text: str) -> None:
        """Something that a user should know."""

    def time_left(self) -> float | None:
        """About how many seconds the rest takes; None before anything is done.

        A unit takes in proportion to the size of its data what others of its method took. Between
        the ends of units the time counts down, to 0 if they take longer than that.
        """
        if self._seconds_left is None:
            return None
        return max(0.0, self._seconds_left - (monotonic() - self._last))

    @property
    def left_in_words(self) -> str:
        """The time left as a person would say it, or nothing where it is not known."""
        left = self.time_left()
        return f"about {in_words(left)} left" if left else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class LogWatch(Watch):
    """Prints a line for each unit, for logs."""

    def begin(self, plan: str, units: Sequence[Unit], *, n_finished: int) -> None:
        """Say what is to be done."""
        super().begin(plan, units, n_finished=n_finished)
        self._say(f"{plan}: {n_finished} units finished, {len(units)} to run")

    def done(self, unit: Unit, seconds: float) -> None:
        """Say what was done."""
        super().done(unit, seconds)
        self._say_ended(unit, in_words(seconds))

    def failed(self, unit: Unit) -> None:
        """Say what failed."""
        super().failed(unit)
        self._say_ended(unit, "FAILED")

    def note(self, text: str) -> None:
        """Say it."""
        self._say(text)

    def _say_ended(self, unit: Unit, how: str) -> None:
        left = self.left_in_words
        self._say(f"[{self.n_ended}/{self.n_units}] {unit}: {how}{left and f'; {left}'}")

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


class BarWatch(Watch):
    """Shows a bar on a terminal, with the time since the beginning and about what is left."""

    def begin(self, plan: str, units: Sequence[Unit], *, n_finished: int) -> None:
        """Show the bar."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        super().begin(plan, units, n_finished=n_finished)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[watch].left_in_words}"),  # asked anew at every refresh
            console=Console(stderr=True),
        )
        total = n_finished + len(units)
        self._task = self._bar.add_task(plan, total=total, completed=n_finished, watch=self)

    def done(self, unit: Unit, seconds: float) -> None:
        """Move the bar."""
        super().done(unit, seconds)
        self._bar.console.print(f"{unit}: {in_words(seconds)}", highlight=False, markup=False)
        self._move()

    def failed(self, unit: Unit) -> None:
        """Move the bar, and say what failed."""
        super().failed(unit)
        self._bar.console.print(f"{unit}: failed", style="red", markup=False)
        self._move()

    def note(self, text: str) -> None:
        """Say it above the bar."""
        self._bar.console.print(text, highlight=False, markup=False)

    def _move(self) -> None:
        self._bar.update(self._task, completed=self.n_finished + self.n_ended)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()


def in_words(seconds: float) -> str:
    """A time as a person would say it.

    Examples
    --------
    >>> from lamc.benchmark.watch import in_words
    >>> in_words(2.34), in_words(150), in_words(9000)
    ('2.3 s', '2 min 30 s', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
