"""The table says of each label what it rests on, where it is cut, and what is promised."""

import numpy as np
import pandas as pd
import pytest

from lamc import Calibrator, as_labels
from lamc.rules.rule import RULES
from lamc.rules.summary import promise_in_words

from .cases import RULE_NAMES, labelled, random_set

NAMES = ["ash", "elm", "oak"]


def test_the_table_has_a_row_for_each_label():
    scores, Y = random_set(100, 3)
    Y[:, 2] = np.arange(100) < 5
    cal = Calibrator(alpha=0.1).fit(pd.DataFrame(scores, columns=NAMES), labelled_names(Y))
    table = cal.summary()
    assert table.columns.tolist() == ["label", "positives", "threshold", "status", "promise"]
    assert table["label"].tolist() == NAMES
    assert table["positives"].tolist() == Y.sum(axis=0).tolist()
    assert table["threshold"].tolist() == cal.thresholds_.tolist()
    assert table["status"].tolist() == ["calibrated", "calibrated", "uncalibrated"]
    kept = "accepts at least 90 % of the rows that have the label, on average over calibration sets"
    too_few = "nothing can be promised with so few positives: left open"
    assert table["promise"].tolist() == [kept, kept, too_few]


def labelled_names(Y):
    return pd.DataFrame(Y, columns=NAMES)


def test_each_label_is_promised_its_own_level():
    scores, Y = random_set(300, 3)
    cal = Calibrator(alpha=[0.1, 0.25, 1 / 3]).fit(scores, Y)
    shares = [promise.split()[3] for promise in cal.summary()["promise"]]
    assert shares == ["90", "75", "66.6667"]
    assert "1 − its alpha" in cal.promise_


@pytest.mark.parametrize(
    ("rule", "delta", "words"),
    [
        ("recall", None, "accepts at least 80 % of the rows that have the label, on average"),
        ("recall", 0.05, "accepts at least 80 % .* with probability 95 % over the calibration"),
        ("selective", None, "about the top 20 % .* nothing is promised about precision"),
        ("precision", None, "right in at least 80 % .* accepted, with probability 90 %"),
        ("precision", 0.2, "right in at least 80 % .* accepted, with probability 80 %"),
        (
            "three-way",
            None,
            "absent in at most 20 % .* present in at most 20 % of those that do no",
        ),
        ("set-recall", None, "of all labels that a row has, a share of at most 20 % is missed"),
    ],
)
def test_every_rule_says_what_it_promises(rule, delta, words):
    scores, Y = random_set(300, 3)
    cal = Calibrator(rule, alpha=0.2, delta=delta, random_state=0).fit(scores, Y)
    assert (cal.status_ == "calibrated").all()
    assert cal.promise_ == promise_in_words(RULES[rule], 0.2, cal.settings_.delta_used)
    assert cal.summary()["promise"].str.fullmatch(f".*{words}.*").all()


@pytest.mark.parametrize("rule", [rule for rule in RULE_NAMES if rule != "set-recall"])
def test_a_label_without_positives_is_promised_nothing(rule):
    scores, Y = random_set(300, 2)
    Y[:, 1] = False
    promise = Calibrator(rule).fit(scores, labelled(Y)).summary()["promise"]
    assert "positives" in promise[1]
    assert promise[1].endswith("never accepted" if rule in ("selective", "precision") else "open")


def test_a_pooled_label_is_promised_it_together_with_its_group():
    rng = np.random.default_rng(0)
    Y = rng.random((1000, 60)) < 0.002
    cal = Calibrator(alpha=0.2, few_positives="pool", random_state=0)
    table = cal.fit(rng.random(Y.shape), labelled(Y)).summary()
    pooled = table[table["status"] == "pooled"]
    assert len(pooled) > 30
    assert pooled["promise"].str.startswith("together with its group: accepts at least 80 %").all()


def test_an_update_is_in_the_table():
    scores, Y = random_set(100, 2)
    cal = Calibrator(alpha=0.1).fit(scores, Y)
    before = cal.summary()["positives"]
    after = cal.update(scores, Y).summary()["positives"]
    assert (after == 2 * before).all()


def test_few_positives_are_told_the_share_that_can_be_kept():
    scores, truth = np.array([[0.2], [0.4], [0.9], [0.1]]), np.array([[1], [1], [1], [0]])
    cal = Calibrator("selective", alpha=0.1).fit(scores, as_labels(truth, knowledge="all"))
    assert "top 25 %" in cal.summary()["promise"].iloc[0]


@pytest.mark.parametrize("level", [np.float16(0.1), np.float32(0.1), np.array(0.1), 1 - 0.9])
def test_a_level_is_told_as_it_is_meant(level):
    assert "at least 90 % of" in promise_in_words(RULES["recall"], level, delta=None)
