"""Blend: networks and trees on the observed label, pooled so that held-out labels are likely."""

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from lamc.exceptions import FeatureError, LabelError, TrainingError
from lamc.labels import Knowledge, Labels
from lamc.learners.an import WAN
from lamc.learners.base import Learner
from lamc.learners.features import read_features
from lamc.learners.holdout import hold_out, observed_only, validation_labels
from lamc.learners.numbers import is_within
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
    leaf: int


# Wider networks, dropout or more trees gain nothing on the data sets of the benchmark that can be
# told from chance. A few trees vary less with larger leaves.
_EFFORTS: Final = {
    "full": _Effort(5, 40, 6, 64, 1e-3, 100, 3),
    "fast": _Effort(1, 12, 2, 256, 3e-3, 15, 5),
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
    features would be blown up by that; the values of a feature are divided by the root mean square
    of those that are not 0 instead. They have as many hidden units as there are labels, but 256 at
    least and 1024 at most.

    Given validation rows with all their labels, the frequencies of labels are also corrected. How
    often a label is true is poorly known if it was observed a few times. Its scores are multiplied
    by a factor, which those validation rows tell, and which stays near that of the other labels
    where the training rows know better.

    What else follows from the rows is how large batches are, and how many features a tree looks at
    (:class:`Trees`). Nothing is set for a data set.

    Parameters
    ----------
    effort : {"full", "fast"}
        100 trees and five networks trained until they get no better, or 15 trees and one network
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
    scale_ : ndarray of shape (d,)
        What the networks see features divided by, where nine in ten are 0; else 1.
    factors_ : ndarray of shape (K,)
        Factor of each label, the same for all without fully labelled validation rows. With it,
        scores add up to as many labels as the validation rows, or those held out, have.

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
        self._forget()
        self._check()
        rows, labels = self._read(X, y)
        if (X_val is None) != (Y_val is None):
            raise LabelError("Give both X_val and Y_val, or neither.")
        if X_val is None:
            kept, held = hold_out(labels, self.validation_size)
            rows_val, labels_val = rows[held], observed_only(labels[held])
            if len(kept) < 2:
                raise FeatureError(
                    f"X has n_samples = {len(labels)}; Blend holds a row out to choose by, and "
                    "needs two to learn from.\nGive more rows, or a validation set."
                )
            rows, labels = rows[kept], labels[kept]
        else:
            rows_val = read_features(self, X_val, reset=False, called="X_val")
            labels_val = validation_labels(Y_val, labels.classes)
            labels_val.require_rows(rows_val.shape[0], of="X_val")
        self._fit_members(rows, labels, rows_val, labels_val)
        members = self._shares(rows_val)
        weights = pool_weights(members, labels_val)
        self.weights_ = dict(zip(_MEMBERS, weights.tolist(), strict=True))
        shares = pooled(members, weights)
        factors: FloatArray = np.ones(len(labels.classes))
        if labels_val.knowledge is Knowledge.ALL:
            factors = reveal_factors(shares, labels_val, labels.counts)
        self.factors_ = factors * count_factor(factors * shares, labels_val.positives.nnz)
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
        filled = rows.count_nonzero() if sparse.issparse(rows) else np.count_nonzero(rows)
        mostly_zero = filled < _FEW * math.prod(rows.shape)
        self.scale_ = root_mean_squares(rows) if mostly_zero else np.ones(rows.shape[1])
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
        )
        self.network_.fit(
            self._scaled(rows), labels, self._scaled(rows_val), observed_only(labels_val)
        )
        self.trees_ = Trees(
            n_trees=effort.trees,
            min_leaf=effort.leaf,
            n_jobs=-1 if self.n_threads is None else self.n_threads,
            random_state=rng.randint(2**31 - 1),
        ).fit(rows, labels)
        counts = labels.counts + 0.5  # a label that was never observed is not impossible
        self.frequencies_ = counts / counts.sum()

    def _shares(self, rows: ScoreMatrix) -> list[FloatArray]:
        """What each member gives the labels of each row; the networks fill in for trees."""
        network = shares_of_odds(self.network_.predict_proba(self._scaled(rows)))
        trees = (1 - _UNSEEN) * self.trees_.predict_proba(rows) + _UNSEEN * network
        return [network, trees, np.broadcast_to(self.frequencies_, network.shape)]

    def _scaled(self, rows: ScoreMatrix) -> ScoreMatrix:
        if (self.scale_ == 1).all():
            return rows
        factors = (1 / self.scale_).astype(rows.dtype)
        return rows @ sparse.diags_array(factors) if sparse.issparse(rows) else rows * factors

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "factors_")

    def _check(self) -> None:
        if self.effort not in _EFFORTS:
            raise TrainingError(f"effort={self.effort!r}; give 'full' or 'fast'.")
        if not is_within(self.validation_size, above=0, below=1):
            raise TrainingError(
                f"validation_size={self.validation_size!r}; give a share above 0 and below 1."
            )


def root_mean_squares(rows: ScoreMatrix) -> FloatArray:
    """Root mean square of the values of each feature that are not 0; 1 where all are.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.blend import root_mean_squares
    >>> root_mean_squares(np.array([[0.0, 3.0, 0.0], [2.0, 4.0, 0.0]])).round(2)
    array([2.  , 3.54, 1.  ])
    """
    columns = sparse.csc_array(rows)
    columns.eliminate_zeros()
    largest = np.maximum(abs(columns).max(axis=0).toarray(), np.finfo(np.float64).tiny).ravel()
    squares = (columns / largest).power(2).sum(axis=0)
    found = largest * np.sqrt(squares / np.maximum(np.diff(columns.indptr), 1))
    return np.where(squares > 0, found, 1.0)
