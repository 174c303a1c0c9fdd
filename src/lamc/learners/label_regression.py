"""Which labels come together: all labels of fully labelled rows, regressed on their shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.utils import gen_batches

from lamc.exceptions import warn
from lamc.labels import Labels
from lamc.learners.pool import ENOUGH_ROWS, count_factor, reveal_factors
from lamc.types import BoolArray, FloatArray, IntArray

_DIRECTIONS = 64  # of the roots of shares that vary most; 256 gain little more
_PRECISIONS: Final = (16.0, 4.0, 1.0, 1 / 4, 1 / 16)  # of coefficients, from stiff to loose
_STEPS = 20  # that are enough to tell precisions apart, each from where the one before ended
_LAST_STEPS = 60
_LEAST_RATE = 1e-12
_LEAST_SIZE = 1e-6  # of a direction beside the first: below, rows vary by rounding
_UNLIKE = 0.1  # share of labels that may differ between rows drawn alike, besides chance
_FOLDS = 3  # more tell the same, and take longer
_LOG_RATES = (-60.0, 20.0)  # fewest and most: an impossible and a certain label
_ENTRIES = 10_000_000  # rows × labels that are looked at at once


@dataclass(frozen=True, eq=False, repr=False)
class LabelRegression(BaseEstimator):
    """By how much the rate of each label rises with the shares of all labels.

    Rows with one observed label never show two labels together; rows with all their labels do. The
    shares q of a row say where it lies among the others: x, the 64 directions in which √q varies
    most over rows. With f, a factor for each label, a label is taken to be true with probability
    1 − exp(−rate), where::

        log rate = log(f q) + x · c

    The coefficients c of a label are those under which the labels of fully labelled rows are most
    likely, each normal with mean 0 beforehand. How far they may go is found by leaving out a third
    of these rows at a time: looser coefficients are taken while the labels of rows left out get
    more likely by more than chance. Where they never do, there are no directions, and shares stay
    as they are. So they do if rows are fewer than 40, or unlike the training rows.

    Parameters
    ----------
    centre : ndarray of shape (K,)
        Mean of √q.
    directions : ndarray of shape (K, r)
        What x is made of.
    coefficients : ndarray of shape (r, K)
        What x tells of each label.

    Examples
    --------
    The second label comes with the first, and the fourth with the third, which shares do not show:

    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.learners.label_regression import LabelRegression
    >>> shares = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1]] * 50)
    >>> truth = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 50)
    >>> labels = as_labels(truth, knowledge="all")
    >>> found = LabelRegression.of(shares, labels, np.array([35, 5, 35, 5]), shares, np.arange(100))
    >>> rates = found.multiplied(shares[:1].copy())
    >>> rates[0, 1] / rates[0, 3] > 10
    np.True_
    """

    centre: FloatArray
    directions: FloatArray
    coefficients: FloatArray

    @classmethod
    def none(cls, n_labels: int) -> Self:
        """Nothing is known of labels together."""
        return cls(np.zeros(n_labels), np.zeros((n_labels, 0)), np.zeros((0, n_labels)))

    @classmethod
    def of(
        cls,
        shares: FloatArray,
        labels: Labels,
        observed: IntArray,
        of_training: FloatArray,
        things: IntArray,
    ) -> Self:
        """Learn from rows with all their labels.

        Parameters
        ----------
        shares : ndarray of shape (n, K)
            Of the rows.
        labels : Labels
            All labels of the rows.
        observed : ndarray of int, shape (K,)
            Training rows on which each label was observed: see :func:`reveal_factors`.
        of_training : ndarray of shape (m, K)
            Shares of training rows. If those of the rows are others on average, the rows were not
            drawn like them, and a warning says that nothing is learnt.
        things : ndarray of int, shape (n,)
            The thing that each row shows. Its copies are left out together, and are one witness.
        """
        n_labels = shares.shape[1]
        named, thing = np.unique(things, return_inverse=True)
        if (
            len(named) < ENOUGH_ROWS
            or not np.ptp(shares, axis=0).any()
            or _are_unlike(shares, of_training)
        ):
            return cls.none(n_labels)
        centre, directions = _varied(np.sqrt(shares))
        inputs = _placed(shares, centre, directions)
        fold = np.random.default_rng(0).permutation(len(named))[thing] % _FOLDS
        folds = [_Fold.of(shares, inputs, labels, observed, fold == i) for i in range(_FOLDS)]
        precision = _precision(folds, thing)
        if precision is None:
            return cls.none(n_labels)
        offsets = _log_rates(shares, labels, observed, shares)
        start = np.mean([each.coefficients for each in folds], axis=0)
        found = _coefficients(inputs, offsets, labels, precision, start, _LAST_STEPS)
        return cls(centre, directions, found)

    def multiplied(self, shares: FloatArray) -> FloatArray:
        """The shares of rows times what they tell of each label; done in place, few at a time.

        What they tell is rounded to single precision. So a row has the same alone and in any batch,
        but for one number in millions: matrix products round differently for different numbers of
        rows.
        """
        if self.directions.shape[1]:
            for part in gen_batches(len(shares), max(1, _ENTRIES // shares.shape[1])):
                inputs = _placed(shares[part], self.centre, self.directions)
                told = (inputs @ self.coefficients).astype(np.float32).astype(np.float64)
                shares[part] *= np.exp(np.clip(told, *_LOG_RATES))
        return shares


@dataclass(eq=False)
class _Fold:
    """Rows to learn from, rows left out, and what was learnt last."""

    inputs: FloatArray
    offsets: FloatArray
    labels: Labels
    left: IntArray  # numbers of the rows left out
    inputs_out: FloatArray
    offsets_out: FloatArray
    labels_out: Labels
    coefficients: FloatArray

    @classmethod
    def of(
        cls,
        shares: FloatArray,
        inputs: FloatArray,
        labels: Labels,
        observed: IntArray,
        out: BoolArray,
    ) -> Self:
        kept, left = np.flatnonzero(~out), np.flatnonzero(out)
        of_kept = shares[kept], labels[kept], observed
        return cls(
            inputs[kept],
            _log_rates(*of_kept, shares[kept]),
            labels[kept],
            left,
            inputs[left],
            _log_rates(*of_kept, shares[left]),
            labels[left],
            np.zeros((inputs.shape[1], shares.shape[1])),
        )

    def loosened(self, precision: float) -> FloatArray:
        """Learn with another precision, and say how likely each row left out is then."""
        self.coefficients = _coefficients(
            self.inputs, self.offsets, self.labels, precision, self.coefficients, _STEPS
        )
        return self.likelihoods()

    def likelihoods(self) -> FloatArray:
        log_rates = self.offsets_out + self.inputs_out @ self.coefficients
        rates = np.exp(np.clip(log_rates, *_LOG_RATES))
        found = -rates.sum(axis=1)
        true = self.labels_out.positives.tocoo().coords
        np.add.at(found, true[0], rates[true] + np.log(-np.expm1(-rates[true])))
        return found


def _precision(folds: Sequence[_Fold], thing: IntArray) -> float | None:
    """The loosest precision up to which each makes rows left out more likely, by more than chance.

    More than chance is more than the standard error of the mean difference, over the ``thing`` of
    each row: copies are no further witnesses.
    """
    of_row = thing[np.concatenate([fold.left for fold in folds])]
    best, before = None, np.concatenate([fold.likelihoods() for fold in folds])
    for precision in _PRECISIONS:
        now = np.concatenate([fold.loosened(precision) for fold in folds])
        gain = np.bincount(of_row, now - before) / np.bincount(of_row)
        if gain.mean() <= gain.std() / np.sqrt(len(gain)):
            break
        best, before = precision, now
    return best


def _are_unlike(shares: FloatArray, of_training: FloatArray) -> bool:
    """Whether rows were not drawn like training rows; a warning says so.

    A tenth of the labels may differ, and what chance adds: a scorer remembers training rows. Rows
    that were picked by a label differ by more. What they tell holds for rows that have that label.
    """
    both = shares, of_training
    one, other = (each.mean(axis=0) for each in both)
    apart = np.abs(one - other).sum() / 2
    deviations = np.sqrt(sum(each.var(axis=0) / len(each) for each in both))
    by_chance = np.sqrt(2 / np.pi) * deviations.sum() / 2  # the mean of |z| of a normal z
    unlike = bool(apart > _UNLIKE + 2 * by_chance)
    if unlike:
        warn(
            f"The validation rows are unlike the training rows: by their features, {apart:.0%} of "
            "the labels observed on them would be others. Which labels come together is not "
            "learnt from them.\nDraw validation rows as the rows to be scored come, and do not "
            "pick them by their labels."
        )
    return unlike


def _varied(roots: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean of rows, and directions in which they vary most, with a mean square of 1 in all."""
    found = PCA(min(_DIRECTIONS, *roots.shape), random_state=0).fit(roots)
    sizes = found.singular_values_
    told = sizes > _LEAST_SIZE * sizes[0]
    scale = np.sqrt((sizes[told] ** 2).sum() / len(roots))
    return found.mean_, found.components_[told].T / scale


def _placed(shares: FloatArray, centre: FloatArray, directions: FloatArray) -> FloatArray:
    return (np.sqrt(shares) - centre) @ directions


def _log_rates(
    shares: FloatArray, labels: Labels, observed: IntArray, of: FloatArray
) -> FloatArray:
    """Logarithms of f q for rows, with the factors f that other rows tell."""
    factors = reveal_factors(shares, labels, observed)
    factors *= count_factor(factors * shares, labels.positives.nnz)
    return np.log(np.maximum(factors * of, _LEAST_RATE))


def _coefficients(
    inputs: FloatArray,
    offsets: FloatArray,
    labels: Labels,
    precision: float,
    start: FloatArray,
    steps: int,
) -> FloatArray:
    """Coefficients under which the labels are most likely; a concave problem.

    In single precision: most of the time goes into an exponential for each label of each row.
    """
    inputs, offsets = inputs.astype(np.float32), offsets.astype(np.float32)
    true = labels.positives.tocoo().coords
    curvature = (inputs**2).T @ np.exp(offsets) + precision
    unit = 1 / np.sqrt(curvature, dtype=np.float64).ravel()  # of rare labels larger

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        flat = unit * flat
        rates = offsets + inputs @ flat.reshape(start.shape).astype(np.float32)
        np.exp(np.clip(rates, *_LOG_RATES, out=rates), out=rates)
        value = rates.sum(dtype=np.float64)
        of_true = rates[true].astype(np.float64)
        likely = -np.expm1(-of_true)
        value -= (of_true + np.log(likely)).sum()
        rates[true] = of_true - of_true / likely
        slope = (inputs.T @ rates).astype(np.float64).ravel()
        return float(value + precision / 2 * (flat @ flat)), unit * (slope + precision * flat)

    found = minimize(
        loss,
        start.ravel() / unit,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxcor": 8},
    )
    return np.asarray((unit * found.x).reshape(start.shape))
