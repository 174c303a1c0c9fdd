"""How many labels a row has on average, estimated without reading one that was not observed.

Single positives do not tell this by themselves: rows with one label that is hard to guess and rows
with several labels that are easy to guess can look the same. It needs an assumption, and that here
is that the likeliest label of a row is true.
"""

import numpy as np
import torch
from torch import Tensor

from lamc.labels import Knowledge, Labels
from lamc.learners.rows import Rows
from lamc.learners.selection import Criterion, ObservedLikelihood
from lamc.learners.softmax import Softmax
from lamc.types import Matrix

FEW_ROWS = 10  # below so many none are held out


def expected_count(scores: Tensor) -> Tensor:
    """Mean number of labels a row that are at least half as likely as the likeliest one.

    With r the probability of each label to be the observed one, drawn uniformly from the true
    ones, r / max r is about the probability of each label to be true if the likeliest one is. Those
    from one half on are counted. Where the labels of a row are known from its features, they all
    have the same r and the count is right.

    Parameters
    ----------
    scores : Tensor of shape (..., n, K)
        Scores that estimate r up to a factor, such as those of AN and Softmax. Those of rows that
        were trained on are too sure, and those of a network that has not learnt yet are all alike:
        see :func:`estimate_count`.

    Returns
    -------
    Tensor of shape (...,)
        At least 1 and at most K.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.expected_count import expected_count
    >>> expected_count(torch.tensor([[0.4, 0.4, 0.1, 0.1], [0.3, 0.3, 0.2, 0.2]]))
    tensor(3.)
    """
    likely = scores >= scores.amax(-1, keepdim=True) / 2
    return likely.sum(-1, dtype=scores.dtype).mean(-1)


class _Probabilities(Softmax):
    """Softmax, kept where its probabilities are best, and not their order alone."""

    def _criterion(self, rows: Rows, labels: Labels) -> Criterion[Rows]:
        return ObservedLikelihood(rows, labels, as_they_are=True)


def estimate_count(
    X: Matrix,
    labels: Labels,
    *,
    standardise: bool = True,
    device: str = "cpu",
    n_threads: int | None = 1,
) -> float:
    """Estimate the mean number of true labels a row from the observed ones.

    :class:`lamc.learners.Softmax` is trained on four fifths of the rows until it predicts the
    observed labels of the others no better, and :func:`expected_count` is taken of those others.

    Estimates, and in brackets the truth, on real data (mean of three draws of the observed label):
    scene 1.2 (1.1), Image 1.4 (1.2), tmc2007 1.8 (2.2), Corel16k001 2.7 (2.9), rcv1subset1 2.2
    (2.9), corel5k 2.9 (3.5), yeast 3.7 (4.2), espgame 3.2 (4.7), mirflickr 2.3 (4.7), iaprtc12 5.1
    (5.7), delicious 6.6 (19), CAL500 20 (26). It is too high where it is hard to tell which one
    label is true, and too low, by up to a factor of three here, where labels that are often true
    are seldom likely. Where you know the number, give it.

    Parameters
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n, d)
        Training rows.
    labels : Labels
        Observed labels.
    standardise, device, n_threads
        As in :class:`lamc.learners.network.NetworkLearner`.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners.expected_count import estimate_count
    >>> data = digit_scenes(1000)
    >>> found = estimate_count(data.X, observe(data.Y, random_state=0))
    >>> print(f"{found:.1f} estimated, {data.Y.sum(axis=1).mean():.1f} in truth")
    1.8 estimated, 2.3 in truth
    """
    learner = _Probabilities(
        epochs=25,
        learning_rate=3e-4,
        patience=2,
        standardise=standardise,
        device=device,
        n_threads=n_threads,
        random_state=0,
    )
    rows = np.random.default_rng(0).permutation(len(labels))
    held, kept = np.split(rows, [len(rows) // 5]) if len(rows) >= FEW_ROWS else (rows, rows)
    seen = labels.known_as(Knowledge.SOME)
    learner.fit(X[kept], seen[kept], X[held], seen[held])
    return float(expected_count(torch.from_numpy(learner.predict_proba(X[held]))))
