"""GLOCAL: labels factorised over examples and features, with their correlations learnt."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lamc.exceptions import held_back
from lamc.learners.classical import ClassicalLearner, CodedLabels, Unobserved
from lamc.learners.glocal_blocks import (
    Factors,
    Problem,
    Weights,
    descend,
    update_u,
    update_v,
    update_w,
    update_z,
)
from lamc.learners.numbers import Check, above_0, counts, from_0
from lamc.learners.scaling import standard_scale, with_constant
from lamc.types import FloatArray, IntArray, Matrix, Seed

_WITHOUT_Z = (update_u, update_v, update_w)  # what each round updates, in this order
_WITH_Z = (update_z, update_v, update_u, update_w)


class GLOCAL(ClassicalLearner):
    """Multi-label learning with global and local label correlation.

    The label matrix is factorised as V Uᵀ on its observed entries, and V is regressed on the
    features as X W, so that a new row scores x W Uᵀ. Labels correlate in the whole (globally) and
    within clusters of rows (locally): scores of labels that go together are drawn together by
    matrices Z Zᵀ, learnt with the rest.

    The objective falls by updates of one factor after the other, each to its minimum or towards
    it. The one for Z turns each row in turn to its best direction. The authors descend along the
    manifold of unit rows instead, as pymanopt does. Measured on scene, yeast and corel5k, the
    closed form came to the same minimum in about the time of pymanopt's steepest descent; it is
    simpler, and has no step size to set.

    Parameters
    ----------
    rank : int, default=20
        Columns of U, V and W; at most the number of labels. With many labels try 50 or 100.
    correlation_rank : int, default=20
        Columns of Z; at most the number of labels.
    n_clusters : int, default=3
        Clusters of rows with label correlations of their own.
    regression_weight : float, default=1
        λ, weight of regressing V on the features. From 100 upwards the updates crawl.
    row_ridge, label_ridge : float, default=0.125
        λ_V and λ_U, weights of ‖V‖² and ‖U‖².
    feature_ridge : float, default=100
        λ_W, weight of ‖W‖², relative to ``regression_weight``.
    global_weight, local_weight : float, default=0.1
        λ_g and λ_l, weights of global and local label correlation; 0 turns one off.
    unobserved : {"auto", "negative", "missing"}, default="auto"
        Whether labels that were not observed count as false or are left out. "auto" leaves them
        out if labels known to be false were given too, else it counts them as false: if only
        positives are left, to score every label 1 fits them, and the ranking falls back to how
        frequent labels are.
    max_iter : int, default=15
        Rounds of updates without correlations, and again with them.
    tol : float, default=1e-5
        Stop when a round lowers the objective by no more than this share.
    random_state : int, RandomState or None, default=None
        Seed of the clusters and of where the factors start.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels, in the order of the columns of the scores.
    coding_ : str
        What was done with labels that were not observed.
    objective_ : ndarray
        Objective at the start of the rounds with correlations, then after every update. It never
        rises.
    initial_objective_ : ndarray
        Likewise for the rounds without.
    n_iter_ : int
        Rounds with correlations.
    label_factors_, feature_factors_ : ndarrays of shapes (K, r) and (d + 1, r)
        U, and W, the last row of which belongs to a constant feature.
    correlation_factors_ : ndarray of shape (G, K, q)
        Z of every cluster, with rows of length 1.

    Notes
    -----
    Features are standardised, or scaled row by row if they are sparse and more than 5·10⁷ with
    their zeros. ``predict_proba`` is 1 / (1 + exp(−s)) of the raw scores s, which
    ``decision_function`` gives.

    References
    ----------
    Y. Zhu, J. T. Kwok and Z.-H. Zhou, "Multi-Label Learning with Global and Local Label
    Correlation", IEEE Transactions on Knowledge and Data Engineering 30(6), 2018.
    P.-W. Wang, W.-C. Chang and J. Z. Kolter, "The Mixing method: low-rank coordinate descent for
    semidefinite programming with diagonal constraints", 2017: the update of Z.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners.glocal import GLOCAL
    >>> from lamc.metrics import average_precision
    >>> data = digit_scenes(600, random_state=0)
    >>> train, test = data.split.train, data.split.test
    >>> y = observe(data.Y[train], random_state=0)
    >>> learner = GLOCAL(random_state=0).fit(data.X[train], y)
    >>> learner.coding_
    'labels not observed taken as negative'
    >>> average_precision(data.Y[test], learner.decision_function(data.X[test])) > 0.6
    True
    """

    def __init__(
        self,
        *,
        rank: int = 20,
        correlation_rank: int = 20,
        n_clusters: int = 3,
        regression_weight: float = 1.0,
        row_ridge: float = 0.125,
        label_ridge: float = 0.125,
        feature_ridge: float = 100.0,
        global_weight: float = 0.1,
        local_weight: float = 0.1,
        unobserved: Unobserved = "auto",
        max_iter: int = 15,
        tol: float = 1e-5,
        random_state: Seed = None,
    ) -> None:
        self.rank = rank
        self.correlation_rank = correlation_rank
        self.n_clusters = n_clusters
        self.regression_weight = regression_weight
        self.row_ridge = row_ridge
        self.label_ridge = label_ridge
        self.feature_ridge = feature_ridge
        self.global_weight = global_weight
        self.local_weight = local_weight
        self.unobserved = unobserved
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _checks(self) -> list[Check]:
        return [
            *super()._checks(),
            *counts(self, "rank", "correlation_rank", "n_clusters", "max_iter"),
            *above_0(self, "regression_weight", "label_ridge", "feature_ridge"),
            *from_0(self, "row_ridge", "global_weight", "local_weight", "tol"),
        ]

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and the labels observed on them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : labels in any form of :func:`lamc.as_labels`
            One observed positive a row, or a 0/1 matrix whose ones are known to be true, or
            :class:`lamc.Labels` that say more: some true and false labels, or all of them.
        """
        rows, coded = self._read_coded(X, y)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        rng = np.random.default_rng(seed)
        self.features_ = standard_scale(rows)
        problem = self._problem(self.features_.transform(rows), coded, seed)
        factors, self.initial_objective_ = descend(
            problem, self._start(problem, rng), _WITHOUT_Z, max_iter=self.max_iter, tol=self.tol
        )
        factors = replace(factors, Z=_unit_rows(factors.Z.shape, rng))
        factors, self.objective_ = descend(
            problem, factors, _WITH_Z, max_iter=self.max_iter, tol=self.tol
        )
        self.n_iter_ = len(self.objective_) // len(_WITH_Z)
        self.label_factors_, self.feature_factors_ = factors.U, factors.W
        self.correlation_factors_ = factors.Z
        return self

    def _score(self, rows: Matrix) -> FloatArray:
        return with_constant(rows) @ self.feature_factors_ @ self.label_factors_.T

    def _problem(self, X: Matrix, coded: CodedLabels, seed: int) -> Problem:
        n, k = coded.Y.shape
        observed = None if coded.complete else coded.observed
        share = 1.0 if observed is None else float(observed.mean())
        rank = min(self.rank, k)
        embedding = self.regression_weight * share * k / rank
        weights = Weights(
            embedding=embedding,
            V=self.row_ridge * share * k / rank,
            U=self.label_ridge * share * n / rank,
            W=self.feature_ridge * embedding,
            across=self.global_weight * share,
            within=self.local_weight * share,
        )
        clusters = cluster_rows(X, min(self.n_clusters, n), seed)
        return Problem.of(with_constant(X), coded.Y, observed, clusters, weights)

    def _start(self, problem: Problem, rng: np.random.Generator) -> Factors:
        (n, k), d = problem.Y.shape, problem.X.shape[1]
        rank, q = min(self.rank, k), min(self.correlation_rank, k)
        return Factors(
            U=rng.random((k, rank)),
            V=rng.random((n, rank)),
            W=np.zeros((d, rank)),
            XW=np.zeros((n, rank)),
            Z=np.zeros((len(problem.clusters), k, q)),
        )


def cluster_rows(X: Matrix, n_clusters: int, seed: int) -> list[IntArray]:
    """Rows of each cluster that k-means finds; fewer clusters if fewer rows differ.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal import cluster_rows
    >>> sorted(rows.tolist() for rows in cluster_rows(np.array([[0.0], [9.0], [0.0]]), 3, seed=0))
    [[0, 2], [1]]
    """
    means = KMeans(n_clusters, n_init=1, max_iter=50, random_state=seed)
    with held_back(category=ConvergenceWarning):  # empty clusters are left out
        found = means.fit_predict(X)
    return [np.flatnonzero(found == cluster) for cluster in np.unique(found)]


def _unit_rows(shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    drawn = rng.standard_normal(shape)
    return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
