"""All that a report tells, found in one pass over the held-out rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import FeatureError
from lamc.labels import Labels
from lamc.report.cuts import Cuts
from lamc.report.doubts import Doubts
from lamc.report.examples import Examples, find_examples
from lamc.report.features import Features
from lamc.report.grid import Grid, grid_of
from lamc.report.histograms import ScoreHistograms
from lamc.report.kept import Kept, kept
from lamc.report.measures import Measures, measure
from lamc.report.tally import GroupSums, LabelCounts, RowSums, StepCounts, blocks
from lamc.rules import Calibrator
from lamc.rules.deciding import refuse_to_leave_out
from lamc.rules.rule import RULES
from lamc.rules.thresholds import UNCALIBRATED
from lamc.types import AnyArray, FloatArray, IntArray, Matrix


@dataclass(frozen=True, eq=False)
class RowContents:
    """What the held-out rows hold besides scores, where it is known.

    Attributes
    ----------
    X : array-like, DataFrame, sparse matrix or None
        Features.
    feature_names : array-like or None
        Names of the features.
    pictures : ndarray of shape (m, height, width), or None
        Pictures, of these rows among others.
    numbers : ndarray of int, shape (n,)
        What the rows are called, and which of the pictures are theirs.
    label_names : ndarray of str, shape (K,)
        What the labels are called.
    """

    X: Any
    feature_names: Any
    pictures: FloatArray | None
    numbers: IntArray
    label_names: AnyArray


@dataclass(frozen=True, eq=False)
class Findings:
    """What the page is made from.

    Attributes
    ----------
    names : ndarray of str, shape (K,)
        The labels.
    grid : Grid
        Settings and their thresholds.
    counts : LabelCounts
        What was decided, label by label.
    measures : Measures
        What was measured over all pairs.
    kept : Kept
        What was measured of what is promised.
    true_scores, other_scores : ndarrays of int, shape (K, bins)
        Histograms of scores.
    tops : ndarray of shape (K,)
        Where the last bin ends.
    examples : Examples
        Rows to look at.
    features_from : int
        Rows that the most telling features were found on; 0 if none are shown.
    """

    names: AnyArray
    grid: Grid
    counts: LabelCounts
    measures: Measures
    kept: Kept
    true_scores: IntArray
    other_scores: IntArray
    tops: FloatArray
    examples: Examples
    features_from: int


def find(
    scores: Matrix,
    labels: Labels,
    calibrator: Calibrator,
    contents: RowContents,
    compared: type[np.floating] | None = None,
) -> Findings:
    """Look at held-out rows once, in blocks, and keep what the page needs.

    Scores are ``compared`` with thresholds in their own type, unless they had another one before.
    """
    truth, n_rows = labels.positives, len(labels)
    features = None
    if contents.X is not None and contents.pictures is None:
        features = Features(contents.X, scores, names=contents.feature_names)
        if features.n_rows != n_rows:
            raise FeatureError(f"features has {features.n_rows} rows, but there are {n_rows}.")
    grid = grid_of(calibrator)
    n_rules, n_levels, _ = grid.shape
    own = grid.own[0] * n_levels + grid.own[1]
    cuts = Cuts.of(grid, compared or scores.dtype)
    if sparse.issparse(scores):
        _refuse_to_leave_out(cuts, grid, calibrator.classes_)
    steps, sums, groups = StepCounts(cuts), RowSums(cuts, n_rules), GroupSums(cuts, grid)
    spread = ScoreHistograms(scores)
    doubts = Doubts(
        cuts,
        calibrator.evidence_.positives,
        setting=own,
        calibrated=calibrator.status_ != UNCALIBRATED,
        n_rows=n_rows,
    )
    for block in blocks(scores, truth, cuts):
        for part in (steps, sums, groups, spread, doubts):
            part.add(block)
    counts = steps.by_setting(np.asarray(labels.counts), n_rows)
    moments = sums.moments()
    true_scores, other_scores = spread.counts(counts.true, n_rows)
    return Findings(
        names=contents.label_names,
        grid=grid,
        counts=counts,
        measures=measure(grid, counts, moments),
        kept=kept(grid, counts, moments, groups.moments()),
        true_scores=true_scores,
        other_scores=other_scores,
        tops=spread.tops,
        examples=find_examples(
            scores,
            truth,
            cuts,
            doubts,
            features=features,
            pictures=contents.pictures,
            numbers=contents.numbers,
        ),
        features_from=0 if features is None else features.n_sampled,
    )


def _refuse_to_leave_out(cuts: Cuts, grid: Grid, classes: AnyArray) -> None:
    """Raise if some setting of a rule that must not miss what is true accepts a score of 0."""
    reached = (cuts.steps_of_zero >= cuts.accept_from).reshape(grid.shape)
    exempt = np.array([RULES[rule].needs_negatives for rule in grid.rules])
    refuse_to_leave_out(classes, (reached & ~exempt[:, None, None]).any(axis=(0, 1)))
