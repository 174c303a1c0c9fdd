"""What is measured, against scikit-learn and slow obvious twins."""

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    coverage_error,
    hamming_loss,
    label_ranking_average_precision_score,
    label_ranking_loss,
)

from lamc.benchmark import curves, readings
from lamc.benchmark.measure import (
    accepted_metrics,
    full_metrics,
    macro_average_precision_of_accepted,
    set_metrics,
)
from lamc.benchmark.protocol import Rows, Task
from lamc.benchmark.views import PAPER_VIEW, VIEWS, View
from lamc.datasets import observe
from lamc.labels import as_labels
from lamc.rules import Calibrator

K = 5


def drawn(n, seed):
    """Truth with at least one label a row, and scores that know something of it."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, K)) < [0.6, 0.4, 0.3, 0.2, 0.1]
    Y[np.arange(n), rng.integers(K, size=n)] = True
    scores = np.round(0.6 * rng.random(Y.shape) + 0.3 * Y, 2)  # with ties
    return Y, scores


@pytest.fixture(scope="module")
def case():
    """A task with calibration rows, and scores of test and calibration rows."""
    truth, test = drawn(60, seed=0)
    known, calibration = drawn(80, seed=1)
    Y = as_labels(truth, knowledge="all")
    calibration_labels = as_labels(known, knowledge="all")
    rows = Rows(np.zeros((60, 1)), Y)
    task = Task(
        learn=rows,
        validation=rows,
        test=rows,
        calibration=Rows(np.zeros((80, 1)), calibration_labels),
        observed=observe(calibration_labels, random_state=0),
    )
    return task, test, calibration


def test_the_full_ranking_is_scikit_learns():
    truth, scores = drawn(60, seed=2)
    found = full_metrics(as_labels(truth, knowledge="all"), scores)
    assert found["average_precision"] == pytest.approx(
        label_ranking_average_precision_score(truth, scores)
    )
    assert found["coverage_error"] == pytest.approx((coverage_error(truth, scores) - 1) / K)
    assert found["ranking_loss"] == pytest.approx(label_ranking_loss(truth, scores))
    assert found["hamming_loss"] == pytest.approx(hamming_loss(truth, scores >= 0.5))
    assert found["macro_average_precision"] == pytest.approx(
        average_precision_score(truth, scores, average="macro")
    )


def test_macro_average_precision_of_accepted_labels_is_that_of_each_labels_accepted_rows():
    truth, scores = drawn(60, seed=3)
    accepted = scores > [0.6, 0.3, 0.8, 2.0, 0.5]
    each = [
        average_precision_score(truth[accepted[:, k], k], scores[accepted[:, k], k])
        for k in range(K)
        if truth[accepted[:, k], k].any()
    ]
    found = macro_average_precision_of_accepted(as_labels(truth, knowledge="all"), scores, accepted)
    assert len(each) == 4
    assert found == pytest.approx(np.mean(each))


def test_nothing_accepted_is_no_number():
    truth, scores = drawn(20, seed=4)
    found = set_metrics(as_labels(truth, knowledge="all"), scores, scores > 2)
    assert found["left_out"] == 1
    assert found["retention"] == 0
    assert np.isnan([found["average_precision"], found["precision"]]).all()


def test_few_positives_are_averaged_over_draws(case):
    task, test, calibration = case
    found = accepted_metrics(task, test, PAPER_VIEW, calibration)
    by_hand = [
        Calibrator("selective", alpha=0.5, per_label=10, random_state=seed)
        .fit(calibration, task.calibration.labels)
        .accept(test)
        for seed in range(5)
    ]
    assert len({each.tobytes() for each in by_hand}) > 1
    kept = [each.mean() for each in by_hand]
    assert found["retention"] == pytest.approx(np.mean(kept))


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_each_view_calibrates_on_what_it_says(case, view):
    task, _, calibration = case
    single = view.calibration == "single positives"
    labels = task.observed if single else task.calibration.labels
    most = labels.counts if view.positives is None else np.minimum(labels.counts, view.positives)
    for calibrator in view.calibrators(task, calibration):
        assert (calibrator.rule, calibrator.alpha) == (view.rule, view.alpha)
        if view.rule != "precision":
            assert calibrator.n_positives_.tolist() == most.tolist()


def test_promises_are_compared_with_what_was_achieved(case):
    task, test, calibration = case
    view = View("recall", 0.1)
    found = accepted_metrics(task, test, view, calibration)
    (calibrator,) = view.calibrators(task, calibration)
    accepted, truth = calibrator.accept(test), task.test.labels.positives.toarray()
    recalls = [
        accepted[truth[:, k], k].mean()
        for k in range(K)
        if calibrator.status_[k] == "calibrated" and truth[:, k].any()
    ]
    assert found["promised_recall"] == 0.9
    assert found["achieved_recall"] == pytest.approx(np.mean(recalls))
    assert found["labels_within"] == pytest.approx(np.mean(np.array(recalls) >= 0.9))


class TestReadings:
    def test_all_are_there_with_each_threshold(self, case):
        names = [name for name, _ in readings.readings(*case)]
        assert len(names) == len(set(names)) == 21
        assert all(name.startswith("reading: ") for name in names)

    def test_as_typeset_the_threshold_is_the_largest_positive(self, case):
        task, _, calibration = case
        calibrator = Calibrator("selective", alpha=0.5).fit(calibration, task.calibration.labels)
        truth = task.calibration.labels.positives.toarray()
        largest = [calibration[truth[:, k], k].max() for k in range(K)]
        assert readings.as_typeset(calibrator).tolist() == largest

    def test_labels_without_calibration_rows_can_be_kept_whole(self):
        known, scores = drawn(30, seed=5)
        known[:, 2] = False
        labels = as_labels(known, knowledge="all")
        calibrator = Calibrator("selective", alpha=0.5).fit(scores, labels)
        assert readings.as_meant(calibrator)[2] == np.inf
        assert readings.as_meant_others_kept(calibrator)[2] == -np.inf
        others = [0, 1, 3, 4]
        kept = readings.as_meant_others_kept(calibrator)[others]
        assert kept.tolist() == calibrator.thresholds_[others].tolist()

    def test_excluded_scores_of_0(self):
        truth, scores = drawn(60, seed=6)
        accepted = scores > 0.5
        zeroed, masked = np.where(accepted, scores, 0), truth & accepted
        Y = as_labels(truth, knowledge="all")
        some = masked.any(axis=1)
        assert 0 < some.mean() < 1
        for reading, Y_left, scores_left in (
            (readings.zeroed_full_truth, truth, zeroed),
            (readings.zeroed_masked_truth, masked, zeroed),
            (readings.zeroed_masked_left_out, masked[some], zeroed[some]),
            (readings.rows_with_any, truth[accepted.any(1)], scores[accepted.any(1)]),
        ):
            found = reading(Y, scores, accepted)
            assert found["average_precision"] == pytest.approx(
                label_ranking_average_precision_score(Y_left, scores_left)
            )
            assert found["ranking_loss"] == pytest.approx(label_ranking_loss(Y_left, scores_left))

    def test_restricted_rows_rank_what_is_accepted(self):
        truth, scores = drawn(40, seed=7)
        accepted = scores > 0.4
        each = [
            label_ranking_average_precision_score([y[kept]], [s[kept]])
            for y, s, kept in zip(truth, scores, accepted, strict=True)
            if y[kept].any()
        ]
        found = readings.restricted_rows(as_labels(truth, knowledge="all"), scores, accepted)
        assert found["average_precision"] == pytest.approx(np.mean(each))
        assert found["left_out"] == pytest.approx(1 - len(each) / 40)

    def test_labels_by_themselves_and_all_pairs_together(self):
        truth, scores = drawn(40, seed=8)
        accepted = scores > 0.4
        Y = as_labels(truth, knowledge="all")
        by_label = [
            average_precision_score(truth[accepted[:, k], k], scores[accepted[:, k], k])
            for k in range(K)
        ]
        found = readings.per_label(Y, scores, accepted)
        assert found["average_precision"] == pytest.approx(np.mean(by_label))
        found = readings.pooled_pairs(Y, scores, accepted)
        expected = average_precision_score(truth[accepted], scores[accepted])
        assert found["average_precision"] == pytest.approx(expected)

    def test_where_nothing_is_left_there_is_no_number(self):
        truth, scores = drawn(10, seed=9)
        Y = as_labels(truth, knowledge="all")
        for name in ("rows restricted to accepted labels", "accepted pairs pooled"):
            found = readings.READINGS[name](Y, scores, scores > 2)
            assert np.isnan(found["average_precision"])
            assert found["left_out"] == 1


class TestCurves:
    def test_risk_and_coverage_are_shares_of_what_is_kept(self):
        truth, scores = drawn(60, seed=10)
        points = list(curves.risk_coverage(0, as_labels(truth, knowledge="all"), scores))
        ordered = np.sort(scores, axis=None)[::-1]
        for point in points:
            kept = scores >= ordered[round(point.x * scores.size) - 1]
            assert point.x == pytest.approx(kept.mean())
            assert point.y == pytest.approx(1 - truth[kept].mean())
        assert points[-1].x == 1

    def test_thresholds_stand_beside_the_positives_they_come_from(self, case):
        task, _, calibration = case
        found = [p for p in curves.thresholds(0, task, calibration) if p.rule == "selective"]
        (calibrator,) = View("selective", 0.5).calibrators(task, calibration)
        assert [p.x for p in found] == task.calibration.labels.counts.tolist()
        assert [p.y for p in found] == calibrator.thresholds_.tolist()

    def test_achieved_levels_come_with_their_mean(self, case):
        task, test, calibration = case
        found = list(curves.promised_achieved(0, task, test, calibration))
        recall = [p for p in found if p.rule == "recall" and p.alpha == 0.1]
        by_label = [p.y for p in recall if p.label is not None]
        (mean,) = [p.y for p in recall if p.label is None]
        assert len(by_label) >= 3
        assert mean == pytest.approx(np.mean(by_label))
        assert {p.x for p in recall} == {0.9}

    def test_labels_are_there_one_by_one_where_a_mean_is_over_few(self, case, monkeypatch):
        for fewest, shown in ((1000, True), (0, False)):
            monkeypatch.setattr(curves, "FEW_LABELS", fewest)
            found = [p for p in curves.promised_achieved(0, *case) if p.alpha == 0.5]
            assert any(p.label is None for p in found)
            assert any(p.label is not None for p in found) == shown
