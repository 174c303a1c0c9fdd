"""Coverage and ranking loss of one ranking: the range that holds for all, and is reached."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lamc.benchmark.consistency import coverage_range
from lamc.benchmark.errors import BenchmarkError
from lamc.metrics import coverage_error, ranking_loss


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(2, 9), st.floats(0, 1), st.booleans()
)
def test_no_ranking_is_outside(seed, n, n_labels, share, informed):
    rng = np.random.default_rng(seed)
    Y = rng.random((n, n_labels)) < share
    scores = rng.permuted(np.tile(np.arange(n_labels), (n, 1)), axis=1) / n_labels
    if informed:
        scores = 0.6 * scores + 0.4 * Y * rng.random((n, 1))
        scores += 1e-9 * rng.random(scores.shape)
    low, high = coverage_range(Y.sum(axis=1), n_labels, float(ranking_loss(Y, scores)))
    assert low - 1e-9 <= coverage_error(Y, scores) <= high + 1e-9


def test_both_ends_are_reached():
    K, p = 7, 3
    Y = np.zeros((1, K), dtype=int)
    Y[0, :p] = 1
    spread = np.array([[2, 2.1, 2.2, 0, 1, 3, 4]])  # each true label below the same two
    assert coverage_range([p], K, ranking_loss(Y, spread))[0] == pytest.approx(
        coverage_error(Y, spread)
    )
    one_last = np.array([[5, 6, 0, 1, 2, 3, 4]])  # one true label below all others
    assert coverage_range([p], K, ranking_loss(Y, one_last))[1] == pytest.approx(
        coverage_error(Y, one_last)
    )


@given(arrays(int, 6, elements=st.integers(0, 5)), st.floats(0, 1), st.floats(0, 1))
def test_more_loss_needs_and_allows_more_coverage(p, one, other):
    less, more = sorted([one, other])
    lower, upper = coverage_range(p, 5, less), coverage_range(p, 5, more)
    assert lower[0] <= upper[0] + 1e-12
    assert lower[1] <= upper[1] + 1e-12


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([1, 2], 4, 1.5), "A ranking loss of 1.5"),
        (([1, 5], 4, 0.5), "from 0 to 4"),
        (([], 4, 0.5), "of each row"),
    ],
)
def test_what_makes_no_sense_is_refused(given, words):
    with pytest.raises(BenchmarkError, match=words):
        coverage_range(*given)
