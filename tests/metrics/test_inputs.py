"""What metrics refuse, and what the refusal says."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lamc import as_labels, metrics
from lamc.exceptions import LabelError

Y = np.array([[1, 0, 1], [0, 1, 1]])
SCORES = np.array([[0.9, 0.1, 0.5], [0.2, 0.7, 0.3]])

ON_SCORES = [
    metrics.ranking_metrics,
    metrics.average_precision,
    metrics.label_average_precision,
    metrics.micro_average_precision,
    metrics.risk_coverage,
]
ON_ACCEPTED = [
    metrics.precision,
    metrics.label_metrics,
    metrics.hamming_loss,
    metrics.true_retention,
    metrics.left_out_share,
]


@pytest.mark.parametrize("metric", ON_SCORES)
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (SCORES[:, :2], r"scores has shape \(2, 2\), but Y has shape \(2, 3\).*\n.*classes="),
        (SCORES[:1], r"scores has shape \(1, 3\), but Y has shape \(2, 3\)"),
        (SCORES[0], r"scores has shape \(3,\); expected is a matrix"),
        (pd.Series(SCORES[0]), r"scores has shape \(3,\); expected is a matrix"),
        (SCORES.astype(str), "scores holds <U.* values; scores are float32 or float64"),
        (SCORES.astype(complex), "scores holds complex128 values"),
        (np.where(SCORES == 0.7, np.nan, SCORES), r"NaN at row 1, column 1 \(label 1\).*\n.*leave"),
    ],
)
def test_odd_scores_are_refused(metric, scores, message):
    with pytest.raises(LabelError, match=message):
        metric(Y, scores)


@pytest.mark.parametrize("metric", [*ON_ACCEPTED, lambda Y, a: metrics.one_error(Y, SCORES, a)])
@pytest.mark.parametrize(
    ("accepted", "message"),
    [
        (Y[:, :2], r"accepted has shape \(2, 2\), but Y has shape \(2, 3\)"),
        (Y[0], r"accepted has shape \(3,\); expected is a matrix"),
        (SCORES, r"accepted holds 0\.9 at row 0, column 0; .*\n.*by a threshold"),
        (Y - 1, r"accepted holds -1 at row 0, column 1; .*\n.*decisions == 1"),
        (np.where(Y, 1, np.nan), "accepted holds nan at row 0, column 1"),
        (Y.astype(str), "accepted holds <U.* values"),
    ],
)
def test_odd_accepted_labels_are_refused(metric, accepted, message):
    with pytest.raises(LabelError, match=message):
        metric(Y, accepted)


def test_retention_needs_no_truth_but_a_matrix_of_accepted_labels():
    with pytest.raises(LabelError, match=r"accepted holds 0\.9 at row 0, column 0"):
        metrics.retention(SCORES)
    with pytest.raises(LabelError, match=r"accepted has shape \(0, 3\)"):
        metrics.retention(Y[:0])


@pytest.mark.parametrize("metric", [*ON_SCORES, *ON_ACCEPTED])
def test_labels_known_in_part_are_no_truth(metric):
    observed = as_labels(["oak", "elm"], classes=["oak", "elm", "ash"])
    with pytest.raises(LabelError, match="needs all labels of every row"):
        metric(observed, Y)


@pytest.mark.parametrize("metric", [*ON_SCORES, *ON_ACCEPTED])
@pytest.mark.parametrize("names", [["oak", "elm", "ash"], [5, 2, 9]])
def test_columns_of_a_frame_are_put_in_the_order_of_the_labels(metric, names):
    truth, given = pd.DataFrame(Y, columns=names), pd.DataFrame(1 - Y, columns=names)
    expected, found = metric(truth, given), metric(truth, given[names[::-1]])
    assert repr(found) == repr(expected)
    with pytest.raises(LabelError, match=r"columns for .*, but the labels are"):
        metric(truth, given.rename(columns={names[0]: names[0] * 2}))


def test_the_truth_may_be_named_dense_sparse_or_read_already():
    named = [{"oak", "ash"}, {"elm", "ash"}]
    frame = pd.DataFrame(Y, columns=["oak", "elm", "ash"])
    labels = as_labels(named, classes=["oak", "elm", "ash"])
    expected = metrics.average_precision(Y, SCORES)
    for truth in (frame, labels, sparse.coo_array(Y), Y.astype(bool), Y.tolist()):
        assert metrics.average_precision(truth, SCORES) == expected
    scores = pd.DataFrame(SCORES, columns=frame.columns)
    assert metrics.average_precision(named, scores) == expected


@pytest.mark.parametrize("metric", [*ON_SCORES, *ON_ACCEPTED])
def test_names_beside_columns_without_are_refused(metric):
    with pytest.raises(LabelError, match="which column of the scores is which is not said"):
        metric([{"oak", "ash"}, {"elm", "ash"}], Y)


def test_numbers_in_lists_are_those_of_the_columns():
    lists, scores = [{0, 3}, {3, 1}], np.array([[0.9, 0.1, 0.2, 0.8], [0.1, 0.8, 0.2, 0.9]])
    assert metrics.average_precision(lists, scores) == 1
    with pytest.raises(LabelError, match="holds 4, which is not among the 4 known labels"):
        metrics.average_precision([{1, 4}, {4, 2}], scores)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float16, bool])
def test_scores_of_other_kinds_of_number_are_read(dtype):
    scores = (SCORES * 10).astype(dtype)
    assert metrics.ranking_metrics(Y, scores) == metrics.ranking_metrics(Y, scores.astype(float))
