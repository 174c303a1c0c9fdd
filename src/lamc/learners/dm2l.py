"""DM2L: predictions of low rank within each label, and of high rank over all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import ridge_regression

from lamc.learners.classical import ClassicalLearner, Unobserved
from lamc.learners.landmarks import LandmarkMap
from lamc.learners.nuclear_norm import norms_of_parts, smoothed_nuclear_norm
from lamc.learners.numbers import Check, above_0, counts, from_0, is_within, one_of
from lamc.learners.scaling import standard_scale, with_constant
from lamc.learners.whitening import ColumnScales, Whitening, whitening_of
from lamc.types import FloatArray, IntArray, Matrix, Seed

Kernel = Literal["linear", "rbf"]

FIRST_RIDGE = 2.0  # added to the penalty for the least squares that the search starts from
INNER_TOL = 1e-7  # share by which an L-BFGS step must lower a convex problem to go on
Surrogate = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, eq=False)
class DM2LObjective:
    """What DM2L minimises over weights W: a convex function less another one.

        F(W) = ½ ‖J ∘ (XW − Y)‖² + ρ/2 ‖W‖² + λ Σ h(X_k W)  −  λ h(X₊ W)

    J marks the labels that are not missing, X_k the rows where label k is known to be true, X₊
    those where any is, and h is the smoothed nuclear norm. X₊ is made of rows of the X_k, and h of
    a stack of matrices is at most the sum of their h. So F is 0 or more. With all rows in place of
    X₊ it would have no lower bound where rows have no label.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n, d)
        Rows.
    Y : ndarray of shape (n, K)
        +1, −1, and 0 where a label is missing.
    rank_weight, ridge, smoothing : float
        λ, ρ, and the μ of h.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.dm2l import DM2LObjective
    >>> objective = DM2LObjective(
    ...     X=np.eye(2), Y=np.array([[1.0, -1.0], [-1.0, 1.0]]),
    ...     rank_weight=1.0, ridge=0.0, smoothing=0.1)
    >>> round(objective.value(np.eye(2)), 9)  # labels on axes of their own: misfit only
    1.0
    >>> round(objective.value(np.ones((2, 2))), 3)
    4.733
    """

    X: Matrix
    Y: FloatArray
    rank_weight: float
    ridge: float
    smoothing: float

    @cached_property
    def rows_of_labels(self) -> list[IntArray]:
        """Rows of each label that is known to be true anywhere."""
        rows = [np.flatnonzero(column == 1) for column in self.Y.T]
        return [of_label for of_label in rows if len(of_label)]

    @cached_property
    def labelled_rows(self) -> IntArray:
        """Rows where any label is known to be true."""
        return np.flatnonzero((self.Y == 1).any(axis=1))

    def value(self, W: FloatArray) -> float:
        """F(W)."""
        return self.convex_part(W)[0] - self.concave_part(W)[0]

    def convex_part(self, W: FloatArray) -> tuple[float, FloatArray]:
        """All terms of F but the last, and their gradient."""
        scores = self.X @ W
        pull = (self.Y != 0) * (scores - self.Y)
        misfit = (np.vdot(pull, pull) + self.ridge * np.vdot(W, W)) / 2
        norms, gradient = norms_of_parts(scores, self.rows_of_labels, self.smoothing)
        pull += self.rank_weight * gradient
        return float(misfit + self.rank_weight * norms), self.X.T @ pull + self.ridge * W

    def concave_part(self, W: FloatArray) -> tuple[float, FloatArray]:
        """The term λ h(X₊ W) that F subtracts, and its gradient."""
        scores = (self.X @ W)[self.labelled_rows]
        norm, gradient = smoothed_nuclear_norm(scores, self.smoothing)
        pull = np.zeros_like(self.Y)
        pull[self.labelled_rows] = self.rank_weight * gradient
        return self.rank_weight * norm, self.X.T @ pull

    def surrogate(self, tangent: FloatArray) -> Surrogate:
        """A convex function of weights that lies above F, but for a constant.

        The subtracted term is replaced by the slope ``tangent`` that it has at some weights, and
        its tangent lies below it. Whatever makes the surrogate smaller than at these weights makes
        F smaller by at least as much.
        """

        def value_and_gradient(W: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = self.convex_part(W)
            return value - float(np.vdot(tangent, W)), gradient - tangent

        return value_and_gradient


def minimise(
    objective: DM2LObjective, *, max_iter: int, inner_iter: int, tol: float
) -> tuple[FloatArray, FloatArray]:
    """Lower the objective from ridge regression on, by one convex problem after the other.

    Each is the surrogate at the weights reached, given to scipy's L-BFGS for a few steps. It need
    not be solved for F to fall. The steps are taken in whitened weights: there the misfit is round,
    and the rank terms bend it by λ / μ at most.

    Parameters
    ----------
    objective : DM2LObjective
        What to minimise.
    max_iter, inner_iter : int
        Largest number of convex problems, and of L-BFGS steps for each.
    tol : float
        Change of the whitened weights, in proportion to their norm, below which to stop.

    Returns
    -------
    W : ndarray of shape (d, K)
        The weights reached.
    values : ndarray
        F at the start and after each problem; it never rises.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.dm2l import DM2LObjective, minimise
    >>> X, Y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> least_squares = DM2LObjective(X, Y, rank_weight=0.0, ridge=0.0, smoothing=0.1)
    >>> W, values = minimise(least_squares, max_iter=10, inner_iter=20, tol=1e-3)
    >>> W.round(3)
    array([[ 1. , -1. ],
           [-0.5,  0.5]])
    """
    options = {"maxiter": inner_iter, "maxfun": 2 * inner_iter, "ftol": INNER_TOL, "gtol": 1e-5}
    whitening = whitening_of(objective.X, FIRST_RIDGE + objective.ridge)
    W = _ridge_regression(objective, whitening)
    V = whitening.there(W)
    subtracted, tangent = objective.concave_part(W)
    values = [objective.convex_part(W)[0] - subtracted]
    for _ in range(max_iter):
        surrogate = _of_whitened(objective.surrogate(tangent), whitening, W.shape)
        found = minimize(surrogate, V.ravel(), jac=True, method="L-BFGS-B", options=options)
        before, V = V, found.x.reshape(W.shape)
        W = whitening.back(V)
        convex = found.fun + np.vdot(tangent, W)
        subtracted, tangent = objective.concave_part(W)
        values.append(float(convex) - subtracted)
        if np.linalg.norm(V - before) <= tol * np.linalg.norm(before):
            break
    return W, np.array(values)


def _ridge_regression(objective: DM2LObjective, whitening: Whitening | ColumnScales) -> FloatArray:
    """Weights of least squares, where missing labels count as 0."""
    X, Y = objective.X, objective.Y
    if isinstance(whitening, Whitening):
        return whitening.solve(X.T @ Y)
    return ridge_regression(X, Y, alpha=FIRST_RIDGE + objective.ridge).T


def _of_whitened(
    surrogate: Surrogate, whitening: Whitening | ColumnScales, shape: tuple[int, ...]
) -> Surrogate:
    """A function of weights as one of whitened ones, flat as scipy has them."""

    def value_and_gradient(flat: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = surrogate(whitening.back(flat.reshape(shape)))
        return value, whitening.gradient(gradient).ravel()

    return value_and_gradient


class DM2L(ClassicalLearner):
    """Discriminant multi-label learning: locally of low rank, globally of high rank.

    Scores are linear in the features, and their weights W minimise

        ½ ‖J ∘ (XW − Y)‖² + ρ/2 ‖W‖² + λ (Σ ‖X_k W‖_* − ‖X₊ W‖_*),

    where Y holds the given labels, +1 and −1, J marks those that are not missing, X_k are the rows
    of label k, and X₊ the rows of any. The nuclear norms make the predictions of one label alike,
    and those of different labels different. For single positives this is what keeps the scores of
    all labels from becoming the same: it costs to put rows of different labels in one place.

    Parameters
    ----------
    rank_weight : float, default=1.0
        λ. Useful values grow about with √n; one that is too large drives all scores to 0.
    ridge : float or None, default=None
        ρ, penalty on the weights, the intercept included. By default 0, as in the paper, and 1 for
        the kernel form, which overfits without. Linear models gain from 10 to 100 where there are
        about as many features as rows.
    kernel : {"linear", "rbf"}, default="linear"
        "rbf" learns a function in the space of the kernel exp(−γ ‖x − z‖²).
    gamma : float or None, default=None
        γ of the kernel. By default 1 over the median squared distance of the landmarks.
    n_landmarks : int, default=1000
        Rows that span the kernel form. It is exact for up to that many rows; of more, as many are
        drawn.
    smoothing : float, default=0.1
        μ: a singular value s counts √(s² + μ²) − μ in the nuclear norms, which is smooth at 0.
    max_iter : int, default=10
        Largest number of convex problems; see :func:`minimise`.
    inner_iter : int, default=20
        L-BFGS steps for each of them.
    tol : float, default=1e-3
        Change of the weights, whitened and in proportion to their norm, below which to stop.
    unobserved : {"auto", "missing", "negative"}, default="auto"
        Coding of labels that were not observed: 0 or −1. "auto" is "missing" where some labels are
        known to be false, and else "negative".
    random_state : int, RandomState or None, default=None
        Seed of the draw of landmarks.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels, in the order of the columns of scores.
    coef_ : ndarray of shape (K, d)
        Weights of the features on scale, or of the kernel's features.
    intercept_ : ndarray of shape (K,)
        Score of each label where all features are 0.
    landmarks_ : LandmarkMap or None
        Features of the kernel form.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each convex problem; it never rises.
    n_iter_ : int
        Number of convex problems.
    coding_ : str
        How labels that were not observed were taken.
    features_ : ZScores or RowLength
        The scale of the features.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    One evaluation takes 4 n d K operations for the scores and their gradient, and for label k with
    n_k rows the eigenvalues of a matrix of min(n_k, K) rows. There are some 10 to 100 evaluations.

    The convex problems are solved by scipy's L-BFGS, from ridge regression on, in the coordinates
    of :mod:`lamc.learners.whitening`; in those of the features it takes 3 to 20 times as many
    steps, and seldom gets to the end. The nuclear norms come from all eigenvalues of Gram
    matrices; a truncated decomposition would leave out the small singular values, which are those
    that are to vanish.

    Sparse features are made dense to be standardised, unless they are more than 5·10⁷ with their
    zeros: then rows are scaled to the same length instead, and nothing is centred.

    References
    ----------
    Z. Ma and S. Chen, "Expand globally, shrink locally: Discriminant multi-label learning with
    missing labels", Pattern Recognition 111, 2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners.dm2l import DM2L
    >>> from lamc.metrics import average_precision
    >>> data = digit_scenes(600, random_state=0)
    >>> train, test = data.split.training, data.split.test
    >>> model = DM2L(ridge=100).fit(data.X[train], observe(data.Y[train], random_state=0))
    >>> model.coding_
    'labels not observed taken as negative'
    >>> average_precision(data.Y[test], model.predict_proba(data.X[test])) > 0.7
    True
    """

    def __init__(
        self,
        *,
        rank_weight: float = 1.0,
        ridge: float | None = None,
        kernel: Kernel = "linear",
        gamma: float | None = None,
        n_landmarks: int = 1000,
        smoothing: float = 0.1,
        max_iter: int = 10,
        inner_iter: int = 20,
        tol: float = 1e-3,
        unobserved: Unobserved = "auto",
        random_state: Seed = None,
    ) -> None:
        self.rank_weight = rank_weight
        self.ridge = ridge
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.inner_iter = inner_iter
        self.tol = tol
        self.unobserved = unobserved
        self.random_state = random_state

    def _checks(self) -> list[Check]:
        ridge = self.ridge is None or is_within(self.ridge, 0)
        gamma = self.gamma is None or is_within(self.gamma, above=0)
        return [
            *super()._checks(),
            *from_0(self, "rank_weight", "tol"),
            *above_0(self, "smoothing"),
            *counts(self, "n_landmarks", "max_iter", "inner_iter"),
            ("ridge", ridge, "a number from 0, or None"),
            ("gamma", gamma, "a number above 0, or None"),
            one_of(self, "kernel", get_args(Kernel)),
        ]

    def fit(self, X: Any, y: Any) -> Self:
        """Learn weights from rows and the labels observed on them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : labels in any form of :func:`lamc.as_labels`
            One observed positive a row, or a 0/1 matrix whose ones are known to be true, or
            :class:`lamc.Labels` that say more: some true and false labels, or all of them.
        """
        rows, coded = self._read_coded(X, y)
        self.features_ = standard_scale(rows)
        on_scale = self.features_.transform(rows)
        self.landmarks_ = None
        if self.kernel == "rbf":
            self.landmarks_ = LandmarkMap(self.n_landmarks, self.gamma, self.random_state)
            self.landmarks_.fit(on_scale)
        inputs = with_constant(self._mapped(on_scale))
        objective = DM2LObjective(inputs, coded.Y, self.rank_weight, self._ridge(), self.smoothing)
        W, self.objective_ = minimise(
            objective, max_iter=self.max_iter, inner_iter=self.inner_iter, tol=self.tol
        )
        self.n_iter_ = len(self.objective_) - 1
        self.coef_, self.intercept_ = W[:-1].T, W[-1]
        return self

    def _ridge(self) -> float:
        if self.ridge is not None:
            return self.ridge
        return 1.0 if self.kernel == "rbf" else 0.0

    def _mapped(self, rows: Matrix) -> Matrix:
        return rows if self.landmarks_ is None else self.landmarks_.transform(rows)

    def _score(self, rows: Matrix) -> FloatArray:
        return self._mapped(rows) @ self.coef_.T + self.intercept_
