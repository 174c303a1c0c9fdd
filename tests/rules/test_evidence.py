"""Evidence holds the scores of true and false labels, row by row, however it was put together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc.rules.evidence import Evidence, all_scores, negative_scores, random_keys

from .cases import calibration_sets, few

FORMS = [np.asarray, np.asfortranarray, sparse.csr_array]


def lists(sorted_scores):
    """All scores of each label, those that are not stored too."""
    return [
        [0.0] * int(zeros) + sorted_scores.of_label(k).tolist()
        for k, zeros in enumerate(sorted_scores.zeros)
    ]


@pytest.mark.parametrize("form", FORMS)
@few
@given(case=calibration_sets())
def test_true_and_false_scores_are_told_apart(form, case):
    scores, Y = case
    positives = sparse.csr_array(Y)
    columns = range(Y.shape[1])
    evidence = Evidence.of(form(scores), positives)
    assert lists(evidence.positives) == [sorted(scores[Y[:, k], k].tolist()) for k in columns]
    found = lists(negative_scores(form(scores), positives))
    assert found == [sorted(scores[~Y[:, k], k].tolist()) for k in columns]
    assert lists(all_scores(form(scores))) == [sorted(scores[:, k].tolist()) for k in columns]


@pytest.mark.parametrize("form", FORMS)
@few
@given(case=calibration_sets(), first=st.integers(0, 99))
def test_every_positive_keeps_its_row_and_weight(form, case, first):
    scores, Y = case
    weights = np.arange(1, len(Y) + 1)
    evidence = Evidence.of(form(scores), sparse.csr_array(Y), first_row=first, weights=weights)
    rows, labels = evidence.rows - first, evidence.positives.labels
    assert Y[rows, labels].all()
    assert len({*zip(rows, labels, strict=True)}) == Y.sum()
    np.testing.assert_array_equal(scores[rows, labels], evidence.positives.values)
    np.testing.assert_array_equal(weights[rows], evidence.weights)


@few
@given(calibration_sets(), st.integers(1, 9), st.integers(0, 9))
def test_a_draw_takes_the_lowest_keys_of_each_label(case, per_label, seed):
    scores, Y = case
    drawn = Evidence.of(scores, sparse.csr_array(Y)).drawn(per_label, seed=seed)
    for k in range(Y.shape[1]):
        rows = np.flatnonzero(Y[:, k])
        order = np.argsort(random_keys(rows, np.full(len(rows), k), seed))
        own = drawn.rows[drawn.positives.labels == k]
        assert sorted(own.tolist()) == sorted(rows[order[:per_label]].tolist())
    np.testing.assert_array_equal(
        scores[drawn.rows, drawn.positives.labels], drawn.positives.values
    )
    np.testing.assert_array_equal(drawn.positives.counts, np.minimum(Y.sum(axis=0), per_label))


def test_every_positive_is_as_likely_to_be_drawn():
    """5 of 20 rows in each of 4,000 draws: every row within 4.5 deviations of a quarter."""
    rows, labels = np.tile(np.arange(20), 4000), np.repeat(np.arange(4000), 20)
    for seed in (0, 1, 2**31):
        keys = random_keys(rows, labels, seed).reshape(4000, 20)
        chosen = np.argsort(keys, axis=1)[:, :5]
        counts = np.bincount(chosen.ravel(), minlength=20)
        assert np.abs(counts - 1000).max() < 4.5 * np.sqrt(4000 * 0.25 * 0.75)


def test_keys_of_different_seeds_have_nothing_in_common():
    rows, labels = np.arange(1000), np.zeros(1000, dtype=int)
    first, second = (random_keys(rows, labels, seed).argsort().argsort() for seed in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 4.5 / np.sqrt(1000)
