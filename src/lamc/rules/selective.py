"""The paper's rule: of a label's true rows, about the top share alpha is accepted."""

import numpy as np

from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores, in_one_unit, weighted_rank
from lamc.rules.thresholds import NO_POSITIVES, Thresholds
from lamc.types import IntArray


def selective_rank(positives: SortedScores, levels: Levels) -> IntArray:
    """Ranks ⌈(n + 1)(1 − alpha)⌉, at most n.

    The paper typesets quantile(S; ⌈(1 − alpha)(n + 1)/n⌉). That ceiling is 1 for every n of at
    least (1 − alpha)/alpha, so alpha would play no part; ⌈(n + 1)(1 − alpha)⌉/n is meant.
    """
    counts = positives.counts
    return np.minimum(counts + 1 - levels.floor_of(counts + 1), counts)


def selective_thresholds(evidence: Evidence, levels: Levels, delta: float | None) -> Thresholds:
    """Thresholds of the paper's rule; a label without positives is never accepted."""
    positives = evidence.positives
    if evidence.weights is None:
        rank = selective_rank(positives, levels)
    else:
        # Mirrored: the weighted rank counts from the top when the scores are taken downwards.
        weights, heaviest = in_one_unit(evidence.weights, evidence.heaviest)
        downwards, order = SortedScores.of(
            -positives.values, positives.labels, n_labels=len(positives.zeros)
        )
        from_the_top = weighted_rank(downwards, weights[order], levels, new_weight=heaviest)
        rank = np.minimum(positives.counts + 1 - from_the_top, positives.counts)
    at = positives.order_statistic(rank, if_none=np.inf)
    never = np.full_like(at, -np.inf)
    return Thresholds.of(at, never, positives.counts > 0, NO_POSITIVES)
