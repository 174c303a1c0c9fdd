"""GLOCAL, MLML and DM2L: how time and memory grow with rows, features and labels.

Every fit has a process of its own, so that its peak of memory is its own. Beside each method runs
its nearest kin in scikit-learn, on the same rows and in turns with it: least squares on all labels
at once (the floor of anything linear), the same on kernel features, label spreading on a graph of
as many neighbours. Growth is measured with one thread, in seconds of processor time, which other
work on the machine disturbs least.

Run: python benchmarks/bench_classical.py          # growth, one size varied at a time
     python benchmarks/bench_classical.py big      # 20,000 rows, 1,000 features, 300 labels
"""

import os
import resource
import sys
import time
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from lamc.learners import DM2L, GLOCAL, MLML
from ratios import print_table

MANY = {
    "rows": [1250, 2500, 5000, 10_000, 20_000],
    "features": [100, 200, 400, 800],
    "labels": [25, 50, 100, 200, 400],
}
MIDDLE = {"rows": 5000, "features": 200, "labels": 50}
BIG = {"rows": 20_000, "features": 1000, "labels": 300}
MOST_MINUTES, MOST_MEGABYTES = 10, 4000  # budget of the big case, on two cores
NEIGHBOURS, LANDMARKS = 20, 1000
KIN = {
    "GLOCAL": "Ridge",
    "MLML": "LabelSpreading",
    "DM2L": "Ridge",
    "DM2L, kernel": "Nystroem + Ridge",
}
ALL = list(dict.fromkeys(name for pair in KIN.items() for name in pair))


class Cost(NamedTuple):
    """What a fit took."""

    seconds: float  # as a clock on the wall shows them
    work: float  # seconds of processor time, of all threads
    megabytes: float  # of the whole process at the worst moment
    added: float  # of these, what the fit added


def make_data(rows: int, features: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows near a surface of twenty dimensions, as real ones are, and a label drawn for each."""
    rng = np.random.default_rng(0)
    seen, pull = rng.normal(size=(20, features)) / 5, rng.normal(size=(20, labels))
    rare = np.log(np.arange(1, labels + 1))
    X, y = np.empty((rows, features)), np.empty(rows, dtype=np.int64)
    for part in np.array_split(np.arange(rows), max(1, rows // 1000)):  # the fit is to be the peak
        place = rng.normal(size=(len(part), 20))
        X[part] = place @ seen + 0.3 * rng.normal(size=(len(part), features))
        y[part] = (place @ pull - rare + rng.gumbel(size=(len(part), labels))).argmax(axis=1)
    return X, y


def make_estimator(name: str) -> Any:
    """A method or its kin, by name."""
    if name == "LabelSpreading":
        return LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS, alpha=0.5)
    if name == "Ridge":
        return make_pipeline(StandardScaler(), Ridge(2.0))
    if name == "Nystroem + Ridge":
        return make_pipeline(
            StandardScaler(), Nystroem(n_components=LANDMARKS, random_state=0), Ridge(2.0)
        )
    return {
        "GLOCAL": GLOCAL(random_state=0),
        "MLML": MLML(n_neighbors=NEIGHBOURS),
        "DM2L": DM2L(),
        "DM2L, kernel": DM2L(kernel="rbf", n_landmarks=LANDMARKS, random_state=0),
    }[name]


def fit(name: str, size: dict[str, int]) -> Cost:
    """Fit once, and tell what it took. To be called in a process that does nothing else."""
    X, y = make_data(**size)
    estimator = make_estimator(name)
    target = y if name in KIN or name == "LabelSpreading" else 2.0 * np.eye(size["labels"])[y] - 1
    before, start, work = peak_megabytes(), time.perf_counter(), time.process_time()
    estimator.fit(X, target)
    seconds, work = time.perf_counter() - start, time.process_time() - work
    return Cost(seconds, work, peak_megabytes(), peak_megabytes() - before)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def measure(name: str, size: dict[str, int], threads: int) -> Cost:
    """Fit in a process of its own, whose linear algebra takes so many threads."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(fit, (name, size))


def exponent(sizes: list[int], costs: list[float]) -> str:
    """The x of cost ~ size^x, over the three largest sizes."""
    slope = np.polyfit(np.log(sizes[-3:]), np.log(costs[-3:]), 1)[0]
    return f"{round(slope, 1) + 0.0:.1f}"  # and no -0.0


def show_growth(axis: str) -> None:
    """Print time and memory against one size, the others at their middle."""
    sizes = MANY[axis]
    found: dict[str, list[Cost]] = {name: [] for name in ALL}
    for many in sizes:
        for name, costs in found.items():
            costs.append(measure(name, {**MIDDLE, axis: many}, threads=1))
    fixed = ", ".join(f"{many:,} {other}" for other, many in MIDDLE.items() if other != axis)
    columns = ["", *(f"{many:,}" for many in sizes), "grows as"]
    for title, unit, digits in (("seconds", "work", 2), ("megabytes added", "added", 0)):
        rows = [
            [name, *(f"{value:.{digits}f}" for value in values), f"^{exponent(sizes, values)}"]
            for name, costs in found.items()
            for values in [[getattr(cost, unit) for cost in costs]]
        ]
        print_table(f"{title} by {axis}, with {fixed}", columns, rows)
    ratios = [
        [f"{name} / {kin}", *(f"{a.work / b.work:.1f}" for a, b in zip(*pair, strict=True)), ""]
        for name, kin in KIN.items()
        for pair in [(found[name], found[kin])]
    ]
    print_table("times as long as its kin", [*columns[:-1], ""], ratios)
    print(flush=True)


def show_big() -> None:
    """Print what the big case takes with two threads, and whether it is within budget."""
    rows = []
    for name in ALL:
        cost = measure(name, BIG, threads=2)
        met = cost.seconds < 60 * MOST_MINUTES and cost.megabytes < MOST_MEGABYTES
        verdict = "" if name not in KIN else "met" if met else "MISSED"
        rows.append([name, *(f"{value:.0f}" for value in cost), verdict])
    sizes = ", ".join(f"{many:,} {what}" for what, many in BIG.items())
    columns = ["", "seconds", "of all threads", "peak MB", "added MB", "budget"]
    print_table(f"{sizes}, two threads", columns, rows)
    print(f"  budget: {MOST_MINUTES} minutes, {MOST_MEGABYTES:,} MB")


def main() -> None:
    if sys.argv[1:] == ["big"]:
        show_big()
    elif not sys.argv[1:]:
        for axis in MANY:
            show_growth(axis)
    else:
        sys.exit(f"{__doc__}\nUnknown: {' '.join(sys.argv[1:])}")


if __name__ == "__main__":
    main()
