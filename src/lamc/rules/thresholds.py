"""What a rule gives: for each label where acceptance begins, and where absence ends."""

from dataclasses import dataclass
from typing import Final

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
    if scores.dtype.itemsize > at.dtype.itemsize:
        return scores.astype(at.dtype), at
    if scores.dtype == at.dtype or not cautious:
        return scores, at.astype(scores.dtype, copy=False)
    with np.errstate(over="ignore"):  # the number below +inf becomes +inf again
        too_low = np.nextafter(at, -np.inf).astype(scores.dtype)
    return scores, np.nextafter(too_low, np.inf)
