"""Missing numbers, missing words and new words are counted, however the rows come."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from lamc.tables.features import Inputs, with_columns
from lamc.tables.gaps import Gaps, gaps_in

ROWS = pd.DataFrame(
    {"height": [1.0, 2, 3, np.nan], "leaf": ["long", "round"] * 2, "soil": ["clay", np.nan] * 2}
)
INPUTS = Inputs(("height", "leaf", "soil"), 3, frozenset({"leaf", "soil"}))


@pytest.fixture
def model():
    return SimpleNamespace(
        estimator_=with_columns(DummyClassifier(), INPUTS).fit(ROWS, [0, 1, 0, 1])
    )


def test_what_training_met_is_no_gap(model):
    assert gaps_in(model, ROWS[:3]) == []
    assert gaps_in(model, ROWS) == [
        "1 missing number was taken for the median of the training rows."
    ]


def test_gaps_add_up_over_batches(model):
    odd = ROWS.assign(height=np.nan, leaf=[np.nan, "flat", np.nan, "long"], soil="peat")
    gaps = Gaps()
    for part in (odd[:1], odd[1:]):
        gaps.count(model, part)
    assert gaps == Gaps(4, {"leaf": 2}, {"leaf": {"flat"}, "soil": {"peat"}})
    assert (
        "2 rows have no word in the column 'leaf'. Training met no such row"
        in (gaps.sentences()[1])
    )
    assert gaps_in(model, odd[:2], odd[2:]) == gaps.sentences()


def test_many_new_words_are_not_all_listed(model):
    rows = pd.concat([ROWS] * 2).assign(soil=list("hgfedcba"))
    assert gaps_in(model, rows)[-1].endswith("so they say nothing: a, b, c, d, e, ….")


def test_a_model_made_elsewhere_has_its_own_ways(model):
    elsewhere = SimpleNamespace(estimator_=LogisticRegression())
    assert gaps_in(elsewhere, ROWS) == []
    assert gaps_in(model, ROWS.to_numpy()) == []
