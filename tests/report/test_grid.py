"""Every setting of the page has the thresholds that a calibrator fitted so would have."""

from fractions import Fraction

import numpy as np
import pytest

from lamc import Calibrator
from lamc.exceptions import LAMCWarning
from lamc.report.grid import LEVELS, grid_of, rules_for
from lamc.report.words import promise_at
from lamc.rules.thresholds import REASONS, STATUSES

from .cases import as_sparse, same_rows_by, scored_rows

SOME = (0, 3, 19, 60, len(LEVELS) - 1)


@pytest.mark.parametrize(
    "calibrator",
    [
        Calibrator("recall", alpha=0.1, keep_negatives=True),
        Calibrator("recall", alpha=0.1, delta=0.2, keep_negatives=True),
        Calibrator("recall", alpha=0.1, few_positives="pool", keep_negatives=True, random_state=3),
        Calibrator("selective", alpha=0.5, per_label=10, keep_negatives=True, random_state=5),
        Calibrator("three-way", alpha=0.07),
        Calibrator("precision", alpha=0.3, delta=0.2),
        Calibrator("set-recall", alpha=0.25, keep_negatives=True),
    ],
    ids=lambda c: f"{c.rule}-{c.delta}-{c.few_positives}-{c.per_label}",
)
@pytest.mark.parametrize("given", [lambda scores: scores, as_sparse], ids=["dense", "sparse"])
def test_thresholds_are_those_of_a_calibrator_fitted_so(calibrator, given):
    scores, labels = scored_rows(160, seed=1)
    scores = given(scores)
    calibrator.fit(scores, labels)
    grid = grid_of(calibrator)
    assert set(grid.rules) >= {"recall", "three-way", "precision", "selective", calibrator.rule}
    for r, rule in enumerate(grid.rules):
        for a in {*SOME, grid.own[1]}:
            other = same_rows_by(calibrator, rule, grid.levels[a], scores, labels)
            np.testing.assert_array_equal(grid.present[r, a], other.thresholds_)
            np.testing.assert_array_equal(grid.absent[r, a], other.absence_thresholds_)
            assert [STATUSES[code] for code in grid.status[r, a]] == other.status_.tolist()
            assert [REASONS[code] for code in grid.reason[r, a]] == other.reason_.tolist()
    promise = promise_at(grid, *grid.own).replace("\u00a0", " ")
    assert promise.endswith(f": {calibrator.promise_}")
    on_average = calibrator.rule in ("recall", "set-recall") and calibrator.delta is None
    assert ("want of candidates" in promise) == (given is as_sparse and on_average)
    for a, level in enumerate(grid.levels):
        own = grid.present[grid.own[0], a]
        np.testing.assert_array_equal(own, calibrator.thresholds_at(level))


def test_the_calibrated_setting_is_among_them():
    scores, labels = scored_rows(160)
    calibrator = Calibrator("three-way", alpha=0.123).fit(scores, labels)
    grid = grid_of(calibrator)
    rule, level = grid.own
    assert grid.rules[rule] == "three-way"
    assert grid.levels[level] == Fraction(123, 1000)
    assert grid.level_text(level) == "0.123"
    assert list(grid.levels) == sorted(grid.levels)
    np.testing.assert_array_equal(grid.present[rule, level], calibrator.thresholds_)


def test_a_level_on_the_grid_is_not_doubled():
    scores, labels = scored_rows(160)
    grid = grid_of(Calibrator(alpha=1 - 0.9).fit(scores, labels))
    assert grid.levels == LEVELS
    assert grid.level_text(grid.own[1]) == "0.1"


def test_levels_of_each_label_come_first():
    scores, labels = scored_rows(160)
    calibrator = Calibrator(alpha=[0.1, 0.2, 0.3, 0.4]).fit(scores, labels)
    grid = grid_of(calibrator)
    assert grid.own == (0, 0)
    assert grid.level_text(0) == "own"
    assert grid.level_values[:2] == [None, 0.005]
    np.testing.assert_array_equal(grid.present[0, 0], calibrator.thresholds_)


def test_single_positives_are_enough_for_two_rules():
    scores, _ = scored_rows(160)
    with pytest.warns(LAMCWarning):
        calibrator = Calibrator(keep_negatives=True).fit(scores, scores.argmax(axis=1))
    assert rules_for(calibrator) == ("recall", "selective")
    bounded = Calibrator(alpha=0.2).fit(scores, scores.argmax(axis=1), cardinality=3)
    grid = grid_of(bounded)
    np.testing.assert_array_equal(grid.present[grid.own], bounded.thresholds_)


def test_weighted_rows_keep_their_weights():
    scores, labels = scored_rows(160)
    calibrator = Calibrator("selective", alpha=0.4).fit(
        scores, labels, sample_weight=np.arange(1, 161)
    )
    grid = grid_of(calibrator)
    for a in SOME:
        at = calibrator.thresholds_at(grid.levels[a])
        np.testing.assert_array_equal(grid.present[grid.own[0], a], at)


def test_one_label_at_most_is_no_bound():
    rng = np.random.default_rng(0)
    scores, one = rng.random((200, 4)), rng.integers(4, size=200)
    assert rules_for(Calibrator().fit(scores, one, cardinality=1)) == ("recall", "selective")
    assert rules_for(Calibrator().fit(scores, one, cardinality=2)) == ("recall",)
