"""Time rivals side by side and print how many times faster one is than the others.

Ratios of runs that alternate in one process say more than seconds: a busy machine slows both.
"""

import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence


def race(rivals: Mapping[str, Callable[[], object]], rounds: int = 3) -> dict[str, float]:
    """Best seconds of each rival, who take turns for a number of rounds."""
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, run in rivals.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def peak_memory(run: Callable[[], object]) -> float:
    """Megabytes allocated at the worst moment of a run, beyond what was there before."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their columns, the first left-aligned, the others right."""
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    print(title)
    for row in [columns, *rows]:
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        print("  " + "   ".join(cells))
