"""A calibrator does what each rule promises, for labels with many positives, few, and none."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from lamc import Calibrator, as_labels, load

from .cases import LEVELS, RULE_NAMES, calibration_sets, few, labelled, random_set

FEW = np.array([0, 1, 8, 9])  # at alpha = 0.1, nine positives are the fewest that recall needs


def few_positives(n=100):
    """Labels with 0, 1, 8 and 9 positives, which score highest."""
    Y = np.arange(n)[:, None] < FEW
    return np.repeat(np.linspace(0.9, 0.1, n)[:, None], 4, axis=1), labelled(Y)


def test_recall_accepts_a_label_with_too_few_positives_and_decides_nothing():
    scores, Y = few_positives()
    cal = Calibrator(alpha=0.1).fit(scores, Y)
    assert cal.n_positives_.tolist() == FEW.tolist()
    assert cal.status_.tolist() == ["uncalibrated"] * 3 + ["calibrated"]
    assert cal.thresholds_.tolist() == [-np.inf] * 3 + [scores[8, 3]]
    assert cal.accept(scores)[:, :3].all()
    assert (cal.decide(scores)[:, :3] == -1).all()
    assert cal.decide(scores)[:, 3].tolist() == [1] * 9 + [0] * 91


def test_selective_accepts_nothing_of_a_label_without_positives():
    scores, Y = few_positives()
    cal = Calibrator("selective", alpha=0.1).fit(scores, Y)
    assert cal.status_.tolist() == ["uncalibrated"] + ["calibrated"] * 3
    assert cal.thresholds_.tolist() == [np.inf] + [scores[0, 0]] * 3
    assert not cal.accept(scores)[:, 0].any()
    assert (cal.decide(scores)[:, 0] == -1).all()


def test_precision_accepts_nothing_that_it_could_not_show():
    scores, Y = few_positives()
    cal = Calibrator("precision", alpha=0.1).fit(scores, Y)
    assert cal.status_.tolist() == ["uncalibrated"] * 4
    assert (cal.thresholds_ == np.inf).all()
    assert not cal.accept(scores).any()
    assert (cal.decide(scores) == -1).all()


def test_three_way_leaves_a_label_open_that_has_too_few_of_either():
    scores, Y = few_positives()
    cal = Calibrator("three-way", alpha=0.1).fit(scores, Y)
    assert cal.status_.tolist() == ["uncalibrated"] * 3 + ["calibrated"]
    assert not cal.accept(scores)[:, :3].any()
    assert (cal.decide(scores)[:, :3] == -1).all()
    assert (cal.decide(scores)[:9, 3] == 1).all()
    all_true = Calibrator("three-way", alpha=0.1).fit(scores, labelled(1 - Y.to_array()))
    assert all_true.status_.tolist() == ["uncalibrated"] * 3 + ["calibrated"]


@pytest.mark.parametrize("rule", RULE_NAMES)
@few
@given(case=calibration_sets(), alpha=st.sampled_from(LEVELS))
def test_decisions_agree_with_acceptance_and_thresholds(rule, case, alpha):
    scores, Y = case
    cal = Calibrator(rule, alpha=alpha, random_state=0).fit(scores, labelled(Y))
    accepted, decided = cal.accept(scores), cal.decide(scores)
    assert accepted.dtype == bool
    assert decided.dtype == np.int8
    left_open = cal.status_ == "uncalibrated"
    assert (decided[:, left_open] == -1).all()
    np.testing.assert_array_equal(decided[:, ~left_open] == 1, accepted[:, ~left_open])
    below = scores < cal.absence_thresholds_
    np.testing.assert_array_equal(decided[:, ~left_open] == 0, below[:, ~left_open])
    if rule in ("recall", "set-recall"):
        assert accepted[:, left_open].all()
    else:
        assert not accepted[:, left_open].any()


OPTIONS = [
    *({"rule": rule} for rule in RULE_NAMES),
    {"rule": "recall", "delta": 0.2},
    {"rule": "precision", "delta": 0.5},
    {"rule": "recall", "per_label": 12},
    {"rule": "selective", "per_label": 3},
    {"rule": "three-way", "per_label": 5},
    {"rule": "recall", "few_positives": "pool"},
]


@pytest.mark.filterwarnings("ignore:.*pass it by luck")
@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
@few
@given(case=calibration_sets(), alphas=st.tuples(*[st.sampled_from(LEVELS)] * 2))
def test_thresholds_at_another_level_are_those_of_fitting_there(options, case, alphas):
    scores, Y = case
    there = Calibrator(**options, alpha=alphas[0], random_state=3).fit(scores, labelled(Y))
    here = Calibrator(**options, alpha=alphas[1], random_state=3).fit(scores, labelled(Y))
    before = here.thresholds_.copy()
    np.testing.assert_array_equal(here.thresholds_at(alphas[0]), there.thresholds_)
    np.testing.assert_array_equal(here.thresholds_, before)
    if options["rule"] != "set-recall":
        each = np.resize(alphas, Y.shape[1])
        split = Calibrator(**options, alpha=each, random_state=3).fit(scores, labelled(Y))
        np.testing.assert_array_equal(here.thresholds_at(each), split.thresholds_)


@pytest.mark.parametrize("bounded", [True, False])
def test_also_with_single_positives_and_weights(bounded):
    scores, Y = random_set(200, 4, share=0.4)
    Y[:, 0] |= ~Y.any(axis=1)
    labels = as_labels(Y.argmax(axis=1), classes=range(4))
    cardinality = 4 if bounded else Y.sum(axis=1)
    more = {"sample_weight": np.arange(1, 201), "cardinality": cardinality}
    for alpha in (0.1, 0.4):
        here = Calibrator(alpha=0.25).fit(scores, labels, **more)
        there = Calibrator(alpha=alpha).fit(scores, labels, **more)
        np.testing.assert_array_equal(here.thresholds_at(alpha), there.thresholds_)


def test_levels_by_label_are_those_of_each_label_alone():
    scores, Y = random_set(300, 3)
    alphas = [0.05, 0.2, 0.5]
    for rule in ("recall", "selective", "precision", "three-way"):
        together = Calibrator(rule, alpha=alphas).fit(scores, Y).thresholds_
        alone = [
            Calibrator(rule, alpha=a).fit(scores[:, [k]], Y[:, [k]]).thresholds_[0]
            for k, a in enumerate(alphas)
        ]
        assert together.tolist() == alone


def test_the_rule_that_must_have_a_delta_has_one():
    scores, Y = random_set(300, 3)
    unsaid, said = (
        Calibrator("precision", alpha=0.3, delta=delta).fit(scores, Y) for delta in (None, 0.1)
    )
    np.testing.assert_array_equal(unsaid.thresholds_, said.thresholds_)
    assert unsaid.promise_ == said.promise_


def test_it_is_cloned_shown_and_stored_like_an_estimator():
    scores, Y = random_set(100, 2)
    cal = Calibrator("selective", alpha=0.2, per_label=7, random_state=1).fit(scores, Y)
    copy = clone(cal)
    assert copy.get_params() == cal.get_params()
    assert cal.get_params() == {
        "rule": "selective",
        "alpha": 0.2,
        "delta": None,
        "few_positives": "abstain",
        "per_label": 7,
        "keep_negatives": False,
        "random_state": 1,
    }
    assert not hasattr(copy, "thresholds_")
    np.testing.assert_array_equal(copy.fit(scores, Y).thresholds_, cal.thresholds_)
    assert repr(Calibrator("precision", alpha=0.2)) == "Calibrator(alpha=0.2, rule='precision')"
    assert copy.set_params(alpha=0.4).fit(scores, Y).alpha == 0.4
    stored = pickle.loads(pickle.dumps(cal))
    np.testing.assert_array_equal(stored.accept(scores), cal.accept(scores))


def test_fitting_again_forgets_what_was_before():
    scores, Y = random_set(200, 3, seed=1)
    cal = Calibrator(random_state=0).fit(*random_set(300, 5))
    again = cal.fit(scores, Y)
    assert again is cal
    fresh = Calibrator(random_state=0).fit(scores, Y)
    np.testing.assert_array_equal(cal.thresholds_, fresh.thresholds_)
    assert cal.n_rows_ == 200
    assert len(cal.classes_) == 3


def test_no_rows_to_accept_are_no_error():
    cal = Calibrator(keep_negatives=True).fit(*random_set(50, 3))
    nothing = np.empty((0, 3))
    assert cal.accept(nothing).shape == (0, 3)
    assert cal.decide(nothing).shape == (0, 3)
    assert cal.p_values(nothing).shape == (0, 3)
    assert cal.select(nothing, fdr=0.1).shape == (0, 3)


@pytest.mark.parametrize("form", [np.array, list, pd.Series], ids=["array", "list", "series"])
def test_levels_that_are_changed_afterwards_are_those_of_the_fit(form, tmp_path):
    scores, Y = random_set(200, 3, share=0.4)
    levels = form([0.1, 0.2, 0.3])
    cal = Calibrator(alpha=levels).fit(scores, Y)
    said = cal.summary()["promise"].tolist()
    levels[0] = levels[1] = levels[2] = 0.5
    assert cal.summary()["promise"].tolist() == said
    cal.save(tmp_path / "c.lamc")
    assert load(tmp_path / "c.lamc").summary()["promise"].tolist() == said
    more = Calibrator(alpha=[0.1, 0.2, 0.3]).fit(scores, Y).update(scores, Y)
    np.testing.assert_array_equal(cal.update(scores, Y).thresholds_, more.thresholds_)


@pytest.mark.parametrize(
    "form",
    [np.array, pd.Series, lambda values, dtype: dict(enumerate(dtype(values)))],
    ids=["array", "series", "dict"],
)
def test_levels_in_single_precision_mean_the_same_in_any_container(form):
    rng = np.random.default_rng(0)
    scores, Y = rng.random((99, 2)), np.ones((99, 2), dtype=bool)
    cal = Calibrator(alpha=form([0.01, 0.01], dtype=np.float32)).fit(scores, Y)
    assert cal.status_.tolist() == ["calibrated"] * 2  # 99 positives are just enough for 0.01
