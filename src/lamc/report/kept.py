"""What was measured of what each setting promises."""

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from lamc.evaluation.intervals import UNLIKELY, chance_of_larger_mean, chance_of_more, mean_with
from lamc.report.grid import Grid
from lamc.report.tally import GroupMoments, LabelCounts, RowMoments
from lamc.rules.rule import RULES, Promised
from lamc.rules.thresholds import CALIBRATED, POOLED, REASONS, STATUSES, TOO_LOW
from lamc.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Kept:
    """Measurements of promises, for each of S settings and K labels.

    Attributes
    ----------
    shares : ndarray of shape (S, 2)
        The share or, for the rule ``"three-way"``, the two shares that the promise is about:

        ============  ==========================================================================
        recall        of the rows that have a label, those where it is accepted
        selective     the same
        precision     of the rows where a label is accepted, those that have it
        three-way     of the rows that have a label, those where it is called absent; of the
                      others, those where it is accepted
        ============  ==========================================================================

        All labels that are calibrated count together. Under a promise on average, so do labels
        that sparse scores leave open for want of candidates, as kept. NaN where there is no such
        row, and for ``"set-recall"``.
    judged : ndarray of int, shape (S,)
        Labels with a promise of their own that can be measured.
    off : ndarray of bool, shape (S, K)
        Those of them that miss it by more than chance: where the promise holds, they would come out
        so far off in one case of forty at most. Where the promise is on average over calibration
        sets, the chance in the one set counts too.
    row_shares : ndarray of shape (S,)
        Of the labels of a row that share a threshold, those not accepted; the mean over rows. Under
        ``"set-recall"`` all labels do, and where labels are pooled those of a group. Else NaN.
    row_levels : ndarray of shape (S,)
        What is promised of that share.
    row_ends : ndarray of shape (S, 2)
        Its 95 % interval.
    row_chance : ndarray of shape (S,)
        The chance of a share as large where the promise holds.
    unlikely : ndarray of shape (S,)
        A chance that is no explanation any more: half as large where two things are promised.
    """

    shares: FloatArray
    judged: IntArray
    off: BoolArray
    row_shares: FloatArray
    row_levels: FloatArray
    row_ends: FloatArray
    row_chance: FloatArray
    unlikely: FloatArray


def kept(grid: Grid, counts: LabelCounts, moments: RowMoments, groups: GroupMoments) -> Kept:
    """Measure what each setting promises.

    With n calibration cases of a label, the share of true rows below a threshold is spread around
    its mean p with variance p (1 − p) / (n + 2); see :mod:`lamc.evaluation.claims`.
    """
    n_rules, n_levels, n_labels = grid.shape
    n_settings = n_rules * n_levels
    shares = np.full((n_settings, 2), np.nan)
    by_row = np.full((n_settings, 5), np.nan)
    judged = np.zeros(n_settings, dtype=np.int64)
    off = np.zeros((n_settings, n_labels), dtype=bool)
    alphas = grid.alphas
    pooled, calibrated = (grid.status == STATUSES.index(each) for each in (POOLED, CALIBRATED))
    of_both = (pooled.any(axis=2) & calibrated.any(axis=2)).ravel()
    unlikely = np.where(of_both, UNLIKELY / 2, UNLIKELY)
    for setting in np.flatnonzero(groups.rows).tolist():
        by_row[setting] = _missed_in_groups(groups, setting, int(grid.n_pooled.flat[setting]))
    for place, rule in enumerate(RULES[name] for name in grid.rules):
        own = slice(place * n_levels, (place + 1) * n_levels)
        if rule.promised == "misses of a row":
            for setting, alpha in zip(range(own.start, own.stop), alphas.mean(axis=1), strict=True):
                by_row[setting] = _missed_of_a_row(moments, setting, alpha, grid.n_labelled)
        promised = _promised(rule.promised, counts, own)
        cases = (grid.cases[place], grid.negatives[place])  # what each was calibrated on
        left_open = _left_open(grid, place)
        seen = np.zeros((n_levels, n_labels), dtype=bool)
        for column, (part, whole) in enumerate(promised):
            unsure = 1 / (cases[column] + 2) if grid.deltas[place] is None else 0
            counted = calibrated[place] | left_open
            with np.errstate(invalid="ignore", divide="ignore"):  # of nothing, no share
                total = np.where(counted, whole, 0).sum(axis=1)
                right = np.where(left_open, whole, np.where(counted, part, 0)).sum(axis=1)
                shares[own, column] = right / total
                wrong = part / whole if rule.side == "at most" else 1 - part / whole
                chance = chance_of_more(wrong, 1 / (1 / whole + unsure), alphas)
            alone = calibrated[place] & (whole > 0)
            seen |= alone
            if rule.side != "about":
                off[own] |= alone & (chance <= unlikely[own, None] / len(promised))
        if rule.side != "about":
            judged[own] = seen.sum(axis=1)
    row_shares, row_levels, low, high, row_chance = by_row.T
    row_ends = np.stack([low, high], axis=1)
    return Kept(shares, judged, off, row_shares, row_levels, row_ends, row_chance, unlikely)


def _left_open(grid: Grid, place: int) -> BoolArray:
    """Labels that a promise on average counts as kept, though they are left open."""
    rule = RULES[grid.rules[place]]
    told = grid.candidates_only and rule.counts_open(grid.deltas[place])
    return (grid.reason[place] == REASONS.index(TOO_LOW)) & told


def _missed_of_a_row(
    moments: RowMoments, setting: int, level: float, calibrating: int
) -> tuple[float, ...]:
    """Share of a row's labels that is missed on average, as :func:`_missed` tells it."""
    n = moments.true_rows
    if n == 0:
        return (np.nan,) * 5
    found = float(moments.found_shares[setting]) / n
    square = float(moments.found_squares[setting]) / n - 2 * found + 1
    return _missed(1 - found, square, n, n, level=level, calibrating=calibrating)


def _missed_in_groups(groups: GroupMoments, setting: int, calibrating: int) -> tuple[float, ...]:
    """The same of the labels that a row has in a group, for rows and groups."""
    n, sums = int(groups.shares[setting]), (groups.missed, groups.squares, groups.levels)
    found, square, level = (float(each[setting]) / n for each in sums)
    return _missed(
        found, square, n, int(groups.rows[setting]), level=level, calibrating=calibrating
    )


def _missed(
    share: float, square: float, n: int, rows: int, *, level: float, calibrating: int
) -> tuple[float, ...]:
    """A mean share over rows, its level, the ends of its interval, and how likely it is."""
    variance = max(square - share**2, 0.0)
    spread = float(np.sqrt(variance * n / (n - 1))) if rows > 1 else np.nan
    told = mean_with(share, spread, rows)
    chance = chance_of_larger_mean(share, spread, rows, level=level, calibrating=calibrating)
    return share, level, told.low, told.high, chance


def _promised(
    promised: Promised, counts: LabelCounts, own: slice
) -> list[tuple[IntArray, IntArray]]:
    """Counts of rows of each label, by level: those that the promise is about, out of how many."""
    right, accepted = counts.right[own], counts.accepted[own]
    true = np.broadcast_to(counts.true, right.shape)
    if promised == "recall":
        return [(right, true)]
    if promised == "precision":
        return [(right, accepted)]
    if promised == "error rates":
        return [(counts.missed[own], true), (accepted - right, counts.n_rows - true)]
    if promised == "misses of a row":
        return []  # it is about no label by itself
    assert_never(promised)
