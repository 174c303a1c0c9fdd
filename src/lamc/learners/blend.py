"""Blend: networks and trees on the observed label, pooled so that held-out labels are likely."""

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from lamc.exceptions import LabelError, TrainingError
from lamc.labels import Knowledge, Labels
from lamc.learners.an import WAN
from lamc.learners.base import Learner
from lamc.learners.holdout import hold_out, observed_only, validation_labels
from lamc.learners.pool import (
    count_factor,
    pool_weights,
    pooled,
    reveal_factors,
    shares_of_odds,
)
from lamc.learners.trees import Trees
from lamc.types import FloatArray, ScoreMatrix


class _Effort(NamedTuple):
    networks: int
    epochs: int
    patience: int
    batch: int
    rate: float
    trees: int


# Wider networks, dropout or more trees gain nothing on the data sets of the benchmark that can be
# told from chance.
_EFFORTS: Final = {
    "full": _Effort(5, 40, 6, 64, 1e-3, 100),
    "fast": _Effort(1, 8, 2, 256, 4e-3, 10),
}
_MEMBERS: Final = ("network", "trees", "frequencies")
_UNSEEN = 0.1  # share of the networks in what trees give, which alone is 0 for many labels
_FEW = 0.1  # share of values that are not 0, below which features are like words
_MOST_BATCHES = 400  # of an epoch: the more rows, the larger batches are
_WIDTHS = (256, 1024)  # fewest and most hidden units; between them, one a label


@dataclass(kw_only=True, eq=False, repr=False)
class Blend(Learner):
    """Networks and trees, pooled: the scorer for someone who has no time to tune one.

    Three estimates of r, the probability that a label is the one observed, are pooled: the mean of
    five networks (:class:`WAN`), stopped when held-out labels get less likely; extremely randomised
    trees (:class:`Trees`); and how often the label was observed at all. The pool is their product,
    each to the power of a weight, under which held-out labels are most likely. So trees carry dense
    features, the networks sparse ones, and where there is little to learn the scores stay near the
    frequencies.

    The networks see features standardised. Where nine in ten values are 0, as of words, rare
    features would be blown up by that; all values are divided by one number instead, the root mean
    square of those that are not 0. They have as many hidden units as there are labels, but 256 at
    least and 1024 at most.

    Given validation rows with all their labels, the scores are also corrected for what was
    revealed. A label with few observations, or one that stands in rows with many others, is
    observed less often than it is true. Its scores are multiplied by a factor, which those
    validation rows tell and which stays near 1 where the training rows know better.

    Nothing else is chosen by data, and nothing is set for a data set.

    Parameters
    ----------
    effort : {"full", "fast"}
        100 trees and five networks trained until they get no better, or 10 trees and one network
        trained for a few epochs in about a tenth of the time.
    validation_size : float
        Share of the rows held out to find epochs and weights by, when ``fit`` is given no
        validation set.
    device : str
        Where to train the networks: ``"cpu"``, ``"cuda"``, or ``"auto"`` for the fastest there is.
    n_threads : int or None
        Threads for the networks and the trees; None for as many as there are cores.
    verbose : bool
        Show how far training has come.
    random_state : int, RandomState or None
        Seed of networks and trees.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels.
    network_ : WAN
        The networks, whose mean it gives.
    trees_ : Trees
        The trees.
    frequencies_ : ndarray of shape (K,)
        Share of the training rows on which each label was observed.
    weights_ : dict
        Weight of each member in the pool.
    scale_ : float
        What the networks see features divided by, where nine in ten are 0; else 1.
    factors_ : ndarray of shape (K,)
        Factor of each label: its expected number of true rows for each row that is observed with
        it, times one number by which scores add up to as many labels as validation rows have. All
        1 without fully labelled validation rows.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import Blend
    >>> from lamc.metrics import average_precision
    >>> data = digit_scenes(400)
    >>> blend = Blend(effort="fast", random_state=0)
    >>> blend = blend.fit(data.X[:300], observe(data.Y[:300], random_state=0))
    >>> sorted(blend.weights_)
    ['frequencies', 'network', 'trees']
    >>> average_precision(data.Y[300:], blend.predict_proba(data.X[300:])) > 0.5
    True
    """

    effort: Literal["full", "fast"] = "full"
    validation_size: float = 0.1
    device: str = "auto"
    n_threads: int | None = 1
    verbose: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: Any, X_val: Any = None, Y_val: Any = None) -> Self:
        """Learn from rows and the labels observed on them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training rows.
        y : labels in any form of :func:`lamc.as_labels`
            Observed labels; what is not marked counts as unknown.
        X_val, Y_val : optional
            Rows to choose by, with all their labels (as a matrix or lists) or one observed label
            each. Without them a part of ``X`` is held out, and judged by its observed labels.
        """
        self._check()
        rows, labels = self._read(X, y)
        if (X_val is None) != (Y_val is None):
            raise LabelError("Give both X_val and Y_val, or neither.")
        if X_val is None:
            kept, held = hold_out(len(labels), self.validation_size)
            rows_val, labels_val = rows[held], observed_only(labels[held])
            rows, labels = rows[kept], labels[kept]
        else:
            rows_val, labels_val = self._check_rows(X_val), validation_labels(Y_val, labels.classes)
            labels_val.require_rows(rows_val.shape[0], of="X_val")
        self._fit_members(rows, labels, rows_val, labels_val)
        members = self._shares(rows_val)
        weights = pool_weights(members, labels_val)
        self.weights_ = dict(zip(_MEMBERS, weights.tolist(), strict=True))
        self.factors_: FloatArray = np.ones(len(labels.classes))
        if labels_val.knowledge is Knowledge.ALL:
            shares = pooled(members, weights)
            self.factors_ = reveal_factors(shares, labels_val, labels.counts)
            self.factors_ *= count_factor(self.factors_ * shares, labels_val.positives.nnz)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return 1 − exp(−f q), for pooled shares q and factors f: a score from 0 to below 1.

        If a label's true rows came as a Poisson process of rate f q, this would be the probability
        of at least one.
        """
        rows = self._check_rows(X)
        weights = np.array(list(self.weights_.values()))
        return -np.expm1(-self.factors_ * pooled(self._shares(rows), weights))

    def _fit_members(
        self, rows: ScoreMatrix, labels: Labels, rows_val: ScoreMatrix, labels_val: Labels
    ) -> None:
        effort = _EFFORTS[self.effort]
        rng = check_random_state(self.random_state)
        values = _not_zero(rows)
        mostly_zero = values.size < _FEW * math.prod(rows.shape)
        self.scale_ = _root_mean_square(values) if mostly_zero else 1.0
        self.network_ = WAN(
            n_models=effort.networks,
            hidden=int(np.clip(len(labels.classes), *_WIDTHS)),
            epochs=effort.epochs,
            patience=effort.patience,
            batch_size=max(effort.batch, rows.shape[0] // _MOST_BATCHES),
            learning_rate=effort.rate,
            standardise=not mostly_zero,
            device=self.device,
            n_threads=self.n_threads,
            verbose=self.verbose,
            random_state=rng.randint(2**31 - 1),
        ).fit(rows / self.scale_, labels, rows_val / self.scale_, observed_only(labels_val))
        self.trees_ = Trees(
            n_trees=effort.trees,
            n_jobs=-1 if self.n_threads is None else self.n_threads,
            random_state=rng.randint(2**31 - 1),
        ).fit(rows, labels)
        counts = labels.counts + 0.5  # a label that was never observed is not impossible
        self.frequencies_ = counts / counts.sum()

    def _shares(self, rows: ScoreMatrix) -> list[FloatArray]:
        """What each member gives the labels of each row; the networks fill in for trees."""
        network = shares_of_odds(self.network_.predict_proba(rows / self.scale_))
        trees = (1 - _UNSEEN) * self.trees_.predict_proba(rows) + _UNSEEN * network
        return [network, trees, np.broadcast_to(self.frequencies_, network.shape)]

    def _check(self) -> None:
        if self.effort not in _EFFORTS:
            raise TrainingError(f"effort={self.effort!r}; give 'full' or 'fast'.")
        if not 0 < self.validation_size < 1:
            raise TrainingError(
                f"validation_size={self.validation_size!r}; give a share above 0 and below 1."
            )


def _not_zero(rows: ScoreMatrix) -> FloatArray:
    values = rows.data if sparse.issparse(rows) else rows
    return np.asarray(values[values != 0])


def _root_mean_square(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 1.0
