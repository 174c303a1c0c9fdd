"""The nuclear norm, the sum of singular values: how many directions a matrix spreads over."""

import numpy as np

from lamc.types import FloatArray


def smoothed_nuclear_norm(A: FloatArray, smoothing: float) -> tuple[float, FloatArray]:
    """Smoothed nuclear norm h(A) = Σ (√(s² + μ²) − μ) over the singular values s, and its gradient.

    The norm itself has no gradient where a singular value is 0, and predictions of low rank are
    just there. h is convex and smooth, 0 at 0, and less than the norm by at most μ for each
    singular value. Its gradient is A (AᵀA + μ² I)^−½.

    Both come from the eigenvalues s² of the smaller of AAᵀ and AᵀA, so no matrix is larger than A
    or has more entries than the square of its shorter side. Squaring costs accuracy only for s
    far below √ε times the largest, which μ drowns.

    Parameters
    ----------
    A : ndarray of shape (m, K)
        Any matrix with at least one row.
    smoothing : float
        μ, above 0.

    Returns
    -------
    value : float
    gradient : ndarray of shape (m, K)

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.nuclear_norm import smoothed_nuclear_norm
    >>> A = np.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> value, gradient = smoothed_nuclear_norm(A, smoothing=1e-4)
    >>> round(value, 3)
    7.0
    >>> gradient.round(3)
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    m, k = A.shape
    squares, Q = np.linalg.eigh(A @ A.T if m <= k else A.T @ A)
    lengths = np.sqrt(np.maximum(squares, 0) + smoothing**2)
    value = float((lengths - smoothing).sum())
    if m <= k:
        return value, (Q / lengths) @ (Q.T @ A)
    return value, A @ ((Q / lengths) @ Q.T)
