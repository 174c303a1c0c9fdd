"""The nuclear norm, the sum of singular values: how many directions a matrix spreads over."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from lamc.learners.process_wide import Shared
from lamc.types import FloatArray, IntArray

_BLAS_THREADS = Shared()


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


def norms_of_parts(
    A: FloatArray, parts: Sequence[IntArray], smoothing: float
) -> tuple[float, FloatArray]:
    """Sum of the smoothed nuclear norms of parts of the rows of a matrix, and its gradient.

    The parts are many and small, too small to share among the threads of a linear algebra library:
    on a busy machine these wait for each other, and take ten times as long. So one thread does it.

    Parameters
    ----------
    A : ndarray of shape (n, K)
        Any matrix.
    parts : sequence of ndarrays of int
        Rows of each part. A row may be in several, and in none.
    smoothing : float
        μ, above 0.

    Returns
    -------
    value : float
    gradient : ndarray of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.nuclear_norm import norms_of_parts
    >>> A = np.array([[3.0, 0.0], [0.0, 4.0], [5.0, 5.0]])
    >>> value, gradient = norms_of_parts(A, [np.array([0]), np.array([0, 1])], smoothing=1e-4)
    >>> round(value, 3)
    10.0
    >>> gradient.round(3)
    array([[2., 0.],
           [0., 1.],
           [0., 0.]])
    """
    total, slope = 0.0, np.zeros_like(A)
    with _BLAS_THREADS.kept(_to_one_thread, _as_before):
        for rows in parts:
            value, gradient = smoothed_nuclear_norm(A[rows], smoothing)
            total += value
            slope[rows] += gradient
    return total, slope


def _to_one_thread() -> Any:
    return _libraries().limit(limits=1, user_api="blas")


def _as_before(limited: Any) -> None:
    limited.restore_original_limits()


@cache
def _libraries() -> ThreadpoolController:
    """The linear algebra libraries loaded, looked for once: that takes a tenth of a second."""
    return ThreadpoolController()
