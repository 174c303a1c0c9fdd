"""The three-way rule: present above one threshold, absent below another, in between abstain."""

import numpy as np

from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.thresholds import FEW_NEGATIVES, FEW_POSITIVES, Thresholds


def three_way_thresholds(evidence: Evidence, levels: Levels, delta: float | None) -> Thresholds:
    """Thresholds with a miss rate and a false-alarm rate of at most alpha.

    A true row falls below the ⌊alpha (n + 1)⌋-th smallest positive with probability at most
    alpha, and a false row rises above the ⌈(1 − alpha)(m + 1)⌉-th smallest negative likewise. A
    score that is too low for a positive and too high for a negative, as may happen when the scorer
    separates them well, speaks against both: abstain. So does a label of which either is unknown.
    """
    positives, negatives = evidence.positives, evidence.known_negatives
    low_rank = levels.floor_of(positives.counts + 1)
    spare = levels.floor_of(negatives.counts + 1)  # negatives that may lie above the threshold
    both = (low_rank > 0) & (spare > 0)
    low = positives.order_statistic(np.where(both, low_rank, 0), if_none=-np.inf)
    high_rank = np.where(both, negatives.counts + 1 - spare, 0)
    above = np.nextafter(
        negatives.order_statistic(high_rank, if_none=np.inf), np.inf, dtype=low.dtype
    )
    present = np.where(both, np.maximum(low, above), np.inf).astype(low.dtype)
    why_not = np.where(low_rank > 0, FEW_NEGATIVES, FEW_POSITIVES)
    return Thresholds.of(present, np.minimum(low, above), both, why_not)
