"""Metrics of the accepted labels as a set: precision, recall, F1, Hamming loss.

What has no value, such as the precision of a label that is accepted nowhere, is NaN, and macro
averages leave it out: scikit-learn's ``zero_division=np.nan``.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lamc.exceptions import SettingError
from lamc.metrics.inputs import check_accepted, check_truth
from lamc.metrics.labelwise import mean_of_defined
from lamc.types import FloatArray, IntArray

Average = Literal["micro", "macro"]


@dataclass(frozen=True, eq=False)
class LabelMetrics:
    """Precision, recall and F1 of each label, and the counts behind them.

    Made by :func:`label_metrics`. All arrays have shape (K,).

    Attributes
    ----------
    precision : ndarray of float64
        Share of true ones among the rows where the label is accepted; NaN where it never is.
    recall : ndarray of float64
        Share of accepted ones among the rows where the label is true; NaN where it never is.
    f1 : ndarray of float64
        Harmonic mean of the two: 2 · both / (accepted + true); NaN where both counts are 0.
    accepted, true, both : ndarray of int
        Number of rows where the label is accepted, is true, and is both.

    Examples
    --------
    >>> from lamc import metrics
    >>> found = metrics.label_metrics([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 0]])
    >>> found.precision, found.recall
    (array([0.66666667,        nan]), array([1., 0.]))
    """

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    accepted: IntArray
    true: IntArray
    both: IntArray


def label_metrics(Y: Any, accepted: Any) -> LabelMetrics:
    """Precision, recall and F1 of the accepted labels, label by label.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame, list of label sets, or Labels
        All true labels of every row, in any form that :func:`lamc.as_labels` reads.
    accepted : array-like of bool, shape (n, K)
        The labels accepted.

    Returns
    -------
    LabelMetrics

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.label_metrics([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 0]]).f1
    array([0.8, 0. ])
    """
    both, n_accepted, n_true = _count(Y, accepted)
    return LabelMetrics(
        precision=_share(both, n_accepted),
        recall=_share(both, n_true),
        f1=_share(2 * both, n_accepted + n_true),
        accepted=n_accepted,
        true=n_true,
        both=both,
    )


def precision(Y: Any, accepted: Any, average: Average = "micro") -> float:
    """Share of true ones among the accepted labels.

    Parameters
    ----------
    Y, accepted
        As for :func:`label_metrics`.
    average : {"micro", "macro"}
        ``"micro"`` counts all pairs of a row and a label together. ``"macro"`` averages the
        precision of the labels; one that is accepted nowhere is left out.

    Returns
    -------
    float
        NaN if nothing is accepted.

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.precision([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.75
    """
    both, n_accepted, _ = _count(Y, accepted)
    return _average(both, n_accepted, average)


def recall(Y: Any, accepted: Any, average: Average = "micro") -> float:
    """Share of accepted ones among the true labels.

    Parameters
    ----------
    Y, accepted
        As for :func:`label_metrics`.
    average : {"micro", "macro"}
        ``"micro"`` counts all pairs of a row and a label together. ``"macro"`` averages the
        recall of the labels; one that is true nowhere is left out.

    Returns
    -------
    float
        NaN if nothing is true.

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.recall([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]], average="macro")
    0.75
    """
    both, _, n_true = _count(Y, accepted)
    return _average(both, n_true, average)


def f1(Y: Any, accepted: Any, average: Average = "micro") -> float:
    """Harmonic mean of precision and recall of the accepted labels.

    Parameters
    ----------
    Y, accepted
        As for :func:`label_metrics`.
    average : {"micro", "macro"}
        ``"micro"`` counts all pairs of a row and a label together. ``"macro"`` averages the F1 of
        the labels; one that is neither true nor accepted anywhere is left out.

    Returns
    -------
    float
        NaN if nothing is true and nothing accepted.

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.f1([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    0.75
    """
    both, n_accepted, n_true = _count(Y, accepted)
    return _average(2 * both, n_accepted + n_true, average)


def hamming_loss(Y: Any, accepted: Any) -> float:
    """Share of pairs of a row and a label that are accepted but false, or true but not accepted.

    Parameters
    ----------
    Y, accepted
        As for :func:`label_metrics`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.hamming_loss([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.25
    """
    truth = check_truth(Y, by="Hamming loss", beside=accepted)
    both, n_accepted, n_true = _count(truth, accepted)
    return float((n_accepted + n_true - 2 * both).sum() / np.prod(truth.shape))


def _count(Y: Any, accepted: Any) -> tuple[IntArray, IntArray, IntArray]:
    """For each label, in how many rows it is true and accepted, accepted, true."""
    truth = check_truth(Y, by="A metric of accepted labels", beside=accepted)
    accepted = check_accepted(accepted, truth)
    rows, columns = truth.positives.nonzero()
    both = np.bincount(columns[accepted[rows, columns]], minlength=truth.shape[1])
    return both, np.count_nonzero(accepted, axis=0), truth.counts


def _share(part: IntArray, whole: IntArray) -> FloatArray:
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, and meant
        return part / whole


def _average(part: IntArray, whole: IntArray, average: str) -> float:
    if average == "micro":
        return float(_share(part.sum(), whole.sum()))
    if average == "macro":
        return mean_of_defined(_share(part, whole))
    raise SettingError(
        f"average={average!r} is not known; choose 'micro' or 'macro'.\n"
        "For the value of each label call label_metrics(Y, accepted)."
    )
