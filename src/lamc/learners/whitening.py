"""Whitened weights: coordinates in which least squares over given rows are round.

With R the Cholesky factor of XᵀX + c I, ‖XW‖² + c ‖W‖² is ‖V‖² for V = RW. A descent that knows
nothing of the rows takes a few steps in V where it takes hundreds in W, and ends at the same place.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from lamc.types import FloatArray, Matrix

LARGEST_CHOLESKY = 5000  # features; it takes d³/3 operations and d² numbers


@dataclass(frozen=True, eq=False)
class Whitening:
    """V = RW for an upper triangular matrix R.

    Attributes
    ----------
    root : ndarray of shape (d, d)
        R, with RᵀR = XᵀX + c I.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.whitening import Whitening
    >>> whitening = Whitening(np.array([[1.0, 1.0], [0.0, 2.0]]))
    >>> V = whitening.there(np.array([[3.0], [1.0]]))
    >>> V.tolist(), whitening.back(V).tolist()
    ([[4.0], [2.0]], [[3.0], [1.0]])
    """

    root: FloatArray

    def there(self, W: FloatArray) -> FloatArray:
        """V = RW."""
        return self.root @ W

    def back(self, V: FloatArray) -> FloatArray:
        """W = R⁻¹V."""
        return linalg.solve_triangular(self.root, V, check_finite=False)

    def gradient(self, by_W: FloatArray) -> FloatArray:
        """R⁻ᵀG, the gradient by V where that by W is G."""
        return linalg.solve_triangular(self.root, by_W, trans="T", check_finite=False)

    def solve(self, right: FloatArray) -> FloatArray:
        """(XᵀX + c I)⁻¹ B."""
        return linalg.cho_solve((self.root, False), right, check_finite=False)


@dataclass(frozen=True, eq=False)
class ColumnScales:
    """The same for a diagonal R: each feature by its own length, none by the others.

    Attributes
    ----------
    root : ndarray of shape (d, 1)
        The diagonal of R, squared that of XᵀX + c I.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.whitening import ColumnScales
    >>> scales = ColumnScales(np.array([[2.0], [5.0]]))
    >>> scales.there(np.ones((2, 1))).tolist(), scales.solve(np.ones((2, 1))).tolist()
    ([[2.0], [5.0]], [[0.25], [0.04]])
    """

    root: FloatArray

    def there(self, W: FloatArray) -> FloatArray:
        """V = RW."""
        return self.root * W

    def back(self, V: FloatArray) -> FloatArray:
        """W = R⁻¹V."""
        return V / self.root

    def gradient(self, by_W: FloatArray) -> FloatArray:
        """R⁻¹G, the gradient by V where that by W is G."""
        return by_W / self.root

    def solve(self, right: FloatArray) -> FloatArray:
        """R⁻²B: (XᵀX + c I)⁻¹ B, as if features were orthogonal."""
        return right / self.root**2


def whitening_of(
    X: Matrix, ridge: float, gram: FloatArray | None = None
) -> Whitening | ColumnScales:
    """Whitening by XᵀX + c I, or by its diagonal where that matrix is too large to factorise.

    Parameters
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n, d)
        The rows.
    ridge : float
        c, above 0.
    gram : ndarray of shape (d, d), optional
        XᵀX, where it is at hand.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.whitening import whitening_of
    >>> X = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> R = whitening_of(X, ridge=2.0).root
    >>> np.allclose(R.T @ R, X.T @ X + 2 * np.eye(2))
    True
    """
    d = X.shape[1]
    if d > LARGEST_CHOLESKY:
        squares = X.power(2).sum(axis=0) if sparse.issparse(X) else np.einsum("ij,ij->j", X, X)
        return ColumnScales(np.sqrt(squares + ridge)[:, None])
    shifted = gram_of(X) if gram is None else gram.copy()
    shifted[np.diag_indices(d)] += ridge
    return Whitening(linalg.cholesky(shifted, overwrite_a=True, check_finite=False))


def gram_of(X: Matrix) -> FloatArray:
    """XᵀX, dense.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.learners.whitening import gram_of
    >>> gram_of(sparse.csr_array(np.array([[1.0, 2.0]]))).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    product = X.T @ X
    return product.toarray() if sparse.issparse(product) else product
