"""MLML: labels flow along a graph of alike rows and a graph of alike labels, until they agree."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from lamc.exceptions import warn
from lamc.learners.classical import (
    ClassicalLearner,
    Coding,
    Unobserved,
    unit_from_nonnegative,
    unit_from_signed,
)
from lamc.learners.neighbours import LEAST_DEGREE, NeighbourGraph
from lamc.learners.numbers import Check, above_0, counts, from_0, one_of
from lamc.learners.scaling import Scaling, neighbour_scale
from lamc.types import FloatArray, Matrix, SparseMatrix

Solver = Literal["exact", "approx"]


def label_similarity(Y: FloatArray, sharpness: float) -> FloatArray:
    """Similarity of labels by the rows on which both are observed.

    With cᵢⱼ the mean of Yᵢ Yⱼ over these rows, which is their cosine there, and 0 if there are
    none, the weight of two labels is exp(−η (1 − cᵢⱼ)). Weights B become D^−½ B D^−½, with the
    sums D of their rows. Single positives that are not coded as negatives show no two labels
    together: all pairs are then alike.

    Parameters
    ----------
    Y : ndarray of shape (n, K)
        +1, −1, and 0 where a label is missing; at least two labels.
    sharpness : float
        η, how fast likeness falls with the cosine.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.mlml import label_similarity
    >>> Y = np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> label_similarity(Y, sharpness=10.0).round(2)
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    observed = np.abs(Y)
    together = observed.T @ observed
    cosine = np.divide(Y.T @ Y, together, out=np.zeros_like(together), where=together > 0)
    weights = np.exp(-sharpness * (1 - cosine))
    np.fill_diagonal(weights, 0)
    degree = np.maximum(weights.sum(axis=1), LEAST_DEGREE)
    return weights / np.sqrt(np.outer(degree, degree))


@dataclass(frozen=True, eq=False)
class SmoothingSystem:
    """The equations of smooth labels, one for each eigenvector of the label Laplacian.

    Along eigenvector c, the labels z of all rows solve ``shift[c]`` z − ``pull[c]`` S z = b for the
    similarity S of the rows and the given labels b.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.mlml import SmoothingSystem
    >>> alike = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> system = SmoothingSystem.of(alike, by_rows=1.0, by_labels=1.0, solver="exact")
    >>> system.shift.round(3), system.pull
    (array([2., 4.]), array([1., 1.]))
    >>> system.response.round(3)
    array([[0.375, 0.125],
           [0.125, 0.375]])
    """

    basis: FloatArray  # (K, K), eigenvectors in columns
    shift: FloatArray  # (K,)
    pull: FloatArray  # (K,)

    @classmethod
    def of(cls, labels: FloatArray, by_rows: float, by_labels: float, solver: Solver) -> Self:
        """Take apart Z + λx L Z + λc Z Lc = Y, where Lc = I − ``labels``.

        The approximate solver factorises it to (I + λx L) Z (I + λc Lc) = Y.
        """
        values, basis = np.linalg.eigh(np.eye(len(labels)) - labels)
        own = 1 + by_labels * np.maximum(values, 0)
        if solver == "exact":
            return cls(basis, own + by_rows, np.full_like(own, by_rows))
        return cls(basis, own * (1 + by_rows), own * by_rows)

    @property
    def response(self) -> FloatArray:
        """The K × K matrix that turns the mean labels of a new row's neighbours into its own.

        They minimise the objective over that row, with no label of it given: shift · z = pull · m
        along each eigenvector.
        """
        return (self.basis * (self.pull / self.shift)) @ self.basis.T


def smooth_labels(
    Y: FloatArray, rows: SparseMatrix, system: SmoothingSystem, *, tol: float, max_iter: int
) -> tuple[FloatArray, FloatArray]:
    """Labels that are as smooth over both graphs as they can be at that distance from ``Y``.

    Conjugate gradients on all eigenvectors at once, each with steps of its own. The matrix of
    eigenvector c has condition number at most 1 + 2 pull / (shift − pull), so some ten steps do.

    Parameters
    ----------
    Y : ndarray of shape (n, K)
        Coded labels.
    rows : scipy.sparse.csr_array of shape (n, n)
        Similarity S of the rows.
    system : SmoothingSystem
        The equations.
    tol : float
        Residual, in proportion to the right-hand side, at which an equation counts as solved.
    max_iter : int
        Steps after which a warning is given instead.

    Returns
    -------
    Z : ndarray of shape (n, K)
        The smooth labels.
    objective : ndarray
        Objective at the start and after each step; it never rises.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.learners.mlml import SmoothingSystem, smooth_labels
    >>> alike = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> system = SmoothingSystem.of(alike, by_rows=1.0, by_labels=0.0, solver="exact")
    >>> Y = np.array([[1.0, -1.0], [0.0, 1.0]])
    >>> smooth_labels(Y, sparse.csr_array(alike), system, tol=1e-9, max_iter=10)[0].round(3)
    array([[ 0.667, -0.333],
           [ 0.333,  0.333]])
    """
    B = Y @ system.basis
    Z = B / (system.shift - system.pull)
    residual = B - _apply(system, rows, Z)
    direction = residual.copy()
    squared = _column_dots(residual, residual)
    enough = tol**2 * _column_dots(B, B)
    given = float(np.vdot(B, B))
    objective = [given - float(np.vdot(Z, B + residual))]
    for _ in range(max_iter):
        if (squared <= enough).all():
            break
        image = _apply(system, rows, direction)
        step = _ratio(squared, _column_dots(direction, image))
        Z += step * direction
        residual -= step * image
        before, squared = squared, _column_dots(residual, residual)
        direction *= _ratio(squared, before)
        direction += residual
        objective.append(given - float(np.vdot(Z, B + residual)))
    else:
        _warn_if_unsolved(squared, enough, tol, max_iter)
    return Z @ system.basis.T, np.array(objective)


def _apply(system: SmoothingSystem, rows: SparseMatrix, Z: FloatArray) -> FloatArray:
    return system.shift * Z - system.pull * (rows @ Z)


def _column_dots(A: FloatArray, B: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", A, B)


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """Quotient a / b, and 0 where b is 0: there is nothing left to do in that column."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _warn_if_unsolved(squared: FloatArray, enough: FloatArray, tol: float, max_iter: int) -> None:
    unsolved = int((squared > enough).sum())
    if unsolved:
        warn(
            f"MLML stopped after max_iter={max_iter} steps with {unsolved} of {len(squared)} "
            f"equations not solved to tol={tol}.\nRaise max_iter or tol, or smooth less."
        )


class MLML(ClassicalLearner):
    """Multi-label learning with missing labels, by smoothness over rows and over labels.

    The labels Z of the training rows minimise

        ‖Z − Y‖² + λx tr(Zᵀ L Z) + λc tr(Z Lc Zᵀ),

    where Y holds the given labels, +1, −1, or 0 where one is missing, and L = I − S and
    Lc = I − Sc are the Laplacians of a graph of nearest rows and of a graph of labels. Labels
    thus stay near what was given, and alike for alike rows and for labels that go together. All
    entries count in the first term: a missing label is drawn towards 0, and this keeps single
    positives from making every label true.

    A new row gets the labels that minimise the same objective over it alone. Scores are 0 or more
    if no label was coded as false.

    Parameters
    ----------
    row_smoothness : float, default=1.0
        λx. Above 10, labels fade into their frequencies; at 0, new rows score 0.
    label_smoothness : float, default=0.1
        λc. Of use where labels are observed together: single positives tell nothing of that.
    n_neighbors : int, default=20
        Nearest rows that each row is linked to.
    scale_neighbor : int, default=7
        The neighbour whose distance is the scale of a row.
    sharpness : float, default=10.0
        η, how fast the likeness of labels falls with their cosine.
    solver : {"exact", "approx"}, default="exact"
        "approx" adds λx λc tr(Zᵀ L Z Lc) to the objective, so that the solution is smoothed over
        rows and then over labels, as in the paper. It is no faster here, and scores alike.
    scaling : {"auto", "range", "length"}, default="auto"
        "range" puts each feature between −1 and 1, "length" each row at length 1. "auto" takes
        the length where less than a fifth of the entries of X is not 0, as with counts of words.
    unobserved : {"auto", "missing", "negative"}, default="auto"
        Coding of labels that were not observed: 0 or −1. "auto" is "missing".
    tol : float, default=1e-6
        Residual of the equations for Z, in proportion to their right-hand side.
    max_iter : int, default=500
        Largest number of conjugate gradient steps.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels, in the order of the columns of scores.
    soft_labels_ : ndarray of shape (n, K)
        Z, the labels of the training rows.
    graph_ : NeighbourGraph
        The graph of the training rows.
    label_similarity_ : ndarray of shape (K, K)
        Sc, the graph of the labels.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each step; it never rises.
    n_iter_ : int
        Number of conjugate gradient steps.
    coding_ : str
        How labels that were not observed were taken.
    features_ : UnitRange or RowLength
        The scale of the features.
    response_ : ndarray of shape (K, K)
        What turns the mean labels of a new row's neighbours into its scores.
    least_code_ : float
        Least value in Y: 0 if no label was coded as false, else −1.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    Nearest rows are found by comparing all pairs, in blocks, by scikit-learn. The equations are
    solved by conjugate gradients on all labels at once, which tells the objective after each step;
    scipy's solver takes one right-hand side at a time, and half as long again for 300 labels.
    Memory is that of a few n × K matrices and the 2 n ``n_neighbors`` entries of the graph.

    Nothing is drawn at random. Rows that are equally far away count in their order, so only where
    there are such ties the result depends on the order of the rows.

    References
    ----------
    B. Wu, Z. Liu, S. Wang, B.-G. Hu and Q. Ji, "Multi-label learning with missing labels", ICPR
    2014. That paper labels the training rows only.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners.mlml import MLML
    >>> from lamc.metrics import average_precision
    >>> data = digit_scenes(600, random_state=0)
    >>> train, test = data.split.training, data.split.test
    >>> model = MLML().fit(data.X[train], observe(data.Y[train], random_state=0))
    >>> model.coding_
    'labels not observed taken as missing'
    >>> average_precision(data.Y[test], model.predict_proba(data.X[test])) > 0.5
    True
    """

    positives_only: ClassVar[Coding] = "missing"

    def __init__(
        self,
        *,
        row_smoothness: float = 1.0,
        label_smoothness: float = 0.1,
        n_neighbors: int = 20,
        scale_neighbor: int = 7,
        sharpness: float = 10.0,
        solver: Solver = "exact",
        scaling: Scaling = "auto",
        unobserved: Unobserved = "auto",
        tol: float = 1e-6,
        max_iter: int = 500,
    ) -> None:
        self.row_smoothness = row_smoothness
        self.label_smoothness = label_smoothness
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.sharpness = sharpness
        self.solver = solver
        self.scaling = scaling
        self.unobserved = unobserved
        self.tol = tol
        self.max_iter = max_iter

    def _checks(self) -> list[Check]:
        return [
            *super()._checks(),
            *from_0(self, "row_smoothness", "label_smoothness", "sharpness"),
            *counts(self, "n_neighbors", "scale_neighbor", "max_iter"),
            *above_0(self, "tol"),
            one_of(self, "solver", get_args(Solver)),
            one_of(self, "scaling", get_args(Scaling)),
        ]

    def fit(self, X: Any, y: Any) -> Self:
        """Smooth the labels observed on the rows of ``X``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : labels in any form of :func:`lamc.as_labels`
            One observed positive a row, or a 0/1 matrix whose ones are known to be true, or
            :class:`lamc.Labels` that say more: some true and false labels, or all of them.
        """
        rows, coded = self._read_coded(X, y)
        self.features_ = neighbour_scale(rows, self.scaling)
        self.graph_ = NeighbourGraph(self.n_neighbors, self.scale_neighbor)
        self.graph_.fit(self.features_.transform(rows))
        self.label_similarity_ = label_similarity(coded.Y, self.sharpness)
        system = SmoothingSystem.of(
            self.label_similarity_, self.row_smoothness, self.label_smoothness, self.solver
        )
        self.soft_labels_, self.objective_ = smooth_labels(
            coded.Y, self.graph_.similarity_, system, tol=self.tol, max_iter=self.max_iter
        )
        self.n_iter_ = len(self.objective_) - 1
        self.response_ = system.response
        self.least_code_ = float(coded.Y.min())
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the raw scores s, mapped to [0, 1] in their order.

        By 1 − exp(−s) if no label was coded as false, for s is 0 or more then; else by
        1 / (1 + exp(−s)).
        """
        scores = self._raw(X)
        return unit_from_nonnegative(scores) if self.least_code_ == 0 else unit_from_signed(scores)

    def _score(self, rows: Matrix) -> FloatArray:
        return self.graph_.links(rows) @ self.soft_labels_ @ self.response_
