"""Error levels as exact fractions, so that no rank hangs on the last bit of a float.

``floor((n + 1) * 0.1)`` in floats is 0 at n = 9, where it should be 1: 0.1 is not a tenth. A level
is therefore taken as the fraction that the number given stands for, and ranks are computed on
integers.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lamc.exceptions import CalibrationError, LabelError
from lamc.labels.columns import entries_in_order_of
from lamc.types import BoolArray, FloatArray, IntArray

# With numerators and denominators up to 1e9, products with counts up to 9e9 fit in 64 bits.
_LARGEST_DENOMINATOR = 10**9
# Fractions with denominators up to d lie 1/d² apart, which shorter floats must be able to tell.
_LARGEST_IN_TYPE = {np.dtype(np.float32): 2896, np.dtype(np.float16): 32}


@dataclass(frozen=True, eq=False)
class Levels:
    """A level in (0, 1) for each label.

    Examples
    --------
    >>> from lamc.rules.levels import Levels
    >>> level = Levels.of(0.1, n_labels=2)
    >>> level.floor_of([9, 10])
    array([0, 1])
    """

    numerators: IntArray
    denominators: IntArray

    @classmethod
    def of(cls, alpha: Any, *, n_labels: int) -> Self:
        """Read one level for all labels, or one for each."""
        given = [alpha] if isinstance(alpha, Fraction) or np.ndim(alpha) == 0 else list(alpha)
        if np.ndim(alpha) == 1 and len(given) != n_labels:
            raise CalibrationError(
                f"alpha holds {len(given)} levels, but there are {n_labels} labels.\n"
                "Give one number, or one for each label."
            )
        fractions = [as_fraction(value, "alpha") for value in given]
        numerators = np.asarray([f.numerator for f in fractions], dtype=np.int64)
        denominators = np.asarray([f.denominator for f in fractions], dtype=np.int64)
        return cls(np.broadcast_to(numerators, n_labels), np.broadcast_to(denominators, n_labels))

    def floor_of(self, counts: Any) -> IntArray:
        """Return ⌊alpha · count⌋ for each label, exactly."""
        return self.numerators * np.asarray(counts, dtype=np.int64) // self.denominators

    def distinct(self) -> Iterator[tuple[Self, BoolArray]]:
        """Each level that there is, by itself, and the labels that have it.

        Examples
        --------
        >>> from lamc.rules.levels import Levels
        >>> for level, labels in Levels.of([0.1, 0.25, 0.1], n_labels=3).distinct():
        ...     print(level.as_floats(), labels)
        [0.25] [False  True False]
        [0.1] [ True False  True]
        """
        pairs = np.stack([self.numerators, self.denominators])
        found, which = np.unique(pairs, axis=1, return_inverse=True)
        for number, level in enumerate(found.T[:, :, None]):
            yield type(self)(*level), which.ravel() == number

    def as_floats(self) -> FloatArray:
        """Levels as the nearest floats."""
        return self.numerators / self.denominators

    def for_at_most(self, cardinality: int) -> Self:
        """Levels at which single positives keep the promise for rows of up to M labels.

        A label is revealed with a probability between 1/M and 1, so true rows that score low may
        be up to M times as frequent among all true rows as among the revealed ones. A share a' of
        misses among the revealed is then at most a'M / (a'M + 1 − a') of all, which is alpha for
        a' = alpha / (M (1 − alpha) + alpha).
        """
        fractions = [
            Fraction(int(p), int(cardinality * (q - p) + p))
            for p, q in zip(self.numerators, self.denominators, strict=True)
        ]
        return type(self).of(fractions, n_labels=len(fractions))


def in_order_of_labels(alpha: Any, classes: npt.ArrayLike) -> Any:
    """Levels that are named, as a dict or a pandas Series, as a list in the order of the labels.

    Examples
    --------
    >>> from lamc.rules.levels import in_order_of_labels
    >>> in_order_of_labels({"oak": 0.1, "elm": 0.2}, ["elm", "oak"])
    [0.2, 0.1]
    """
    try:
        return entries_in_order_of(alpha, classes, name="alpha")
    except LabelError as error:
        raise CalibrationError(str(error)) from error


def as_fraction(value: Any, name: str) -> Fraction:
    """Return the fraction that a level in (0, 1) stands for, or say why it is none.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.levels import as_fraction
    >>> as_fraction(1 - 0.9, "alpha"), as_fraction(np.float32(0.7), "alpha")
    (Fraction(1, 10), Fraction(7, 10))
    """
    largest = _LARGEST_IN_TYPE.get(getattr(value, "dtype", None), _LARGEST_DENOMINATOR)
    number = value if isinstance(value, Fraction) else _as_float(value)
    level = _simplest(number, largest)
    if not 0 < level < 1:
        raise CalibrationError(
            f"{name}={value!r} is not a level; give a number above 0 and below 1, such as 0.1."
        )
    return level


def _as_float(value: Any) -> float:
    """Return a number as a float, and 0, which is no level, for what is no number."""
    try:
        number = 0.0 if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


@lru_cache  # the same few levels are read again at every fit
def _simplest(number: float | Fraction, largest: int) -> Fraction:
    return Fraction(number).limit_denominator(largest)
