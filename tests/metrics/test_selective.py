"""Retention counts pairs; the risk–coverage curve is what each threshold would keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lamc import metrics


@st.composite
def cases(draw):
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 6)))
    elements = draw(st.sampled_from([st.sampled_from([0.25, 0.5, 1.0]), st.floats(0, 1)]))
    return draw(hnp.arrays(bool, shape)), draw(hnp.arrays(np.float64, shape, elements=elements))


@given(cases())
def test_retention_is_the_share_kept_of_all_and_of_the_true(case):
    Y, scores = case
    accepted = scores >= 0.5
    assert metrics.retention(accepted) == pytest.approx(accepted.sum() / accepted.size, abs=1e-12)
    true_kept = (accepted & Y).sum() / Y.sum() if Y.any() else np.nan
    assert metrics.true_retention(Y, accepted) == pytest.approx(true_kept, abs=1e-12, nan_ok=True)


@given(cases())
def test_every_point_of_the_curve_is_a_threshold_tried(case):
    Y, scores = case
    curve = metrics.risk_coverage(Y, scores)
    thresholds = sorted(set(scores.ravel().tolist()), reverse=True)
    assert curve.thresholds.tolist() == thresholds
    for t, coverage, risk in zip(thresholds, curve.coverage, curve.risk, strict=True):
        kept = scores >= t
        assert coverage == pytest.approx(metrics.retention(kept), abs=1e-12)
        assert risk == pytest.approx(1 - metrics.precision(Y, kept), abs=1e-12)


@given(cases())
def test_the_area_is_the_mean_risk_at_which_a_pair_is_just_kept(case):
    Y, scores = case
    risks = [np.mean(~Y[scores >= t]) for t in scores.ravel()]
    assert metrics.risk_coverage(Y, scores).area == pytest.approx(np.mean(risks), abs=1e-12)


def test_scores_that_know_the_truth_have_the_smallest_area():
    Y = np.random.default_rng(0).random((40, 10)) < 0.3
    noise = np.random.default_rng(1).random(Y.shape)
    best = metrics.risk_coverage(Y, Y + noise / 2).area
    worst = metrics.risk_coverage(Y, noise / 2 - Y).area
    assert best < metrics.risk_coverage(Y, noise).area < worst
