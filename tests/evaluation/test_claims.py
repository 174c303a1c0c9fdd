"""Promises against measurements: what holds is not called broken, and what fails is."""

import numpy as np
import pytest

from lamc import Calibrator
from lamc.evaluation.claims import claims

N, K = 400, 6


def rows(n, seed, *, shift=0.0):
    """Labels and scores; those of a row depend on each other through how hard the row is."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(n, K)) + rng.normal(size=(n, 1)) > 0.8
    logits = 1.5 * Y - 0.5 - shift * Y + 0.8 * rng.normal(size=(n, K)) + rng.normal(size=(n, 1))
    return 1 / (1 + np.exp(-logits)), Y


def measured(rule, alpha, *, seed=0, shift=0.0, **given):
    calibrator = Calibrator(rule, alpha=alpha, **given).fit(*rows(N, seed))
    scores, Y = rows(N, seed + 1, shift=shift)
    decisions = calibrator.decide(scores)
    return Y, decisions, claims(calibrator, Y, decisions)


@pytest.mark.parametrize(
    ("rule", "alpha", "given"),
    [
        ("recall", 0.1, {}),
        ("recall", 0.1, {"delta": 0.1}),
        ("precision", 0.4, {}),
        ("three-way", 0.2, {}),
        ("set-recall", 0.2, {}),
    ],
)
def test_what_holds_is_rarely_called_broken(rule, alpha, given):
    """By a chance of 2.5 %: of 60, more than 6 by a chance of 0.1 %."""
    verdicts, off, judged = [], 0, 0
    for seed in range(0, 120, 2):
        for claim in measured(rule, alpha, seed=seed, **given)[2]:
            verdicts.append(claim.verdict)
            off, judged = off + len(claim.off), judged + len(claim.labels)
    assert verdicts.count("not kept") <= 6 * len(verdicts) / 60
    assert off <= 0.04 * judged


@pytest.mark.parametrize(
    ("rule", "alpha", "shift"),
    [
        ("recall", 0.1, 1.5),
        ("precision", 0.4, 2.0),
        ("three-way", 0.2, 1.5),
        ("set-recall", 0.1, 2),
    ],
)
def test_rows_of_another_kind_are_found_out(rule, alpha, shift):
    _, _, found = measured(rule, alpha, shift=shift)
    assert found[0].verdict == "not kept"
    assert "NOT kept" in found[0].in_words()
    assert "drawn like the calibration rows" in found[0].in_words()


def test_shares_are_counted_as_the_promise_says():
    Y, decisions, (recall,) = measured("recall", 0.1)
    assert recall.measured.value == pytest.approx((decisions == 1)[Y].mean())
    np.testing.assert_allclose(
        recall.shares, [(decisions == 1)[Y[:, k], k].mean() for k in range(K)]
    )
    Y, decisions, (precision,) = measured("precision", 0.4)
    assert precision.measured.value == pytest.approx(Y[decisions == 1].mean())
    Y, decisions, (missed, alarm) = measured("three-way", 0.2)
    assert missed.measured.value == pytest.approx((decisions == 0)[Y].mean())
    assert alarm.measured.value == pytest.approx((decisions == 1)[~Y].mean())
    Y, decisions, (set_recall,) = measured("set-recall", 0.2)
    shares = [(d[y] != 1).mean() for y, d in zip(Y, decisions, strict=True) if y.any()]
    assert set_recall.measured.value == pytest.approx(np.mean(shares))


def test_labels_without_a_promise_do_not_count():
    scores, Y = rows(N, 0)
    Y[:, 0] = np.arange(N) == 0  # one positive is too few
    calibrator = Calibrator("recall", alpha=0.1).fit(scores, Y)
    new, truth = rows(N, 1)
    decisions = calibrator.decide(new)
    (claim,) = claims(calibrator, truth, decisions)
    assert claim.labels.tolist() == ["1", "2", "3", "4", "5"]
    assert claim.measured.value == pytest.approx((decisions == 1)[:, 1:][truth[:, 1:]].mean())


def test_a_rule_that_promises_nothing_has_no_verdict():
    *_, (claim,) = measured("selective", 0.5)
    assert claim.verdict is None
    assert claim.in_words().endswith("about 50 % is meant.")


def test_nothing_to_measure_on():
    scores, Y = rows(N, 0)
    calibrator = Calibrator("recall", alpha=0.1).fit(scores, Y)
    none = np.zeros_like(Y)
    (claim,) = claims(calibrator, none, calibrator.decide(scores))
    assert claim.verdict is None
    assert "none here to measure on" in claim.in_words()


def test_a_level_for_each_label():
    scores, Y = rows(N, 0)
    calibrator = Calibrator("recall", alpha=np.linspace(0.05, 0.3, K)).fit(scores, Y)
    new, truth = rows(N, 1)
    (claim,) = claims(calibrator, truth, calibrator.decide(new))
    assert claim.level is None
    assert claim.levels.tolist() == (1 - np.linspace(0.05, 0.3, K)).tolist()
    assert claim.verdict in ("kept", "within chance")
    assert "the level of each label" in claim.in_words()
