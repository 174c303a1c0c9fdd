"""Ranking metrics are what their definitions say, and what scikit-learn computes."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics as sk

from lamc import as_labels, metrics
from lamc.metrics import ranks


@st.composite
def cases(draw, min_labels=1, infinite=True):
    """A truth, scores of either precision with and without ties, and accepted labels."""
    shape = draw(st.tuples(st.integers(1, 7), st.integers(min_labels, 9)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    width = 8 * np.dtype(dtype).itemsize
    elements = draw(
        st.sampled_from(
            [
                st.sampled_from([0.25, 0.5, 1.0]),
                st.floats(0, 1, width=width),
                st.floats(allow_nan=False, allow_infinity=infinite, width=width),
            ]
        )
    )
    return (
        draw(hnp.arrays(bool, shape)),
        draw(hnp.arrays(dtype, shape, elements=elements)),
        draw(hnp.arrays(bool, shape)),
    )


def row_by_definition(true, scores):
    """Average precision, depth, ranking loss and one-error of a row with a true label."""
    labels = range(len(scores))
    yes = [k for k in labels if true[k]]
    no = [k for k in labels if not true[k]]

    def rank(k, among):
        return sum(scores[j] >= scores[k] for j in among)

    return (
        math.fsum(rank(k, yes) / rank(k, labels) for k in yes) / len(yes),
        max(rank(k, labels) for k in yes),
        sum(scores[j] >= scores[k] for k in yes for j in no) / max(1, len(yes) * len(no)),
        any(scores[j] >= max(scores[k] for k in yes) for j in no),
    )


def by_definition(Y, scores, accepted=None):
    found = []
    for i in range(len(Y)):
        kept = slice(None) if accepted is None else accepted[i]
        if Y[i, kept].any():
            ap, depth, loss, error = row_by_definition(Y[i, kept], scores[i, kept])
            found.append((ap, (depth - 1) / Y.shape[1], loss, error))
        elif accepted is None:
            found.append((1, 0, 0, 0))
    left_out = 1 - len(found) / len(Y)
    values = [math.fsum(column) / len(found) for column in zip(*found, strict=True)]
    return [*(values or [math.nan] * 4), left_out]


def as_list(found):
    return [
        found.average_precision,
        found.coverage_error,
        found.ranking_loss,
        found.one_error,
        found.left_out,
    ]


@given(cases())
def test_they_are_what_the_definitions_say(case):
    Y, scores, _ = case
    found = metrics.ranking_metrics(Y, scores)
    np.testing.assert_allclose(as_list(found), by_definition(Y, scores), atol=1e-12)


@given(cases())
def test_they_are_what_the_definitions_say_of_the_accepted_labels(case):
    Y, scores, accepted = case
    found = metrics.ranking_metrics(Y, scores, accepted)
    np.testing.assert_allclose(as_list(found), by_definition(Y, scores, accepted), atol=1e-12)
    assert metrics.left_out_share(Y, accepted) == found.left_out


@pytest.mark.parametrize("search", [-math.inf, math.inf], ids=["searching", "comparing"])
@given(cases())
def test_both_ways_of_counting_agree_with_the_definitions_in_many_chunks(search, case):
    Y, scores, accepted = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "SEARCH", search)
        patch.setattr(ranks, "CHUNK", 12)
        found = metrics.ranking_metrics(Y, scores)
        restricted = metrics.ranking_metrics(Y, scores, accepted)
    np.testing.assert_allclose(as_list(found), by_definition(Y, scores), atol=1e-12)
    np.testing.assert_allclose(as_list(restricted), by_definition(Y, scores, accepted), atol=1e-12)


def scikit_learn(Y, scores):
    """scikit-learn's three, its mean depth brought to the scale of (depth − 1) / K."""
    depth = sk.coverage_error(Y, scores)
    return (
        sk.label_ranking_average_precision_score(Y, scores),
        (depth - Y.any(axis=1).mean()) / Y.shape[1],
        sk.label_ranking_loss(Y, scores),
    )


@given(cases(min_labels=2, infinite=False))
def test_they_equal_those_of_scikit_learn(case):
    Y, scores, _ = case
    found = as_list(metrics.ranking_metrics(Y, scores))[:3]
    np.testing.assert_allclose(found, scikit_learn(Y, scores), rtol=0, atol=1e-12)


@pytest.mark.parametrize("share_true", [0, 0.002, 0.05, 0.5, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [2, 16])
def test_they_equal_those_of_scikit_learn_at_size(share_true, dtype, decimals):
    rng = np.random.default_rng(7)
    Y = rng.random((600, 500)) < share_true
    scores = rng.random(Y.shape).round(decimals).astype(dtype)
    found = as_list(metrics.ranking_metrics(Y, scores))[:3]
    np.testing.assert_allclose(found, scikit_learn(Y, scores), rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(cases())
def test_each_function_gives_its_part(case):
    Y, scores, accepted = case
    for given_accepted in (None, accepted):
        found = metrics.ranking_metrics(Y, scores, given_accepted)
        for name in ("average_precision", "coverage_error", "ranking_loss", "one_error"):
            value = getattr(metrics, name)(Y, scores, given_accepted)
            assert isinstance(value, float)
            assert value == getattr(found, name) or math.isnan(value)


@settings(max_examples=50)
@given(cases())
def test_all_forms_of_the_same_input_give_the_same(case):
    Y, scores, accepted = case
    expected = repr(metrics.ranking_metrics(Y, scores, accepted))
    wide = np.repeat(scores, 2, axis=1)
    for truth in (
        sparse.csr_array(Y),
        sparse.csc_matrix(Y.astype(float)),
        as_labels(Y, knowledge="all"),
    ):
        assert repr(metrics.ranking_metrics(truth, scores, accepted)) == expected
    for same in (np.asfortranarray(scores), wide[:, ::2], np.flip(np.flip(scores).copy())):
        assert repr(metrics.ranking_metrics(Y, same, accepted)) == expected
    for same in (accepted.astype(np.int8), sparse.csr_array(accepted), accepted.astype(float)):
        assert repr(metrics.ranking_metrics(Y, scores, same)) == expected


@given(cases(), st.randoms())
def test_the_order_of_rows_and_labels_does_not_matter(case, random):
    Y, scores, accepted = case
    rows = random.sample(range(Y.shape[0]), Y.shape[0])
    columns = random.sample(range(Y.shape[1]), Y.shape[1])
    moved = [part[np.ix_(rows, columns)] for part in (Y, scores, accepted)]
    np.testing.assert_allclose(
        as_list(metrics.ranking_metrics(*moved)),
        as_list(metrics.ranking_metrics(Y, scores, accepted)),
        atol=1e-12,
    )


def test_a_perfect_and_a_reversed_ranking_get_the_best_and_the_worst():
    Y = np.array([[1, 1, 0, 0], [1, 0, 0, 0]])
    scores = np.array([[4, 3, 2, 1], [4, 3, 2, 1]])
    assert as_list(metrics.ranking_metrics(Y, scores)) == [1, (1 / 4 + 0) / 2, 0, 0, 0]
    worst = metrics.ranking_metrics(Y, -scores)
    assert (worst.ranking_loss, worst.one_error, worst.coverage_error) == (1, 1, 3 / 4)


def test_equal_scores_are_the_worst_case():
    Y = np.array([[1, 0, 0, 0], [0, 1, 1, 0]])
    found = metrics.ranking_metrics(Y, np.full(Y.shape, 0.5))
    assert as_list(found) == [(1 / 4 + 2 / 4) / 2, 3 / 4, 1, 1, 0]


def test_scores_that_differ_only_in_float64_tie_in_float32():
    Y = np.array([[1, 0]])
    scores = np.array([[1.0, 1.0 - 1e-12]])
    assert metrics.one_error(Y, scores) == 0
    assert metrics.one_error(Y, scores.astype(np.float32)) == 1


def test_rows_without_labels_count_as_perfect_unless_only_accepted_labels_count():
    Y = np.array([[0, 0, 0], [1, 0, 0]])
    scores = np.array([[3, 2, 1], [1, 2, 3]])
    assert metrics.average_precision(Y, scores) == pytest.approx((1 + 1 / 3) / 2)
    found = metrics.ranking_metrics(Y, scores, np.ones_like(Y))
    assert (found.average_precision, found.left_out) == (pytest.approx(1 / 3), 0.5)


def test_nothing_accepted_leaves_no_row():
    Y = np.array([[1, 0], [1, 1]])
    found = metrics.ranking_metrics(Y, Y, np.zeros_like(Y))
    assert np.isnan(as_list(found)[:4]).all()
    assert found.left_out == 1


@pytest.mark.parametrize("share_true", [0.005, 0.5])
def test_memory_does_not_grow_with_the_scores(share_true):
    rng = np.random.default_rng(0)
    Y = as_labels(sparse.random_array((5000, 1000), density=share_true, rng=rng) > 0)
    scores = rng.random(Y.shape)
    tracemalloc.start()
    try:
        metrics.ranking_metrics(Y, scores)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < scores.nbytes / 2
