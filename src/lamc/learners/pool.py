"""Pools of estimates of the observed label, and what fully labelled rows tell beyond it."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import logsumexp, softmax
from sklearn.utils import gen_batches

from lamc.labels import Labels
from lamc.learners.trees import observed_shares
from lamc.types import FloatArray, IntArray

_LEAST = 1e-12  # share of a label that a member thinks impossible
_ENTRIES = 10_000_000  # rows × labels that weights are found from
ENOUGH_ROWS = 40  # to find the weights of a pool by nothing else, or labels that come together
MOST_RATE = 30.0  # beyond which 1 − exp(−rate) tells no two labels apart


def as_shares(scores: FloatArray) -> FloatArray:
    """Scores of a row divided by their sum: an estimate of which label is the observed one.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.pool import as_shares
    >>> as_shares(np.array([[0.2, 0.6], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    totals = scores.sum(axis=1, keepdims=True)
    even = np.full_like(scores, 1 / scores.shape[1])
    return np.divide(scores, totals, out=even, where=totals > 0)


def shares_of_odds(scores: FloatArray) -> FloatArray:
    """Shares behind the scores of WAN, whose loss is least where the odds are (K − 1) r / (1 − r).

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.pool import shares_of_odds
    >>> r = np.array([[0.7, 0.2, 0.1]])
    >>> odds = 2 * r / (1 - r)
    >>> shares_of_odds(odds / (1 + odds))
    array([[0.7, 0.2, 0.1]])
    """
    n_labels = scores.shape[1]
    return as_shares(scores / ((n_labels - 1) * (1 - scores) + scores))


def pooled(members: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Product of the members' shares, each to the power of its weight, as shares.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.pool import pooled
    >>> one, other = np.array([[0.5, 0.5]]), np.array([[0.2, 0.8]])
    >>> pooled([one, other], np.array([1.0, 0.5])).round(3)
    array([[0.333, 0.667]])
    """
    logs = sum(weight * _log(member) for weight, member in zip(weights, members, strict=True))
    return np.asarray(softmax(logs, axis=1))


def rows_to_weigh(n: int, n_labels: int) -> IntArray:
    """Rows that are enough to find epochs and weights by: all, if labels are not very many.

    Examples
    --------
    >>> from lamc.learners.pool import rows_to_weigh
    >>> len(rows_to_weigh(500, n_labels=100)), len(rows_to_weigh(50_000, n_labels=5_000))
    (500, 2000)
    """
    return some_rows(n, max(1, _ENTRIES // n_labels))


def some_rows(n: int, most: int) -> IntArray:
    """All of n rows or some of them, in order; drawn, for they may be sorted or come in turns.

    Examples
    --------
    >>> from lamc.learners.pool import some_rows
    >>> some_rows(3, most=5), some_rows(1_000, most=3)
    (array([0, 1, 2]), array([511, 636, 848]))
    """
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def pool_weights(
    members: Sequence[FloatArray], labels: Labels, things: IntArray | None = None
) -> FloatArray:
    """Weights of a pool under which the labels of its rows are most likely.

    The mean over rows of the mean over a row's labels of the logarithm of :func:`pooled` is concave
    in the weights. They lie from 0 to 2: below 1 in all, a pool is less sure than its members.
    Fewer than 40 rows with a label tell too little, and equal weights of 1 in all are taken to be
    likely beforehand: the squared distance from them counts as up to one row against others.

    Parameters
    ----------
    members : sequence of ndarrays of shape (n, K)
        Shares that each member gives the labels of each row.
    labels : Labels
        What is known of the rows: all labels, or those observed.
    things : ndarray of int, shape (n,), optional
        The thing that each row shows. Copies are no further witnesses among the 40.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.learners.pool import pool_weights
    >>> even, right = np.full((4, 2), 0.5), np.array([[0.7, 0.3], [0.3, 0.7]] * 2)
    >>> pool_weights([even, right], as_labels([0, 1, 0, 1])).round(2)
    array([0.5 , 1.05])
    """
    logs = np.stack([_log(member) for member in members])
    shares = observed_shares(labels).toarray()
    equal = np.full(len(members), 1 / len(members))
    weight_of_row = shares.sum(axis=1)  # 0 for a row without a label, else 1
    witnesses = np.arange(len(labels)) if things is None else things
    prior = max(0.0, 1 - len(np.unique(witnesses[weight_of_row > 0])) / ENOUGH_ROWS)
    observed = np.einsum("mnk,nk->m", logs, shares)

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        pool = np.tensordot(weights, logs, axes=1)
        total = logsumexp(pool, axis=1, keepdims=True)
        expected = np.einsum("mnk,nk,n->m", logs, np.exp(pool - total), weight_of_row)
        away = weights - equal
        value = weight_of_row @ total[:, 0] - weights @ observed + prior * (away @ away)
        return float(value), expected - observed + 2 * prior * away

    found = minimize(loss, equal, jac=True, method="L-BFGS-B", bounds=[(0, 2)] * len(members))
    return np.asarray(found.x)


def _log(shares: FloatArray) -> FloatArray:
    return np.log(np.maximum(shares, _LEAST))


def reveal_factors(shares: FloatArray, labels: Labels, observed: IntArray) -> FloatArray:
    """By how much labels are more frequent than their shares say, from fully labelled rows.

    The share q of a label that was observed ``observed`` times is as uncertain as a count of that
    size. With μ the mean number of true labels a row, the validation rows should show ``e = μ Σ q``
    true rows of a label, and show v. For a Poisson count v, and a factor f whose Gamma distribution
    has mean 1 and the weight of ``observed + 1`` rows, the expected f is
    ``(observed + 1 + v) / (observed + 1 + e)``, times μ.

    So labels that were hardly observed are corrected, and often observed ones little. That is on
    purpose. A row with m labels shows each with probability 1/m, so that shares estimate E[y/m],
    and a label of rows with many labels is true more often than its share says, however often it
    was observed. But average precision, like most measures of a row's ranking, weighs the labels
    of such rows by 1/m too: ranking by E[y/m] is better by it than ranking by P(y).

    Parameters
    ----------
    shares : ndarray of shape (n, K)
        Estimates q for the validation rows.
    labels : Labels
        All their labels.
    observed : ndarray of int, shape (K,)
        Training rows on which each label was observed.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.learners.pool import reveal_factors
    >>> both = as_labels(np.ones((6, 2)), knowledge="all")  # both labels, in every row
    >>> reveal_factors(np.full((6, 2), 0.5), both, observed=np.array([3, 3]))
    array([2., 2.])
    """
    mean = labels.positives.nnz / shares.sum()
    expected = mean * shares.sum(axis=0)
    return mean * (observed + 1 + labels.counts) / (observed + 1 + expected)


def count_factor(rates: FloatArray, n_true: int) -> float:
    """The c for which the probabilities 1 − exp(−c rate) add up to a number of true labels.

    If all labels are true no c is large enough, and one is taken that leaves the rates apart.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.pool import count_factor
    >>> rates = np.array([[0.1, 2.0], [0.5, 0.5]])
    >>> c = count_factor(rates, 2)
    >>> float(-np.expm1(-c * rates).sum().round(6))
    2.0
    """
    low, high = np.log(_LEAST), -np.log(_LEAST)

    parts = [rates[part] for part in gen_batches(len(rates), max(1, _ENTRIES // rates.shape[1]))]

    def surplus(log_c: float) -> float:
        return float(sum(-np.expm1(-np.exp(log_c) * part).sum() for part in parts) - n_true)

    if surplus(high) <= 0:
        largest = float(rates.max())
        return MOST_RATE / largest if largest > 0 else 1.0
    return float(np.exp(brentq(surplus, low, high))) if surplus(low) < 0 else 1.0
