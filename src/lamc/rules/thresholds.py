"""What a rule gives: for each label where acceptance begins, and where absence ends."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lamc.types import AnyArray, BoolArray, FloatArray

CALIBRATED: Final = "calibrated"
POOLED: Final = "pooled"
UNCALIBRATED: Final = "uncalibrated"
STATUSES: Final = (UNCALIBRATED, CALIBRATED, POOLED)

# Why a label is uncalibrated.
NO_POSITIVES: Final = "no positives"
FEW_POSITIVES: Final = "too few positives"
FEW_NEGATIVES: Final = "too few negatives"
FEW_ROWS: Final = "too few rows"
NOT_CERTIFIED: Final = "not certified"
TOO_LOW: Final = "scores too low"
UNEVEN: Final = "uneven weights"
REASONS: Final = (
    "",  # it is calibrated
    NO_POSITIVES,
    FEW_POSITIVES,
    FEW_NEGATIVES,
    FEW_ROWS,
    NOT_CERTIFIED,
    TOO_LOW,
    UNEVEN,
)
# Text as wide as the longest, so that none is cut off.
_STATUS, _REASON = np.array(STATUSES).dtype, np.array(REASONS).dtype


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Thresholds of each label.

    Attributes
    ----------
    present : ndarray of shape (K,)
        A label is accepted from this score on.
    absent : ndarray of shape (K,)
        A label is called absent below this score; −inf where it never is.
    status : ndarray of str, shape (K,)
        ``"calibrated"``, ``"pooled"`` or ``"uncalibrated"``.
    reason : ndarray of str, shape (K,)
        Why a label is uncalibrated; empty where it is not.
    """

    present: FloatArray
    absent: FloatArray
    status: AnyArray
    reason: AnyArray

    @classmethod
    def of(
        cls, present: FloatArray, absent: FloatArray, calibrated: BoolArray, why_not: AnyArray | str
    ) -> "Thresholds":
        """Thresholds of labels of which some could be calibrated; ``why_not`` is of the others."""
        status = np.where(calibrated, CALIBRATED, UNCALIBRATED).astype(_STATUS)
        reason = np.where(calibrated, "", why_not).astype(_REASON)
        return cls(present, absent, status, reason)


def for_tables(at: FloatArray) -> FloatArray:
    """Thresholds as a table shows them: pandas cannot print half precision without a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.thresholds import for_tables
    >>> for_tables(np.float16([0.5])).dtype, for_tables(np.array([0.5])).dtype
    (dtype('float32'), dtype('float64'))
    """
    return at.astype(np.result_type(at, np.float32), copy=False)


def shorter_type(*of: AnyArray) -> np.dtype[Any]:
    """The type in which scores are compared: of float types, the one with the fewest bits.

    A number in it and its like in a longer type, such as 0.1, are equal there and nowhere else.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.thresholds import shorter_type
    >>> shorter_type(np.float32([0.1]), np.array([0.1]))
    dtype('float32')
    """
    return min((each.dtype for each in of), key=lambda dtype: dtype.itemsize)


def in_one_type(
    scores: FloatArray, at: FloatArray, *, cautious: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Scores and thresholds in the shorter of their two types.

    Rounding keeps the order, so a score that reached its threshold before does so after. A rule
    that must not accept too much is ``cautious``: what was too low before must be so after. Its
    thresholds lie just above a score that is too low, and that score is rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.thresholds import in_one_type
    >>> low, at = np.float32([0.5]), np.nextafter([0.5], 1)
    >>> np.greater_equal(*in_one_type(low, at))
    array([ True])
    >>> np.greater_equal(*in_one_type(low, at, cautious=True))
    array([False])
    """
    if scores.dtype == at.dtype:
        return scores, at
    if shorter_type(scores, at) == at.dtype:
        return scores.astype(at.dtype), at
    if not cautious:
        return scores, at.astype(scores.dtype)
    with np.errstate(over="ignore"):  # the number below +inf becomes +inf again
        too_low = np.nextafter(at, -np.inf).astype(scores.dtype)
    return scores, np.nextafter(too_low, np.inf)
