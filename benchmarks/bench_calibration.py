"""Calibrate and accept: against bare numpy, MAPIE and crepes; the memory needed; p-values.

Run: python benchmarks/bench_calibration.py           (peers: pip install 'lamc[bench]')
     python benchmarks/bench_calibration.py sparse    a million rows, a hundred thousand labels
"""

import importlib
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from lamc import Calibrator, as_labels
from ratios import peak_memory, print_table, race

Run = Callable[[], object]


class Case(NamedTuple):
    """Shape of a calibration set and of the new rows, and how long the rivals run."""

    rows: int
    labels: int
    rounds: int
    slow_labels: int  # labels that a slow loop over labels is timed on, to be scaled up

    def __str__(self) -> str:
        return f"{self.rows:,} × {self.labels:,}"


class Data(NamedTuple):
    """Calibration rows and new rows."""

    scores: np.ndarray
    Y: sparse.csr_array
    new: np.ndarray


CASES = [Case(2_000, 100, 400, 100), Case(10_000, 1_000, 40, 20)]
AT_MOST, AT_LEAST, P_AT_MOST = 2, 10, 25  # budgets: bare numpy, libraries, p-values
LESS_WORK = "MAPIE, LAC (one threshold for all labels)"


def long_tailed_truth(rows: int, labels: int, true: float, rng: np.random.Generator) -> np.ndarray:
    """Labels drawn with probabilities that fall as 1 / rank, at most one half."""
    share = 1 / np.arange(1, labels + 1)
    for _ in range(50):  # until the cut at one half no longer lowers the mean
        share = np.minimum(share * true / share.sum(), 0.5)
    return rng.random((rows, labels)) < share


def make(rows: int, labels: int, *, true: float = 5) -> Data:
    """Draw scores as a fair model gives them: most near 0, those of true labels spread widely."""
    rng = np.random.default_rng(0)
    Y, Y_new = (long_tailed_truth(rows, labels, true, rng) for _ in range(2))
    scores, new = (1 / (1 + np.exp(3 - 3 * y - 1.5 * rng.normal(size=y.shape))) for y in (Y, Y_new))
    return Data(scores, sparse.csr_array(Y), new)


# -- the rivals ----------------------------------------------------------------------------------


def bare_thresholds(scores: np.ndarray, by_label: sparse.csc_array) -> np.ndarray:
    """Recall at least 0.9: one partition a label, and no check of anything."""
    at = np.full(scores.shape[1], -np.inf)
    for label in range(scores.shape[1]):
        rows = by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]
        rank = (len(rows) + 1) // 10
        if rank:
            at[label] = np.partition(scores[rows, label], rank - 1)[rank - 1]
    return at


def crepes_loop(data: Data, labels: range) -> Run:
    """The same thresholds from crepes: a conformal classifier a label, on its positives."""
    conformal = importlib.import_module("crepes").ConformalClassifier
    by_label = data.Y.tocsc()

    def run() -> None:
        for label in labels:
            rows = by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]
            fitted = conformal().fit(1 - data.scores[rows, label])
            fitted.predict_set(1 - data.new[:, [label]], confidence=0.9, smoothing=False)

    return run


class Scorer(ClassifierMixin, BaseEstimator):
    """Hands on scores as MAPIE wants them: as the probabilities of a classifier."""

    def __init__(self, labels: int) -> None:
        self.labels = labels
        self.classes_ = np.arange(labels)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the scores themselves."""
        return X

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the label that scores highest."""
        return X.argmax(axis=1)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Scorer":
        """Learn nothing."""
        return self


def mapie_lac(data: Data) -> Run:
    """One threshold for all labels, on one label a row: less work than a threshold a label."""
    split = importlib.import_module("mapie.classification").SplitConformalClassifier
    some = np.flatnonzero(np.diff(data.Y.indptr))
    y = data.Y.indices[data.Y.indptr[some]]
    shares, new = (s / s.sum(axis=1, keepdims=True) for s in (data.scores[some], data.new))
    scorer = Scorer(data.Y.shape[1])

    def run() -> None:
        split(scorer, confidence_level=0.9).conformalize(shares, y).predict_set(new)

    return run


def mapie_binary_loop(data: Data, labels: range) -> Run:
    """A threshold a label that holds the recall with probability 0.9, from a grid of 100."""
    control = importlib.import_module("mapie.risk_control").BinaryClassificationController
    truth = data.Y.toarray().astype(int)

    def two_columns(column: np.ndarray) -> np.ndarray:
        return np.hstack([1 - column, column])

    def run() -> None:
        for label in labels:
            fitted = control(two_columns, risk="recall", target_level=0.9)
            fitted.calibrate(data.scores[:, [label]], truth[:, label])
            if fitted.best_predict_param is not None:
                fitted.predict(data.new[:, [label]])

    return run


def mapie_multilabel(data: Data) -> Run:
    """One threshold for all labels that holds the expected recall of a row."""
    control = importlib.import_module("mapie.risk_control").MultiLabelClassificationController
    some = np.flatnonzero(np.diff(data.Y.indptr))
    truth = data.Y[some].toarray().astype(int)

    def run() -> None:
        control(lambda X: X, risk="recall", method="crc", target_level=0.9).calibrate(
            data.scores[some], truth
        ).predict(data.new)

    return run


def installed(*packages: str) -> list[str]:
    """Say which of the packages are there, in which version, and return their names."""
    found = []
    for package in packages:
        try:
            importlib.import_module(package)
        except ImportError:
            print(f"{package} is not installed and left out: pip install 'lamc[bench]'")
        else:
            found.append(package)
            print(f"{package} {version(package)}")
    return found


# -- the races -----------------------------------------------------------------------------------


def race_bare(case: Case, data: Data) -> dict[str, float]:
    """Race ours against bare numpy, from a sparse matrix and from what each makes of it."""
    scores, Y, new = data
    by_label, labels = Y.tocsc(), as_labels(Y, knowledge="all")
    rivals: dict[str, Callable[[], Any]] = {
        "numpy": lambda: new >= bare_thresholds(scores, Y.tocsc()),
        "numpy, columns sorted before": lambda: new >= bare_thresholds(scores, by_label),
        "lamc": lambda: Calibrator("recall", alpha=0.1).fit(scores, Y).accept(new),
        "lamc, labels read before": lambda: (
            Calibrator("recall", alpha=0.1).fit(scores, labels).accept(new)
        ),
    }
    for rival in rivals.values():
        np.testing.assert_array_equal(rival(), rivals["numpy"]())
    return race(rivals, rounds=case.rounds)


def race_libraries(case: Case, data: Data, packages: list[str]) -> dict[str, float]:
    """Seconds of the libraries, scaled up where they were timed on some of the labels."""
    step = case.labels // case.slow_labels
    some = range(step // 2, case.labels, step)
    scale = case.labels / len(some)
    seconds = {}
    if "crepes" in packages:
        name = "crepes, a classifier a label"
        seconds[name] = scale * race({name: crepes_loop(data, some)}, rounds=1)[name]
    if "mapie" in packages:
        name = "MAPIE, a binary controller a label"
        seconds[name] = scale * race({name: mapie_binary_loop(data, some)}, rounds=1)[name]
        seconds |= race({LESS_WORK: mapie_lac(data)}, rounds=20)
        if case is CASES[0]:  # takes minutes at the larger size
            rival = mapie_multilabel(data)
            seconds |= race({"MAPIE, multi-label (one threshold)": rival}, rounds=1)
    return seconds


def compare(case: Case, packages: list[str]) -> None:
    data = make(case.rows, case.labels)
    fast = race_bare(case, data)
    slow = race_libraries(case, data, packages)
    ours = fast["lamc"]

    def row(name: str, seconds: float) -> list[str]:
        return [name, f"{seconds * 1e3:,.2f} ms", f"{seconds / ours:,.2f}"]

    print_table(
        f"\nCalibrate + accept, {case}, {data.Y.nnz:,} positives",
        ["", "time", "times lamc's"],
        [row(*entry) for entry in [*fast.items(), *slow.items()]],
    )
    print(f"  lamc takes {ours / fast['numpy']:.2f} times as long as numpy", end=", and ")
    print(
        f"{fast['lamc, labels read before'] / fast['numpy, columns sorted before']:.2f} times from "
        f"labels made ready before (budget: {AT_MOST})"
    )
    if slow and case.slow_labels < case.labels:
        print(f"  loops over labels: timed on {case.slow_labels} of them and scaled up")
    same_work = {name: seconds for name, seconds in slow.items() if name != LESS_WORK}
    for name in [name for name, seconds in same_work.items() if seconds < AT_LEAST * ours]:
        print(f"  {name} is less than {AT_LEAST} times slower: over budget")
    if LESS_WORK in slow:
        bare = slow[LESS_WORK] / fast["numpy"]
        print(
            f"  {LESS_WORK} does less; bare numpy with a threshold a label is {bare:.1f} × faster"
        )


def compare_p_values(case: Case, repeats: int = 15) -> None:
    scores, Y, new = make(case.rows, case.labels)
    fitted = Calibrator("recall", alpha=0.1).fit(scores, Y)

    def compare_often() -> None:  # as long a run as its rival, to be disturbed as often
        for _ in range(repeats):
            np.greater_equal(new, fitted.thresholds_)

    best = race({"compare": compare_often, "p": lambda: fitted.p_values(new)}, rounds=15)
    seconds = {"scores >= t": best["compare"] / repeats, "p_values(scores)": best["p"]}
    print_table(
        f"\np-values, {case}",
        ["", "time"],
        [[name, f"{value * 1e3:.1f} ms"] for name, value in seconds.items()],
    )
    ratio = seconds["p_values(scores)"] / seconds["scores >= t"]
    print(f"  {ratio:.1f} times the bare comparison (budget: {P_AT_MOST})")


def measure_memory() -> None:
    rows = []
    for n, k, true in [
        (10_000, 1_000, 1),
        (10_000, 1_000, 5),
        (10_000, 4_000, 5),
        (40_000, 250, 5),
    ]:
        scores, Y, _ = make(n, k, true=true)
        labels = as_labels(Y, knowledge="all")
        extra = peak_memory(partial(Calibrator("recall", alpha=0.1).fit, scores, labels))
        rows.append(
            [
                f"{n:,} × {k:,}",
                f"{scores.nbytes / 1e6:,.0f} MB",
                f"{Y.nnz:,}",
                f"{extra:.1f} MB",
                f"{extra * 1e6 / Y.nnz:.0f}",
            ]
        )
    print_table(
        "\nMemory of calibration beyond the scores: grows with the positives, not with the scores",
        ["", "scores", "positives", "extra", "bytes a positive"],
        rows,
    )


# -- sparse scores -------------------------------------------------------------------------------


def candidates(rows: int, labels: int, stored: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Scores of a few labels a row, and about three true labels, of which some are not scored."""
    rng = np.random.default_rng(0)
    edges = (labels * np.linspace(0, 1, stored + 1) ** 3).astype(np.int64)  # a long tail
    columns = rng.integers(edges[:-1], edges[1:], size=(rows, stored), dtype=np.int32)
    true = rng.random((rows, stored)) < 0.15
    values = (1 / (1 + np.exp(2 - 2 * true - rng.normal(size=true.shape)))).astype(np.float32)
    ends = stored * np.arange(rows + 1)
    scores = sparse.csr_array((values.ravel(), columns.ravel(), ends), shape=(rows, labels))
    of_row = np.concatenate([np.nonzero(true)[0], rng.integers(rows, size=rows // 20)])
    of_label = np.concatenate([columns[true], rng.integers(labels, size=rows // 20)])
    Y = sparse.csr_array((np.ones(len(of_row), dtype=bool), (of_row, of_label)), scores.shape)
    return scores, Y


def measure_sparse(rows: int = 1_000_000, labels: int = 100_000, stored: int = 20) -> None:
    scores, Y = candidates(rows, labels, stored)
    fitted = Calibrator("recall", alpha=0.1).fit(scores, Y)
    steps: dict[str, Run] = {
        "fit": lambda: Calibrator("recall", alpha=0.1).fit(scores, Y),
        "accept": lambda: fitted.accept(scores),
        "p_values": lambda: fitted.p_values(scores),
    }
    seconds = race(steps, rounds=2)
    size = (scores.data.nbytes + scores.indices.nbytes + scores.indptr.nbytes) / 1e6
    print_table(
        f"Sparse scores, {rows:,} × {labels:,}, {scores.nnz:,} stored ({size:,.0f} MB), "
        f"{Y.nnz:,} positives",
        ["", "time", "extra memory"],
        [[s, f"{seconds[s]:.2f} s", f"{peak_memory(run):,.0f} MB"] for s, run in steps.items()],
    )


if __name__ == "__main__":
    start = time.perf_counter()
    if sys.argv[1:] == ["sparse"]:
        measure_sparse()
    else:
        there = installed("mapie", "crepes")
        print("TorchCP is left out: it needs torchsort, which must be compiled against torch")
        warnings.simplefilter("ignore")  # the libraries warn a label
        for case in CASES:
            compare(case, there)
        compare_p_values(CASES[1])
        measure_memory()
    print(f"\n{time.perf_counter() - start:.0f} s in all")
