"""The precision rule: the walk that a slow twin takes, one exact test after the other."""

import re
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc import Calibrator
from lamc.exceptions import LAMCWarning
from lamc.rules.precision import errors_in_reach, highest, lowest_certified, most_errors
from lamc.rules.ranks import SortedScores

from . import twins
from .cases import calibration_sets, few, labelled, random_set, unit_floats

EASY = (Fraction(1, 2), Fraction(1, 2))
LEVELS = [EASY, (Fraction(2, 3), Fraction(1, 4)), (Fraction(3, 10), Fraction(1, 2))]
score_lists = st.lists(unit_floats(), max_size=12)


def is_twin(threshold, twin, dtype=np.float64):
    """Whether a threshold is just above the highest score that was not certified."""
    certified, failed = twin
    if certified == inf:
        return threshold == inf
    if failed is None:
        return threshold == -inf
    return threshold == np.nextafter(dtype(failed), dtype(inf))


@pytest.mark.parametrize("alpha", twins.LEVELS, ids=str)
def test_most_errors_are_exact_for_every_number_of_points(alpha):
    cdfs = [twins.binomial_cdfs(n, alpha) for n in range(61)]
    for delta in (Fraction(1, 10), Fraction(1, 2)):
        table = most_errors(60, float(alpha), float(delta))
        assert table.tolist() == [twins.largest_count(cdf, delta) for cdf in cdfs]


@few
@given(score_lists, score_lists, st.sampled_from(LEVELS), st.integers(1, 6))
def test_the_walk_from_a_count_is_the_twins(true, false, levels, wanted):
    alpha, delta = levels
    table = most_errors(len(true) + len(false), float(alpha), float(delta))
    found = lowest_certified(np.asarray(true), np.asarray(false), table, wanted=wanted)
    assert is_twin(found, twins.precision_threshold(true, false, alpha, delta, wanted=wanted))


@few
@given(score_lists, score_lists, st.sampled_from(LEVELS), st.one_of(unit_floats(), st.just(-inf)))
def test_the_walk_from_a_reference_score_is_the_twins(true, false, levels, start):
    alpha, delta = levels
    table = most_errors(len(true) + len(false), float(alpha), float(delta))
    found = lowest_certified(np.asarray(true), np.asarray(false), table, wanted=99, start=start)
    assert is_twin(found, twins.precision_threshold(true, false, alpha, delta, start=start))


@pytest.mark.filterwarnings("ignore:.*pass it by luck")
@few
@given(calibration_sets(), st.sampled_from(LEVELS))
def test_a_calibrator_gives_the_twins_thresholds(case, levels):
    scores, Y = case
    alpha, delta = levels
    cal = Calibrator("precision", alpha=float(alpha), delta=float(delta)).fit(scores, labelled(Y))
    wanted = twins.points_at_start(alpha, delta)
    for k in range(Y.shape[1]):
        true, false = (scores[Y[:, k] == y, k].tolist() for y in (1, 0))
        twin = twins.precision_threshold(true, false, alpha, delta, wanted=wanted)
        assert is_twin(cal.thresholds_[k], twin, scores.dtype.type)


@few
@given(calibration_sets(), calibration_sets(max_labels=1), st.sampled_from(LEVELS))
def test_with_a_reference_too(case, other, levels):
    scores, Y = case[0][:, :1], case[1][:, :1]
    reference = other[0].astype(scores.dtype)
    Y[0] = True
    alpha, delta = levels
    cal = Calibrator("precision", alpha=float(alpha), delta=float(delta))
    cal.fit(scores, labelled(Y), reference=reference)
    wanted = twins.points_at_start(alpha, delta)
    rank = int((1 - wanted / len(Y)) * (len(reference) + 1))
    start = sorted(reference.ravel().tolist())[rank - 1] if rank > 0 else -inf
    true, false = (scores[Y[:, 0] == y, 0].tolist() for y in (1, 0))
    twin = twins.precision_threshold(true, false, alpha, delta, start=start)
    assert is_twin(cal.thresholds_[0], twin, scores.dtype.type)


@pytest.mark.parametrize(("alpha", "needed"), [(0.1, 22), (0.05, 45)])
def test_the_fewest_points_that_show_a_precision(alpha, needed):
    table = most_errors(needed, alpha, 0.1)
    assert table[needed] == 0
    assert (table[:needed] == -1).all()


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("n_true", [0, 1, 30, 400])
def test_the_table_reaches_as_far_as_a_walk_can(alpha, n_true):
    n = 5000
    table = errors_in_reach(n_true, n, alpha, 0.1)
    full = most_errors(n, alpha, 0.1)
    np.testing.assert_array_equal(table, full[: len(table)])
    right = np.arange(n + 1) - full
    assert len(table) == n + 1 or (right[len(table) :] > n_true).all()


@few
@given(score_lists, st.integers(0, 5), st.integers(1, 9))
def test_the_highest_scores_of_a_label(values, zeros, count):
    scores, _ = SortedScores.of(
        np.asarray(values, dtype=float),
        np.zeros(len(values), dtype=int),
        n_labels=1,
        zeros=np.array([zeros]),
    )
    assert highest(scores, 0, count).tolist() == sorted([0.0] * zeros + values)[-count:]


def test_a_tied_score_is_taken_or_left_as_a_whole():
    """Thirty true rows share their score with ten false ones: no threshold lies between."""
    scores = np.concatenate([np.full(40, 0.9), np.full(40, 0.6), np.full(40, 0.2)])[:, None]
    Y = np.concatenate([np.ones(40), np.repeat([1, 0], [30, 10]), np.zeros(40)])[:, None]
    cal = Calibrator("precision", alpha=0.1).fit(scores, Y)
    assert cal.accept([[0.9], [0.6], [0.2]]).ravel().tolist() == [True, False, False]
    lax = Calibrator("precision", alpha=0.3).fit(scores, Y)
    assert lax.accept([[0.9], [0.6], [0.2]]).ravel().tolist() == [True, True, False]


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_scores_are_all_shown_or_none(value):
    scores = np.full((100, 2), value)
    Y = np.repeat([[1, 1], [1, 0]], 50, axis=0)
    cal = Calibrator("precision", alpha=0.1).fit(scores, Y)
    assert cal.status_.tolist() == ["calibrated", "uncalibrated"]
    assert cal.accept(scores).all(axis=0).tolist() == [True, False]
    assert cal.accept(scores).any(axis=0).tolist() == [True, False]


def test_sparse_scores_give_the_same_thresholds():
    scores, Y = random_set(400, 6, ties=1)
    scores[scores < 0.3] = 0
    dense, stored = (
        Calibrator("precision", alpha=0.3).fit(form, Y)
        for form in (scores, sparse.csr_array(scores))
    )
    assert (dense.status_ == "calibrated").any()
    np.testing.assert_array_equal(dense.thresholds_, stored.thresholds_)


def useless_and_good(n_useless, n_good, n=400):
    """Labels whose scores say nothing of them, and labels whose scores are nearly always right."""
    rng = np.random.default_rng(0)
    scores = rng.random((n, n_useless + n_good))
    Y = rng.random(scores.shape) < 0.5
    Y[:, n_useless:] = scores[:, n_useless:] > 0.4
    return scores, Y


def test_labels_that_may_have_passed_by_luck_are_warned_of():
    scores, Y = useless_and_good(200, 3)
    with pytest.warns(
        LAMCWarning, match=r"of 203 labels passed .* up to 20 of 203 pass it by luck"
    ):
        lucky = Calibrator("precision", alpha=0.4, delta=0.1).fit(scores, Y)
    passed = np.count_nonzero(lucky.thresholds_ < inf)
    assert 3 < passed < 40, "some of the useless labels pass too"


def test_the_delta_that_the_warning_names_is_for_all_labels_at_once():
    scores, Y = useless_and_good(200, 3)
    with pytest.warns(LAMCWarning) as told:
        Calibrator("precision", alpha=0.4, delta=0.1).fit(scores, Y)
    advised = float(re.search(r"give delta=([\de.-]+)\.$", str(told[0].message))[1])
    assert 0.09 / 203 < advised <= 0.1 / 203
    sure = Calibrator("precision", alpha=0.4, delta=advised).fit(scores, Y)  # and does not warn
    assert np.flatnonzero(sure.thresholds_ < inf).tolist() == [200, 201, 202]


def test_nothing_is_said_where_most_that_passed_are_precise():
    scores, Y = useless_and_good(20, 8)
    found = Calibrator("precision", alpha=0.4, delta=0.1).fit(scores, Y)
    assert np.all(found.thresholds_[20:] < inf)
