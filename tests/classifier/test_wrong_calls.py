"""What goes wrong is refused or warned of."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from lamc import LAMC, as_labels
from lamc.exceptions import CalibrationError, FeatureError, LabelError, LAMCWarning
from lamc.learners import WAN

from .woods import LINEAR, NAMES, X_CAL, X_NEW, Y_CAL, Y_NEW, Untrained, X, Y, fitted, y


def test_calibration_rows_that_were_trained_on_draw_a_warning():
    with pytest.warns(LAMCWarning, match="Rows 0, 1, 2 and 7 more of the calibration set have"):
        LAMC(LINEAR).fit(X, y, X_cal=np.r_[X[:10], X_CAL], Y_cal=np.r_[Y[:10], Y_CAL])
    clf = fitted()
    with pytest.warns(LAMCWarning, match="Row 0 of the calibration set has the same features"):
        clf.calibrate(np.r_[X[5:6], X_CAL], np.r_[Y[5:6], Y_CAL])


def test_rows_with_equal_features_are_held_out_together():
    """A thing may stand in the table once for each of its labels."""
    with pytest.warns(LAMCWarning, match="observed labels only") as told:
        clf = LAMC(LINEAR, random_state=0).fit(
            np.tile(X, (3, 1)), (np.tile(y, 3) + np.repeat([0, 1, 2], len(y))) % 4
        )
    assert len(told) == 1
    assert len(clf.calibration_rows_) == 240
    assert not np.isin(clf.calibration_rows_, clf.training_rows_).any()


def test_where_features_take_few_values_rows_held_out_may_equal_others_and_draw_a_warning():
    coarse = np.sign(X[:, :4])  # sixteen different rows
    with (
        pytest.warns(LAMCWarning, match="more of the calibration set have the same features"),
        pytest.warns(LAMCWarning, match="observed labels only"),
    ):
        LAMC(LINEAR, random_state=0).fit(coarse, y)


def test_labels_that_are_nearly_called_alike_draw_a_warning():
    lists = [list(NAMES[row]) for row in Y_CAL]
    lists[0] = ["Oak", "ash"]
    with pytest.warns(LAMCWarning, match="'Oak' and 'oak' are taken for two"):
        LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=as_labels(lists, knowledge="all"))


def test_labels_to_calibrate_on_that_training_never_met_draw_a_warning():
    lists = [list(NAMES[row]) for row in Y_CAL]
    lists[0] = ["yew", "ash"]
    with pytest.warns(LAMCWarning, match="labels that no row of y has: 'yew'"):
        LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=lists)


def test_levels_may_be_given_by_name():
    levels = dict(zip(NAMES.tolist(), [0.1, 0.2, 0.3, 0.4], strict=True))
    truth = pd.DataFrame(Y_CAL, columns=NAMES)
    named = LAMC(LINEAR, alpha=levels).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=truth)
    listed = LAMC(LINEAR, alpha=[*levels.values()]).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=truth)
    np.testing.assert_array_equal(named.thresholds_, listed.thresholds_)
    again = named.calibrate(X_NEW, pd.DataFrame(Y_NEW, columns=NAMES))
    assert again.calibrator_.settings_.alpha == [0.1, 0.2, 0.3, 0.4]


def test_predict_tells_of_labels_that_it_accepts_everywhere():
    clf = LAMC(LINEAR, alpha=0.002).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    assert (clf.status_ == "uncalibrated").all()
    with pytest.warns(LAMCWarning, match=r"4 labels are uncalibrated, .* every row: 0, 1, 2, 3"):
        assert clf.predict(X_NEW).all()
    assert (clf.decide(X_NEW) == -1).all()


def test_scores_of_false_labels_need_not_be_kept():
    kept, small = fitted(), fitted(keep_negatives=False)
    np.testing.assert_array_equal(kept.thresholds_, small.thresholds_)
    assert kept.select(X_NEW, fdr=0.2).shape == (400, 4)
    with pytest.raises(CalibrationError, match="keep_negatives"):
        small.select(X_NEW, fdr=0.2)


def test_what_is_not_fitted_has_no_score():
    with pytest.raises(NotFittedError):
        LAMC(LINEAR).score(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": None}, "requires y to be passed"),
        ({"y": y[:-1]}, "399 rows, but X has 400"),
        ({"X_cal": X_CAL}, "both X_cal and Y_cal"),
        ({"X_cal": X_CAL, "Y_cal": Y_CAL[:-1]}, "399 rows, but X_cal has 400"),
        ({"y": np.where(np.arange(400) == 17, None, NAMES[y])}, "no label in row 17"),
        ({"X_cal": X_CAL, "Y_cal": np.zeros_like(Y_CAL)}, "nothing to calibrate on"),
    ],
)
def test_wrong_calls_are_refused(arguments, message):
    with pytest.raises((LabelError, CalibrationError), match=message):
        LAMC(LINEAR).fit(**{"X": X, "y": y, **arguments})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "precison"}, "none of selective, recall"),
        ({"rule": "precision"}, "needs all labels of every row"),
        ({"alpha": 0}, "alpha=0 is not a level"),
        ({"alpha": [0.1, 0.2]}, "2 levels, but there are 4 labels"),
        ({"few_positives": "guess"}, "few_positives='guess'"),
        ({"delta": 2}, "delta=2"),
    ],
)
def test_what_cannot_be_calibrated_is_not_trained_for(parameters, message):
    with pytest.raises((LabelError, CalibrationError), match=message):
        LAMC(Untrained(), **parameters).fit(X, y)


@pytest.mark.parametrize("size", [0, 1.0, 1.5, -3, 400, "many"])
def test_an_impossible_calibration_size_is_refused(size):
    with pytest.raises(CalibrationError, match="calibration_size="):
        LAMC(LINEAR, calibration_size=size).fit(X, y)


def test_before_fit_there_are_no_answers():
    for method in ("predict", "decide", "predict_proba", "predict_p"):
        with pytest.raises(NotFittedError):
            getattr(LAMC(), method)(X)
    with pytest.raises(NotFittedError):
        LAMC().calibrate(X_CAL, Y_CAL)


def test_what_fails_leaves_the_model_as_it_was():
    clf = fitted()
    before = dict(vars(clf))
    with pytest.raises(CalibrationError):
        clf.calibrate(X_CAL, np.zeros_like(Y_CAL))
    with pytest.raises(CalibrationError):
        clf.fit(X, y, X_cal=X_CAL, Y_cal=np.zeros_like(Y_CAL))
    assert vars(clf) == before


@pytest.mark.parametrize("row", range(0, 200, 23))
def test_a_gap_has_the_number_that_its_row_has_where_it_was_given(row):
    X, y = np.random.default_rng(0).normal(size=(200, 4)), np.arange(200) % 3
    X[row, 2] = np.nan
    quick = LAMC(WAN(epochs=1, learning_rate=1e-3), random_state=0)
    with pytest.raises(FeatureError, match=rf"^Row {row} of X has NaN in column 2"):
        quick.fit(X, y)
    clean = np.random.default_rng(1).normal(size=(200, 4))
    with pytest.raises(FeatureError, match=rf"^Row {row} of X_cal has NaN in column 2"):
        quick.fit(clean, y, X_cal=X, Y_cal=y)
