"""Scores of each label in ascending order, and the order statistics that thresholds are made of."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lamc.rules.levels import Levels
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SortedScores:
    """Scores of each label in ascending order, one label after the other.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Scores; those of label ``k`` are ``values[offsets[k] : offsets[k + 1]]``.
    offsets : ndarray of int, shape (K + 1,)
        Where each label begins.
    zeros : ndarray of int, shape (K,)
        Scores of 0 that count but are not stored, below those that are.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.ranks import SortedScores
    >>> scores, _ = SortedScores.of(np.array([0.7, 0.2, 0.9]), np.array([1, 0, 1]), n_labels=2)
    >>> scores.order_statistic(np.array([1, 2]), if_none=-np.inf)
    array([0.2, 0.9])
    """

    values: AnyArray
    offsets: IntArray
    zeros: IntArray

    @classmethod
    def of(
        cls,
        values: AnyArray,
        labels: IntArray,
        *,
        n_labels: int,
        zeros: IntArray | None = None,
    ) -> tuple[Self, IntArray]:
        """Sort scores by label, then by value; also return the order they were put in."""
        order = np.argsort(values)
        # Then by label: scipy's change from rows to columns is a linear sort that keeps the order
        # within a column. Both steps take a sixth of the time of np.lexsort.
        by_value = sparse.csr_array((order, labels[order], [0, len(order)]), shape=(1, n_labels))
        by_label = by_value.tocsc()
        if zeros is None:
            zeros = np.zeros(n_labels, dtype=np.int64)
        offsets = by_label.indptr.astype(np.int64)
        return cls(values[by_label.data], offsets, zeros), by_label.data

    @property
    def counts(self) -> IntArray:
        """Number of scores of each label."""
        return np.diff(self.offsets) + self.zeros

    @property
    def labels(self) -> IntArray:
        """Label of each stored score."""
        return np.repeat(np.arange(len(self.zeros)), np.diff(self.offsets))

    def keep(self, chosen: BoolArray) -> "SortedScores":
        """Some of the stored scores, which are still in order."""
        before = np.concatenate([[0], np.cumsum(chosen)])
        return SortedScores(self.values[chosen], before[self.offsets], self.zeros)

    def rounded(self, dtype: npt.DTypeLike) -> "SortedScores":
        """The scores in a shorter type, in which they are still in order."""
        return SortedScores(self.values.astype(dtype, copy=False), self.offsets, self.zeros)

    def of_label(self, label: int) -> AnyArray:
        """Stored scores of one label."""
        return self.values[self.offsets[label] : self.offsets[label + 1]]

    def order_statistic(self, ranks: IntArray, *, if_none: float) -> FloatArray:
        """Return the score of rank ``ranks[k]`` (1 is the smallest) for each label ``k``.

        A rank of 0 gives ``if_none``; ranks are at most the number of scores.
        """
        found = np.full(len(ranks), if_none, dtype=self.values.dtype)
        found[(ranks > 0) & (ranks <= self.zeros)] = 0
        stored = ranks > self.zeros
        found[stored] = self.values[(self.offsets[:-1] + ranks - self.zeros - 1)[stored]]
        return found


def in_whole_units(weights: AnyArray) -> AnyArray:
    """Weights in a unit that makes all of them whole numbers, so that they add up exactly.

    A float is a whole number of some power of two, and the smallest such power is the unit.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.ranks import in_whole_units
    >>> a, b, c = in_whole_units(np.array([0.5, 0.25, 3.0]))
    >>> a == 2 * b and c == 12 * b
    True
    """
    if weights.dtype.kind != "f":
        return weights
    mantissas, exponents = np.frexp(weights)
    shifts = (exponents - exponents.min(initial=0)).astype(object)
    return np.ldexp(mantissas, 53).astype(np.int64).astype(object) << shifts


def in_one_unit(weights: AnyArray, heaviest: Any) -> tuple[AnyArray, Any]:
    """Weights, and that of the heaviest row, as whole numbers of one unit.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.ranks import in_one_unit
    >>> weights, heaviest = in_one_unit(np.array([0.5, 0.25]), 1.0)
    >>> heaviest == 2 * weights[0] == 4 * weights[1]
    True
    """
    whole = in_whole_units(np.append(weights, heaviest))
    return whole[:-1], whole[-1]


def weighted_rank(
    scores: SortedScores, weights: AnyArray, levels: Levels, *, new_weight: Any
) -> IntArray:
    """Return, for each label, the largest rank that leaves a share of at most alpha below it.

    A new point of weight ``new_weight`` may fall anywhere, so it counts as if it fell below: of
    label k the largest j with w_1 + … + w_{j−1} + w ≤ alpha (w_1 + … + w_n + w) is wanted, the
    weights taken in the order of the scores. With equal weights that is ⌊alpha (n + 1)⌋. Weights
    are whole numbers (see :func:`in_whole_units`) and are added up exactly, however large.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.levels import Levels
    >>> from lamc.rules.ranks import SortedScores, weighted_rank
    >>> values = np.linspace(0, 1, 19)
    >>> scores, _ = SortedScores.of(values, np.zeros(19, dtype=int), n_labels=1)
    >>> weighted_rank(scores, np.ones(19, dtype=int), Levels.of(0.1, n_labels=1), new_weight=1)
    array([2])
    """
    running = np.concatenate([[0], np.cumsum(weights)])
    starts = running[scores.offsets]
    labels = scores.labels
    below = running[:-1] - starts[:-1][labels]
    total = np.diff(starts)
    share = levels.numerators.astype(object) * (total + new_weight)
    enough = levels.denominators.astype(object)[labels] * (below + new_weight) <= share[labels]
    return np.bincount(labels, weights=enough.astype(bool), minlength=len(total)).astype(np.int64)
