"""Which features of a row are the most telling."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import FeatureError
from lamc.types import AnyArray, FloatArray, IntArray, Matrix

_SAMPLE = 2000  # rows that means, spreads and correlations are taken from


@dataclass(frozen=True)
class Feature:
    """A feature of a row that tells something about its labels."""

    name: str
    value: float
    deviation: float  # from the mean, in standard deviations


class Features:
    """Features of the held-out rows, and how they go together with the scores.

    A feature is telling in a row if its value is unusual there, at least one standard deviation
    from the mean, and if it goes together with the scores of the row's labels: by |deviation| ×
    the largest |correlation| with one of them.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n, d)
        Numbers; NaN where a value is missing. Of a DataFrame, columns of other things are left out.
    scores : ndarray or CSR matrix of shape (n, K)
    names : array-like of shape (d,), optional
        Names of the features; those of a DataFrame are its columns. By default, numbers.
    """

    def __init__(self, X: Any, scores: Matrix, *, names: Any = None) -> None:
        if hasattr(X, "select_dtypes"):
            X = X.select_dtypes(["number", "bool"])
            names, X = X.columns, X.to_numpy(dtype=np.float64, na_value=np.nan)
        self._X = _matrix(X)
        names = np.arange(self._X.shape[1]) if names is None else names
        self.names = [str(name) for name in names]
        self.n_rows: int = self._X.shape[0]
        step = -(-self.n_rows // _SAMPLE)
        self._sample = _dense_if_small(self._X[::step])
        self._scores = scores[::step]
        self.n_sampled: int = self._sample.shape[0]
        self._mean, self._spread = _mean_and_spread(self._sample)

    def telling(self, row: int, labels: IntArray, n: int) -> list[Feature]:
        """The most telling features of a row for some labels; missing values tell nothing."""
        x = self._X[[row]]
        x = (x.toarray() if sparse.issparse(x) else np.asarray(x)).ravel()
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.where(self._spread > 0, (x - self._mean) / self._spread, 0)
        deviation = np.nan_to_num(deviation)
        weight = np.abs(deviation) * np.abs(self._correlations(labels)).max(axis=1, initial=0)
        weight[np.abs(deviation) < 1] = 0
        best = np.argsort(-weight, kind="stable")[:n]
        return [
            Feature(self.names[j], float(x[j]), float(deviation[j]))
            for j in best.tolist()
            if weight[j] > 0
        ]

    def _correlations(self, labels: IntArray) -> FloatArray:
        """Correlation of each feature with the scores of some labels, (d, labels)."""
        scores = self._scores[:, labels]
        scores = scores.toarray() if sparse.issparse(scores) else scores
        scores = scores - scores.mean(axis=0, dtype=np.float64)
        X = self._sample if sparse.issparse(self._sample) else _missing_as(self._sample, self._mean)
        with np.errstate(invalid="ignore", divide="ignore"):
            together = (X.T @ scores) / len(scores) / self._spread[:, None] / scores.std(axis=0)
        return np.nan_to_num(together, posinf=0, neginf=0)


def _matrix(X: Any) -> Any:
    if sparse.issparse(X):
        return sparse.csr_array(X)
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise FeatureError(
            f"The features have shape {array.shape} and hold {array.dtype} values; a report shows "
            "a matrix of numbers.\nLeave the features out, or give a DataFrame, whose columns of "
            "numbers are taken."
        )
    return array


def _dense_if_small(X: Any) -> Any:
    return X.toarray() if sparse.issparse(X) and X.shape[0] * X.shape[1] < 1 << 20 else X


def _mean_and_spread(X: Any) -> tuple[FloatArray, FloatArray]:
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return mean, np.sqrt(np.maximum(square - mean * mean, 0))
    known = ~np.isnan(X)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, X, 0).sum(axis=0) / counts
    square = (np.where(known, X - mean, 0) ** 2).sum(axis=0) / counts
    return mean, np.sqrt(square)


def _missing_as(X: AnyArray, mean: FloatArray) -> AnyArray:
    return np.where(np.isnan(X), mean, X)
