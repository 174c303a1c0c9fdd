"""What was measured of what is promised."""

import numpy as np
import pytest

from lamc import Calibrator
from lamc.evaluation import evaluate
from lamc.report.kept import kept
from lamc.report.measures import measure
from lamc.report.words import kept_at, promise_at

from .cases import same_rows_by, scored_rows, tallied


def measured_by(calibrator, grid, counts, moments):
    return kept(grid, counts, moments, positives=calibrator.n_positives_, n_rows=calibrator.n_rows_)


@pytest.mark.parametrize("own", ["three-way", "set-recall"])
def test_it_is_what_an_evaluation_measures(own):
    scores, labels = scored_rows(150, seed=8)
    new, truth = scored_rows(80, seed=9)
    calibrator = Calibrator(own, alpha=0.1, keep_negatives=True).fit(scores, labels)
    grid, _, counts, moments = tallied(calibrator, new, truth)
    found = measured_by(calibrator, grid, counts, moments)
    for r, rule in enumerate(grid.rules):
        for a in (9, 19, 40, 80):
            setting = r * len(grid.levels) + a
            other = same_rows_by(calibrator, rule, float(grid.levels[a]), scores, labels)
            claims = evaluate(other, new, truth).claims
            if (other.status_ == "uncalibrated").all():
                continue
            measured = [claim.measured.value for claim in claims]
            np.testing.assert_allclose(found.shares[setting, : len(claims)], measured)
            if rule != "selective":
                off = {label for claim in claims for label in claim.off.tolist()}
                assert found.off[setting] == len(off)


def test_promises_are_those_of_a_calibrator_fitted_so():
    scores, labels = scored_rows(150, seed=8)
    calibrator = Calibrator("precision", alpha=0.3, delta=0.2).fit(scores, labels)
    grid, _, counts, moments = tallied(calibrator, scores, labels)
    for r, rule in enumerate(grid.rules):
        for a in (0, 19, 29):
            other = same_rows_by(calibrator, rule, float(grid.levels[a]), scores, labels)
            assert promise_at(grid, r, a).replace("\u00a0", " ") == other.promise_
    found = measured_by(calibrator, grid, counts, moments)
    measures = measure(grid, counts, moments)
    words = [kept_at(grid, measures, found, r, a) for r in range(4) for a in (0, 19, 60)]
    assert all(text.endswith(".") for text in words)
    assert not any("nan" in text or "–" in text for text in words)
