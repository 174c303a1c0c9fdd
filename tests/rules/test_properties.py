"""What holds for every calibration set: order of rows, order of labels, order of levels."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc import Calibrator

from .cases import LEVELS, RULE_NAMES, calibration_sets, few, labelled, random_set


def fitted(rule, alpha, scores, Y, **more):
    """A fit without chance: the set-recall rule ranks among the same reference."""
    if rule == "set-recall":
        more["reference"] = np.linspace(0, 1, 21)[:, None].repeat(Y.shape[1], axis=1)
    return Calibrator(rule, alpha=alpha).fit(scores, labelled(Y), **more)


@pytest.mark.parametrize("rule", RULE_NAMES)
@few
@given(case=calibration_sets(), alpha=st.sampled_from(LEVELS), data=st.data())
def test_the_order_of_rows_does_not_matter(rule, case, alpha, data):
    scores, Y = case
    order = data.draw(st.permutations(range(len(Y))))
    one, other = fitted(rule, alpha, scores, Y), fitted(rule, alpha, scores[order], Y[order])
    np.testing.assert_array_equal(one.thresholds_, other.thresholds_)
    np.testing.assert_array_equal(one.absence_thresholds_, other.absence_thresholds_)
    np.testing.assert_array_equal(one.p_values(scores), other.p_values(scores))


@pytest.mark.parametrize("rule", ["recall", "selective"])
@few
@given(case=calibration_sets(), alpha=st.sampled_from(LEVELS), data=st.data())
def test_nor_with_weights(rule, case, alpha, data):
    scores, Y = case
    order = np.asarray(data.draw(st.permutations(range(len(Y)))))
    weights = np.asarray([0.1, 0.3, 1, 2.5])[np.arange(len(Y)) % 4]
    one = fitted(rule, alpha, scores, Y, sample_weight=weights)
    other = fitted(rule, alpha, scores[order], Y[order], sample_weight=weights[order])
    np.testing.assert_array_equal(one.thresholds_, other.thresholds_)


@pytest.mark.parametrize("rule", RULE_NAMES)
@few
@given(case=calibration_sets(max_labels=5), alpha=st.sampled_from(LEVELS), data=st.data())
def test_thresholds_follow_their_labels(rule, case, alpha, data):
    scores, Y = case
    order = data.draw(st.permutations(range(Y.shape[1])))
    one, other = fitted(rule, alpha, scores, Y), fitted(rule, alpha, scores[:, order], Y[:, order])
    np.testing.assert_array_equal(one.thresholds_[order], other.thresholds_)
    np.testing.assert_array_equal(one.status_[order], other.status_)


@pytest.mark.parametrize(("rule", "sign"), [("recall", 1), ("set-recall", 1), ("selective", -1)])
@few
@given(case=calibration_sets())
def test_thresholds_rise_or_fall_with_alpha(rule, sign, case):
    scores, Y = case
    cal = fitted(rule, 0.5, scores, Y)
    at = np.stack([cal.thresholds_at(alpha) for alpha in sorted(LEVELS)])
    assert (sign * at[1:] >= sign * at[:-1]).all()


@few
@given(case=calibration_sets())
def test_a_surer_promise_accepts_more(case):
    scores, Y = case
    at = [Calibrator(alpha=0.3, delta=d).fit(scores, labelled(Y)) for d in (0.5, 0.2, 0.05, 0.01)]
    for less, more in pairwise(at):
        assert (more.thresholds_ <= less.thresholds_).all()


def test_a_higher_level_leaves_less_open():
    """Where true and false rows overlap, the two thresholds of a label move towards each other."""
    rng = np.random.default_rng(0)
    Y = rng.random((400, 5)) < 0.5
    scores = np.clip(rng.random(Y.shape) * 0.8 + 0.2 * Y, 0, 1)
    fits = [Calibrator("three-way", alpha=alpha).fit(scores, Y) for alpha in (0.05, 0.1, 0.2)]
    for less, more in pairwise(fits):
        assert (more.thresholds_ < less.thresholds_).all()
        assert (more.absence_thresholds_ > less.absence_thresholds_).all()


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_the_same_seed_gives_the_same_bytes(rule):
    scores, Y = random_set(200, 3)
    options = {"alpha": 0.3, "random_state": 5}
    if rule in ("recall", "selective", "three-way"):
        options["per_label"] = 20
    one, other = (Calibrator(rule, **options).fit(scores, Y) for _ in range(2))
    assert one.thresholds_.tobytes() == other.thresholds_.tobytes()


@pytest.mark.parametrize("rule", ["recall", "selective", "three-way", "precision"])
@few
@given(case=calibration_sets(), alpha=st.sampled_from(LEVELS))
def test_an_increasing_map_of_the_scores_changes_no_answer(rule, case, alpha):
    """Ranks alone count; halves of scores are exact, and so is their order."""
    scores, Y = case
    scores = np.round(scores, 3)
    one = Calibrator(rule, alpha=alpha)
    before = one.fit(scores, labelled(Y)).decide(scores)
    np.testing.assert_array_equal(one.fit(scores / 2, labelled(Y)).decide(scores / 2), before)
