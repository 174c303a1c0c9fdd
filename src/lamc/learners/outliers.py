"""Values far from the others of their feature: brought nearer, and left in their order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches

from lamc.learners.scaling import CONSTANT
from lamc.types import FloatArray, IntArray, Matrix, SparseMatrix

_FAR: Final = 10.0  # spreads from the middle, beyond which values are brought nearer
_ENTRIES = 500_000  # rows × features that are sorted at once: they stay near the processor


@dataclass(frozen=True, eq=False, repr=False)
class Fences(BaseEstimator):
    """Where the values of each feature end but for a few: ten spreads from its middle.

    A value beyond, z spreads from the middle, is put 10 + log(z / 10) spreads from it. So one row
    of −9999, or a feature with a long tail, leaves room for the others: means and standard
    deviations do not follow it, and trees do not draw their thresholds where no row is. Values
    within the fences stay as they are.

    The middle is the median, or 0 of a feature that is 0 in half of the rows or more. The spread is
    the median distance of the values that differ from it, so that a mark has a spread of 1 however
    rare it is.

    Parameters
    ----------
    middle, spread : ndarrays of shape (d,)
        Of each feature; the spread of one that does not vary is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.outliers import Fences
    >>> fences = Fences.of(np.array([[1.0], [2.0], [3.0], [4.0], [-9999.0]]))
    >>> fences.middle, fences.spread
    (array([2.]), array([1.]))
    >>> fences.transform(np.array([[7.0], [-9999.0], [1e9]])).round(1).tolist()
    [[7.0], [-14.9], [30.4]]
    """

    middle: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, X: Matrix) -> Self:
        """Take middle and spread from training rows."""
        if sparse.issparse(X):
            return cls(*_of_sparse(X))
        parts = [_of_columns(X[:, block]) for block in _blocks(*X.shape)]
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def transform(self, X: Matrix) -> Matrix:
        """Bring what is beyond the fences nearer; sparse rows stay sparse."""
        with np.errstate(over="ignore"):
            low, high = self.middle - _FAR * self.spread, self.middle + _FAR * self.spread
        if sparse.issparse(X):
            return self._transform_sparse(X, low, high)
        beyond = np.less(X, low) | np.greater(X, high)
        if not beyond.any():
            return X
        rows = X.copy()
        rows[beyond] = self._nearer(X[beyond], np.nonzero(beyond)[1])
        return rows

    def _transform_sparse(self, X: SparseMatrix, low: FloatArray, high: FloatArray) -> SparseMatrix:
        rows = sparse.csr_array(X, copy=True)
        rows.sum_duplicates()
        beyond = (rows.data < low[rows.indices]) | (rows.data > high[rows.indices])
        rows.data[beyond] = self._nearer(rows.data[beyond], rows.indices[beyond])
        of_zero = np.flatnonzero((low > 0) | (high < 0))  # features of which 0 itself is beyond
        if len(of_zero):
            row, place = np.nonzero(rows[:, of_zero].toarray() == 0)
            column = of_zero[place]
            values = self._nearer(np.zeros(len(column)), column).astype(rows.dtype)
            rows = sparse.csr_array(rows + sparse.csr_array((values, (row, column)), rows.shape))
        return rows

    def _nearer(self, values: FloatArray, columns: IntArray) -> FloatArray:
        middle, spread = self.middle[columns], self.spread[columns]
        with np.errstate(over="ignore"):
            away = np.minimum(np.abs(values - middle), np.finfo(np.float64).max)
        spreads = _FAR + np.log(away) - np.log(spread) - np.log(_FAR)
        return np.asarray(middle + np.sign(values - middle) * spread * spreads)


def _of_columns(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Middle and spread of dense features."""
    values = np.ascontiguousarray(X.T, dtype=np.float64)
    n = values.shape[1]
    each = np.arange(len(values))
    count = np.count_nonzero(values, axis=1)
    half = (n - 1) // 2
    middle = np.where(2 * count > n, np.partition(values, half, axis=1)[:, half], 0.0)
    size = np.sort(np.abs(values), axis=1)[each, n - 1 - count // 10]
    with np.errstate(over="ignore"):
        away = np.sort(np.abs(values - middle[:, None]), axis=1)
    same = np.count_nonzero(away <= CONSTANT * size[:, None], axis=1)
    spread = away[each, np.minimum(same + (n - same - 1) // 2, n - 1)]
    return middle, np.where(same < n, spread, np.inf)


def _of_sparse(X: SparseMatrix) -> tuple[FloatArray, FloatArray]:
    """The same of sparse features; few are made dense at a time, those that are mostly there."""
    columns = sparse.csc_array(X, dtype=np.float64, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    n, d = columns.shape
    count, start = np.diff(columns.indptr), columns.indptr[:-1]
    of_value = np.repeat(np.arange(d), count)
    sizes = np.abs(columns.data)
    sizes = np.append(sizes[np.lexsort((sizes, of_value))], np.inf)  # for a last one that is empty
    size = sizes[start + np.maximum(count - 1 - count // 10, 0)]
    same = np.bincount(of_value, sizes[:-1] <= CONSTANT * size[of_value], minlength=d).astype(int)
    spread = np.where(same < count, sizes[start + same + (count - same - 1) // 2], np.inf)
    middle = np.zeros(d)
    often = np.flatnonzero(2 * count > n)
    for block in _blocks(n, len(often)):
        some = often[block]
        middle[some], spread[some] = _of_columns(columns[:, some].toarray())
    return middle, spread


def _blocks(n: int, d: int) -> Iterator[slice]:
    return gen_batches(d, max(1, _ENTRIES // max(n, 1))) if d else iter(())
