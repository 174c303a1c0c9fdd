"""The graph of nearest neighbours: which rows are alike, each measured by a scale of its own."""

from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import paired_euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import gen_batches

from lamc.types import FloatArray, IntArray, Matrix, SparseMatrix

BLOCK = 1 << 22  # differences of features worked on at a time: 32 MB of float64
LEAST_SCALE = 1e-3  # of the median scale: a row with copies of itself has distances of 0
LEAST_DEGREE = 1e-12
LEAST_WEIGHT = 1e-300


class Neighbours(NamedTuple):
    """The nearest rows of each of m rows, nearest first: which they are, and how far away."""

    rows: IntArray  # (m, k)
    distances: FloatArray  # (m, k)


def nearest(rows: Matrix, among: Matrix, k: int) -> Neighbours:
    """The ``k`` nearest of the rows ``among`` for each row; of equally near ones, the first.

    The search expands (x − y)² to find candidates, which is fast but inexact for rows that are
    nearly the same. So the distances to twice as many candidates are computed again, from the
    differences. A row then has the same neighbours alone and in a batch, unless more than ``k``
    rows are equally far away.

    Parameters
    ----------
    rows, among : ndarray or scipy.sparse.csr_array of shapes (m, d) and (n, d)
        Both dense, or both sparse.
    k : int
        Number of neighbours, at most n.

    Returns
    -------
    Neighbours
        Indices into ``among``, and Euclidean distances.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.neighbours import nearest
    >>> nearest(np.array([[0.0]]), np.array([[5.0], [1.0], [-1.0], [3.0]]), k=3)
    Neighbours(rows=array([[1, 2, 3]]), distances=array([[1., 1., 3.]]))
    """
    m, n = rows.shape[0], among.shape[0]
    n_candidates = min(2 * k, n)
    search = NearestNeighbors(n_neighbors=n_candidates, algorithm="brute").fit(among)
    candidates = search.kneighbors(rows, return_distance=False)
    distance = np.empty(candidates.shape)
    block = max(1, BLOCK // (n_candidates * rows.shape[1]))
    for part in gen_batches(m, block):
        here = np.repeat(np.arange(part.start, part.stop), n_candidates)
        there = candidates[part].ravel()
        distance[part].flat = paired_euclidean_distances(rows[here], among[there])
    order = np.lexsort((candidates, distance), axis=-1)[:, :k]
    return Neighbours(
        np.take_along_axis(candidates, order, axis=1), np.take_along_axis(distance, order, axis=1)
    )


def nearest_others(rows: Matrix, k: int) -> Neighbours:
    """The ``k`` nearest other rows of each row.

    A row is left out of its own neighbours by its index, not as the first one found: copies of it
    are as near as itself.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.neighbours import nearest_others
    >>> nearest_others(np.array([[2.0], [2.0], [3.0]]), k=1).rows.ravel()
    array([1, 0, 0])
    """
    found = nearest(rows, rows, k + 1)
    other = found.rows != np.arange(rows.shape[0])[:, None]
    other[other.all(axis=1), -1] = False  # k + 1 copies came before the row itself
    shape = (rows.shape[0], k)
    return Neighbours(found.rows[other].reshape(shape), found.distances[other].reshape(shape))


class NeighbourGraph(BaseEstimator):
    """Similarity of each row to its nearest ones, symmetric and normalised by the degrees.

    The weight between rows i and j is exp(−d² / (σᵢ σⱼ)), where d is their distance and σᵢ that
    of row i to its ``scale_neighbor``-th neighbour; so a dense region and a sparse one are
    measured each by its own scale. Rows that are no neighbours have weight 0.

    Parameters
    ----------
    n_neighbors : int, default=20
        Neighbours of each row, k. Fewer where there are fewer other rows.
    scale_neighbor : int, default=7
        The neighbour whose distance is the row's scale. The farthest if there are fewer.

    Attributes
    ----------
    rows_ : ndarray or scipy.sparse.csr_array of shape (n, d)
        The rows of the graph.
    scale_ : ndarray of shape (n,)
        Scale σᵢ of each row.
    degree_ : ndarray of shape (n,)
        Sum of the weights of each row.
    similarity_ : scipy.sparse.csr_array of shape (n, n)
        S = D^−½ A D^−½ for weights A and degrees D, with at most 2 n k entries. Its eigenvalues
        lie in [−1, 1], so I − S has none below 0.

    References
    ----------
    L. Zelnik-Manor and P. Perona, "Self-tuning spectral clustering", 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.neighbours import NeighbourGraph
    >>> graph = NeighbourGraph(n_neighbors=1).fit(np.array([[0.0], [1.0], [9.0], [10.0]]))
    >>> graph.similarity_.toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    >>> graph.links(np.array([[8.5]])).indices.tolist()
    [2]
    """

    def __init__(self, n_neighbors: int = 20, scale_neighbor: int = 7) -> None:
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor

    def fit(self, X: Matrix, y: Any = None) -> Self:
        """Build the graph of the rows of ``X``, of which there are at least two."""
        n = X.shape[0]
        found = nearest_others(X, min(self.n_neighbors, n - 1))
        scale = self._nth_distance(found)
        positive = scale[scale > 0]
        self.least_scale_ = LEAST_SCALE * float(np.median(positive)) if len(positive) else 1.0
        self.rows_ = X
        self.scale_ = np.maximum(scale, self.least_scale_)
        weights = self._as_matrix(found, self._weights(found, self.scale_))
        weights = (weights + weights.T) / 2
        self.degree_ = np.maximum(weights.sum(axis=1), LEAST_DEGREE)
        by_degree = sparse.diags_array(1 / np.sqrt(self.degree_))
        self.similarity_ = sparse.csr_array(by_degree @ weights @ by_degree)
        return self

    def links(self, X: Matrix) -> SparseMatrix:
        """Similarity of new rows to the rows of the graph, whose degrees stay as they are.

        Row x holds wᵢ / √(dₓ degreeᵢ), where wᵢ is its weight to row i and dₓ the sum of these. A
        degree below wᵢ counts as wᵢ, so that an outlier with next to no neighbours of its own
        cannot outshout all others in the one row that comes close to it.
        """
        found = nearest(X, self.rows_, min(self.n_neighbors, self.rows_.shape[0]))
        scale = np.maximum(self._nth_distance(found), self.least_scale_)
        weights = self._weights(found, scale)
        own_degree = np.maximum(weights.sum(axis=1, keepdims=True), LEAST_WEIGHT)
        degree = np.maximum(self.degree_[found.rows], weights)
        return self._as_matrix(found, weights / np.sqrt(own_degree * degree))

    def _nth_distance(self, found: Neighbours) -> FloatArray:
        nth = min(self.scale_neighbor, found.distances.shape[1])
        return found.distances[:, nth - 1]

    def _weights(self, found: Neighbours, scale: FloatArray) -> FloatArray:
        return np.exp(-(found.distances**2) / (scale[:, None] * self.scale_[found.rows]))

    def _as_matrix(self, found: Neighbours, values: FloatArray) -> SparseMatrix:
        m, k = values.shape
        return sparse.csr_array(
            (values.ravel(), found.rows.ravel(), np.arange(0, m * k + 1, k)),
            shape=(m, self.rows_.shape[0]),
        )
