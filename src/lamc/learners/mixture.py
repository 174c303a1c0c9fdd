"""Mixtures of estimates of the observed label, and what fully labelled rows tell beyond it."""

import numpy as np

from lamc.labels import Labels
from lamc.learners.trees import observed_shares
from lamc.types import FloatArray, IntArray

_MOST_STEPS = 500
_SMALL_STEP = 1e-6


def as_shares(scores: FloatArray) -> FloatArray:
    """Scores of a row divided by their sum: an estimate of which label is the observed one.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.mixture import as_shares
    >>> as_shares(np.array([[0.2, 0.6], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    totals = scores.sum(axis=1, keepdims=True)
    even = np.full_like(scores, 1 / scores.shape[1])
    return np.divide(scores, totals, out=even, where=totals > 0)


def mixture_weights(members: list[FloatArray], labels: Labels) -> FloatArray:
    """Weights of a mixture of shares under which the labels of its rows are most likely.

    The mean over rows of the mean over a row's labels of ``ln Σ_m w_m q_m`` is concave in w, and
    each step of expectation and maximisation raises it.

    Parameters
    ----------
    members : list of ndarrays of shape (n, K)
        Shares that each member gives the labels of each row. One of them gives every label a share
        above 0, such as its frequency.
    labels : Labels
        What is known of the rows: all labels, or those observed.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.learners.mixture import mixture_weights
    >>> even, right = np.full((4, 2), 0.5), np.eye(2)[[0, 1, 0, 1]]
    >>> mixture_weights([even, right], as_labels([0, 1, 0, 1])).round(2)
    array([0., 1.])
    """
    shares = observed_shares(labels).tocoo()
    row, label = shares.coords
    given = np.stack([each[row, label] for each in members])
    weights = np.full(len(members), 1 / len(members))
    for _ in range(_MOST_STEPS):
        credit = weights[:, None] * given
        credit /= credit.sum(axis=0)
        before, weights = weights, credit @ shares.data / shares.data.sum()
        if np.abs(weights - before).max() < _SMALL_STEP:
            break
    return weights


def reveal_factors(shares: FloatArray, labels: Labels, observed: IntArray) -> FloatArray:
    """How many true rows a label has for each row that shows it, from fully labelled rows.

    A row with m labels shows each with probability 1/m; so shares q estimate E[y/m], and y is true
    more often by a factor that differs from label to label. What is more, the q of a label that
    was observed ``observed`` times is itself as uncertain as a count of that size.

    With μ the mean factor, the validation rows should show ``e = μ Σ q`` true rows of a label, and
    show v. For a Poisson count v, and a factor f whose Gamma distribution has mean 1 and the weight
    of ``observed + 1`` rows, the expected f is ``(observed + 1 + v) / (observed + 1 + e)``.

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
    >>> from lamc.learners.mixture import reveal_factors
    >>> both = as_labels(np.ones((6, 2)), knowledge="all")  # both labels, in every row
    >>> reveal_factors(np.full((6, 2), 0.5), both, observed=np.array([3, 3]))
    array([2., 2.])
    """
    mean = labels.positives.nnz / shares.sum()
    expected = mean * shares.sum(axis=0)
    return mean * (observed + 1 + labels.counts) / (observed + 1 + expected)
