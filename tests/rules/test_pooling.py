"""Rare labels share a threshold: who is grouped, from which rows, and what it promises."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from lamc import Calibrator
from lamc.exceptions import CalibrationError
from lamc.rules import pooling

from .cases import labelled, random_set

ALPHA = 1 / 6  # five positives are the fewest that a label of its own needs


def rare_labels(n=2000, seed=0, families=((0.2, 0.4), (0.6, 0.8)), each=30, common=2):
    """Labels with about three positives each, whose true scores lie in their family's range."""
    rng = np.random.default_rng(seed)
    k = each * len(families)
    Y = np.hstack([rng.random((n, common)) < 0.2, np.zeros((n, k), dtype=bool)])
    for label in range(common, common + k):
        Y[rng.choice(n, rng.integers(0, 4), replace=False), label] = True
    low, high = np.repeat(np.asarray(families), each, axis=0).T
    scores = rng.random(Y.shape)
    scores[:, common:] = low + (high - low) * scores[:, common:]
    return scores, Y


def group_threshold(evidence, members, alpha):
    """Largest score with (missed shares of the group's labels + 1) / (rows + 1) <= alpha."""
    of_group = np.isin(evidence.positives.labels, np.flatnonzero(members))
    rows, values = evidence.rows[of_group].tolist(), evidence.positives.values[of_group].tolist()
    good = [-np.inf]
    for v in values:
        missed = sum(Fraction(s < v, rows.count(r)) for r, s in zip(rows, values, strict=True))
        if missed + 1 <= alpha * (len(set(rows)) + 1):
            good.append(v)
    return max(good)


@pytest.fixture
def seen(monkeypatch):
    """What the two steps of pooling are given."""
    calls = {"shapes": [], "groups": []}
    group_by_shape, group_threshold = pooling.group_by_shape, pooling._group_threshold

    def shapes(evidence, *args, **more):
        calls["shapes"].append(evidence)
        return group_by_shape(evidence, *args, **more)

    def threshold(evidence, members, level):
        found = group_threshold(evidence, members, level)
        calls["groups"].append((evidence, members, found.item()))
        return found

    monkeypatch.setattr(pooling, "group_by_shape", shapes)
    monkeypatch.setattr(pooling, "_group_threshold", threshold)
    return calls


def test_rare_labels_are_pooled_and_said_to_be():
    scores, Y = rare_labels()
    alone = Calibrator(alpha=ALPHA).fit(scores, labelled(Y))
    cal = Calibrator(alpha=ALPHA, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    assert alone.status_.tolist() == ["calibrated"] * 2 + ["uncalibrated"] * 60
    assert cal.status_.tolist() == ["calibrated"] * 2 + ["pooled"] * 60
    np.testing.assert_array_equal(cal.thresholds_[:2], alone.thresholds_[:2])
    np.testing.assert_array_equal(cal.n_positives_, Y.sum(axis=0))
    decided = cal.decide(scores)
    np.testing.assert_array_equal(decided == 1, cal.accept(scores))
    np.testing.assert_array_equal(decided == 0, ~cal.accept(scores))


def test_labels_with_scores_of_one_shape_share_a_threshold(seen):
    scores, Y = rare_labels(families=((0.1, 0.2), (0.8, 0.9)), each=60)
    cal = Calibrator(alpha=0.2, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    known = np.flatnonzero(seen["shapes"][0].positives.counts)
    pooled = known[cal.status_[known] == "pooled"]
    assert len(known) > 40
    np.testing.assert_array_equal(pooled, known[Y.sum(axis=0)[known] < 3])  # 4 are enough
    low = np.where(pooled < 62, 0.1, 0.8)
    assert (cal.thresholds_[pooled] > low).all()
    assert (cal.thresholds_[pooled] < low + 0.1).all()
    unknown = np.setdiff1d(np.flatnonzero(cal.status_ == "pooled"), known)
    assert len(set(cal.thresholds_[unknown])) == 1


def test_shapes_and_quantiles_come_from_different_rows(seen):
    scores, Y = rare_labels()
    cal = Calibrator(alpha=ALPHA, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    (shapes,) = seen["shapes"]
    assert len(seen["groups"]) > 1
    for evidence, _, _ in seen["groups"]:
        assert not np.isin(evidence.rows, shapes.rows).any()
        assert len(evidence.rows) + len(shapes.rows) == Y[:, 2:].sum()
    assert 0.2 < len(shapes.rows) / Y[:, 2:].sum() < 0.5
    assert (cal.status_[2:] == "pooled").all()


def test_a_label_that_lacks_one_positive_stays_open():
    scores, Y = rare_labels(families=((0.1, 0.9),))
    cal = Calibrator(alpha=0.2, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    counts = Y.sum(axis=0)
    expected = np.where(counts > 3, "calibrated", np.where(counts == 3, "uncalibrated", "pooled"))
    np.testing.assert_array_equal(cal.status_, expected)
    assert (cal.reason_[counts == 3] == "too few positives").all()


@pytest.mark.parametrize("seed", range(3))
def test_a_group_keeps_its_promise_over_rows(seen, seed):
    scores, Y = rare_labels(seed=seed, families=((0.1, 0.9),), each=40)
    Y[:300:20, 2:6] = True  # rows with many of the labels count once
    levels = np.asarray([Fraction(1, 5)] * 22 + [Fraction(1, 8)] * 20)
    cal = Calibrator(alpha=levels, few_positives="pool", random_state=seed)
    cal.fit(scores, labelled(Y))
    assert (cal.status_ == "pooled").sum() > 20
    for evidence, members, found in seen["groups"]:
        (level,) = set(levels[members])
        assert found == group_threshold(evidence, members, level)
        pooled = cal.status_[members] == "pooled"
        assert set(cal.thresholds_[members][pooled]) <= {found}
        np.testing.assert_array_equal(pooled, Y.sum(axis=0)[members] < 1 / level - 2)


def test_labels_of_one_level_are_pooled_as_if_there_were_no_others():
    scores, Y = rare_labels(families=((0.1, 0.9),), each=60)
    alphas = np.r_[0.2, 0.2, np.tile([0.1, 0.2], 30)]
    cal = Calibrator(alpha=alphas, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    for level in (0.1, 0.2):
        own = alphas == level
        alone = Calibrator(alpha=level, few_positives="pool", random_state=0)
        alone.fit(scores[:, own], labelled(Y[:, own]))
        np.testing.assert_array_equal(cal.thresholds_[own], alone.thresholds_)
        np.testing.assert_array_equal(cal.status_[own], alone.status_)
        assert (alone.status_ == "pooled").any()


def test_a_frequent_label_without_candidates_is_in_no_group():
    scores, Y = rare_labels()
    frequent = np.random.default_rng(1).random((len(Y), 1)) < 0.9
    more = sparse.csr_array(np.hstack([scores, frequent * (np.arange(len(Y))[:, None] % 5 > 0)]))
    cal, alone = (
        Calibrator(alpha=ALPHA, few_positives="pool", random_state=0).fit(rows, labelled(truth))
        for rows, truth in ((more, np.hstack([Y, frequent])), (sparse.csr_array(scores), Y))
    )
    assert cal.reason_[-1] == "scores too low"
    np.testing.assert_array_equal(cal.status_[:-1], alone.status_)
    np.testing.assert_array_equal(cal.thresholds_[:-1], alone.thresholds_)


def test_groups_too_small_stay_as_they_were():
    scores, Y = rare_labels(each=2)
    cal = Calibrator(alpha=0.02, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    assert cal.status_.tolist() == ["calibrated"] * 2 + ["uncalibrated"] * 4
    assert (cal.thresholds_[2:] == -np.inf).all()
    assert (cal.absence_thresholds_[2:] == -np.inf).all()
    assert (cal.decide(scores)[:, 2:] == -1).all()


def test_without_rare_labels_nothing_changes():
    scores, Y = random_set(200, 3)
    alone, cal = (
        Calibrator(alpha=0.2, few_positives=how).fit(scores, Y) for how in ("abstain", "pool")
    )
    np.testing.assert_array_equal(alone.thresholds_, cal.thresholds_)


def test_the_same_seed_gives_the_same_groups():
    scores, Y = rare_labels()
    one, other = (
        Calibrator(alpha=0.2, few_positives="pool", random_state=4).fit(scores, labelled(Y))
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.thresholds_, other.thresholds_)


@pytest.mark.parametrize("values", [[0.5], [0.0, 1.0]])
@pytest.mark.filterwarnings("error")
def test_equal_and_saturated_scores_can_be_grouped(values):
    scores, Y = rare_labels()
    scores = np.random.default_rng(0).choice(values, scores.shape)
    cal = Calibrator(alpha=ALPHA, few_positives="pool", random_state=0).fit(scores, labelled(Y))
    assert set(cal.thresholds_) <= set(values)
    assert (cal.status_[2:] == "pooled").all()


def test_a_group_whose_true_labels_are_no_candidates_stays_uncalibrated():
    scores, Y = rare_labels()
    scores[:, 2:][Y[:, 2:]] = 0
    stored = sparse.csr_array(scores)
    cal = Calibrator(alpha=0.2, few_positives="pool", random_state=0).fit(stored, labelled(Y))
    assert (cal.status_[2:] == "uncalibrated").all()
    assert (cal.thresholds_[2:] == -np.inf).all()


@pytest.mark.parametrize("rule", ["selective", "precision", "three-way", "set-recall"])
def test_only_the_recall_rule_pools(rule):
    scores, Y = random_set(50, 3)
    with pytest.raises(CalibrationError, match=f"The {rule} rule cannot pool labels"):
        Calibrator(rule, few_positives="pool").fit(scores, Y)


def test_pooling_goes_with_neither_delta_nor_weights_nor_chosen_rows():
    scores, Y = random_set(50, 3)
    with pytest.raises(CalibrationError, match="cannot pool labels and hold with a delta"):
        Calibrator(few_positives="pool", delta=0.1).fit(scores, Y)
    with pytest.raises(CalibrationError, match="cannot weigh rows and pool labels"):
        Calibrator(few_positives="pool").fit(scores, Y, sample_weight=np.ones(50))
    with pytest.raises(CalibrationError, match=r"cannot pool labels that are drawn alike"):
        Calibrator(few_positives="pool", per_label=6).fit(scores, Y)
    single = np.arange(50) % 3
    with pytest.raises(CalibrationError, match="cannot pool labels whose rows were picked"):
        Calibrator(few_positives="pool").fit(scores, single, picked_for=single)
