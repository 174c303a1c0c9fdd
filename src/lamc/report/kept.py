"""What was measured of what each setting promises."""

from dataclasses import dataclass

import numpy as np

from lamc.evaluation.intervals import UNLIKELY, chance_of_larger_mean, chance_of_more, mean_with
from lamc.report.grid import STATUSES, Grid
from lamc.report.tally import LabelCounts, RowMoments
from lamc.rules.thresholds import CALIBRATED, UNCALIBRATED
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
        set-recall    of the labels of a row, those not accepted; the mean over rows
        ============  ==========================================================================

        All labels that have a threshold count together. NaN where there is no such row.
    judged : ndarray of int, shape (S,)
        Labels with a promise of their own that can be measured.
    off : ndarray of bool, shape (S, K)
        Those of them that miss it by more than chance: where the promise holds, they would come out
        so far off in one case of forty at most. Where the promise is on average over calibration
        sets, the chance in the one set counts too.
    row_ends : ndarray of shape (S, 2)
        Of ``"set-recall"``, the 95 % interval of the share. Else NaN.
    row_chance : ndarray of shape (S,)
        Of ``"set-recall"``, the chance of a share as large where the promise holds. Else NaN.
    """

    shares: FloatArray
    judged: IntArray
    off: BoolArray
    row_ends: FloatArray
    row_chance: FloatArray


def kept(grid: Grid, counts: LabelCounts, moments: RowMoments) -> Kept:
    """Measure what each setting promises.

    With n calibration cases of a label, the share of true rows below a threshold is spread around
    its mean p with variance p (1 − p) / (n + 2); see :mod:`lamc.evaluation.claims`.
    """
    n_rules, n_levels, n_labels = grid.shape
    n_settings = n_rules * n_levels
    shares, row_ends = np.full((2, n_settings, 2), np.nan)
    row_chance = np.full(n_settings, np.nan)
    judged = np.zeros(n_settings, dtype=np.int64)
    off = np.zeros((n_settings, n_labels), dtype=bool)
    alphas = np.stack([np.broadcast_to(np.asarray(a, dtype=float), n_labels) for a in grid.levels])
    for place, rule in enumerate(grid.rules):
        own = slice(place * n_levels, (place + 1) * n_levels)
        if rule == "set-recall":
            for setting, alpha in zip(range(own.start, own.stop), alphas.mean(axis=1), strict=True):
                found = _missed_of_a_row(moments, setting, float(alpha), grid.n_labelled)
                shares[setting, 0], row_ends[setting], row_chance[setting] = found
            continue
        promised = _promised(rule, counts, own)
        cases = (grid.positives[place], grid.negatives[place])  # what each was calibrated on
        seen = np.zeros((n_levels, n_labels), dtype=bool)
        for column, (part, whole) in enumerate(promised):
            unsure = 1 / (cases[column] + 2) if grid.deltas[place] is None else 0
            counted = grid.status[place] != STATUSES.index(UNCALIBRATED)
            with np.errstate(invalid="ignore", divide="ignore"):  # of nothing, no share
                total = np.where(counted, whole, 0).sum(axis=1)
                shares[own, column] = np.where(counted, part, 0).sum(axis=1) / total
                wrong = part / whole if rule == "three-way" else 1 - part / whole
                chance = chance_of_more(wrong, 1 / (1 / whole + unsure), alphas)
            alone = (grid.status[place] == STATUSES.index(CALIBRATED)) & (whole > 0)
            seen |= alone
            if rule != "selective":  # it promises nothing
                off[own] |= alone & (chance <= UNLIKELY / len(promised))
        if rule != "selective":
            judged[own] = seen.sum(axis=1)
    return Kept(shares, judged, off, row_ends, row_chance)


def _missed_of_a_row(
    moments: RowMoments, setting: int, alpha: float, calibrating: int
) -> tuple[float, tuple[float, float], float]:
    """Share of a row's labels that are missed on average, its interval, and how likely it is."""
    n = moments.true_rows
    if n == 0:
        return np.nan, (np.nan, np.nan), np.nan
    found = float(moments.found_shares[setting]) / n
    variance = max(float(moments.found_squares[setting]) / n - found**2, 0.0)
    spread = float(np.sqrt(variance * n / (n - 1))) if n > 1 else np.nan
    missed = mean_with(1 - found, spread, n)
    chance = chance_of_larger_mean(missed.value, spread, n, level=alpha, calibrating=calibrating)
    return missed.value, (missed.low, missed.high), chance


def _promised(rule: str, counts: LabelCounts, own: slice) -> list[tuple[IntArray, IntArray]]:
    """Counts of rows of each label, by level: those that the promise is about, out of how many."""
    right, accepted = counts.right[own], counts.accepted[own]
    true = np.broadcast_to(counts.true, right.shape)
    if rule == "precision":
        return [(right, accepted)]
    if rule == "three-way":
        return [(counts.missed[own], true), (accepted - right, counts.n_rows - true)]
    return [(right, true)]
