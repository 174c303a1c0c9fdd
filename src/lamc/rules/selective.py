"""The paper's rule: of a label's true rows, about the top share alpha is accepted."""

import numpy as np

from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores, in_whole_units, weighted_rank
from lamc.rules.thresholds import NO_POSITIVES, Thresholds
from lamc.types import AnyArray, IntArray


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
        rank = positives.counts + 1 - _rank_from_the_top(positives, evidence.weights, levels)
        rank = np.minimum(rank, positives.counts)
    at = positives.order_statistic(rank, if_none=np.inf)
    never = np.full_like(at, -np.inf)
    return Thresholds.of(at, never, positives.counts > 0, NO_POSITIVES)


def _rank_from_the_top(positives: SortedScores, weights: AnyArray, levels: Levels) -> IntArray:
    whole = in_whole_units(weights)
    downwards, order = SortedScores.of(
        -positives.values, positives.labels, n_labels=len(positives.zeros)
    )
    return weighted_rank(downwards, whole[order], levels, new_weight=whole.max(initial=0))
