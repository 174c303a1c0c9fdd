"""p-values are shares that one can count, and say what the recall rule says."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc import Calibrator, as_labels
from lamc.rules import pvalues
from lamc.rules.pvalues import p_values
from lamc.rules.ranks import SortedScores

from .cases import LEVELS, calibration_sets, few, labelled, random_set

WEIGHTS = [1, 2, 3, 0.25, 1.5]


def single_positives(Y, seed=0):
    """One of the true labels of each row that has some, with the rows."""
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(Y.any(axis=1))
    return rows, np.asarray([rng.choice(np.flatnonzero(Y[i])) for i in rows])


@few
@given(calibration_sets(), calibration_sets())
def test_a_p_value_is_the_share_of_positives_no_higher(case, other):
    scores, Y = case[0][:, :1], case[1][:, :1]
    new = other[0][:, :1].astype(scores.dtype)
    Y[0] = True
    true = scores[Y].tolist()
    found = Calibrator().fit(scores, labelled(Y)).p_values(new)
    expected = [(1 + sum(s <= x for s in true)) / (1 + len(true)) for x in new.ravel().tolist()]
    assert found.ravel().tolist() == expected
    assert (found > 0).all()
    assert (found <= 1).all()


@few
@given(calibration_sets(), st.sampled_from(LEVELS))
def test_recall_accepts_where_the_p_value_exceeds_alpha(case, alpha):
    scores, Y = case
    cal = Calibrator(alpha=alpha).fit(scores, labelled(Y))
    np.testing.assert_array_equal(cal.accept(scores), cal.p_values(scores) > alpha)


@few
@given(calibration_sets(), st.sampled_from(LEVELS), st.data())
def test_with_weights_too(case, alpha, data):
    scores, Y = case
    drawn = st.lists(st.sampled_from(WEIGHTS), min_size=len(Y), max_size=len(Y))
    weights = np.asarray(data.draw(drawn))
    cal = Calibrator(alpha=alpha).fit(scores, labelled(Y), sample_weight=weights)
    p = cal.p_values(scores)
    np.testing.assert_array_equal(cal.accept(scores), p > alpha)
    new = Fraction(weights.max())
    for k in range(Y.shape[1]):
        own = [
            (s, Fraction(w)) for s, w, y in zip(scores[:, k], weights, Y[:, k], strict=True) if y
        ]
        for x, found in zip(scores[:, k], p[:, k], strict=True):
            part = sum(w for s, w in own if s <= x) + new
            assert found == float(part / (sum(w for _, w in own) + new))


@few
@given(calibration_sets(max_labels=4), st.sampled_from(LEVELS), st.integers(1, 4))
def test_with_a_bound_on_the_labels_too(case, alpha, most):
    scores, Y = case
    rows, y = single_positives(Y)
    most = min(most, Y.shape[1])
    cal = Calibrator(alpha=alpha).fit(scores[rows], y, cardinality=most)
    p = cal.p_values(scores)
    np.testing.assert_array_equal(cal.accept(scores), p > alpha)
    for k in range(Y.shape[1]):
        true = scores[rows, k][y == k].tolist()
        for x, found in zip(scores[:, k], p[:, k], strict=True):
            share = Fraction(1 + sum(s <= x for s in true), 1 + len(true))
            assert found == float(share * most / (share * (most - 1) + 1))


@few
@given(calibration_sets(max_labels=4), st.sampled_from(LEVELS))
def test_with_the_number_of_labels_too(case, alpha):
    scores, Y = case
    rows, y = single_positives(Y)
    cal = Calibrator(alpha=alpha).fit(scores[rows], y, cardinality=Y[rows].sum(axis=1))
    np.testing.assert_array_equal(cal.accept(scores), cal.p_values(scores) > alpha)


def test_heavy_rows_with_many_labels_do_not_overflow():
    scores, Y = random_set(400, 3)
    weights = np.full(400, 2**31 - 1)
    rows, y = single_positives(Y)
    labels = as_labels(y, classes=range(10**5))
    wide = sparse.csr_array((scores[rows, y], (np.arange(len(y)), y)), shape=(len(y), 10**5))
    cal = Calibrator(alpha=0.9).fit(wide, labels, cardinality=10**5, sample_weight=weights[rows])
    plain = Calibrator(alpha=0.9).fit(wide, labels, cardinality=10**5)
    np.testing.assert_array_equal(cal.p_values(wide).data, plain.p_values(wide).data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("power", [0, 1, 8, 40], ids=lambda p: f"scores to the power of {p}")
def test_many_positives_are_counted_right_wherever_they_crowd(dtype, order, power):
    rng = np.random.default_rng(0)
    scores = np.asarray(rng.random((3000, 3)) ** power, dtype=dtype, order=order)
    scores[::7] = np.round(scores[::7], 1)
    Y = rng.random((3000, 3)) < [0.9, 0.1, 0.001]
    Y[0] = True
    new = np.concatenate([scores, rng.random((500, 3)).astype(dtype), np.eye(3, dtype=dtype)])
    new = np.asarray(new, order=order)
    p = Calibrator().fit(scores, labelled(Y)).p_values(new)
    for k in range(3):
        true = np.sort(scores[Y[:, k], k])
        below = np.searchsorted(true, new[:, k], side="right")
        np.testing.assert_array_equal(p[:, k], (below + 1) / (len(true) + 1))


def test_a_label_without_positives_has_nothing_against_it():
    scores, Y = random_set(50, 2)
    Y[:, 1] = False
    p = Calibrator().fit(scores, Y).p_values(scores)
    assert (p[:, 1] == 1).all()
    p = Calibrator().fit(scores, Y, sample_weight=np.full(50, 0.3)).p_values(scores)
    assert (p[:, 1] == 1).all()


def test_a_draw_has_the_p_values_of_the_drawn():
    scores, Y = random_set(200, 2)
    cal = Calibrator(per_label=9, random_state=0).fit(scores, Y)
    assert set((10 * cal.p_values(scores)).round(9).ravel()) <= set(range(1, 11))


def test_blocks_of_rows_are_put_together(monkeypatch):
    scores, Y = random_set(97, 5, ties=1)
    cal = Calibrator().fit(scores, Y)
    whole = cal.p_values(scores)
    monkeypatch.setattr(pvalues, "_BLOCK", 30)
    np.testing.assert_array_equal(cal.p_values(scores), whole)


@pytest.mark.parametrize("weights", [None, np.arange(1, 4), np.array([0.1, 0.2, 0.7])])
def test_stored_pairs_get_the_same_p_values(weights):
    positives, _ = SortedScores.of(np.array([0.2, 0.5, 0.5]), np.array([0, 2, 2]), n_labels=3)
    scores = np.array([[0.2, 0, 0.5], [0, 0.7, 0.1], [0, 0, 0]])
    stored = p_values(sparse.csr_array(scores), positives, weights, heaviest=3)
    assert stored.nnz == 4
    dense = p_values(scores, positives, weights, heaviest=3)
    np.testing.assert_array_equal(stored.toarray(), np.where(scores > 0, dense, 0))
