"""Thresholds for labels with too few positives: groups of labels share what they have.

Labels are grouped by the shape of their scores, which one part of the calibration rows tells, and
each group gets one threshold from the rest. Pairs of a row and a label are not exchangeable, as a
row with many labels enters many times; rows are. So the group's promise is about rows: of the
labels of the group that a row has, a share of at most alpha is missed on average.
"""

import numpy as np
from scipy.cluster.vq import kmeans2

from lamc.exceptions import held_back
from lamc.rules.certainty import bound_keeps
from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores, weighted_rank
from lamc.rules.recall import keeps_promise
from lamc.rules.set_recall import inverse_counts
from lamc.rules.thresholds import POOLED, Thresholds
from lamc.types import BoolArray, FloatArray, IntArray

SHARE_FOR_SHAPES = 1 / 3  # of the calibration rows
_SHAPE = (0.1, 0.3, 0.5, 0.7, 0.9)  # quantiles that describe the scores of a label
# A group should have a few times the positives that the level needs, or rank steps are coarse.
_ENOUGH = 4


def pool(thresholds: Thresholds, evidence: Evidence, levels: Levels, *, seed: int) -> Thresholds:
    """Give labels with too few positives the threshold of a group of such labels.

    A label that lacks a single positive helps to set the threshold, but stays open itself. A new
    row that has it would be one positive more, and take the label out of the group: so it is not a
    row like those that the threshold comes from. Labels whose group has too few stay as they are.

    The labels of a group have one level. A threshold at one level, set by labels of another too,
    would be promised to rows that it does not come from.
    """
    counts = evidence.positives.counts
    rare = levels.floor_of(counts + 1) == 0
    if not rare.any():
        return thresholds
    shapes_from = np.random.default_rng([seed, 1]).random(evidence.n_rows) < SHARE_FOR_SHAPES
    for_shapes = evidence.keep(shapes_from[evidence.rows])
    for_rank = evidence.keep(~shapes_from[evidence.rows])
    present = thresholds.present.copy()
    for level, members in levels.distinct():
        _pool_at(level, rare & members, for_shapes, for_rank, out=present, seed=seed)
    lacks_one = levels.floor_of(counts + 2) > 0
    pooled = rare & ~lacks_one & keeps_promise(present, evidence)
    present = np.where(pooled, present, thresholds.present)
    return Thresholds(
        present,
        np.where(pooled, present, thresholds.absent),
        np.where(pooled, POOLED, thresholds.status),
        np.where(pooled, "", thresholds.reason),
    )


def _pool_at(
    level: Levels,
    rare: BoolArray,
    for_shapes: Evidence,
    for_rank: Evidence,
    *,
    out: FloatArray,
    seed: int,
) -> None:
    """Set the thresholds of rare labels that have one level."""
    for_shapes, for_rank = (each.of_labels(rare) for each in (for_shapes, for_rank))
    needed = int(np.ceil(1 / level.as_floats()[0])) * _ENOUGH
    n_groups = (len(for_rank.rows) + 1) // needed  # a new row counts among them
    groups = group_by_shape(for_shapes, rare, n_groups, seed=seed)
    for group in range(groups.max() + 1):
        members = groups == group
        out[members] = _group_threshold(for_rank, members, level)


def rows_behind(
    evidence: Evidence, pooled: BoolArray, alpha: FloatArray, most_labels: int | None
) -> int:
    """About how many calibration rows the thresholds of pooled labels come from, one at least.

    Rows that are known to have up to so many labels count for less (:func:`bound_keeps`).
    """
    labelled = len(np.unique(evidence.rows[pooled[evidence.positives.labels]]))
    share = bound_keeps(alpha[pooled], most_labels or 1).min(initial=1)
    return max(1, round(labelled * (1 - SHARE_FOR_SHAPES) * share))


def groups_of(at: FloatArray, alpha: FloatArray) -> IntArray:
    """The group of each label: those that share a threshold at one level.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.pooling import groups_of
    >>> groups_of(np.array([0.2, 0.3, 0.2]), np.array([0.1, 0.1, 0.1]))
    array([0, 1, 0])
    """
    return np.unique(np.stack([at, alpha], axis=1), axis=0, return_inverse=True)[1].ravel()


def group_by_shape(evidence: Evidence, rare: BoolArray, n_groups: int, *, seed: int) -> IntArray:
    """Group of each rare label, −1 for the others.

    A label that the part for shapes has no positive of is put with the largest group.
    """
    groups = np.where(rare, 0, -1)
    seen = np.flatnonzero(evidence.positives.counts > 0)
    if n_groups < 2 or len(seen) < 2:
        return groups
    shapes = np.stack([np.quantile(evidence.positives.of_label(k), _SHAPE) for k in seen.tolist()])
    n_groups = min(n_groups, len(np.unique(shapes, axis=0)))
    with held_back("One of the clusters is empty"):  # a group that loses all its labels is no harm
        found = kmeans2(shapes.astype(np.float64), n_groups, minit="++", rng=seed)[1]
    order = np.argsort(-np.bincount(found))  # the largest group gets number 0
    groups[seen] = np.argsort(order)[found]
    return groups


def _group_threshold(evidence: Evidence, members: BoolArray, level: Levels) -> FloatArray:
    """The score that the members of a group share as their threshold."""
    own = evidence.of_labels(members)
    together, order = SortedScores.of(
        own.positives.values, np.zeros(len(own.rows), dtype=np.int64), n_labels=1
    )
    shares, whole = inverse_counts(own.rows[order])
    rank = weighted_rank(together, shares, level, new_weight=whole)
    return together.order_statistic(rank, if_none=-np.inf)
