import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from lamc.exceptions import FeatureError
from lamc.learners import AN, MLML, Blend, Network
from lamc.learners.features import read_features

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.arange(40) % 4
LEARNERS = [
    AN(epochs=1, learning_rate=1e-3),
    MLML(),
    Blend(effort="fast"),
    Network(torch.nn.Linear(3, 4), epochs=1, learning_rate=1e-3),
]


def spoilt(value, row=17, column=2):
    rows = X.copy()
    rows[row, column] = rows[row + 1, 0] = value
    return rows


def name_of(learner):
    return type(learner).__name__


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
@pytest.mark.parametrize(
    ("value", "said"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")], ids=str
)
def test_a_gap_is_named_by_row_and_column(learner, value, said):
    with pytest.raises(FeatureError, match=rf"Row 17 of X has {said} in column 2\b"):
        learner.fit(spoilt(value), Y)


def test_the_column_of_a_data_frame_is_named():
    table = pd.DataFrame(spoilt(np.nan), columns=["leaf", "bark", "soil"])
    with pytest.raises(FeatureError, match="Row 17 of X has NaN in column 'soil'"):
        AN(epochs=1, learning_rate=1e-3).fit(table, Y)


def test_a_missing_value_of_pandas_is_named():
    table = pd.DataFrame(X, columns=["leaf", "bark", "soil"]).astype("Float64")
    table.loc[5, "bark"] = pd.NA
    with pytest.raises(FeatureError, match="Row 5 of X has NaN in column 'bark'"):
        AN(epochs=1, learning_rate=1e-3).fit(table, Y)


def test_a_gap_among_sparse_rows_is_named():
    with pytest.raises(FeatureError, match="Row 17 of X has NaN in column 2"):
        AN(epochs=1, learning_rate=1e-3).fit(sparse.csr_array(spoilt(np.nan)), Y)


def test_rows_to_be_scored_are_read_alike():
    learner = AN(epochs=1, learning_rate=1e-3).fit(X, Y)
    with pytest.raises(FeatureError, match="Row 3 of X has inf in column 1"):
        learner.predict_proba(spoilt(np.inf, row=3, column=1))


@pytest.mark.parametrize(
    "learner",
    [AN(epochs=1), Blend(effort="fast"), Network(torch.nn.Linear(3, 4), epochs=1)],
    ids=name_of,
)
class TestValidationRows:
    full = np.eye(4, dtype=int)[Y]

    def test_gaps_are_theirs(self, learner):
        with pytest.raises(FeatureError, match="Row 17 of X_val has NaN in column 2"):
            learner.fit(X, Y, X_val=spoilt(np.nan), Y_val=self.full)

    def test_too_few_columns_are_theirs(self, learner):
        with pytest.raises(FeatureError, match=r"X_val: X has 2 features, but .* expecting 3"):
            learner.fit(X, Y, X_val=X[:, :2], Y_val=self.full)


@given(
    rows=arrays(
        np.float64,
        (5, 4),
        elements=st.sampled_from([0.0, 1.0, -2.5, 1e308, -1e308, np.nan, np.inf, -np.inf]),
    ),
    as_sparse=st.booleans(),
)
def test_what_is_finite_passes_and_the_first_of_what_is_not_is_named(rows, as_sparse):
    given_rows = sparse.csr_array(rows) if as_sparse else rows
    places = [
        (i, j) for i in range(5) for j in range(4) if np.isnan(rows[i, j]) or np.isinf(rows[i, j])
    ]
    if not places:
        read = read_features(AN(), given_rows, reset=True)
        np.testing.assert_array_equal(read.toarray() if as_sparse else read, rows)
    else:
        row, column = places[0]
        with pytest.raises(FeatureError, match=rf"^Row {row} of X has .* in column {column}[, ]"):
            read_features(AN(), given_rows, reset=True)


def test_a_word_among_objects_is_named_by_its_row_and_column():
    rows = np.array([[1.0, "2"], [3.0, "red"]], dtype=object)
    with pytest.raises(FeatureError, match=r"(?s)Row 1 of X has 'red' in column 1.*OneHotEncoder"):
        read_features(AN(), rows, reset=True)
    frame = pd.DataFrame({"width": [1, 2], "colour": pd.Series([4, "red"], dtype=object)})
    with pytest.raises(FeatureError, match=r"Row 1 of X_val has 'red' in column 'colour'"):
        read_features(AN(), frame, reset=True, called="X_val")
