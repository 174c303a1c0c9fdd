"""Labels go to the column of their name, and never to another one silently."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from lamc import Calibrator, as_labels
from lamc.evaluation import evaluate
from lamc.exceptions import CalibrationError, LabelError
from lamc.labels.columns import in_order_of
from lamc.report import write_report
from lamc.rules.columns import labels_of_columns

from .cases import random_set

NAMES = ["ash", "elm", "oak"]
SCORES, Y = random_set(40, 3, share=0.5)
Y[:3] = [[True, True, False], [False, True, True], [True, True, True]]
LISTS = [[NAMES[k] for k in np.flatnonzero(row)] for row in Y]
FRAME = pd.DataFrame(SCORES, columns=NAMES)
PLAIN = Calibrator(alpha=0.3).fit(SCORES, Y)


@pytest.mark.parametrize(
    "form",
    [
        Y,
        Y.astype(int),
        Y.astype(float),
        sparse.csr_array(Y),
        sparse.coo_matrix(Y.astype(int)),
        pd.DataFrame(Y),
        pd.DataFrame(Y, columns=NAMES),
        pd.DataFrame(Y, columns=NAMES).astype(int),
        [set(np.flatnonzero(row).tolist()) for row in Y],
        as_labels(Y),
        as_labels(LISTS, classes=NAMES),
    ],
)
def test_every_form_of_labels_gives_the_same_thresholds(form):
    cal = Calibrator(alpha=0.3).fit(SCORES, form)
    np.testing.assert_array_equal(cal.thresholds_, PLAIN.thresholds_)


@pytest.mark.parametrize("form", [LISTS, [set(row) for row in LISTS], pd.Series(LISTS)])
def test_names_go_by_classes_or_by_the_columns_of_the_scores(form):
    by_classes = Calibrator(alpha=0.3).fit(SCORES, form, classes=NAMES)
    by_columns = Calibrator(alpha=0.3).fit(FRAME, form)
    for cal in (by_classes, by_columns):
        assert cal.classes_.tolist() == NAMES
        np.testing.assert_array_equal(cal.thresholds_, PLAIN.thresholds_)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, torch.tensor])
def test_a_matrix_without_names_stands_as_the_scores_beside_it_do(form, tmp_path):
    other = ["oak", "ash", "elm"]
    marks = form(Y[:, [2, 0, 1]].astype(int))
    cal = Calibrator(alpha=0.3).fit(FRAME[other], marks, classes=NAMES)
    assert cal.classes_.tolist() == NAMES
    np.testing.assert_array_equal(cal.thresholds_, PLAIN.thresholds_)
    half = Calibrator(alpha=0.3).fit(FRAME[:20], Y[:20]).update(FRAME[20:][other], marks[20:])
    np.testing.assert_array_equal(half.thresholds_, PLAIN.thresholds_)
    plain, found = evaluate(cal, FRAME, Y), evaluate(cal, FRAME[other], marks)
    assert found.decided == plain.decided
    assert found.ranking == plain.ranking
    pages = [write_report(tmp_path / "a.html", FRAME, Y, cal), tmp_path / "b.html"]
    write_report(pages[1], FRAME[other], marks, cal)
    assert pages[0].read_text() == pages[1].read_text()


def test_names_alone_do_not_say_which_column_is_which():
    for form in (LISTS, np.asarray(NAMES)[[0, 1] * 20]):
        with pytest.raises(CalibrationError, match=r"not said.\n.*DataFrame.*classes="):
            Calibrator().fit(SCORES, form)


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("made", [np.asarray, list, pd.Series, pd.Categorical])
def test_single_positives_by_number_or_name(made):
    y = np.arange(40) % 3
    numbered = Calibrator(alpha=0.3).fit(SCORES, made(y))
    named = Calibrator(alpha=0.3).fit(FRAME, made(np.asarray(NAMES)[y]))
    np.testing.assert_array_equal(numbered.thresholds_, named.thresholds_)
    assert numbered.n_positives_.tolist() == [14, 13, 13]


def test_columns_of_labels_are_put_in_the_order_of_the_scores():
    shuffled = pd.DataFrame(Y, columns=NAMES)[["oak", "ash", "elm"]]
    cal = Calibrator(alpha=0.3).fit(FRAME, shuffled)
    np.testing.assert_array_equal(cal.thresholds_, PLAIN.thresholds_)
    assert cal.classes_.tolist() == NAMES


def test_columns_of_scores_are_put_in_the_order_of_the_labels():
    shuffled = FRAME[["oak", "ash", "elm"]]
    cal = Calibrator(alpha=0.3, keep_negatives=True).fit(FRAME, LISTS)
    for method in (cal.accept, cal.decide, cal.p_values):
        np.testing.assert_array_equal(method(shuffled), method(SCORES))
    np.testing.assert_array_equal(cal.select(shuffled, fdr=0.3), cal.select(SCORES, fdr=0.3))
    again = Calibrator(alpha=0.3).fit(shuffled, LISTS, classes=NAMES)
    np.testing.assert_array_equal(again.thresholds_, PLAIN.thresholds_)
    again.update(shuffled, LISTS)
    cal.update(SCORES, LISTS)
    np.testing.assert_array_equal(again.thresholds_, cal.thresholds_)


def test_a_reference_too():
    cal = Calibrator("set-recall", alpha=0.3)
    plain = cal.fit(FRAME, LISTS, reference=SCORES[:20]).thresholds_
    shuffled = cal.fit(FRAME, LISTS, reference=FRAME[["oak", "elm", "ash"]][:20]).thresholds_
    np.testing.assert_array_equal(plain, shuffled)


def test_columns_for_other_labels_are_refused():
    cal = Calibrator(alpha=0.3).fit(FRAME, LISTS)
    for other in (FRAME.rename(columns={"elm": "yew"}), FRAME[["ash", "elm"]]):
        with pytest.raises(LabelError, match=r"columns for 'ash', .* labels are 'ash', 'elm'"):
            cal.accept(other)


def test_numbered_columns_are_taken_by_position():
    cal = Calibrator(alpha=0.3).fit(FRAME, LISTS)
    np.testing.assert_array_equal(cal.accept(pd.DataFrame(SCORES)), cal.accept(SCORES))
    np.testing.assert_array_equal(PLAIN.accept(FRAME), PLAIN.accept(SCORES))
    assert in_order_of(SCORES, NAMES) is SCORES


def test_columns_that_name_some_of_the_labels_do_not_go_by_position():
    for columns, classes in [(["1", "2", "3"], [2, 3, 4]), ([1, 2, 3], ["2", "3", "4"])]:
        frame = pd.DataFrame(SCORES, columns=columns)
        with pytest.raises(
            LabelError, match=r"columns for .*, but the labels are .*\n.*by position"
        ):
            in_order_of(frame, classes)
    frame = pd.DataFrame(SCORES, columns=["3", "2", "1"])
    np.testing.assert_array_equal(in_order_of(frame, [1, 2, 3]), SCORES[:, ::-1])


@pytest.mark.parametrize(
    ("scores", "labels", "error", "message"),
    [
        (SCORES[:, :2], Y, LabelError, "Y has 3 columns, but there are 2 labels"),
        (SCORES[:, :2], as_labels(Y), CalibrationError, "scores have 2 columns, .* 3 labels"),
        (SCORES[:-1], Y, LabelError, "labels have 40 rows, but the matrix of scores has 39"),
        (SCORES, Y[:-1], LabelError, "labels have 39 rows, but the matrix of scores has 40"),
        (SCORES, None, LabelError, "y is None"),
        (SCORES[:0], Y[:0], LabelError, "y is empty"),
        (SCORES, np.arange(40) % 4, LabelError, "holds 3, which is not among the 3 known"),
        (SCORES[0], Y[0], CalibrationError, "scores have 1 dimensions"),
        (SCORES, np.where(Y, np.nan, 0), LabelError, "holds nan at row 0, column 0"),
        (SCORES, Y * 2, LabelError, "holds 2 at row 0, column 0"),
        (SCORES, np.eye(3)[[0] * 40], LabelError, "Every row of Y has exactly one label"),
        (
            SCORES,
            np.eye(3, k=1)[[1] * 39 + [2]],
            LabelError,
            "No row of Y .*, and 39 of 40 have one",
        ),
        (FRAME, pd.DataFrame(Y, columns=["ash", "elm", "yew"]), LabelError, "'yew', which is not"),
    ],
)
def test_what_does_not_fit_together_is_refused(scores, labels, error, message):
    with pytest.raises(error, match=message):
        labels_of_columns(labels, scores)


def test_classes_must_name_every_column_once():
    for classes, message in ((NAMES[:2], "columns"), (["ash", "ash", "oak"], "named twice")):
        with pytest.raises((CalibrationError, LabelError), match=message):
            labels_of_columns(Y, SCORES, classes=classes)
