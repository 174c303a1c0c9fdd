"""A fitted calibrator goes by the parameters it was fitted with; levels may be given by name."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lamc import Calibrator, as_labels, load
from lamc.evaluation import evaluate
from lamc.exceptions import CalibrationError
from lamc.rules.rule import RULES

from .cases import RULE_NAMES, random_set

SCORES, Y = random_set(300, 3, share=0.4)
NAMES = ["oak", "elm", "ash"]


def test_parameters_that_are_set_later_change_nothing_until_the_next_fit(tmp_path):
    plain = Calibrator("recall", alpha=0.1).fit(SCORES, Y)
    cal = Calibrator("recall", alpha=0.1).fit(SCORES, Y)
    cal.set_params(rule="selective", alpha=0.4, per_label=5, few_positives="drop")
    np.testing.assert_array_equal(cal.accept(SCORES), plain.accept(SCORES))
    np.testing.assert_array_equal(cal.p_values(SCORES), plain.p_values(SCORES))
    np.testing.assert_array_equal(cal.thresholds_at(0.2), plain.thresholds_at(0.2))
    pd.testing.assert_frame_equal(cal.summary(), plain.summary())
    one, other = (evaluate(each, SCORES, Y).claims[0] for each in (cal, plain))
    assert one.in_words() == other.in_words()
    cal.save(tmp_path / "a.lamc")
    loaded = load(tmp_path / "a.lamc")
    np.testing.assert_array_equal(loaded.accept(SCORES), plain.accept(SCORES))
    assert loaded.alpha == 0.4
    cal.update(SCORES, Y)
    np.testing.assert_array_equal(cal.thresholds_, plain.update(SCORES, Y).thresholds_)
    with pytest.raises(CalibrationError, match="few_positives='drop'"):
        cal.fit(SCORES, Y)


@pytest.mark.parametrize("form", [dict, pd.Series])
def test_levels_by_name_go_to_their_labels(form, tmp_path):
    levels = form({"ash": 0.3, "oak": 0.05, "elm": 0.2})
    frame = pd.DataFrame(SCORES, columns=NAMES)
    cal = Calibrator(alpha=levels).fit(frame, Y)
    plain = Calibrator(alpha=[0.05, 0.2, 0.3]).fit(frame, Y)
    np.testing.assert_array_equal(cal.thresholds_, plain.thresholds_)
    np.testing.assert_array_equal(cal.thresholds_at(levels), cal.thresholds_)
    assert cal.summary()["promise"].tolist() == plain.summary()["promise"].tolist()
    cal.save(tmp_path / "a.lamc")
    loaded = load(tmp_path / "a.lamc")
    np.testing.assert_array_equal(loaded.thresholds_at(loaded.alpha), cal.thresholds_)


def test_a_series_without_names_goes_by_position():
    frame = pd.DataFrame(SCORES, columns=NAMES)
    cal = Calibrator(alpha=pd.Series([0.05, 0.2, 0.3])).fit(frame, Y)
    plain = Calibrator(alpha=[0.05, 0.2, 0.3]).fit(frame, Y)
    np.testing.assert_array_equal(cal.thresholds_, plain.thresholds_)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"oak": 0.1, "elm": 0.2}, "gives nothing to 'ash'"),
        ({"fir": 0.1}, "gives nothing to 'oak'"),
        ({**dict.fromkeys(NAMES, 0.1), "fir": 0.2}, "names 'fir', but the labels are"),
    ],
)
def test_levels_for_other_labels_are_refused(levels, message):
    with pytest.raises(CalibrationError, match=message):
        Calibrator(alpha=levels).fit(pd.DataFrame(SCORES, columns=NAMES), Y)


def test_rows_are_added_one_at_a_time():
    """A batch of one row may have exactly one label; fit has said what that means."""
    several = Y.copy()
    several[0] = True
    cal = Calibrator(alpha=0.2).fit(SCORES[:50], several[:50])
    for i in range(50, 80):
        cal.update(SCORES[i : i + 1], several[i : i + 1])
    whole = Calibrator(alpha=0.2).fit(SCORES[:80], several[:80])
    np.testing.assert_array_equal(cal.thresholds_, whole.thresholds_)


@pytest.mark.parametrize("rule", ["recall", "set-recall"])
def test_sparse_scores_are_refused_where_a_score_of_0_is_to_be_accepted(rule):
    scores = np.where(np.random.default_rng(0).random(SCORES.shape) < 0.3, 0, SCORES)
    cal = Calibrator(rule, alpha=0.1).fit(scores, as_labels(Y, knowledge="all"))
    assert cal.accept(scores)[Y].all()
    with pytest.raises(CalibrationError, match=r"A score of 0 is accepted for 0, 1, 2, and sparse"):
        cal.accept(sparse.csr_array(scores))


def test_a_bound_on_labels_is_checked_and_says_nothing_of_a_share():
    observed = as_labels(Y.argmax(axis=1), classes=range(3))
    with pytest.raises(CalibrationError, match="give the cardinality of each row"):
        Calibrator("selective", alpha=0.5).fit(SCORES, observed, cardinality=2)
    some = as_labels([{0, 1}] * 300, classes=range(3), knowledge="some")
    with pytest.raises(CalibrationError, match="more observed labels than cardinality=1 says"):
        Calibrator().fit(SCORES, some, cardinality=1)
    with pytest.raises(CalibrationError, match="holds 4 in row 0, but there are only 3 labels"):
        Calibrator().fit(SCORES, observed, cardinality=np.full(300, 4))


def test_a_reference_has_rows():
    with pytest.raises(CalibrationError, match="reference has no rows"):
        Calibrator("set-recall").fit(SCORES, Y, reference=SCORES[:0])


def test_scores_may_come_in_a_frame_that_allows_missing_ones():
    frame = pd.DataFrame(SCORES, columns=NAMES).astype("Float64")
    cal = Calibrator().fit(frame, Y)
    np.testing.assert_array_equal(cal.thresholds_, Calibrator().fit(SCORES, Y).thresholds_)
    frame.iloc[3, 1] = pd.NA
    with pytest.raises(CalibrationError, match="scores hold nan at row 3, column 1"):
        cal.accept(frame)


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize(
    "given",
    [
        {"rule": "recall", "delta": 0.2, "per_label": 5},
        {"rule": "recall", "few_positives": "pool"},
        {"rule": "precision", "delta": 0.2},
        {"rule": "selective", "per_label": 5},
    ],
)
def test_under_another_rule_settings_lose_what_it_has_no_use_for(given, rule):
    own = Calibrator(**given).settings()
    other = own.under(rule)
    other.check(n_labels=3)
    assert (other.rule, other.alpha) == (rule, own.alpha)
    if rule == own.rule:
        assert other == own
    assert other.delta == (own.delta if RULES[rule].sure_promise else None)
    assert other.per_label == (own.per_label if RULES[rule].draws else None)
