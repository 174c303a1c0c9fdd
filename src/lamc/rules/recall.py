"""The recall rule: of a label's true rows, at most a share alpha falls below its threshold."""

import numpy as np

from lamc.rules.binomial import largest_count
from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores, in_one_unit, weighted_rank
from lamc.rules.thresholds import FEW_POSITIVES, TOO_LOW, UNEVEN, Thresholds
from lamc.types import BoolArray, FloatArray, IntArray


def recall_rank(positives: SortedScores, levels: Levels) -> IntArray:
    """Largest ranks j with P(score >= S_(j) | label true) >= 1 − alpha; 0 if there is none.

    A new true row is equally likely to take any rank among the n calibration positives and
    itself, so it falls below the j-th smallest of them with probability at most j / (n + 1).
    """
    return levels.floor_of(positives.counts + 1)


def pac_recall_rank(positives: SortedScores, levels: Levels, delta: float) -> IntArray:
    """Largest ranks that miss more than alpha with probability at most delta.

    Given the calibration set, the share of true rows below S_(j) exceeds alpha exactly when fewer
    than j of the n positives lie below the alpha-quantile of their distribution: when a
    Binomial(n, alpha) is at most j − 1.
    """
    return largest_count(positives.counts, levels.as_floats(), delta) + 1


def recall_thresholds(evidence: Evidence, levels: Levels, delta: float | None) -> Thresholds:
    """Thresholds of the recall rule; a label with too few positives is always accepted.

    Sparse scores name candidates. If more than alpha of a label's true rows are not among them, no
    threshold keeps the promise, and the label stays uncalibrated. Where fewer are, it may stay so
    by chance, and be calibrated by chance where more are. So what holds on average then holds over
    all calibration sets, a label that stays open counted as kept.
    """
    positives = evidence.positives
    few = np.full(len(positives.zeros), FEW_POSITIVES)
    if evidence.weights is not None:
        weights, heaviest = in_one_unit(evidence.weights, evidence.heaviest)
        rank = weighted_rank(positives, weights, levels, new_weight=heaviest)
        few = np.where(recall_rank(positives, levels) > 0, UNEVEN, FEW_POSITIVES)
    elif delta is not None:
        rank = pac_recall_rank(positives, levels, delta)
    else:
        rank = recall_rank(positives, levels)
    at = positives.order_statistic(rank, if_none=-np.inf)
    kept = keeps_promise(at, evidence)
    at = np.where(kept, at, -np.inf).astype(at.dtype)
    return Thresholds.of(at, at, kept, np.where(rank > 0, TOO_LOW, few))


def keeps_promise(at: FloatArray, evidence: Evidence) -> BoolArray:
    """Whether all true rows from a threshold on can be accepted: they must be candidates."""
    return at > (0 if evidence.candidates_only else -np.inf)
