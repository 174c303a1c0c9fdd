"""An evaluation: the numbers are those of lamc.metrics, with intervals around them."""

import numpy as np
import pytest
from scipy import sparse

from lamc import Calibrator, as_labels, load, metrics
from lamc.evaluation import evaluate
from lamc.evaluation.intervals import wilson
from lamc.exceptions import CalibrationError, LabelError
from lamc.report import write_report


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    Y = rng.random((600, 5)) < [0.5, 0.4, 0.3, 0.2, 0.0]
    scores = 0.5 * rng.random(Y.shape) + 0.5 * rng.random(Y.shape) * Y
    calibrator = Calibrator("three-way", alpha=0.2).fit(scores[:300], Y[:300])
    return calibrator, scores[300:], Y[300:]


def test_the_numbers_are_those_of_the_metrics(case):
    calibrator, scores, Y = case
    found = evaluate(calibrator, scores, Y)
    ranking = metrics.ranking_metrics(Y, scores)
    assert found.ranking["average precision"].value == pytest.approx(ranking.average_precision)
    assert found.ranking["coverage"].value == pytest.approx(ranking.coverage_error)
    assert found.ranking["ranking loss"].value == pytest.approx(ranking.ranking_loss)
    assert found.ranking["one-error"].value == pytest.approx(ranking.one_error)
    decisions = calibrator.decide(scores)
    accepted = decisions == 1
    assert found.decided["precision"].value == pytest.approx(metrics.precision(Y, accepted))
    assert found.decided["recall"].value == pytest.approx(metrics.recall(Y, accepted))
    assert found.decided["F1"].value == pytest.approx(metrics.f1(Y, accepted))
    assert found.decided["Hamming loss"].value == pytest.approx(metrics.hamming_loss(Y, accepted))
    assert found.decided["accepted"].value == pytest.approx(metrics.retention(accepted))
    assert found.decided["left open"].value == pytest.approx((decisions == -1).mean())
    by_label = metrics.label_metrics(Y, accepted)
    np.testing.assert_allclose(found.labels["precision"], by_label.precision)
    np.testing.assert_allclose(found.labels["recall"], by_label.recall)
    np.testing.assert_array_equal(found.labels["true_rows"], by_label.true)


def test_intervals_hold_what_they_are_around(case):
    found = evaluate(*case)
    for estimate in (*found.ranking.values(), *found.decided.values()):
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def test_labels_are_put_in_the_order_of_the_calibrator(case):
    calibrator, scores, Y = case
    turned = as_labels(Y[:, ::-1], classes=np.arange(5)[::-1], knowledge="all")
    assert evaluate(calibrator, scores, turned).decided == evaluate(calibrator, scores, Y).decided


def test_one_observed_label_a_row_is_not_enough(case):
    calibrator, scores, _ = case
    with pytest.raises(LabelError, match="An evaluation needs all labels of every row"):
        evaluate(calibrator, scores, as_labels(np.arange(300) % 5))


def test_rows_without_any_label_are_refused_as_a_report_refuses_them(case, tmp_path):
    calibrator, scores, Y = case
    none = np.zeros_like(Y)
    with pytest.raises(LabelError, match="None of the 300 held-out rows has a label"):
        evaluate(calibrator, scores, none)
    with pytest.raises(LabelError, match="None of the 300 held-out rows has a label"):
        write_report(tmp_path / "a.html", scores, none, calibrator)


@pytest.mark.parametrize("rule", ["recall", "three-way"])
def test_scores_in_half_precision_are_measured_as_they_are_decided(rule, tmp_path):
    rng = np.random.default_rng(0)
    Y = rng.random((600, 3)) < 0.4
    scores = np.round(0.5 * rng.random(Y.shape) + 0.5 * rng.random(Y.shape) * Y, 2)
    calibrator = Calibrator(rule, alpha=0.2).fit(scores[:300], Y[:300])
    halves = scores[300:].astype(np.float16)
    accepted = calibrator.decide(halves) == 1
    assert (accepted != (calibrator.decide(halves.astype(np.float32)) == 1)).any()
    found = evaluate(calibrator, halves, Y[300:]).decided["accepted"].value
    assert found == pytest.approx(accepted.mean())
    page = write_report(tmp_path / "a.html", halves, Y[300:], calibrator).read_text("utf-8")
    assert f"{100 * found:.1f}\u00a0% are accepted" in page


def test_calibrated_in_half_precision_sharper_scores_are_measured_as_they_are_decided(tmp_path):
    rng = np.random.default_rng(0)
    Y = rng.random((600, 3)) < 0.4
    scores = 0.99 + 0.01 * (0.5 * rng.random(Y.shape) + 0.5 * rng.random(Y.shape) * Y)
    calibrator = Calibrator("three-way", alpha=0.2).fit(scores[:300].astype(np.float16), Y[:300])
    calibrator.save(tmp_path / "a.lamc")
    sharp = scores[300:].astype(np.float32)
    accepted = load(tmp_path / "a.lamc").decide(sharp) == 1
    np.testing.assert_array_equal(accepted, calibrator.decide(sharp.astype(np.float16)) == 1)
    assert (accepted != (sharp >= calibrator.thresholds_)).any()
    found = evaluate(calibrator, sharp, Y[300:]).decided["accepted"].value
    assert found == pytest.approx(accepted.mean())
    page = write_report(tmp_path / "a.html", sharp, Y[300:], calibrator).read_text("utf-8")
    assert f"{100 * found:.1f}\u00a0% are accepted" in page


def test_sparse_scores_that_leave_out_what_is_accepted_are_refused(tmp_path):
    rng = np.random.default_rng(0)
    Y = rng.random((200, 3)) < 0.4
    scores = np.where(rng.random(Y.shape) < 0.3, 0, rng.random(Y.shape))
    calibrator = Calibrator("recall", alpha=0.1).fit(scores, Y)
    left_out = sparse.csr_array(scores)
    with pytest.raises(CalibrationError, match="A score of 0 is accepted for 0, 1, 2"):
        evaluate(calibrator, left_out, Y)
    with pytest.raises(CalibrationError, match="A score of 0 is accepted for 0, 1, 2"):
        write_report(tmp_path / "a.html", left_out, Y, calibrator)
    assert evaluate(calibrator, scores, Y).decided["recall"].value == 1


def test_the_table_of_labels_is_what_each_column_says():
    rng = np.random.default_rng(0)
    truth = rng.random((600, 5)) < [0.5, 0.4, 0.3, 0.2, 0.0]
    scores = 0.5 * rng.random(truth.shape) + 0.5 * rng.random(truth.shape) * truth
    cal = Calibrator("three-way", alpha=0.2).fit(scores[:300], truth[:300])
    found = evaluate(cal, scores[300:], truth[300:])
    decided = cal.decide(scores[300:])
    accepted, true = (decided == 1).sum(axis=0), truth[300:].sum(axis=0)
    right = ((decided == 1) & truth[300:]).sum(axis=0)
    assert (found.n_rows, found.n_labels) == (300, 5)
    expected = {
        "accepted_rows": accepted,
        "open_rows": (decided == -1).sum(axis=0),
        "threshold": cal.thresholds_,
        "calibration_positives": truth[:300].sum(axis=0),
        "status": cal.status_,
        "reason": cal.reason_,
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(found.labels[name], values, err_msg=name)
    for name, whole in (("precision", accepted), ("recall", true)):
        with np.errstate(invalid="ignore"):
            share = right / whole
        np.testing.assert_allclose(found.labels[name], share)
        low, high = wilson(share, whole)
        np.testing.assert_allclose(found.labels[f"{name}_low"], low)
        np.testing.assert_allclose(found.labels[f"{name}_high"], high)
