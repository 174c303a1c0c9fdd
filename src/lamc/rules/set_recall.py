"""The set-recall rule: of a row's true labels, a share of at most alpha is missed on average.

One number moves all thresholds together. It is the score itself, the same for every label; or, if
there are reference scores, the rank that a score must reach among those of its label, for scorers
whose scores mean different things for different labels. The reference rows are not used for
anything else, so the family of sets is fixed before one of them is chosen, as conformal risk
control asks.
"""

import math

import numpy as np

from lamc.exceptions import CalibrationError
from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores, weighted_rank
from lamc.rules.thresholds import FEW_ROWS, TOO_LOW, Thresholds
from lamc.types import AnyArray, IntArray


def set_recall_thresholds(evidence: Evidence, levels: Levels, delta: float | None) -> Thresholds:
    """Thresholds at the largest common number with (missed shares + 1) / (n + 1) <= alpha.

    A true label that lies below its threshold adds 1/|Y| to the missed share of its row; so the
    number is a weighted quantile over all true labels, with 1/|Y| as weight and 1, the largest
    share a new row can miss, for the new row.
    """
    if len([*levels.distinct()]) > 1:
        raise CalibrationError(
            "The set-recall rule has one level for the whole set, not one a label."
        )
    positives, reference = evidence.positives, evidence.reference
    heights = positives.values if reference is None else reference_ranks(positives, reference)
    # The least score that a candidate can have; it is above 0 in shorter types too.
    shorter = np.float16 if positives.values.dtype == np.float16 else np.float32
    least_score = np.finfo(shorter).smallest_subnormal.astype(positives.values.dtype)
    if evidence.candidates_only:  # no candidate: missed at any height
        heights = np.where(positives.values < least_score, 0, heights)
    together, order = SortedScores.of(heights, np.zeros(len(heights), dtype=int), n_labels=1)
    shares, whole = inverse_counts(evidence.rows[order])
    one = Levels(levels.numerators[:1], levels.denominators[:1])
    (rank,) = weighted_rank(together, shares, one, new_weight=whole)
    least = 0 if reference is not None or evidence.candidates_only else -np.inf
    reached = together.values[rank - 1] if rank else -np.inf
    k = len(positives.zeros)
    if not reached > least:
        at = np.full(k, -np.inf, dtype=positives.values.dtype)
    elif reference is None:
        at = np.full(k, reached, dtype=positives.values.dtype)
    else:
        at = reference.order_statistic(np.full(k, reached), if_none=-np.inf)
        if evidence.candidates_only:  # which pairs without a score must not reach
            at = np.maximum(at, least_score)
    return Thresholds.of(at, at, np.full(k, reached > least), TOO_LOW if rank else FEW_ROWS)


def reference_ranks(scores: SortedScores, reference: SortedScores) -> IntArray:
    """Number of reference scores of the same label at or below each score."""
    ranks = np.empty(len(scores.values), dtype=np.int64)
    for label in range(len(scores.zeros)):
        own = slice(scores.offsets[label], scores.offsets[label + 1])
        ranks[own] = reference.zeros[label] + np.searchsorted(
            reference.of_label(label), scores.values[own], side="right"
        )
    return ranks


def inverse_counts(rows: IntArray) -> tuple[AnyArray, int]:
    """1/m for each entry of a row with m entries, and 1, in units that make them whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.set_recall import inverse_counts
    >>> inverse_counts(np.array([7, 7, 3]))
    (array([1, 1, 2], dtype=object), 2)
    """
    _, of, sizes = np.unique(rows, return_inverse=True, return_counts=True)
    whole = math.lcm(*np.unique(sizes).tolist())
    return np.asarray([whole // size for size in sizes.tolist()], dtype=object)[of], whole
