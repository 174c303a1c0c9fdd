"""The mixing method: unit vectors, one for each row of a matrix, that cancel as far as they can."""

import numpy as np

from lamc.types import FloatArray

_NO_PULL = 1e-14  # a row this little pulled on, as a share of the trace, stays where it is


def turn_rows(
    Z: FloatArray, A: FloatArray, *, max_sweeps: int = 10, tol: float = 1e-6
) -> FloatArray:
    """Lower ``½‖AᵀZ‖²`` over rows of unit length, one row after the other.

    With the others fixed it is ``z_iᵀ g + const`` with ``g = Σ_{j≠i} (a_iᵀ a_j) z_j``, least at
    ``−g/‖g‖``. So every step is exact and needs no step size. As ``AᵀZ`` is kept up to date, a
    step costs r·q, and no K × K matrix is made.

    Parameters
    ----------
    Z : ndarray of shape (K, q)
        Rows of unit length to start from.
    A : ndarray of shape (K, r)
        What the rows of Z are multiplied with.
    max_sweeps : int
        Largest number of times that every row is turned.
    tol : float
        Stop when a sweep lowers ‖AᵀZ‖² by no more than this share of ‖A‖².

    References
    ----------
    P.-W. Wang, W.-C. Chang and J. Z. Kolter, "The Mixing method: low-rank coordinate descent for
    semidefinite programming with diagonal constraints", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.mixing import turn_rows
    >>> Z = turn_rows(np.eye(2), np.ones((2, 1)))
    >>> float(Z[0] @ Z[1])  # two equal rows of A are best cancelled by opposite ones of Z
    -1.0
    """
    lengths = (A * A).sum(axis=1)
    trace = lengths.sum()
    if trace == 0:
        return Z
    Z = Z.copy()
    product = A.T @ Z
    before = (product * product).sum()
    for _ in range(max_sweeps):
        for i, row in enumerate(A):
            pull = row @ product - lengths[i] * Z[i]
            size = np.sqrt(pull @ pull)
            if size > _NO_PULL * trace:
                turned = pull / -size
                product += np.outer(row, turned - Z[i])
                Z[i] = turned
        product = A.T @ Z  # so that rounding does not add up over sweeps
        after = (product * product).sum()
        if before - after <= tol * trace:
            break
        before = after
    return Z
