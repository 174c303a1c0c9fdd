"""Blend: networks and trees on the observed label, pooled so that held-out labels are likely."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state, gen_batches

from lamc.exceptions import FeatureError, LabelError
from lamc.labels import Knowledge, Labels
from lamc.labels.columns import require_same_rows
from lamc.learners.an import WAN
from lamc.learners.base import Learner
from lamc.learners.features import read_features
from lamc.learners.holdout import (
    drawn_parts,
    observed_only,
    require_known_columns,
    shown_things,
    tell_of_negatives,
    validation_labels,
)
from lamc.learners.label_regression import LabelRegression
from lamc.learners.numbers import Check, is_flag, is_within, one_of
from lamc.learners.outliers import Fences
from lamc.learners.pool import (
    MOST_RATE,
    count_factor,
    pool_weights,
    pooled,
    reveal_factors,
    rows_to_weigh,
    shares_of_odds,
    some_rows,
)
from lamc.learners.scaling import ends_of, in_units, stays_sparse, units_of, varied
from lamc.learners.trees import Trees
from lamc.types import BoolArray, FloatArray, IntArray, Matrix


class _Effort(NamedTuple):
    networks: int
    epochs: int
    patience: int
    batch: int
    rate: float
    trees: int
    directions: int
    coarse: bool  # what rows do not gain from is left out: see `_networks` and `_shape_of_trees`


# Wider networks, dropout or more trees gain nothing on the data sets of the benchmark that can be
# told from chance. In the time of a few good trees many coarse ones do better.
_EFFORTS: Final = {
    "full": _Effort(5, 40, 6, 64, 1e-3, 100, 32, coarse=False),
    "fast": _Effort(1, 12, 2, 128, 2e-3, 60, 4, coarse=True),
}
_MEMBERS: Final = ("network", "trees", "frequencies")
_UNSEEN = 0.1  # share of the networks in what trees give, which alone is 0 for many labels
_FEW = 0.1  # share of values that are not 0, below which features are like words
_MOST_BATCHES = 400  # of an epoch: the more rows, the larger batches are
_GROWN = (1_000, 10_000)  # fewest and most rows that a coarse tree is grown on, if not on all
_ENTRIES = 10_000_000  # rows × labels that members score at once
_WIDTHS = (256, 1024)  # fewest and most hidden units; between them, one a label
_COMPARED = 1_000  # training rows at most that validation rows are compared with
_SMALL = 500_000  # weights, up to which a second network costs little beside the trees


@dataclass(kw_only=True, eq=False, repr=False)
class Blend(Learner):
    """Networks and trees, pooled: the scorer for someone who has no time to tune one.

    Three estimates of r, the probability that a label is the one observed, are pooled: the mean of
    five networks (:class:`WAN`), stopped when held-out labels get less likely; extremely randomised
    trees (:class:`Trees`); and how often the label was observed at all. The pool is their product,
    each to the power of a weight, under which held-out labels are most likely. So trees carry dense
    features, the networks sparse ones, and where there is little to learn the scores stay near the
    frequencies.

    Values far from the others of a feature, such as one −9999, are brought nearer first
    (:class:`lamc.learners.outliers.Fences`). The networks see features standardised. Where nine in
    ten values are 0, as of words, rare features would be blown up by that; so a feature that is 0
    in half of the rows or more is only divided by the root mean square of its other values. They
    have as many hidden units as there are labels, but 256 at least and 1024 at most. Where less
    than half of the features ever vary, as with hashed words, they see only those.

    Given validation rows with all their labels, the frequencies of labels are also corrected. How
    often a label is true is poorly known if it was observed a few times. Its scores are multiplied
    by a factor, which those validation rows tell, and which stays near that of the other labels
    where the training rows know better. And labels that come together are told from them: one
    observed label a row never shows two (:class:`lamc.learners.label_regression.LabelRegression`).

    Without validation rows a part of the training rows is held out to find epochs and weights by,
    rows with equal features together. Which ones does not depend on their labels: if rare labels
    were spared, the pool would be too sure of the others. After that, trees and frequencies learn
    from the rows held out as well.

    What else follows from the rows is how large batches are, and how many features a tree looks at
    (:class:`Trees`), of those that vary. Nothing is set for a data set.

    Parameters
    ----------
    effort : {"full", "fast"}
        100 trees and five networks trained until they get no better, or one network trained for a
        few epochs and 60 coarse trees, in about a tenth of the time. Many dense rows have 120
        smaller trees; rows that are mostly zeros have 20 trees, and two networks if these are
        small.
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
        Share of the observations that each label has, with half a one more for every label.
    weights_ : dict
        Weight of each member in the pool.
    centre_, scale_ : ndarrays of shape (d,)
        What is taken off features and what they are then divided by before the networks see them,
        where nine in ten values are 0; else 0 and 1, for networks standardise by themselves, and
        infinite for features that they do not see.
    fences_ : Fences
        Beyond which values are brought nearer.
    regression_ : LabelRegression
        What fully labelled validation rows tell of labels that come together.
    factors_ : ndarray of shape (K,)
        Factor of each label, the same for all without fully labelled validation rows. With it,
        scores of new rows add up to as many labels as validation rows, or those held out, have.

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
            each; drawn like the rows to be scored, and not picked by their labels. Without them a
            part of ``X`` is held out, and judged by its observed labels.
        """
        self._forget()
        self.check_settings()
        rows, labels = self._read(X, y)
        tell_of_negatives(labels, by="Blend")
        labels = replace(labels, negatives=None)
        if (X_val is None) != (Y_val is None):
            raise LabelError("Give both X_val and Y_val, or neither.")
        require_known_columns(Y_val, y)
        kept: IntArray = np.arange(len(labels))
        if X_val is None:
            kept, held = drawn_parts(len(labels), self.validation_size, rows, labels)
            rows_val, labels_val = rows[held], observed_only(labels[held])
            if len(kept) < 2:
                raise FeatureError(
                    f"X has n_samples = {len(labels)}; Blend holds a row out to choose by, and "
                    "needs two to learn from.\nGive more rows, a smaller validation_size, or a "
                    "validation set."
                )
        else:
            rows_val = read_features(self, X_val, reset=False, called="X_val")
            require_same_rows(Y_val, X_val, names=("Y_val", "X_val"))
            labels_val = validation_labels(Y_val, labels.classes)
            labels_val.require_rows(rows_val.shape[0], of="X_val")
        self.fences_ = Fences.of(rows[kept])
        rows, rows_val = self.fences_.transform(rows), self.fences_.transform(rows_val)
        if labels_val.knowledge is not Knowledge.ALL:  # a row without a label tells nothing then
            told = np.flatnonzero(labels_val.cardinality)
            rows_val, labels_val = rows_val[told], labels_val[told]
        weighed = rows_to_weigh(*labels_val.shape)
        self._fit_members(rows[kept], labels[kept], rows_val[weighed], labels_val[weighed])
        things = shown_things(rows_val[weighed], labels_val[weighed])
        weights = pool_weights(self._shares(rows_val[weighed]), labels_val[weighed], things)
        if not weights.any():  # no member is better than even shares, which rank nothing
            weights[_MEMBERS.index("frequencies")] = 1.0
        self.weights_ = dict(zip(_MEMBERS, weights.tolist(), strict=True))
        shares = self._pooled(rows_val)
        factors: FloatArray = np.ones(len(labels.classes))
        self.regression_ = LabelRegression.none(len(labels.classes))
        if labels_val.knowledge is Knowledge.ALL:
            factors = reveal_factors(shares, labels_val, labels.counts)
            of_training = self._pooled(rows[kept[some_rows(len(kept), _COMPARED)]])
            self.regression_ = LabelRegression.of(
                shares[weighed], labels_val[weighed], labels.counts, of_training, things
            )
            shares = self.regression_.multiplied(shares)
        shares *= factors
        factors *= count_factor(shares, labels_val.positives.nnz)
        if len(kept) < len(labels):
            self.trees_.refill(rows, labels)
            self.frequencies_ = frequencies(labels)
        self.factors_ = factors
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return 1 − exp(−f g q), a score from 0 to 1, for pooled shares q and factors f and g.

        f is a label's own, and g what :class:`LabelRegression` says of the row.

        If a label's true rows came as a Poisson process of rate f g q, this would be the
        probability of at least one.
        """
        rows = self._check_rows(X)
        scores = self.regression_.multiplied(self._pooled(self.fences_.transform(rows)))
        scores *= self.factors_
        np.minimum(scores, MOST_RATE, out=scores)  # no label is certain
        np.expm1(-scores, out=scores)
        return np.negative(scores, out=scores)

    def _fit_members(
        self, rows: Matrix, labels: Labels, rows_val: Matrix, labels_val: Labels
    ) -> None:
        effort = _EFFORTS[self.effort]
        rng = check_random_state(self.random_state)
        filled = rows.count_nonzero() if sparse.issparse(rows) else np.count_nonzero(rows)
        thin = filled < _FEW * math.prod(rows.shape) or stays_sparse(rows)
        vary = varied(*ends_of(rows))
        self.centre_, self.scale_ = units_of(rows) if thin else _units_of_dense(vary)
        n_seen = self._scaled(rows[:1]).shape[1]
        width = int(np.clip(len(labels.classes), *_WIDTHS))
        self.network_ = WAN(
            n_models=_networks(effort, width * (n_seen + len(labels.classes)), thin=thin),
            hidden=width,
            epochs=effort.epochs,
            patience=effort.patience,
            batch_size=max(effort.batch, rows.shape[0] // _MOST_BATCHES),
            learning_rate=effort.rate,
            standardise=not thin,
            device=self.device,
            n_threads=self.n_threads,
            verbose=self.verbose,
            random_state=rng.randint(2**31 - 1),
        )
        self.network_.fit(
            self._scaled(rows), labels, self._scaled(rows_val), observed_only(labels_val)
        )
        if not thin and sparse.issparse(rows):
            rows = rows.toarray()  # trees grow faster on it
        self.trees_ = Trees(
            **_shape_of_trees(effort, rows.shape[0], int(vary.sum()), thin=thin),
            n_directions=effort.directions,
            n_jobs=-1 if self.n_threads is None else self.n_threads,
            random_state=rng.randint(2**31 - 1),
        ).fit(rows, labels)
        self.frequencies_ = frequencies(labels)

    def _pooled(self, rows: Matrix) -> FloatArray:
        """Pooled shares; of few rows at a time, for members take several times the memory."""
        weights = np.array(list(self.weights_.values()))
        shares = np.empty((rows.shape[0], len(self.classes_)))
        for part in gen_batches(rows.shape[0], max(1, _ENTRIES // shares.shape[1])):
            shares[part] = pooled(self._shares(rows[part]), weights)
        return shares

    def _shares(self, rows: Matrix) -> list[FloatArray]:
        """What each member gives the labels of each row; the networks fill in for trees."""
        network = shares_of_odds(self.network_.predict_proba(self._scaled(rows)))
        trees = (1 - _UNSEEN) * self.trees_.predict_proba(rows) + _UNSEEN * network
        return [network, trees, np.broadcast_to(self.frequencies_, network.shape)]

    def _scaled(self, rows: Matrix) -> Matrix:
        if (self.scale_ == 1).all() and not self.centre_.any():
            return rows
        centre, scale = self.centre_, self.scale_
        seen = np.flatnonzero(np.isfinite(scale))
        if 0 < len(seen) < len(scale) / 2:
            rows, centre, scale = rows[:, seen], centre[seen], scale[seen]
        return in_units(rows, centre, scale)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "factors_") and hasattr(self, "regression_")

    def _checks(self) -> list[Check]:
        between = is_within(self.validation_size, above=0, below=1)
        return [
            one_of(self, "effort", [*_EFFORTS]),
            ("validation_size", between, "a share above 0 and below 1"),
            ("verbose", is_flag(self.verbose), "True or False"),
        ]


def _units_of_dense(vary: BoolArray) -> tuple[FloatArray, FloatArray]:
    """0 and 1, for networks standardise; infinite for features they need not see, if most are."""
    few = 0 < np.count_nonzero(vary) < len(vary) / 2
    return np.zeros(len(vary)), np.where(vary | (not few), 1.0, np.inf)


def _networks(effort: _Effort, n_weights: int, *, thin: bool) -> int:
    """Number of networks. They carry thin rows, where a second one is worth most of the trees."""
    one_more = effort.coarse and thin and n_weights <= _SMALL
    return effort.networks + int(one_more)


def _shape_of_trees(effort: _Effort, n: int, n_varied: int, *, thin: bool) -> dict[str, int]:
    """Number and size of the trees, of rows with so many features that vary.

    Thin rows gain little from trees, and have a third of them; with large leaves, if rows are many.
    Where rows are dense and many, twice as many trees, each grown on a quarter of the rows and
    filled by all, take less time than trees grown on all rows, and do better.
    """
    shape = {"n_trees": effort.trees, "min_leaf": 3}
    if not effort.coarse:
        return shape
    shape["max_features"] = max(1, min(n_varied, max(10, math.isqrt(n_varied))))
    fewest, most = _GROWN
    many = n // 4 >= fewest
    if thin:
        return shape | {"n_trees": effort.trees // 3, "min_leaf": 10 if many else 3}
    if not many:
        return shape
    return shape | {"n_trees": 2 * effort.trees, "min_leaf": 2, "max_rows": min(n // 4, most)}


def frequencies(labels: Labels) -> FloatArray:
    """Share of the observations that each label has; one never observed is not impossible.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.learners.blend import frequencies
    >>> frequencies(as_labels([0, 0, 1]).align([0, 1, 2])).round(2)
    array([0.56, 0.33, 0.11])
    """
    counts = labels.counts + 0.5
    return counts / counts.sum()
