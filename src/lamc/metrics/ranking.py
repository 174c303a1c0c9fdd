"""Example-based ranking metrics: how well each row's labels are ordered by their scores.

Ties count as the worst case, and a row without true labels as ranked perfectly, as in
scikit-learn: no order of its labels would be better. With ``accepted`` each row is restricted to
its accepted labels; rows without an accepted true label are left out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lamc.metrics.inputs import check_accepted, check_scores, check_truth
from lamc.metrics.ranks import row_ranks
from lamc.types import BoolArray, SparseMatrix


@dataclass(frozen=True)
class RankingMetrics:
    """The ranking metrics of one set of scores; made by :func:`ranking_metrics`.

    Attributes
    ----------
    average_precision, coverage_error, ranking_loss, one_error : float
        As the functions of these names give them.
    left_out : float
        Share of rows that did not count because none of their true labels was accepted; 0 when
        all labels are ranked.

    Examples
    --------
    >>> from lamc import metrics
    >>> found = metrics.ranking_metrics([[1, 0, 0], [0, 0, 1]], [[0.9, 0.2, 0.1], [0.8, 0.1, 0.3]])
    >>> found.average_precision, found.one_error, found.left_out
    (0.75, 0.5, 0.0)
    """

    average_precision: float
    coverage_error: float
    ranking_loss: float
    one_error: float
    left_out: float


def ranking_metrics(Y: Any, scores: Any, accepted: Any = None) -> RankingMetrics:
    """All ranking metrics from one pass over the scores.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame, list of label sets, or Labels
        All true labels of every row, in any form that :func:`lamc.as_labels` reads.
    scores : array-like of shape (n, K)
        The higher, the likelier the label. float32 scores are compared in float32.
    accepted : array-like of bool, shape (n, K), optional
        The labels accepted. Each row is then restricted to these; rows without an accepted true
        label are left out, and their share is ``left_out``. If no row remains, the metrics are
        NaN.

    Returns
    -------
    RankingMetrics

    Examples
    --------
    >>> from lamc import metrics
    >>> Y = [[1, 0, 0], [0, 0, 1]]
    >>> scores = [[0.9, 0.2, 0.1], [0.8, 0.1, 0.3]]
    >>> metrics.ranking_metrics(Y, scores, accepted=[[1, 1, 0], [1, 0, 0]])
    RankingMetrics(average_precision=1.0, coverage_error=0.0, ranking_loss=0.0, one_error=0.0,
                   left_out=0.5)
    """
    truth = check_truth(Y, by="A ranking metric", beside=scores)
    scores = check_scores(scores, truth)
    positives = truth.positives
    if accepted is not None:
        accepted = check_accepted(accepted, truth)
        positives = _accepted_positives(positives, accepted)
    ranks = row_ranks(positives, scores, accepted)

    counted = ranks.true > 0 if accepted is not None else np.ones(len(ranks.true), dtype=bool)
    n_counted = np.count_nonzero(counted)
    if n_counted == 0:
        return RankingMetrics(np.nan, np.nan, np.nan, np.nan, left_out=1.0)
    return RankingMetrics(
        average_precision=float(ranks.average_precision[counted].mean()),
        coverage_error=float(ranks.beyond_first.sum() / (n_counted * truth.shape[1])),
        ranking_loss=float(ranks.ranking_loss.sum() / n_counted),
        one_error=float(np.count_nonzero(ranks.topped) / n_counted),
        left_out=float(np.mean(~counted)),
    )


def average_precision(Y: Any, scores: Any, accepted: Any = None) -> float:
    """Example-based average precision: the larger the better, 1 at best.

    For each true label, the share of true ones among the labels of the row that score at least as
    high; averaged over the row's true labels, then over rows. A row without true labels counts as
    1. Equal to scikit-learn's ``label_ranking_average_precision_score``.

    Parameters
    ----------
    Y, scores, accepted
        As for :func:`ranking_metrics`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.average_precision([[1, 0, 0], [0, 0, 1]], [[0.9, 0.2, 0.1], [0.8, 0.1, 0.3]])
    0.75
    """
    return ranking_metrics(Y, scores, accepted).average_precision


def coverage_error(Y: Any, scores: Any, accepted: Any = None) -> float:
    """Coverage, (depth − 1) / K averaged over rows: the smaller the better.

    The depth is how many of the row's labels, from the highest score down, must be read to meet
    all true ones. A row without true labels counts as 0. scikit-learn's ``coverage_error`` is the
    mean depth. With ``accepted`` the depth is counted among the accepted labels, and K remains the
    number of all labels, so that rows with few and with many accepted labels are on one scale.

    Parameters
    ----------
    Y, scores, accepted
        As for :func:`ranking_metrics`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.coverage_error([[1, 0, 0, 0], [0, 0, 1, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]])
    0.25
    """
    return ranking_metrics(Y, scores, accepted).coverage_error


def ranking_loss(Y: Any, scores: Any, accepted: Any = None) -> float:
    """Share of a row's pairs of a true and a false label that are in wrong order or tied.

    Averaged over rows: the smaller the better. A row whose labels are all true or all false has no
    such pair and counts as 0. Equal to scikit-learn's ``label_ranking_loss``. With ``accepted``
    only pairs of two accepted labels count.

    Parameters
    ----------
    Y, scores, accepted
        As for :func:`ranking_metrics`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.9, 0.2, 0.1], [0.8, 0.1, 0.3]])
    0.25
    """
    return ranking_metrics(Y, scores, accepted).ranking_loss


def one_error(Y: Any, scores: Any, accepted: Any = None) -> float:
    """Share of rows whose highest score is not a true label's alone: the smaller the better.

    A row is right if a true label scores strictly above all false ones. A row without true labels
    counts as right.

    Parameters
    ----------
    Y, scores, accepted
        As for :func:`ranking_metrics`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lamc import metrics
    >>> metrics.one_error([[1, 0, 0], [0, 0, 1]], [[0.9, 0.2, 0.1], [0.8, 0.1, 0.3]])
    0.5
    """
    return ranking_metrics(Y, scores, accepted).one_error


def left_out_share(Y: Any, accepted: Any) -> float:
    """Share of rows without an accepted true label, which ``accepted=`` leaves out.

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
    >>> metrics.left_out_share([[1, 0, 0], [0, 0, 1]], [[1, 1, 0], [1, 0, 0]])
    0.5
    """
    truth = check_truth(Y, by="The share left out", beside=accepted)
    positives = _accepted_positives(truth.positives, check_accepted(accepted, truth))
    return float(np.mean(np.diff(positives.indptr) == 0))


def _accepted_positives(positives: SparseMatrix, accepted: BoolArray) -> SparseMatrix:
    rows = np.repeat(np.arange(len(accepted)), np.diff(positives.indptr))
    kept = accepted[rows, positives.indices]
    before = np.concatenate([[0], np.cumsum(kept)])
    return sparse.csr_array(
        (kept[kept], positives.indices[kept], before[positives.indptr]), shape=positives.shape
    )
