"""What was measured of what is promised."""

import numpy as np
import pytest

from lamc import Calibrator, as_labels
from lamc.evaluation import evaluate
from lamc.exceptions import LAMCWarning
from lamc.report.shown import label_row
from lamc.report.words import assumed, calibrated_on, kept_at, luck, promise_at, unavailable
from lamc.rules.rule import RULES

from .cases import as_sparse, findings_of, kept_by, same_rows_by, scored_rows


def test_rows_of_uneven_weight_are_judged_as_an_evaluation_does():
    scores, labels = scored_rows(200, seed=8, rare=False)
    new, truth = scored_rows(400, seed=9, rare=False)
    new *= 0.85
    weights = np.where(np.arange(200) % 9 == 0, 10.0, 1.0)
    calibrator = Calibrator("recall", alpha=0.4).fit(scores, labels, sample_weight=weights)
    grid, found = kept_by(calibrator, new, truth)
    for a in range(19, len(grid.levels), 10):
        other = Calibrator("recall", alpha=float(grid.levels[a]))
        other.fit(scores, labels, sample_weight=weights)
        (claim,) = evaluate(other, new, truth).claims
        assert set(other.classes_[found.off[a]].astype(str)) == {*claim.off.tolist()}
    assert found.off.any()


@pytest.mark.parametrize("own", ["three-way", "set-recall"])
def test_it_is_what_an_evaluation_measures(own):
    scores, labels = scored_rows(150, seed=8)
    new, truth = scored_rows(80, seed=9)
    calibrator = Calibrator(own, alpha=0.1, keep_negatives=True).fit(scores, labels)
    grid, found = kept_by(calibrator, new, truth)
    for r, rule in enumerate(grid.rules):
        for a in (9, 19, 40, 80):
            setting = r * len(grid.levels) + a
            other = same_rows_by(calibrator, rule, float(grid.levels[a]), scores, labels)
            claims = evaluate(other, new, truth).claims
            if (other.status_ == "uncalibrated").all():
                continue
            if rule == "set-recall":
                (claim,) = claims
                assert_told_of_rows(found, setting, claim)
                continue
            measured = [claim.measured.value for claim in claims]
            np.testing.assert_allclose(found.shares[setting, : len(claims)], measured)
            if rule != "selective":
                off = {label for claim in claims for label in claim.off.tolist()}
                assert set(other.classes_[found.off[setting]].astype(str)) == off


def assert_told_of_rows(found, setting, claim):
    told = found.row_shares[setting], found.row_levels[setting], *found.row_ends[setting]
    measured = claim.measured
    expected = measured.value, claim.mean_level, measured.low, measured.high
    np.testing.assert_allclose(told, expected)
    assert found.row_chance[setting] == pytest.approx(claim.chance)
    assert found.unlikely[setting] == claim.unlikely


def rows_of_rare_labels(n, seed):
    """Two common labels and ten rare ones, which score as high where they are true."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, 12)) < np.r_[0.4, 0.3, np.full(10, 0.02)]
    Y[0] = True
    return np.round(0.5 * rng.random(Y.shape) + 0.5 * Y * rng.random(Y.shape), 3), as_labels(
        Y, knowledge="all"
    )


@pytest.mark.parametrize("factor", [1.0, 0.1])
def test_labels_that_share_a_threshold_are_measured_by_rows(factor):
    scores, labels = rows_of_rare_labels(400, seed=0)
    new, truth = rows_of_rare_labels(300, seed=1)
    new[:, 2:] *= factor
    calibrator = Calibrator("recall", alpha=0.1, few_positives="pool", random_state=0)
    calibrator.fit(scores, labels)
    grid, found = kept_by(calibrator, new, truth)
    n_pooled = 0
    for a, level in enumerate(grid.levels):
        setting = grid.rules.index("recall") * len(grid.levels) + a
        other = same_rows_by(calibrator, "recall", float(level), scores, labels)
        if (other.status_ != "pooled").all():
            assert np.isnan(found.row_shares[setting])
            continue
        n_pooled += 1
        *of_labels, of_rows = evaluate(other, new, truth).claims
        assert_told_of_rows(found, setting, of_rows)
        for claim in of_labels:
            assert found.shares[setting, 0] == pytest.approx(claim.measured.value)
            assert set(other.classes_[found.off[setting]].astype(str)) == {*claim.off.tolist()}
    assert n_pooled > 10
    findings = findings_of(calibrator, new, truth)
    ending = "the promise is kept." if factor == 1 else "the promise is missed by more than chance."
    assert own_words(findings).endswith(ending)
    assert "Of the labels that a row has and that share a threshold" in own_words(findings)
    promised = promise_at(findings.grid, *findings.grid.own).replace("\u00a0", " ")
    assert "share a threshold, together: a share of at most 10 % is missed" in promised


def test_labels_left_open_for_want_of_candidates_count_as_kept():
    scores, labels = scored_rows(300, seed=1, rare=False)
    new, truth = scored_rows(300, seed=2, rare=False)
    calibrator = Calibrator("recall", alpha=0.3).fit(as_sparse(scores), labels)
    grid, found = kept_by(calibrator, as_sparse(new), truth)
    n_open = 0
    for a in range(len(grid.levels)):
        other = Calibrator("recall", alpha=float(grid.levels[a])).fit(as_sparse(scores), labels)
        if (other.status_ == "uncalibrated").all():
            continue
        n_open += (other.reason_ != "").any()
        (claim,) = evaluate(other, as_sparse(new), truth).claims
        assert found.shares[a, 0] == pytest.approx(claim.measured.value)
    assert n_open
    told = own_words(findings_of(calibrator, as_sparse(new), truth))
    assert "are accepted, or left open for want of candidates, all calibrated labels" in told


def test_promises_are_those_of_a_calibrator_fitted_so():
    scores, labels = scored_rows(150, seed=8)
    calibrator = Calibrator("precision", alpha=0.3, delta=0.2).fit(scores, labels)
    findings = findings_of(calibrator, scores, labels)
    grid = findings.grid
    for r, rule in enumerate(grid.rules):
        for a in (0, 19, 29):
            other = same_rows_by(calibrator, rule, float(grid.levels[a]), scores, labels)
            promised = f"for each calibrated label: {other.promise_}"
            assert promise_at(grid, r, a).replace("\u00a0", " ") == promised
    words = [kept_at(findings, r, a) for r in range(4) for a in (0, 19, 60)]
    assert all(text.endswith(".") for text in words)
    assert not any("nan" in text or "–" in text for text in words)


def own_words(findings):
    return kept_at(findings, *findings.grid.own).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("factor", "said"),
    [(1.0, "the promise is kept"), (0.3, "the promise is missed by more than chance")],
)
def test_set_recall_is_judged_over_rows(factor, said):
    scores, labels = scored_rows(400, seed=1)
    new, truth = scored_rows(400, seed=4)
    calibrator = Calibrator("set-recall", alpha=0.3).fit(scores, labels)
    findings = findings_of(calibrator, factor * new, truth)
    assert own_words(findings).endswith(f"{said}.")
    assert "(95 % interval " in own_words(findings)
    (claim,) = evaluate(calibrator, factor * new, truth).claims
    assert claim.verdict == ("kept" if factor == 1 else "not kept")
    assert promise_at(findings.grid, *findings.grid.own).startswith("for the labels of a row")


def test_labels_that_miss_the_promise_are_named():
    scores, labels = scored_rows(400, seed=1, rare=False)
    new, truth = scored_rows(400, seed=2, rare=False)
    calibrator = Calibrator("three-way", alpha=0.2).fit(scores, labels)
    spoilt = new * np.where(truth.positives.toarray(), [0.2, 1, 1, 1], 1)
    findings = findings_of(calibrator, spoilt, truth)
    assert "1 of 4 labels misses the promise by more than chance: 0." in own_words(findings)
    rule, level = findings.grid.own
    setting = rule * len(findings.grid.levels) + level
    decided, true = calibrator.decide(spoilt), truth.positives.toarray()
    for label in range(4):
        missed = 100 * np.mean(decided[true[:, label], label] == 0)
        false = 100 * np.mean(decided[~true[:, label], label] == 1)
        said = label_row(findings, setting, label)["reason"].replace("\u00a0", " ")
        assert said.startswith("misses the promise; ") == (label == 0)
        assert said.endswith(f"missed {missed:.1f} %, false {false:.1f} %")


def test_positives_are_those_that_a_rule_uses():
    scores, labels = scored_rows(200, seed=1, rare=False)
    calibrator = Calibrator("recall", alpha=0.2, per_label=10, keep_negatives=True, random_state=0)
    calibrator.fit(scores, labels)
    findings = findings_of(calibrator, scores, labels)
    all_of_them = labels.counts
    for rule, found in zip(findings.grid.rules, findings.grid.positives, strict=True):
        np.testing.assert_array_equal(found, all_of_them if rule == "precision" else [10] * 4)
    np.testing.assert_array_equal(findings.grid.negatives, [200 - all_of_them] * 4)
    words = calibrated_on(calibrator, findings.names)
    assert f"{min(all_of_them)} to {max(all_of_them)} positives a label" in words
    assert words.endswith("of which at most 10 were drawn.")


def test_rules_that_the_rows_are_not_enough_for_are_not_offered():
    scores, labels = scored_rows(200, seed=1, rare=False)
    true = labels.positives.toarray()
    rows = true.any(axis=1)
    bounded = Calibrator(alpha=0.2).fit(scores[rows], true[rows].argmax(axis=1), cardinality=4)
    grid = findings_of(bounded, scores, labels).grid
    assert grid.rules == ("recall",)
    assert "The rule selective needs the number of labels of each row" in unavailable(grid, bounded)
    weighed = Calibrator(alpha=0.2, keep_negatives=True)
    weighed.fit(scores, labels, sample_weight=np.linspace(1, 2, 200))
    grid = findings_of(weighed, scores, labels).grid
    assert grid.rules == ("recall", "selective")
    assert "need rows drawn at random, without weights" in unavailable(grid, weighed)
    plain = Calibrator(alpha=0.2).fit(scores, labels)
    assert "false labels kept" in unavailable(findings_of(plain, scores, labels).grid, plain)


def test_what_a_reader_of_the_page_is_told_names_no_argument():
    scores, labels = scored_rows(200, seed=8)
    true = labels.positives.toarray()
    rows = true.any(axis=1)
    with pytest.warns(LAMCWarning):
        one = Calibrator(alpha=0.2).fit(scores[rows], true[rows].argmax(axis=1))
    assert "largest number of labels that a row may have does without" in assumed(one)
    assert assumed(Calibrator(alpha=0.2).fit(scores, labels)) is None


def test_labels_that_may_have_passed_by_luck_are_told():
    rng = np.random.default_rng(0)
    scores = rng.random((300, 40))
    true = rng.random((300, 40)) < 0.5
    scores[:, 0] = true[:, 0]
    with pytest.warns(LAMCWarning, match="1 of 40 labels passed"):
        cal = Calibrator("precision", alpha=0.2).fit(scores, true)
    (told,) = luck(cal)
    assert "by luck" in told
    assert "=0" not in told
    assert luck(Calibrator("recall").fit(scores, true)) == []


@pytest.mark.parametrize("like", RULES)
def test_a_rule_is_told_by_what_it_promises_whatever_its_name(like, monkeypatch):
    monkeypatch.setitem(RULES, "sixth", RULES[like])
    scores, labels = scored_rows(200, seed=1, rare=False)
    new, truth = scored_rows(100, seed=2, rare=False)
    told = []
    for rule in ("sixth", like):
        calibrator = Calibrator(rule, alpha=0.4).fit(as_sparse(scores), labels)
        findings = findings_of(calibrator, as_sparse(new), truth)
        rule, level = findings.grid.own
        row = label_row(findings, rule * len(findings.grid.levels) + level, 0)
        told.append((promise_at(findings.grid, rule, level), own_words(findings), row))
    assert told[0] == told[1]
