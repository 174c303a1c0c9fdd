"""The graph of nearest neighbours, against loops over all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lamc.learners.neighbours import NeighbourGraph, nearest, nearest_others

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 4))
NEW = RNG.normal(size=(9, 4))


def slow_nearest(rows, among, k, without=lambda i: ()):
    """Indices and distances by sorting all of them, ties by index."""
    found = []
    for i, row in enumerate(rows):
        pairs = [(np.linalg.norm(row - other), j) for j, other in enumerate(among)]
        found.append(sorted(pair for pair in pairs if pair[1] not in without(i))[:k])
    return np.array([[j for _, j in row] for row in found]), np.array(
        [[d for d, _ in row] for row in found]
    )


def slow_scale(distances, nth):
    return np.array([row[min(nth, len(row)) - 1] for row in distances])


def slow_graph(rows, k, nth):
    """Weights, scales and degrees, entry by entry."""
    n = len(rows)
    index, distances = slow_nearest(rows, rows, min(k, n - 1), without=lambda i: (i,))
    scale = slow_scale(distances, nth)
    A = np.zeros((n, n))
    for i in range(n):
        for j, d in zip(index[i], distances[i], strict=True):
            A[i, j] = np.exp(-(d**2) / (scale[i] * scale[j]))
    A = (A + A.T) / 2
    return A, scale, A.sum(axis=1)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=25),
    st.integers(1, 6),
)
def test_neighbours_are_the_nearest_other_rows(points, k):
    rows = np.array(points, dtype=float)
    k = min(k, len(rows) - 1)
    found = nearest_others(rows, k)
    _, distances = slow_nearest(rows, rows, k, without=lambda i: (i,))
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)
    to_found = np.linalg.norm(rows[:, None] - rows[found.rows], axis=2)
    np.testing.assert_allclose(found.distances, to_found, atol=1e-12)
    assert all(
        len({i, *near}) == k + 1 for i, near in enumerate(found.rows.tolist())
    )  # itself and k others


def test_ties_go_to_the_first_rows():
    among = np.array([[1.0], [-1.0], [1.0], [0.5], [-1.0], [3.0]])
    index, distances = slow_nearest([[0.0]], among, 3)
    found = nearest(np.zeros((1, 1)), among, 3)
    assert found.rows.tolist() == index.tolist() == [[3, 0, 1]]
    np.testing.assert_array_equal(found.distances, distances)


def test_distances_of_near_copies_are_exact():
    rows = 1e4 + np.array([[0.0], [1e-6], [3e-6], [1.0]])
    found = nearest_others(rows, 1)
    assert found.rows.ravel().tolist() == [1, 0, 1, 2]
    np.testing.assert_allclose(found.distances.ravel()[:3], np.diff(rows[:, 0])[[0, 0, 1]])


def test_a_row_with_many_copies_is_not_its_own_neighbour():
    found = nearest_others(np.ones((30, 3)), 4)
    assert found.rows.shape == (30, 4)
    assert not (found.rows == np.arange(30)[:, None]).any()
    assert (found.distances == 0).all()


def test_blocks_change_nothing(monkeypatch):
    whole = nearest(NEW, ROWS, 5)
    monkeypatch.setattr("lamc.learners.neighbours.BLOCK", 100)
    parts = nearest(NEW, ROWS, 5)
    np.testing.assert_array_equal(whole.rows, parts.rows)
    np.testing.assert_array_equal(whole.distances, parts.distances)


@pytest.mark.parametrize(("k", "nth"), [(5, 3), (20, 7), (2, 7), (100, 7)])
def test_the_graph_is_that_of_the_definition(k, nth):
    graph = NeighbourGraph(k, nth).fit(ROWS)
    A, scale, degree = slow_graph(ROWS, k, nth)
    np.testing.assert_allclose(graph.scale_, scale)
    np.testing.assert_allclose(graph.degree_, degree)
    np.testing.assert_allclose(
        graph.similarity_.toarray(), A / np.sqrt(np.outer(degree, degree)), atol=1e-14
    )


@pytest.mark.parametrize(("k", "nth"), [(20, 7), (2, 7), (100, 7)])
def test_links_of_new_rows_are_those_of_the_definition(k, nth):
    links = NeighbourGraph(k, nth).fit(ROWS).links(NEW).toarray()
    _, scale, degree = slow_graph(ROWS, k, nth)
    index, distances = slow_nearest(NEW, ROWS, min(k, len(ROWS)))
    own_scale = slow_scale(distances, nth)
    expected = np.zeros_like(links)
    for x in range(len(NEW)):
        w = np.exp(-(distances[x] ** 2) / (own_scale[x] * scale[index[x]]))
        expected[x, index[x]] = w / np.sqrt(w.sum() * np.maximum(degree[index[x]], w))
    np.testing.assert_allclose(links, expected, atol=1e-14)


def test_an_outlier_is_linked_but_not_out_of_proportion():
    rows = np.r_[ROWS, [[300.0, 0, 0, 0]]]  # its weights to all others are 0 in floating point
    graph = NeighbourGraph().fit(rows)
    assert graph.degree_[-1] < 1e-6
    links = graph.links(np.array([[300.5, 0, 0, 0]])).toarray()
    assert 0.9 < links[0, -1] <= 1
    assert links.sum() < 2


def test_similarity_is_symmetric_with_eigenvalues_in_the_unit_interval():
    rows = np.r_[ROWS, ROWS[:10], ROWS[:10], [[99.0, 0, 0, 0]]]
    S = NeighbourGraph().fit(rows).similarity_
    assert S.nnz <= 2 * len(rows) * 20
    np.testing.assert_allclose((S - S.T).toarray(), 0, atol=1e-15)
    assert (S.diagonal() == 0).all()
    assert np.abs(np.linalg.eigvalsh(S.toarray())).max() <= 1 + 1e-12


def test_rows_that_are_all_the_same():
    graph = NeighbourGraph(n_neighbors=3).fit(np.ones((5, 2)))
    assert np.isfinite(graph.similarity_.toarray()).all()
    assert np.isfinite(graph.links(np.array([[1.0, 1.0], [7.0, 7.0]])).toarray()).all()


def test_sparse_rows_make_the_same_graph():
    rows = ROWS * (RNG.random(ROWS.shape) < 0.6)
    dense = NeighbourGraph().fit(rows)
    thin = NeighbourGraph().fit(sparse.csr_array(rows))
    np.testing.assert_allclose(thin.similarity_.toarray(), dense.similarity_.toarray(), atol=1e-12)
    np.testing.assert_allclose(
        thin.links(sparse.csr_array(NEW)).toarray(), dense.links(NEW).toarray(), atol=1e-12
    )
