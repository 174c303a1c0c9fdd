"""Calibrators and held-out rows for reports, small and with many ties."""

import numpy as np
from scipy import sparse

from lamc import Calibrator, as_labels
from lamc.report.cuts import Cuts
from lamc.report.findings import RowContents, find
from lamc.report.grid import grid_of
from lamc.report.kept import kept
from lamc.report.tally import GroupSums, RowSums, StepCounts, blocks


def scored_rows(n, k=4, *, seed=0, digits=2, dtype=np.float64, rare=True):
    """Scores that are higher where a label is true, rounded, and the truth; the last label rare."""
    rng = np.random.default_rng(seed)
    blurred = rng.random((n, 1))  # the labels of a row are easy or hard together
    share = np.full(k, 0.35)
    share[-1] = 0.03 if rare else 0.35
    Y = rng.random((n, k)) < share
    Y[0] = True
    scores = 0.6 * rng.random((n, k)) + (0.4 * rng.random((n, k)) * (1 - blurred)) * Y + 0.1 * Y
    scores = np.clip(scores, 0, 1)
    return np.round(scores, digits).astype(dtype), as_labels(Y, knowledge="all")


def as_sparse(scores, from_=0.3):
    """Scores as a scorer gives them that names candidates only."""
    return sparse.csr_array(np.where(scores >= from_, scores, 0).astype(scores.dtype))


def same_rows_by(calibrator, rule, alpha, scores, labels):
    """A calibrator of another rule and level, fitted on the same rows with the same settings."""
    own = {"delta": calibrator.delta} if rule in ("recall", "precision") else {}
    drawn = {"per_label": calibrator.per_label} if rule not in ("precision", "set-recall") else {}
    pooled = {"few_positives": calibrator.few_positives} if rule == "recall" else {}
    return Calibrator(
        rule,
        alpha=alpha,
        random_state=calibrator.random_state,
        keep_negatives=True,
        **own,
        **drawn,
        **pooled,
    ).fit(scores, labels)


def decisions_of(calibrator, scores):
    """Decisions about all pairs; one that is not stored is absent where 0 would be, or open."""
    decided = calibrator.decide(scores)
    if not sparse.issparse(decided):
        return decided
    stored = decided.tocoo()
    full = np.full(decided.shape, -1, dtype=np.int8)
    below = calibrator.absence_thresholds_.astype(scores.dtype) > 0
    full[:, below & (calibrator.status_ != "uncalibrated")] = 0
    full[stored.coords] = stored.data
    return full


def tallied(calibrator, scores, labels):
    """Grid, cuts, counts and moments of held-out rows."""
    grid = grid_of(calibrator)
    cuts = Cuts.of(grid, scores.dtype)
    steps, sums = StepCounts(cuts), RowSums(cuts, len(grid.rules))
    for block in blocks(scores, labels.positives, cuts):
        steps.add(block)
        sums.add(block)
    return grid, cuts, steps.by_setting(labels.counts, len(labels)), sums.moments()


def kept_by(calibrator, scores, labels):
    """Grid, and what was measured of what its settings promise."""
    grid, cuts, counts, moments = tallied(calibrator, scores, labels)
    groups = GroupSums(cuts, grid)
    for block in blocks(scores, labels.positives, cuts):
        groups.add(block)
    return grid, kept(grid, counts, moments, groups.moments())


def findings_of(calibrator, scores, labels):
    """All that a report tells of held-out rows without features."""
    names = calibrator.classes_.astype(str)
    return find(
        scores, labels, calibrator, RowContents(None, None, None, np.arange(len(labels)), names)
    )
