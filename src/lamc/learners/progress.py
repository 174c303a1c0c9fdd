"""How far training has come: a bar on a terminal, plain lines in a log."""

import sys
from types import TracebackType
from typing import Self

from lamc.types import FloatArray


class Progress:
    """Counts the epochs of all networks; a context that shows the bar while it is open.

    It ends full: epochs that need no training are counted as well.

    Examples
    --------
    >>> from lamc.learners.progress import Progress
    >>> with Progress("WAN", total=2) as progress:
    ...     progress.epoch(1, n_models=2, best=[0.5, 0.7])
    """

    def __init__(self, title: str, total: int) -> None:
        self.title = title
        self.total = total
        self.done = 0

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), disable=not sys.stderr.isatty())
        self._task = self._bar.add_task(self.title, total=self.total)
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def epoch(self, epoch: int, n_models: int, best: FloatArray | list[float]) -> None:
        """Note that ``n_models`` networks have finished an epoch; ``best`` is empty unjudged."""
        self.skip(1, n_models)
        if not sys.stderr.isatty():
            told = f", best {max(best):.4f}" if len(best) else ""
            print(
                f"{self.title}: epoch {epoch} of {n_models} networks{told}",
                file=sys.stderr,
                flush=True,
            )

    def skip(self, epochs: int, n_models: int) -> None:
        """Count epochs as done, such as those a checkpoint holds or patience leaves out."""
        self.done += epochs * n_models
        self._bar.update(self._task, completed=self.done)
