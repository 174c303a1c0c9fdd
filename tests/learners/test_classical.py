"""The classical learners code labels by sign as stated, and scale features by the training rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

from lamc import as_labels
from lamc.exceptions import LabelError, SettingError
from lamc.learners import classical, scaling
from lamc.learners.classical import (
    ClassicalLearner,
    code_labels,
    unit_from_nonnegative,
    unit_from_signed,
)
from lamc.learners.scaling import (
    RowLength,
    UnitRange,
    ZScores,
    in_units,
    neighbour_scale,
    standard_scale,
    units_of,
    with_constant,
)

SIGNS = {0: "unknown", -1: "negative"}
X = np.random.default_rng(0).normal(size=(40, 5))
X_NEW = np.random.default_rng(1).normal(size=(9, 5))


class Distance(ClassicalLearner):
    """Scores a label by the distance to the mean of its rows: the least that a method can be."""

    def __init__(self, unobserved="auto"):
        self.unobserved = unobserved

    def fit(self, X, y):
        rows, coded = self._read_coded(X, y)
        self.features_ = standard_scale(rows)
        scaled = self.features_.transform(rows)
        self.means_ = coded.Y.T @ scaled / np.maximum(coded.observed.sum(axis=0), 1)[:, None]
        self.Y_ = coded.Y
        return self

    def _score(self, rows):
        return rows @ self.means_.T


# -- coding --------------------------------------------------------------------------------------


def sign_matrices(with_unknown: bool = True):
    shapes = st.tuples(st.integers(1, 6), st.integers(2, 5))
    values = [-1, 0, 1] if with_unknown else [-1, 1]
    return shapes.flatmap(lambda shape: arrays(np.int64, shape, elements=st.sampled_from(values)))


@given(sign_matrices(), st.sampled_from(["negative", "missing"]))
def test_known_signs_are_kept_and_the_others_are_as_stated(signs, unobserved):
    labels = as_labels(signs, meaning=SIGNS)
    coded = code_labels(labels, unobserved)
    unknown = signs == 0
    np.testing.assert_array_equal(coded.Y[~unknown], signs[~unknown])
    np.testing.assert_array_equal(coded.Y[unknown], -1 if unobserved == "negative" else 0)
    np.testing.assert_array_equal(coded.observed, coded.Y != 0)
    assert coded.complete == (coded.Y != 0).all()
    assert coded.Y.dtype == np.float64


@pytest.mark.parametrize("unobserved", ["negative", "missing"])
@given(signs=sign_matrices(with_unknown=False))
def test_where_all_labels_are_known_nothing_is_missing(unobserved, signs):
    coded = code_labels(as_labels(signs > 0, knowledge="all"), unobserved)
    np.testing.assert_array_equal(coded.Y, signs)
    assert coded.complete
    assert coded.words == "all labels known"


@pytest.mark.parametrize(
    ("labels", "unobserved", "as_if", "words"),
    [
        (as_labels([0, 1] * 20), "auto", "negative", "labels not observed taken as negative"),
        (as_labels([0, 1] * 20), "missing", "missing", "labels not observed taken as missing"),
        (
            as_labels(np.tile([[1, 0], [1, 1]], (20, 1)), knowledge="some"),
            "auto",
            "negative",
            "labels not observed taken as negative",
        ),
        (
            as_labels(np.tile([[1, 0], [0, -1]], (20, 1)), meaning=SIGNS),
            "auto",
            "missing",
            "labels not observed taken as missing",
        ),
        (
            as_labels(np.tile([[1, 0], [0, -1]], (20, 1)), meaning=SIGNS),
            "negative",
            "negative",
            "labels not observed taken as negative",
        ),
        (as_labels(np.tile([[1, 0], [0, 0]], (20, 1))), "auto", "negative", "all labels known"),
    ],
)
def test_a_learner_states_which_coding_it_used(labels, unobserved, as_if, words):
    learner = Distance(unobserved).fit(X, labels)
    assert learner.coding_ == words
    np.testing.assert_array_equal(learner.Y_, code_labels(labels, as_if).Y)


def test_a_method_may_leave_labels_out_by_default():
    class Diffusion(Distance):
        positives_only = "missing"

    assert Diffusion().fit(X, [0, 1] * 20).coding_ == "labels not observed taken as missing"


def test_ones_of_a_plain_matrix_are_positives_and_its_zeros_are_not_observed():
    Y = np.tile([[1, 0, 1], [0, 1, 0]], (20, 1))
    assert Distance("missing").fit(X, Y).Y_.tolist() == Y.tolist()


def test_rows_without_a_positive_count_by_their_negatives_or_features():
    signs = np.tile([[1, -1], [0, -1], [0, 0], [1, 0]], (10, 1))
    labels = as_labels(signs, meaning=SIGNS)
    np.testing.assert_array_equal(Distance().fit(X, labels).Y_, signs)


@pytest.mark.parametrize(
    ("y", "unobserved", "message"),
    [
        (None, "auto", "requires y to be passed"),
        ([0] * 40, "auto", "Distance needs at least two labels, but y holds one class only: 0"),
        ([0, 1] * 19, "auto", "38 rows, but X has 40"),
        (
            as_labels(np.tile([[1, 0, 0], [0, 0, 0]], (20, 1)), knowledge="some"),
            "auto",
            r"(?s)Rows 1, 3, 5 and 17 more of y have no observed label, and where those not "
            r"observed count as false.*Distance\(unobserved='missing'\)",
        ),
        (
            as_labels(np.tile([[1, 0], [0, 0], [0, -1], [1, 0]], (10, 1)), meaning=SIGNS),
            "negative",
            "Rows 1, 5, 9 and 7 more of y have no observed label",
        ),
        (
            as_labels(np.tile([[-1, 0], [0, -1]], (20, 1)), meaning=SIGNS),
            "auto",
            r"(?s)y holds no positive, and Distance learns from them.*mark the labels",
        ),
    ],
)
def test_labels_that_leave_nothing_to_learn_are_refused(y, unobserved, message):
    with pytest.raises(LabelError, match=message):
        Distance(unobserved).fit(X, y)


def test_an_unknown_coding_is_refused():
    expected = r"unobserved='positive'; give 'auto', 'negative' or 'missing'\."
    with pytest.raises(SettingError, match=expected):
        Distance("positive").fit(X, [0, 1] * 20)


# -- answers -------------------------------------------------------------------------------------


def test_large_inputs_are_scored_in_parts(monkeypatch):
    learner = Distance().fit(X, [0, 1] * 20)
    whole = learner.decision_function(X_NEW)
    monkeypatch.setattr(classical, "DENSE_LIMIT", 11)  # two rows of five features at a time
    np.testing.assert_allclose(learner.decision_function(X_NEW), whole, rtol=1e-12)
    np.testing.assert_allclose(
        learner.decision_function(sparse.csr_array(X_NEW)), whole, rtol=1e-12
    )


def test_probabilities_keep_the_order_and_the_sign_of_raw_scores():
    learner = Distance().fit(X, [0, 1, 2, 1] * 10)
    raw, unit = learner.decision_function(X_NEW), learner.predict_proba(X_NEW)
    np.testing.assert_array_equal(raw.argsort(axis=None), unit.argsort(axis=None))
    np.testing.assert_array_equal(raw > 0, unit > 0.5)
    np.testing.assert_array_equal(learner.predict(X_NEW), raw.argmax(axis=1))


@given(arrays(np.float64, 20, elements=st.floats(-20, 20)))
def test_signed_scores_map_onto_the_unit_interval_in_order(scores):
    unit = unit_from_signed(np.sort(scores))
    assert (np.diff(unit) >= 0).all()
    assert ((unit > 0) & (unit < 1)).all()
    np.testing.assert_allclose(np.log(unit / (1 - unit)), np.sort(scores), atol=1e-6)


@given(arrays(np.float64, 20, elements=st.floats(0, 20)))
def test_nonnegative_scores_map_onto_the_unit_interval_in_order(scores):
    unit = unit_from_nonnegative(np.sort(scores))
    assert (np.diff(unit) >= 0).all()
    assert ((unit >= 0) & (unit < 1)).all()
    np.testing.assert_allclose(-np.log1p(-unit), np.sort(scores), rtol=1e-6)
    assert unit_from_nonnegative(np.array([-1e-12]))[0] == 0


# -- scales --------------------------------------------------------------------------------------


def tables():
    shapes = st.tuples(st.integers(2, 8), st.integers(1, 4))
    numbers = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=numbers))


@given(tables())
def test_z_scores_are_those_of_scikit_learn(table):
    new = table[::-1] * 2 + 1
    fitted = StandardScaler().fit(table)
    expected = np.where(fitted.var_ == 0, 0, fitted.transform(new))
    np.testing.assert_allclose(ZScores.of(table).transform(new), expected, rtol=1e-9, atol=1e-9)


@given(tables())
def test_ranges_are_those_of_scikit_learn_up_to_the_ends(table):
    new = table[::-1] * 2 + 1
    scale = UnitRange.of(table)
    fitted = MinMaxScaler((-1, 1)).fit(table)
    moves = np.ptp(table, axis=0) > 0
    np.testing.assert_allclose(
        scale.transform(new)[:, moves],
        np.clip(fitted.transform(new), -3, 3)[:, moves],
        rtol=1e-9,
        atol=1e-9,
    )
    assert np.abs(scale.transform(table)).max() <= 1 + 1e-12
    assert (scale.transform(table)[:, ~moves] == 0).all()


@given(tables(), st.sampled_from([1.0, 7.5]))
def test_row_lengths_are_those_of_scikit_learn(table, length):
    expected = length * normalize(table)
    np.testing.assert_allclose(RowLength(length).transform(table).toarray(), expected, rtol=1e-12)
    np.testing.assert_allclose(
        RowLength(length).transform(sparse.csr_matrix(table)).toarray(), expected, rtol=1e-12
    )


@pytest.mark.parametrize("scale", [ZScores, UnitRange])
def test_a_constant_feature_does_not_blow_up_for_being_far_from_0(scale):
    table = np.c_[np.full(30, 1e9 + 0.1), np.arange(30.0)]
    new = np.array([[1e9 + 0.100001, 3.0]])
    assert np.abs(scale.of(table).transform(new)[0, 0]) < 1e-3


def test_a_feature_that_never_varied_says_nothing_of_new_rows():
    table, new = np.c_[np.zeros(30), np.arange(30.0)], np.array([[500.0, 3.0]])
    assert ZScores.of(table).transform(new)[0, 0] == 0
    for rows in (new, sparse.csr_array(new)):
        scaled = in_units(rows, *units_of(table))
        assert (scaled.toarray() if sparse.issparse(scaled) else scaled)[0, 0] == 0


def test_statistics_come_from_the_training_rows_only():
    for scale in (ZScores.of(X), UnitRange.of(X)):
        np.testing.assert_allclose(
            scale.transform(X_NEW)[3], scale.transform(X_NEW[3:4])[0], rtol=1e-14
        )


def test_single_precision_is_scaled_in_double():
    rows = X.astype(np.float32)
    for scale in (standard_scale(rows), neighbour_scale(rows)):
        assert scale.transform(rows).dtype == np.float64


def test_sparse_rows_are_standardised_as_if_dense_unless_they_are_large(monkeypatch):
    rows = sparse.csr_array(X)
    np.testing.assert_array_equal(
        standard_scale(rows).transform(rows), standard_scale(X).transform(X)
    )
    monkeypatch.setattr(scaling, "DENSE_LIMIT", X.size - 1)
    scaled = standard_scale(rows).transform(rows)
    assert sparse.issparse(scaled)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    assert standard_scale(rows).transform(rows).indices.dtype == np.int32  # what k-means takes
    np.testing.assert_allclose((scaled.toarray() ** 2).mean(axis=1), 1)
    assert not sparse.issparse(standard_scale(X).transform(X))


def test_neighbours_among_rows_of_mostly_zeros_are_found_at_equal_length():
    counts = np.random.default_rng(0).poisson(0.1, size=(50, 30)) + np.eye(50, 30)
    for rows in (counts, sparse.csr_array(counts)):
        scaled = neighbour_scale(rows).transform(rows[:30])
        np.testing.assert_allclose(np.linalg.norm(scaled.toarray(), axis=1), 1)
    assert isinstance(neighbour_scale(sparse.csr_array(X)), UnitRange)


def test_a_constant_column_is_appended_dense_or_sparse():
    expected = np.c_[X, np.ones(len(X))]
    np.testing.assert_array_equal(with_constant(X), expected)
    appended = with_constant(sparse.csr_array(X))
    assert appended.format == "csr"
    np.testing.assert_array_equal(appended.toarray(), expected)
