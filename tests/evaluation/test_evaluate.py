"""An evaluation: the numbers are those of lamc.metrics, with intervals around them."""

import numpy as np
import pytest

from lamc import Calibrator, as_labels, metrics
from lamc.evaluation import evaluate
from lamc.exceptions import LabelError


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
