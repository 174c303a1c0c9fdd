"""GLOCAL's objective, and updates that each minimise it over one factor while the others rest.

    Φ = ½‖J∘(Y − V Uᵀ)‖² + a/2 ‖V − X W‖² + rv/2 ‖V‖² + ru/2 ‖U‖² + rw/2 ‖W‖²
        + ½ Σ_m tr(Z_mᵀ U Wᵀ M_m W Uᵀ Z_m),      M_m = cg (n_m/n) XᵀX + cl X_mᵀX_m

J marks the observed labels and X_m the n_m rows of cluster m. Rows of every Z_m have unit length,
or Z = 0 would be best. While Z is 0, as it is when a fit begins, the last sum is just not there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from lamc.learners.mixing import turn_rows
from lamc.learners.whitening import gram_of, whitening_of
from lamc.types import BoolArray, FloatArray, IntArray, Matrix

CG_TOL = 1e-6  # relative residual at which a linear system counts as solved
_CG_STEPS = 50
_BATCH_ROWS, _BATCH_NUMBERS = 4096, 2**24


@dataclass(frozen=True)
class Weights:
    """Weights of the terms of Φ: ``a``, ``rv``, ``ru``, ``rw``, ``cg`` and ``cl``.

    Examples
    --------
    >>> from lamc.learners.glocal_blocks import Weights
    >>> Weights(embedding=1.0, V=0.1, U=0.1, W=100.0, across=0.5, within=0.5).across
    0.5
    """

    embedding: float
    V: float
    U: float
    W: float
    across: float
    within: float


@dataclass(frozen=True, eq=False)
class Factors:
    """The unknowns of Φ, and the product ``XW`` that most updates need.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors
    >>> one = np.ones((1, 1))
    >>> Factors(U=one, V=one, W=one, XW=one, Z=one[None]).Z.shape  # a cluster of one label
    (1, 1, 1)
    """

    U: FloatArray  # (K, r), labels
    V: FloatArray  # (n, r), training rows
    W: FloatArray  # (d, r), features
    XW: FloatArray  # (n, r)
    Z: FloatArray  # (G, K, q), label correlations of each cluster


@dataclass(frozen=True, eq=False)
class Problem:
    """What Φ is made of. Missing labels are 0 in ``Y``; ``observed`` is None if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Problem, Weights
    >>> one = np.ones((1, 1))  # a row with one feature and one label
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 0, 0))
    >>> problem.ridge(one)
    array([[0.5]])
    """

    X: Matrix
    Y: FloatArray
    observed: BoolArray | None
    clusters: Sequence[IntArray]  # rows of each; together all rows, each once
    weights: Weights
    moments: FloatArray | None  # X_mᵀX_m, (G, d, d), where that is the cheaper way to multiply
    ridge: Callable[[FloatArray], FloatArray]  # R ↦ (a XᵀX + rw I)⁻¹ R, or about that

    @classmethod
    def of(
        cls,
        X: Matrix,
        Y: FloatArray,
        observed: BoolArray | None,
        clusters: Sequence[IntArray],
        weights: Weights,
    ) -> Self:
        """Prepare what does not change while Φ falls."""
        moments = _moments(X, clusters)
        return cls(X, Y, observed, clusters, weights, moments, _ridge(X, moments, weights))


Update = Callable[[Problem, Factors], Factors]


def objective(problem: Problem, factors: Factors) -> float:
    """Value of Φ.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, objective
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 0, 0))
    >>> factors = Factors(U=one, V=zero, W=zero, XW=zero, Z=zero[None])
    >>> objective(problem, factors)  # ½ (1 − 0)² of the label, ½ of U
    1.0
    """
    U, V, W, weights = factors.U, factors.V, factors.W, problem.weights
    return 0.5 * (
        _misfit(problem, U, V)
        + weights.embedding * _square(V - factors.XW)
        + weights.V * _square(V)
        + weights.U * _square(U)
        + weights.W * _square(W)
        + correlation(problem, factors)
    )


def correlation(problem: Problem, factors: Factors) -> float:
    """The last sum of Φ, without its ½.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, correlation
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 2, 1))
    >>> factors = Factors(U=one, V=one, W=one, XW=one, Z=one[None])
    >>> correlation(problem, factors)
    3.0
    """
    grams = _score_grams(problem, factors.XW)
    return float(np.vdot(grams, _label_grams(factors)))


def descend(
    problem: Problem, factors: Factors, updates: Sequence[Update], *, max_iter: int, tol: float
) -> tuple[Factors, FloatArray]:
    """Apply the updates in turn until Φ hardly falls; return its value after each as well.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, descend, update_v
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 0, 0))
    >>> factors = Factors(U=one, V=zero, W=zero, XW=zero, Z=zero[None])
    >>> factors, values = descend(problem, factors, [update_v], max_iter=9, tol=1e-5)
    >>> values.tolist()
    [1.0, 0.75, 0.75]
    """
    values = [objective(problem, factors)]
    for _ in range(max_iter):
        before = values[-1]
        for update in updates:
            factors = update(problem, factors)
            values.append(objective(problem, factors))
        if before - values[-1] <= tol * before:
            break
    return factors, np.asarray(values)


def update_v(problem: Problem, factors: Factors) -> Factors:
    """Minimise over V, whose rows are independent of each other.

    ``(Uᵀ diag(j_i) U + (a + rv) I) v_i = Uᵀ y_i + a Wᵀ x_i``

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, update_v
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 0, 0))
    >>> factors = Factors(U=one, V=zero, W=zero, XW=zero, Z=zero[None])
    >>> update_v(problem, factors).V
    array([[0.5]])
    """
    U, a = factors.U, problem.weights.embedding
    shrink = (a + problem.weights.V) * np.eye(U.shape[1])
    right = problem.Y @ U + a * factors.XW
    if problem.observed is None:
        factor = linalg.cho_factor(U.T @ U + shrink)
        return replace(factors, V=linalg.cho_solve(factor, right.T).T)
    V = np.empty_like(right)
    outer = _outer_rows(U)
    for part in _batches(*right.shape):
        left = (problem.observed[part] @ outer).reshape(-1, *shrink.shape) + shrink
        V[part] = np.linalg.solve(left, right[part, :, None])[:, :, 0]
    return replace(factors, V=V)


def update_u(problem: Problem, factors: Factors, *, tol: float = CG_TOL) -> Factors:
    """Minimise over U, whose rows hang together by Z only.

    ``(Vᵀ diag(J_k) V + ru I) u_k + Σ_m (Z_m Z_mᵀ U G_m)_k = Vᵀ y_k`` with ``G_m = Wᵀ M_m W``, by
    conjugate gradients. The blocks on the diagonal, inverted, are the preconditioner.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, update_u
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 0, 0))
    >>> factors = Factors(U=zero, V=one, W=zero, XW=zero, Z=zero[None])
    >>> update_u(problem, factors).U
    array([[0.5]])
    """
    V, Z = factors.V, factors.Z
    own = _row_grams(problem, V) + problem.weights.U * np.eye(V.shape[1])
    grams = _score_grams(problem, factors.XW)
    lengths = (Z[:, 0] ** 2).sum(axis=1)  # of all rows alike: 1, or 0 while Z is not there
    inverse = np.linalg.inv(own + np.tensordot(lengths, grams, axes=1))

    def apply(D: FloatArray) -> FloatArray:
        shared = Z @ (Z.transpose(0, 2, 1) @ D @ grams)
        return _by_block(own, D) + shared.sum(axis=0)

    U = _solve(apply, problem.Y.T @ V, factors.U, lambda D: _by_block(inverse, D), tol)
    return replace(factors, U=U)


def update_w(problem: Problem, factors: Factors, *, tol: float = CG_TOL) -> Factors:
    """Minimise over W.

    As the clusters hold each row once, the condition ``a XᵀX W + rw W + Σ_m M_m W B_m = a XᵀV``
    with ``B_m = Uᵀ Z_m Z_mᵀ U`` is ``Σ_m X_mᵀX_m W (a I + cg Σ_j (n_j/n) B_j + cl B_m) + rw W =
    a XᵀV``. Solved by conjugate gradients, with what remains for Z = 0 as the preconditioner.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, update_w
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 0, 0))
    >>> factors = Factors(U=zero, V=one, W=zero, XW=zero, Z=zero[None])
    >>> update_w(problem, factors).W
    array([[0.5]])
    """
    weights, a = problem.weights, problem.weights.embedding
    of_labels = _label_grams(factors)
    overall = np.tensordot(_shares(problem), of_labels, axes=1)
    mixing = a * np.eye(len(overall)) + weights.across * overall + weights.within * of_labels

    def apply(D: FloatArray) -> FloatArray:
        return _times_moments(problem, D, mixing) + weights.W * D

    W = _solve(apply, a * (problem.X.T @ factors.V), factors.W, problem.ridge, tol)
    return replace(factors, W=W, XW=problem.X @ W)


def update_z(problem: Problem, factors: Factors) -> Factors:
    """Lower Φ over each Z_m; see :func:`lamc.learners.mixing.turn_rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.glocal_blocks import Factors, Problem, Weights, update_z
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> problem = Problem.of(one, one, None, [np.arange(1)], Weights(1, 0, 1, 1, 1, 1))
    >>> factors = Factors(U=one, V=one, W=one, XW=one, Z=one[None])
    >>> update_z(problem, factors).Z  # one label alone has nowhere to turn
    array([[[1.]]])
    """
    grams = _score_grams(problem, factors.XW)
    turned = [turn_rows(Z, factors.U @ _root(G)) for Z, G in zip(factors.Z, grams, strict=True)]
    return replace(factors, Z=np.stack(turned))


def _misfit(problem: Problem, U: FloatArray, V: FloatArray) -> float:
    """‖J∘(Y − V Uᵀ)‖²."""
    total = 0.0
    for part in _batches(len(V), 1):
        residual = problem.Y[part] - V[part] @ U.T
        if problem.observed is not None:
            residual *= problem.observed[part]
        total += _square(residual)
    return total


def _score_grams(problem: Problem, XW: FloatArray) -> FloatArray:
    """Wᵀ M_m W for every cluster, (G, r, r)."""
    own = np.stack([XW[rows].T @ XW[rows] for rows in problem.clusters])
    across, within = problem.weights.across, problem.weights.within
    return across * _shares(problem)[:, None, None] * own.sum(axis=0) + within * own


def _label_grams(factors: Factors) -> FloatArray:
    """Uᵀ Z_m Z_mᵀ U for every cluster, (G, r, r)."""
    turned = factors.Z.transpose(0, 2, 1) @ factors.U
    return turned.transpose(0, 2, 1) @ turned


def _row_grams(problem: Problem, V: FloatArray) -> FloatArray:
    """Vᵀ diag(J_k) V for every label, (K, r, r), or once for all, (1, r, r)."""
    r = V.shape[1]
    if problem.observed is None:
        return (V.T @ V)[None]
    total = np.zeros((problem.Y.shape[1], r * r))
    for part in _batches(*V.shape):
        total += problem.observed[part].T @ _outer_rows(V[part])
    return total.reshape(-1, r, r)


def _shares(problem: Problem) -> FloatArray:
    sizes = np.array([len(rows) for rows in problem.clusters])
    return sizes / sizes.sum()


def _times_moments(problem: Problem, W: FloatArray, mixing: FloatArray) -> FloatArray:
    """Σ_m X_mᵀX_m W T_m, where the T_m are ``mixing``."""
    if problem.moments is not None:
        return (problem.moments @ (W @ mixing)).sum(axis=0)
    mixed = problem.X @ W
    for rows, T in zip(problem.clusters, mixing, strict=True):
        mixed[rows] = mixed[rows] @ T
    return problem.X.T @ mixed


def _moments(X: Matrix, clusters: Sequence[IntArray]) -> FloatArray | None:
    """X_mᵀX_m, unless to multiply by X and Xᵀ takes fewer operations than by these."""
    d = X.shape[1]
    stored = X.nnz if sparse.issparse(X) else X.size
    if len(clusters) * d**2 > 2 * stored:
        return None
    return np.stack([gram_of(X[rows]) for rows in clusters])


def _ridge(
    X: Matrix, moments: FloatArray | None, weights: Weights
) -> Callable[[FloatArray], FloatArray]:
    """(a XᵀX + rw I)⁻¹, or of its diagonal where the matrix is too large to factorise."""
    a = weights.embedding
    whitening = whitening_of(X, weights.W / a, None if moments is None else moments.sum(axis=0))
    return lambda R: whitening.solve(R) / a


def _solve(
    apply: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    start: FloatArray,
    precondition: Callable[[FloatArray], FloatArray],
    tol: float,
) -> FloatArray:
    """Solve ``apply(D) = right`` by conjugate gradients; every step lowers the quadratic."""

    def flat(f: Callable[[FloatArray], FloatArray]) -> LinearOperator:
        return LinearOperator(
            (right.size, right.size),
            matvec=lambda x: f(x.reshape(right.shape)).ravel(),
            dtype=np.float64,
        )

    solution, _ = cg(
        flat(apply),
        right.ravel(),
        x0=start.ravel(),
        rtol=tol,
        maxiter=_CG_STEPS,
        M=flat(precondition),
    )
    return solution.reshape(right.shape)


def _root(G: FloatArray) -> FloatArray:
    """R with R Rᵀ = G, for G without negative eigenvalues but for rounding."""
    values, vectors = np.linalg.eigh(G)
    return vectors * np.sqrt(np.maximum(values, 0))


def _by_block(blocks: FloatArray, D: FloatArray) -> FloatArray:
    """Row k of D times block k; blocks are symmetric, and one alone serves all rows."""
    return (D[:, None, :] @ blocks)[:, 0]


def _outer_rows(U: FloatArray) -> FloatArray:
    """u_k u_kᵀ as row k, (K, r²)."""
    return (U[:, :, None] * U[:, None, :]).reshape(len(U), -1)


def _batches(n: int, r: int) -> list[slice]:
    """Rows in batches whose r × r matrices fit in memory together."""
    size = max(1, min(_BATCH_ROWS, _BATCH_NUMBERS // r**2))
    return [slice(start, start + size) for start in range(0, n, size)]


def _square(A: FloatArray) -> float:
    """‖A‖², summed pairwise and not by BLAS, whose threads cost more than they save here."""
    return float((A * A).sum())
