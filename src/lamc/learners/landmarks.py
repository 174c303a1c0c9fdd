"""Features of a kernel: rows by their likeness to landmarks, so that a linear method turns curved.

A function Σ aₗ k(·, xₗ) of landmarks xₗ is linear in the features that this map gives, and its norm
in the kernel's space is that of its weights. With every training row a landmark this is the kernel
method itself; with fewer it is Nyström's approximation, which needs no n × n matrix.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from lamc.types import FloatArray, Matrix, Seed

LEAST_EIGENVALUE = 1e-6  # of the largest; what lies below is noise to the kernel, and costs time
ROUNDING = 1e-12  # of the largest squared length: squared distance below which rows are copies


class LandmarkMap(BaseEstimator):
    """Empirical map of the kernel exp(−γ ‖x − z‖²).

    Parameters
    ----------
    n_landmarks : int, default=1000
        Rows drawn as landmarks; all of them where there are not more.
    gamma : float or None, default=None
        γ. By default 1 over the median squared distance of the landmarks, copies aside.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Attributes
    ----------
    landmarks_ : ndarray or scipy.sparse.csr_array of shape (l, d)
        The landmarks, in the order of the rows.
    gamma_ : float
        The γ used.
    basis_ : ndarray of shape (l, r)
        T with k(L, L) T Tᵀ k(L, L) = k(L, L), up to the eigenvalues left out.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from lamc.learners.landmarks import LandmarkMap
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    >>> features = LandmarkMap(gamma=0.5).fit(X).transform(X)
    >>> np.allclose(features @ features.T, rbf_kernel(X, gamma=0.5))
    True
    """

    def __init__(
        self, n_landmarks: int = 1000, gamma: float | None = None, random_state: Seed = None
    ) -> None:
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Matrix, y: Any = None) -> Self:
        """Draw landmarks among the rows of ``X``."""
        order = check_random_state(self.random_state).permutation(X.shape[0])
        self.landmarks_ = X[np.sort(order[: self.n_landmarks])]
        self.gamma_ = median_gamma(self.landmarks_) if self.gamma is None else self.gamma
        values, Q = np.linalg.eigh(rbf_kernel(self.landmarks_, gamma=self.gamma_))
        kept = values > LEAST_EIGENVALUE * values[-1]
        self.basis_ = Q[:, kept] / np.sqrt(values[kept])
        return self

    def transform(self, X: Matrix) -> FloatArray:
        """Features of rows: their inner products are the kernel, as far as the landmarks tell."""
        return rbf_kernel(X, self.landmarks_, gamma=self.gamma_) @ self.basis_


def median_gamma(rows: Matrix) -> float:
    """1 over the median squared distance between different rows; 1 if all are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.landmarks import median_gamma
    >>> median_gamma(np.array([[0.0], [2.0], [2.0]]))
    0.25
    """
    squared = euclidean_distances(rows, squared=True)[np.triu_indices(rows.shape[0], 1)]
    different = squared[squared > ROUNDING * row_norms(rows, squared=True).max()]
    return 1 / float(np.median(different)) if len(different) else 1.0
