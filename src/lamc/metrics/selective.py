"""Metrics of abstention: how much is accepted, and at what risk."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lamc.metrics.inputs import check_accepted, check_scores, check_truth
from lamc.metrics.sets import recall
from lamc.types import FloatArray


def retention(accepted: Any) -> float:
    """Share of all pairs of a row and a label that are accepted.

    Parameters
    ----------
    accepted : array-like of bool, shape (n, K)
        The labels accepted.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.retention([[1, 0, 0, 0], [1, 1, 0, 0]])
    0.375
    """
    return float(check_accepted(accepted).mean())


def true_retention(Y: Any, accepted: Any) -> float:
    """Share of the true labels that are accepted: the counterpart of :func:`retention`.

    The same number as ``recall(Y, accepted, average="micro")``; NaN if nothing is true.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame, list of label sets, or Labels
        All true labels of every row.
    accepted : array-like of bool, shape (n, K)
        The labels accepted.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.true_retention([[1, 0, 1, 0], [1, 0, 0, 1]], [[1, 0, 0, 0], [1, 1, 0, 0]])
    0.5
    """
    return recall(Y, accepted, average="micro")


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """A risk–coverage curve; made by :func:`risk_coverage`.

    One point for each distinct score, from the highest down. All arrays have the same length.

    Attributes
    ----------
    coverage : ndarray of float64
        Share of all pairs of a row and a label that are kept; increasing, 1 at the end.
    risk : ndarray of float64
        Share of false ones among the pairs kept.
    thresholds : ndarray
        The lowest score kept.

    Examples
    --------
    >>> from lamc import metrics
    >>> curve = metrics.risk_coverage([[1, 0, 0, 1]], [[0.9, 0.9, 0.5, 0.7]])
    >>> curve.coverage, curve.risk, curve.thresholds
    (array([0.5 , 0.75, 1.  ]), array([0.5       , 0.33333333, 0.5       ]), array([0.9, 0.7, 0.5]))
    """

    coverage: FloatArray
    risk: FloatArray
    thresholds: FloatArray

    @property
    def area(self) -> float:
        """Area under the curve: the smaller, the better the scores tell what to keep.

        The step sum Σ (cᵢ − cᵢ₋₁) rᵢ with c₀ = 0. It is exact: the mean, over all pairs, of the
        risk at which a pair is just kept. Straight lines between the points would claim a risk
        for parts of a tie, which no threshold can keep.
        """
        return float(np.sum(np.diff(self.coverage, prepend=0.0) * self.risk))


def risk_coverage(Y: Any, scores: Any) -> RiskCoverage:
    """Risk of keeping the pairs of a row and a label with the highest scores, at every coverage.

    Risk is 1 − precision, and coverage is retention, at a threshold that goes down through all
    scores. Pairs that tie are kept together. To compare thresholds per label, give conformal
    p-values as scores.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame, list of label sets, or Labels
        All true labels of every row.
    scores : array-like of shape (n, K)
        Confidence that the label is true.

    Returns
    -------
    RiskCoverage

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.risk_coverage([[1, 1, 0, 0]], [[0.9, 0.8, 0.3, 0.3]]).area
    0.25
    """
    truth = check_truth(Y, by="A risk–coverage curve", beside=scores)
    scores = check_scores(scores, truth)
    distinct, counts = np.unique(scores, return_counts=True)
    where = np.searchsorted(distinct, scores[truth.positives.nonzero()])
    true = np.bincount(where, minlength=len(distinct))
    kept = np.cumsum(counts[::-1])
    return RiskCoverage(
        coverage=kept / scores.size,
        risk=(kept - np.cumsum(true[::-1])) / kept,
        thresholds=distinct[::-1],
    )
