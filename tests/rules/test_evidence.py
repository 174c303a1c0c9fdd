"""Evidence holds the scores of true and false labels, row by row, however it was put together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc.rules.evidence import Evidence, all_scores, negative_scores

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
def test_every_positive_keeps_its_row_weight_and_key(form, case, first):
    scores, Y = case
    weights = np.arange(1, len(Y) + 1)
    keys = np.linspace(0, 1, Y.sum())
    evidence = Evidence.of(
        form(scores), sparse.csr_array(Y), first_row=first, weights=weights, keys=keys
    )
    rows, labels = evidence.rows - first, evidence.positives.labels
    assert Y[rows, labels].all()
    assert len({*zip(rows, labels, strict=True)}) == Y.sum()
    np.testing.assert_array_equal(scores[rows, labels], evidence.positives.values)
    np.testing.assert_array_equal(weights[rows], evidence.weights)
    number = {pair: i for i, pair in enumerate(zip(*np.nonzero(Y), strict=True))}
    expected = [keys[number[pair]] for pair in zip(rows, labels, strict=True)]
    assert evidence.keys.tolist() == expected


@few
@given(calibration_sets(), st.integers(1, 9), st.integers(0, 9))
def test_a_draw_takes_the_lowest_keys_of_each_label(case, per_label, seed):
    scores, Y = case
    keys = np.random.default_rng(seed).random(Y.sum())
    evidence = Evidence.of(scores, sparse.csr_array(Y), keys=keys)
    drawn = evidence.drawn(per_label)
    for k in range(Y.shape[1]):
        own = np.sort(evidence.keys[evidence.positives.labels == k])[:per_label]
        assert np.sort(drawn.keys[drawn.positives.labels == k]).tolist() == own.tolist()
    np.testing.assert_array_equal(
        scores[drawn.rows, drawn.positives.labels], drawn.positives.values
    )
    np.testing.assert_array_equal(evidence.positives.counts, Y.sum(axis=0))
