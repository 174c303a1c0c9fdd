"""What was measured at every setting: counts, and shares with their intervals."""

from dataclasses import dataclass

import numpy as np

from lamc.evaluation.intervals import pairs_of_sums, wilson
from lamc.report.grid import Grid
from lamc.report.tally import LabelCounts, RowMoments
from lamc.rules.thresholds import CALIBRATED, POOLED, STATUSES, UNCALIBRATED
from lamc.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Measures:
    """Over all pairs of a row and a label; all arrays have shape (S,).

    Attributes
    ----------
    pairs, true : int
        Pairs, and those in which the label is true.
    accepted, right, absent, missed : ndarrays of int
        Pairs accepted, accepted and true, called absent, called absent but true.
    precision, recall : ndarrays
        Shares: right ones of those accepted, and of those true.
    precision_ends, recall_ends : pairs of ndarrays
        Ends of their 95 % intervals.
    calibrated, pooled, uncalibrated : ndarrays of int
        Labels of each status.
    """

    pairs: int
    true: int
    accepted: IntArray
    right: IntArray
    absent: IntArray
    missed: IntArray
    precision: FloatArray
    recall: FloatArray
    precision_ends: tuple[FloatArray, FloatArray]
    recall_ends: tuple[FloatArray, FloatArray]
    calibrated: IntArray
    pooled: IntArray
    uncalibrated: IntArray


def measure(grid: Grid, counts: LabelCounts, moments: RowMoments) -> Measures:
    """Put counts and moments together."""
    n_labels = grid.shape[-1]
    accepted, right = counts.accepted.sum(axis=1), counts.right.sum(axis=1)
    true = int(counts.true.sum())
    with np.errstate(invalid="ignore"):  # of nothing, no share
        precision, recall = right / accepted, right / np.full(len(right), true)
    sure_of_precision = pairs_of_sums(
        right, accepted, cc=moments.cc, ca=moments.ac, aa=moments.aa, rows=moments.accepting_rows
    )
    sure_of_recall = pairs_of_sums(
        right,
        np.full(len(right), true),
        cc=moments.cc,
        ca=moments.ct,
        aa=np.full(len(right), moments.tt),
        rows=np.full(len(right), moments.true_rows),
    )
    status = grid.status.reshape(-1, n_labels)

    def labels_that_are(wanted: str) -> IntArray:
        return np.count_nonzero(status == STATUSES.index(wanted), axis=1)

    return Measures(
        pairs=counts.n_rows * n_labels,
        true=true,
        accepted=accepted,
        right=right,
        absent=counts.absent.sum(axis=1),
        missed=counts.missed.sum(axis=1),
        precision=precision,
        recall=recall,
        precision_ends=wilson(precision, sure_of_precision),
        recall_ends=wilson(recall, sure_of_recall),
        calibrated=labels_that_are(CALIBRATED),
        pooled=labels_that_are(POOLED),
        uncalibrated=labels_that_are(UNCALIBRATED),
    )
