"""Rows go by position; where two indexes say otherwise, that is asked about."""

import numpy as np
import pandas as pd
import pytest

from lamc import LAMC, Calibrator, metrics
from lamc.evaluation import evaluate
from lamc.exceptions import LabelError
from lamc.labels.columns import require_same_rows
from lamc.learners import WAN, Blend
from lamc.report import write_report

RNG = np.random.default_rng(0)
IDS = [f"sheet {i}" for i in range(60)]
NAMES = ["ash", "elm", "oak"]
SCORES = pd.DataFrame(RNG.random((60, 3)), columns=NAMES, index=IDS)
Y = (SCORES + 0.3 * RNG.random((60, 3)) > 0.6).astype(int)
Y.iloc[:, 0] |= 1 - Y.max(axis=1)  # each row has a label
ONE = Y.idxmax(axis=1)
X = SCORES.add_prefix("near an ")
FITTED = Calibrator(alpha=0.3).fit(SCORES, Y)
LISTS = [[name for name in NAMES if row[name]] for _, row in Y.iterrows()]
SHUFFLED = RNG.permutation(60)

CALLS = {
    "Calibrator.fit": lambda rows: Calibrator().fit(SCORES, Y.iloc[rows]),
    "Calibrator.update": lambda rows: Calibrator().fit(SCORES, Y).update(SCORES, Y.iloc[rows]),
    "LAMC.fit, y": lambda rows: LAMC(WAN(epochs=1)).fit(X, ONE.iloc[rows], X_cal=X, Y_cal=Y),
    "LAMC.fit, Y_cal": lambda rows: LAMC(WAN(epochs=1)).fit(X, ONE, X_cal=X, Y_cal=Y.iloc[rows]),
    "LAMC.fit, Y_val": lambda rows: LAMC(WAN(epochs=1)).fit(
        X, ONE, X_cal=X, Y_cal=Y, X_val=X, Y_val=Y.iloc[rows]
    ),
    "LAMC.calibrate": lambda rows: LAMC(lambda X: X).fit(SCORES, Y).calibrate(SCORES, Y.iloc[rows]),
    "WAN": lambda rows: WAN(epochs=1).fit(X, ONE.iloc[rows]),
    "WAN, Y_val": lambda rows: WAN(epochs=1).fit(X, ONE, X, Y.iloc[rows]),
    "Blend, Y_val": lambda rows: Blend(effort="fast").fit(X, ONE, X, Y.iloc[rows]),
    "average_precision": lambda rows: metrics.average_precision(Y.iloc[rows], SCORES),
    "evaluate": lambda rows: evaluate(FITTED, SCORES, Y.iloc[rows]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_the_same_index_in_another_order_is_refused_with_both_ways_out(call):
    call(np.arange(60))
    with pytest.raises(LabelError, match=r"(?s)in another order: row 0 of .*\.loc\[.*set_axis"):
        call(SHUFFLED)


def test_the_report_refuses_it_too(tmp_path):
    with pytest.raises(LabelError, match="in another order"):
        write_report(tmp_path / "report.html", SCORES, Y.iloc[SHUFFLED], FITTED)


def test_both_ways_out_work():
    by_index = Y.iloc[SHUFFLED].loc[SCORES.index]
    np.testing.assert_array_equal(Calibrator().fit(SCORES, by_index).thresholds_, thresholds(Y))
    by_position = Y.iloc[SHUFFLED].set_axis(SCORES.index)
    expected = thresholds(Y.iloc[SHUFFLED].to_numpy())
    np.testing.assert_array_equal(Calibrator().fit(SCORES, by_position).thresholds_, expected)


def thresholds(Y):
    return Calibrator().fit(SCORES, Y).thresholds_


@pytest.mark.parametrize(
    "index",
    [range(60), range(60, 120), ["same"] * 60, [*IDS[:59], "other"]],
    ids=["numbers", "other numbers", "one name", "other names"],
)
def test_indexes_that_name_other_rows_say_nothing(index):
    require_same_rows(Y.set_axis(index), SCORES, names=("Y", "scores"))
    require_same_rows(Y, SCORES.set_axis(index), names=("Y", "scores"))


def test_what_has_no_index_is_taken_by_position():
    for given in (Y.to_numpy(), LISTS, None):
        require_same_rows(given, SCORES, names=("Y", "scores"))


@pytest.mark.parametrize(
    "index", [pd.CategoricalIndex(IDS), pd.Index(IDS, dtype=object), pd.Index(IDS, dtype="string")]
)
def test_the_same_order_in_two_types_is_the_same(index):
    require_same_rows(Y.set_axis(index), SCORES, names=("Y", "scores"))
    require_same_rows(Y, SCORES.set_axis(index), names=("Y", "scores"))
    dates = pd.date_range("2026-01-01", periods=60)
    plain = pd.Index([*dates.to_pydatetime()], dtype=object)
    require_same_rows(Y.set_axis(dates), SCORES.set_axis(plain), names=("Y", "scores"))


def test_numbers_are_told_as_numbers():
    y = pd.Series(["oak", "elm", "oak"], index=[0, 2, 1])
    with pytest.raises(LabelError, match="row 1 of y is 2, and of X 1"):
        require_same_rows(y, y.sort_index().to_frame(), names=("y", "X"))
