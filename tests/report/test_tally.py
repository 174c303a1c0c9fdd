"""What is counted is what calibrators decide, at every setting."""

import numpy as np
import pytest

from lamc import Calibrator
from lamc.report import tally

from .cases import as_sparse, decisions_of, same_rows_by, scored_rows, tallied

SOME = (0, 4, 19, 45, 80, 108)


@pytest.mark.parametrize("given", [lambda scores: scores, as_sparse], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("calibration", "held_out", "digits"),
    [
        (np.float64, np.float64, 1),
        (np.float64, np.float32, 2),
        (np.float32, np.float64, 2),
        (np.float32, np.float32, 6),
    ],
)
def test_counts_and_moments_are_those_of_the_decisions(
    given, calibration, held_out, digits, monkeypatch
):
    monkeypatch.setattr(tally, "_BLOCK", 25 * 4 * 109)  # 25 rows at once, for 4 rules × 109 levels
    scores, labels = scored_rows(150, seed=2, digits=digits, dtype=calibration)
    new, truth = scored_rows(90, seed=3, digits=digits, dtype=held_out)
    scores, new = given(scores), given(new)
    calibrator = Calibrator("three-way", alpha=0.1).fit(scores, labels)
    grid, _, counts, moments = tallied(calibrator, new, truth)
    Y = truth.positives.toarray()
    t = Y.sum(axis=1)
    for r, rule in enumerate(grid.rules):
        for a in SOME:
            setting = r * len(grid.levels) + a
            decided = decisions_of(
                same_rows_by(calibrator, rule, grid.levels[a], scores, labels), new
            )
            accepted, absent = decided == 1, decided == 0
            np.testing.assert_array_equal(counts.accepted[setting], accepted.sum(axis=0))
            np.testing.assert_array_equal(counts.right[setting], (accepted & Y).sum(axis=0))
            np.testing.assert_array_equal(counts.absent[setting], absent.sum(axis=0))
            np.testing.assert_array_equal(counts.missed[setting], (absent & Y).sum(axis=0))
            a_row, c_row = accepted.sum(axis=1), (accepted & Y).sum(axis=1)
            assert moments.aa[setting] == a_row @ a_row
            assert moments.ac[setting] == a_row @ c_row
            assert moments.cc[setting] == c_row @ c_row
            assert moments.ct[setting] == c_row @ t
            assert moments.accepting_rows[setting] == (a_row > 0).sum()
            found = (c_row / np.maximum(t, 1)).sum()
            assert moments.found_shares[setting] == pytest.approx(found)
    assert moments.tt == t @ t
    assert moments.true_rows == (t > 0).sum()


def test_pooled_labels_and_labels_without_a_threshold():
    scores, labels = scored_rows(150, k=8, seed=4)
    new, truth = scored_rows(60, k=8, seed=5)
    calibrator = Calibrator(alpha=0.1, few_positives="pool", random_state=0).fit(scores, labels)
    grid, _, counts, _ = tallied(calibrator, new, truth)
    own = grid.own[0] * len(grid.levels) + grid.own[1]
    decided = calibrator.decide(new)
    np.testing.assert_array_equal(counts.accepted[own], (decided == 1).sum(axis=0))
    np.testing.assert_array_equal(counts.absent[own], (decided == 0).sum(axis=0))


def test_a_row_is_decided_as_it_is_counted():
    scores, labels = scored_rows(150, seed=6)
    new, _ = scored_rows(5, seed=7)
    for given in (scores, as_sparse(scores)):
        calibrator = Calibrator("three-way", alpha=0.2).fit(given, labels)
        rows = new if given is scores else as_sparse(new)
        grid, cuts, _, _ = tallied(calibrator, rows, scored_rows(5, seed=7)[1])
        own = grid.own[0] * len(grid.levels) + grid.own[1]
        placed = cuts.place(rows).toarray().astype(int)
        steps = np.where(placed > 0, placed - 1 - cuts.first_steps[:-1], -1)
        expected = decisions_of(calibrator, rows)
        for row in range(5):
            np.testing.assert_array_equal(cuts.decisions(steps[row])[own], expected[row])
