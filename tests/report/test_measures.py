"""What is measured over all pairs is what the decisions give, with the intervals of the rows."""

import numpy as np

from lamc import Calibrator
from lamc.evaluation.intervals import share_of_pairs
from lamc.report.measures import measure

from .cases import decisions_of, same_rows_by, scored_rows, tallied


def test_measures_are_those_of_the_decisions():
    scores, labels = scored_rows(150, seed=8)
    new, truth = scored_rows(80, seed=9)
    calibrator = Calibrator("three-way", alpha=0.1).fit(scores, labels)
    grid, _, counts, moments = tallied(calibrator, new, truth)
    found = measure(grid, counts, moments)
    Y = truth.positives.toarray()
    for r, rule in enumerate(grid.rules):
        for a in (2, 19, 60, 100):
            s = r * len(grid.levels) + a
            decided = decisions_of(
                same_rows_by(calibrator, rule, grid.levels[a], scores, labels), new
            )
            accepted = decided == 1
            right, n_accepted = (accepted & Y).sum(axis=1), accepted.sum(axis=1)
            for share, ends, expected in (
                (found.precision, found.precision_ends, share_of_pairs(right, n_accepted)),
                (found.recall, found.recall_ends, share_of_pairs(right, Y.sum(axis=1))),
            ):
                measured = [share[s], ends[0][s], ends[1][s]]
                wanted = [expected.value, expected.low, expected.high]
                np.testing.assert_allclose(measured, wanted, rtol=1e-6)
