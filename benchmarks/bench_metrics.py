"""Ranking metrics against scikit-learn's three functions, and the memory they need.

Run: python benchmarks/bench_metrics.py
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics import (
    coverage_error,
    label_ranking_average_precision_score,
    label_ranking_loss,
)

from lamc import as_labels, metrics
from ratios import peak_memory, print_table, race


class Case(NamedTuple):
    """Shape of a data set, its mean number of labels a row, and the precision of the scores."""

    name: str
    rows: int
    labels: int
    true: float
    dtype: type


CASES = [
    Case("10,000 × 1,000, 5 true a row", 10_000, 1_000, 5, np.float64),
    Case("the same, float32", 10_000, 1_000, 5, np.float32),
    Case("like CAL500: 502 × 174, 26 true", 502, 174, 26, np.float64),
    Case("like delicious: 16,105 × 983, 19 true", 16_105, 983, 19, np.float64),
    Case("half true: 2,000 × 1,000, 500 true", 2_000, 1_000, 500, np.float64),
]


def long_tailed_truth(case: Case, rng: np.random.Generator) -> np.ndarray:
    """Labels drawn with probabilities that fall as 1 / rank, at most one half and at least one."""
    share = 1 / np.arange(1, case.labels + 1)
    for _ in range(50):  # until the cut at one half no longer lowers the mean
        share = np.minimum(share * case.true / share.sum(), 0.5)
    Y = rng.random((case.rows, case.labels)) < share
    Y[np.arange(case.rows), rng.integers(case.labels, size=case.rows)] |= ~Y.any(axis=1)
    return Y


def measure(case: Case) -> list[str]:
    rng = np.random.default_rng(0)
    Y = long_tailed_truth(case, rng)
    scores = (rng.random(Y.shape) + 0.2 * Y).astype(case.dtype)
    Y_csr = sparse.csr_array(Y)
    labels = as_labels(Y_csr, knowledge="all")

    def scikit_learn() -> tuple[float, float, float]:
        return (
            label_ranking_average_precision_score(Y_csr, scores),
            (coverage_error(Y, scores) - 1) / case.labels,  # takes no sparse truth
            label_ranking_loss(Y_csr, scores),
        )

    def lamc_labels() -> metrics.RankingMetrics:
        return metrics.ranking_metrics(labels, scores)

    def lamc_dense() -> metrics.RankingMetrics:
        return metrics.ranking_metrics(Y, scores)

    ours = lamc_labels()
    np.testing.assert_allclose(
        (ours.average_precision, ours.coverage_error, ours.ranking_loss),
        scikit_learn(),
        rtol=0,
        atol=1e-12,
    )
    best = race({"sklearn": scikit_learn, "labels": lamc_labels, "dense": lamc_dense})
    return [
        case.name,
        f"{best['sklearn'] * 1e3:,.0f} ms",
        f"{best['labels'] * 1e3:,.1f} ms",
        f"{best['sklearn'] / best['labels']:.0f}×",
        f"{best['sklearn'] / best['dense']:.0f}×",
        f"{peak_memory(lamc_labels):.1f} MB",
    ]


if __name__ == "__main__":
    print_table(
        "Average precision + coverage + ranking loss",
        ["", "scikit-learn", "lamc", "ratio", "ratio, dense Y", "extra memory"],
        [measure(case) for case in CASES],
    )
