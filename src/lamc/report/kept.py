"""What was measured of what each setting promises."""

from dataclasses import dataclass

import numpy as np

from lamc.evaluation.intervals import wilson
from lamc.report.grid import STATUSES, Grid
from lamc.report.tally import LabelCounts, RowMoments
from lamc.rules.thresholds import CALIBRATED, UNCALIBRATED
from lamc.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Kept:
    """Measurements of promises, for each of S settings.

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
    judged, off : ndarrays of int, shape (S,)
        Labels with a promise of their own that can be measured, and those of them that miss it by
        more than chance: whose 95 % interval lies wholly on the wrong side. Where the promise is
        on average over calibration sets, the interval counts the chance in the one set too.
    """

    shares: FloatArray
    judged: IntArray
    off: IntArray


def kept(
    grid: Grid, counts: LabelCounts, moments: RowMoments, *, positives: IntArray, n_rows: int
) -> Kept:
    """Measure what each setting promises.

    ``positives`` are the calibration positives of each label, among ``n_rows`` calibration rows.
    With n of them, the share of true rows below a threshold is spread around its mean p with
    variance p (1 − p) / (n + 2).
    """
    n_rules, n_levels, n_labels = grid.shape
    shares = np.full((n_rules * n_levels, 2), np.nan)
    judged, off = np.zeros((2, n_rules * n_levels), dtype=np.int64)
    alphas = np.stack([np.broadcast_to(np.asarray(a, dtype=float), n_labels) for a in grid.levels])
    for place, rule in enumerate(grid.rules):
        own = slice(place * n_levels, (place + 1) * n_levels)
        if rule == "set-recall":
            if moments.true_rows:
                shares[own, 0] = 1 - moments.found_shares[own] / moments.true_rows
            continue
        wrong: BoolArray = np.zeros((n_levels, n_labels), dtype=bool)
        seen = wrong
        cases = (positives, n_rows - positives)  # what each share was calibrated on
        on_average = grid.deltas[place] is None
        for column, (part, whole) in enumerate(_promised(rule, counts, own)):
            unsure = 1 / (cases[column] + 2) if on_average else 0
            counted = grid.status[place] != STATUSES.index(UNCALIBRATED)
            with np.errstate(invalid="ignore", divide="ignore"):  # of nothing, no share
                total = np.where(counted, whole, 0).sum(axis=1)
                shares[own, column] = np.where(counted, part, 0).sum(axis=1) / total
                low, high = wilson(part / whole, 1 / (1 / whole + unsure))
            alone = (grid.status[place] == STATUSES.index(CALIBRATED)) & (whole > 0)
            beside = low > alphas if rule == "three-way" else high < 1 - alphas
            wrong, seen = wrong | (alone & beside), seen | alone
        if rule != "selective":  # it promises nothing
            judged[own], off[own] = seen.sum(axis=1), wrong.sum(axis=1)
    return Kept(shares, judged, off)


def _promised(rule: str, counts: LabelCounts, own: slice) -> list[tuple[IntArray, IntArray]]:
    """Counts of rows of each label, by level: those that the promise is about, out of how many."""
    right, accepted = counts.right[own], counts.accepted[own]
    true = np.broadcast_to(counts.true, right.shape)
    if rule == "precision":
        return [(right, accepted)]
    if rule == "three-way":
        return [(counts.missed[own], true), (accepted - right, counts.n_rows - true)]
    return [(right, true)]
