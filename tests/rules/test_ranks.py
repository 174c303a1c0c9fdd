"""Order statistics are those of sorted lists, and weights add up exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores, in_whole_units, weighted_rank

from .cases import few, unit_floats
from .twins import LEVELS, recall_rank, smallest_first, weighted_threshold

pairs = st.lists(st.tuples(unit_floats(), st.integers(0, 3)), max_size=40)


def sorted_scores(values, labels, n_labels=4, **more):
    return SortedScores.of(
        np.asarray(values, dtype=float), np.asarray(labels, dtype=int), n_labels=n_labels, **more
    )


@few
@given(pairs)
def test_scores_are_sorted_label_by_label(pairs):
    values, labels = [v for v, _ in pairs], [k for _, k in pairs]
    scores, order = sorted_scores(values, labels)
    for label in range(4):
        assert scores.of_label(label).tolist() == sorted(v for v, k in pairs if k == label)
    assert scores.counts.tolist() == [labels.count(k) for k in range(4)]
    assert np.asarray(values)[order].tolist() == scores.values.tolist()
    assert np.asarray(labels)[order].tolist() == scores.labels.tolist()


@few
@given(pairs, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_order_statistics_are_those_of_a_sorted_list(pairs, zeros):
    scores, _ = sorted_scores([v for v, _ in pairs], [k for _, k in pairs], zeros=np.array(zeros))
    lists = [[0.0] * z + sorted(v for v, k in pairs if k == i) for i, z in enumerate(zeros)]
    assert scores.counts.tolist() == [len(own) for own in lists]
    for rank in range(max(map(len, lists)) + 1):
        ranks = np.asarray([min(rank, len(own)) for own in lists])
        expected = [own[r - 1] if r else -np.inf for own, r in zip(lists, ranks, strict=True)]
        assert scores.order_statistic(ranks, if_none=-np.inf).tolist() == expected


@few
@given(pairs, st.data())
def test_some_of_the_scores_stay_in_order(pairs, data):
    scores, _ = sorted_scores([v for v, _ in pairs], [k for _, k in pairs])
    size = len(pairs)
    chosen = np.asarray(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    kept = scores.keep(chosen)
    assert kept.values.tolist() == scores.values[chosen].tolist()
    assert kept.labels.tolist() == scores.labels[chosen].tolist()


@pytest.mark.parametrize("alpha", LEVELS, ids=str)
@pytest.mark.parametrize("weight", [1, 7, 0.1, 1 / 3, 1e-9], ids=str)
def test_equal_weights_are_no_weights(alpha, weight):
    """Also for 0.1, of which ten do not add up to 1 in floats."""
    counts = range(61)
    values, labels = smallest_first(counts)
    scores, _ = sorted_scores(values, labels, n_labels=61)
    whole = in_whole_units(np.full(len(values), weight))
    ranks = weighted_rank(
        scores, whole, Levels.of(float(alpha), n_labels=61), new_weight=whole.max()
    )
    assert ranks.tolist() == [recall_rank(n, alpha) for n in counts]


weights = st.one_of(
    st.integers(1, 9),
    st.integers(1, 2**31 - 1),
    st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 2.5]),
    st.floats(1e-200, 1e200),
)


@few
@given(
    st.lists(st.tuples(unit_floats(), st.integers(0, 1), weights), min_size=1, max_size=30),
    st.sampled_from(LEVELS),
)
def test_weighted_ranks_give_the_threshold_of_the_definition(triples, alpha):
    given_weights = np.asarray([w for *_, w in triples])
    scores, order = sorted_scores([v for v, *_ in triples], [k for _, k, _ in triples], n_labels=2)
    whole = in_whole_units(given_weights)
    ranks = weighted_rank(
        scores, whole[order], Levels.of(alpha, n_labels=2), new_weight=whole.max()
    )
    thresholds = scores.order_statistic(ranks, if_none=-np.inf)
    for label in range(2):
        own = [(v, w) for (v, k, _), w in zip(triples, given_weights, strict=True) if k == label]
        expected = weighted_threshold(
            [v for v, _ in own], [w for _, w in own], alpha, given_weights.max()
        )
        assert thresholds[label] == expected


@few
@given(st.lists(st.floats(5e-324, 1e308), min_size=1, max_size=9))
def test_whole_units_keep_every_ratio(floats):
    whole = in_whole_units(np.asarray(floats))
    assert all(type(w) is int for w in whole)
    unit = Fraction(floats[0]) / whole[0]
    assert [w * unit for w in whole] == [Fraction(f) for f in floats]


def test_whole_numbers_stay_as_they_are():
    given_weights = np.array([3, 1, 4])
    assert in_whole_units(given_weights) is given_weights
    assert len(in_whole_units(np.empty(0))) == 0
