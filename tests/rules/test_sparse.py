"""Sparse scores: the answers of dense ones, nothing made dense, and the user's matrix untouched."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc import Calibrator, as_labels
from lamc.evaluation import evaluate
from lamc.report import write_report

from .cases import LEVELS, RULE_NAMES, calibration_sets, few, labelled, random_set

METHODS = ("accept", "decide", "p_values")


@pytest.mark.parametrize("rule", RULE_NAMES)
@few
@given(case=calibration_sets(), alpha=st.sampled_from(LEVELS))
def test_where_every_pair_is_stored_the_answers_are_the_same(rule, case, alpha):
    scores, Y = case
    scores = np.clip(scores, 0.125, 1)
    dense = Calibrator(rule, alpha=alpha, random_state=0).fit(scores, labelled(Y))
    stored = Calibrator(rule, alpha=alpha, random_state=0)
    stored.fit(sparse.csr_array(scores), labelled(Y))
    np.testing.assert_array_equal(stored.thresholds_, dense.thresholds_)
    np.testing.assert_array_equal(stored.absence_thresholds_, dense.absence_thresholds_)
    np.testing.assert_array_equal(stored.status_, dense.status_)
    for method in METHODS:
        answer = getattr(stored, method)(sparse.csr_array(scores))
        np.testing.assert_array_equal(answer.toarray(), getattr(dense, method)(scores))


@pytest.mark.parametrize("rule", RULE_NAMES)
@few
@given(case=calibration_sets(), alpha=st.sampled_from(LEVELS))
def test_pairs_that_are_not_stored_score_nothing(rule, case, alpha):
    """A threshold above 0 is the dense one; if true rows reach only 0, recall cannot be kept."""
    scores, Y = case
    reference = np.linspace(0, 1, 11)[:, None].repeat(Y.shape[1], axis=1)
    more = {"reference": reference} if rule == "set-recall" else {}
    dense = Calibrator(rule, alpha=alpha).fit(scores, labelled(Y), **more)
    stored = Calibrator(rule, alpha=alpha).fit(sparse.csr_array(scores), labelled(Y), **more)
    if rule == "recall":
        reached = dense.thresholds_ > 0
        assert (stored.status_[~reached] == "uncalibrated").all()
        assert (stored.thresholds_[~reached] == -np.inf).all()
    elif rule == "set-recall":
        reached = stored.status_ == "calibrated"
        assert (stored.thresholds_ <= np.maximum(dense.thresholds_, 2**-149)).all()
        return
    else:
        reached = np.ones(Y.shape[1], dtype=bool)
    np.testing.assert_array_equal(stored.thresholds_[reached], dense.thresholds_[reached])
    for method in METHODS:
        answer = getattr(stored, method)(sparse.csr_array(scores)).toarray()
        seen = (scores > 0) & reached
        np.testing.assert_array_equal(answer[seen], getattr(dense, method)(scores)[seen])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_label_with_few_candidates_in_the_reference_is_accepted_where_it_is_one(dtype, tmp_path):
    """Most reference scores of it are not stored, and so its rank is that of a score of 0."""
    rng = np.random.default_rng(0)

    def draw(n):
        Y = np.zeros((n, 3), dtype=bool)
        Y[np.arange(n), rng.choice(3, n, p=[0.9, 0.09, 0.01])] = True
        scores = Y * (0.2 + 0.8 * rng.random(Y.shape)) * (rng.random(Y.shape) < 0.95)
        return sparse.csr_array(scores), labelled(Y)

    (scores, Y), (reference, _), (new, truth) = draw(1000), draw(1000), draw(1000)
    cal = Calibrator("set-recall", alpha=0.1).fit(scores, Y, reference=reference)
    assert (cal.thresholds_[1:] > 0).all()
    accepted = cal.accept(new.astype(dtype))
    np.testing.assert_array_equal(accepted.toarray()[:, 1:], new.toarray()[:, 1:] > 0)
    np.testing.assert_array_equal(accepted.toarray(), cal.decide(new.astype(dtype)).toarray() == 1)
    missed = 1 - accepted.multiply(truth.positives).sum() / 1000  # a row has one label
    assert 0.05 < missed < 0.13  # 0.1 and three standard deviations of 1,000 rows
    claim = evaluate(cal, new.astype(dtype), truth).claims[0]
    assert claim.measured.value == pytest.approx(missed)
    write_report(tmp_path / "a.html", new.astype(dtype), truth, cal)


@pytest.mark.parametrize(
    "form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array]
)
def test_every_sparse_form_is_read_and_none_is_changed(form):
    scores, Y = random_set(60, 5)
    scores[scores < 0.4] = 0
    given_scores = form(scores)
    before = given_scores.copy()
    cal = Calibrator(alpha=0.3).fit(given_scores, Y)
    answers = [getattr(cal, method)(given_scores) for method in METHODS]
    cal.update(given_scores, Y)
    assert given_scores.nnz == before.nnz
    np.testing.assert_array_equal(given_scores.data, before.data)
    np.testing.assert_array_equal(given_scores.toarray(), scores)
    accepted, decided, p = answers
    assert all(answer.format == "csr" for answer in answers)
    assert accepted.dtype == bool
    assert accepted.nnz < before.nnz == decided.nnz == p.nnz


def test_answers_do_not_share_memory_with_the_scores():
    scores, Y = random_set(60, 5)
    given_scores = sparse.csr_array(scores)
    cal = Calibrator(alpha=0.3).fit(given_scores, Y)
    for method in METHODS:
        answer = getattr(cal, method)(given_scores)
        answer.indices[:] = 0
        answer.data[:] = 0
    np.testing.assert_array_equal(given_scores.toarray(), scores)


def test_decisions_store_their_zeros():
    scores, Y = random_set(60, 5)
    cal = Calibrator(alpha=0.3).fit(sparse.csr_array(scores), Y)
    decided = cal.decide(sparse.csr_array(scores))
    assert set(decided.data) == {0, 1}
    assert decided.nnz == scores.size


def test_a_label_without_candidates_is_left_open():
    scores, Y = random_set(60, 3)
    scores[:, 1] = 0
    cal = Calibrator(alpha=0.3).fit(sparse.csr_array(scores), Y)
    assert cal.status_.tolist() == ["calibrated", "uncalibrated", "calibrated"]
    assert cal.accept(sparse.csr_array(scores))[:, [1]].nnz == 0


K, STORED = 100_000, 20


def candidates(n):
    """Long-tailed candidates, a few of them true, and some true labels that are no candidates."""
    rng = np.random.default_rng(0)
    labels = np.sort((K * rng.random((n, STORED)) ** 2).astype(np.int32), axis=1)
    values = rng.random(n * STORED, dtype=np.float32) / STORED
    where = (values, labels.ravel(), np.arange(n + 1) * STORED)
    scores = sparse.csr_array(where, shape=(n, K))
    scores.sum_duplicates()
    true = scores.data * STORED > 0.9
    rows = np.repeat(np.arange(n), np.diff(scores.indptr))
    lost = rng.integers(0, n, n // 50), rng.integers(0, K, n // 50)
    where = (np.r_[rows[true], lost[0]], np.r_[scores.indices[true], lost[1]])
    Y = sparse.csr_array((np.ones(len(where[0]), dtype=bool), where), shape=(n, K))
    return scores, as_labels(Y, knowledge="all")


@pytest.mark.parametrize(
    ("rule", "n"),
    [("recall", 1_000_000), ("selective", 200_000), ("three-way", 200_000)],
)
def test_a_hundred_thousand_labels_fit_in_little_memory(rule, n):
    scores, Y = candidates(n)
    tracemalloc.start()
    cal = Calibrator(rule, alpha=0.2).fit(scores, Y)
    accepted = cal.accept(scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * scores.nnz < n * K / 40
    assert (cal.status_ == "calibrated").sum() > 1000
    assert 0 < accepted.nnz < scores.nnz
    busiest = int(Y.counts.argmax())
    true = Y.positives[:, [busiest]].toarray()
    column = scores[:, [busiest]].toarray()
    alone = Calibrator(rule, alpha=0.2).fit(column, labelled(true))
    assert cal.thresholds_[busiest] == alone.thresholds_[0]
    expected = alone.accept(column) & (column > 0)
    np.testing.assert_array_equal(accepted[:, [busiest]].toarray(), expected)
