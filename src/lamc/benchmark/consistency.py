"""Which coverage and which ranking loss one ranking can have at once."""

from typing import Any

import numpy as np

from lamc.benchmark.errors import BenchmarkError


def coverage_range(cardinality: Any, n_labels: int, ranking_loss: float) -> tuple[float, float]:
    """The least and the largest coverage of rankings without ties that have a ranking loss.

    A row has p of K labels. A share l of its p (K − p) pairs of a true and another label is in the
    wrong order. The lowest true label stands below at least l (K − p) others, the mean over the
    true ones, and below at most K − p, or as many as there are wrong pairs. So the row's coverage
    (depth − 1) / K lies between::

        (p − 1 + l (K − p)) / K    and    (p − 1 + min(1, l p) (K − p)) / K

    Both are concave in l; their largest and least sums for a given mean of l are found by giving l
    to the rows where it counts most, or least. The range is a little too wide, for l of a row is a
    fraction of its pairs.

    Parameters
    ----------
    cardinality : array-like of int, shape (n,)
        Number of true labels p of each row.
    n_labels : int
        Number of labels K.
    ranking_loss : float
        Mean ranking loss, ties counted as wrong or not there. Rows with no label or all labels
        have none.

    Examples
    --------
    With one true label a row, one decides the other.

    >>> from lamc.benchmark.consistency import coverage_range
    >>> coverage_range([1, 1, 1, 1], n_labels=6, ranking_loss=0.3)
    (0.25, 0.25)
    >>> low, high = coverage_range([1, 1, 3, 2], n_labels=6, ranking_loss=0.3)
    >>> round(low, 3), round(high, 3)
    (0.283, 0.493)
    """
    p = np.asarray(cardinality)
    if not 0 <= ranking_loss <= 1:
        raise BenchmarkError(f"A ranking loss of {ranking_loss!r}; give a number from 0 to 1.")
    if p.ndim != 1 or len(p) == 0 or (p < 0).any() or (p > n_labels).any():
        raise BenchmarkError(f"Give the number of labels of each row, from 0 to {n_labels}.")
    at_least = np.maximum(p - 1, 0).sum()
    p = p[(p > 0) & (p < n_labels)]
    total = ranking_loss * len(np.asarray(cardinality))
    low = at_least + _given_out(total, np.ones(len(p)), n_labels - p, first="least")
    high = at_least + _given_out(total, 1 / p, p * (n_labels - p), first="most")
    scale = n_labels * len(np.asarray(cardinality))
    return float(low / scale), float(high / scale)


def _given_out(total: float, most: Any, worth: Any, *, first: str) -> float:
    """Sum of worth when a total is given to the rows of most or least worth, each up to its own."""
    order = np.argsort(worth)[:: -1 if first == "most" else 1]
    given = np.diff(np.minimum(np.cumsum(most[order]), total), prepend=0.0)
    return float(given @ worth[order])
