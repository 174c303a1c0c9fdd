"""The graph on a batch gives what the whole graph gives, and no n × n matrix is made."""

import numpy as np
import pytest
import torch
from scipy import sparse
from scipy.spatial.distance import cdist

from lamc.learners import graph as graphs
from lamc.learners.enhancement_networks import Encoder
from lamc.learners.graph import ChoiceGraph, choice_graph
from lamc.learners.rows import DenseRows, SparseRows

N, D, K, M = 70, 6, 4, 3


def make_rows(seed=0, n=N):
    return torch.randn(n, D, generator=torch.Generator().manual_seed(seed))


def as_sparse_rows(values):
    found = sparse.csr_array(values.numpy())
    indptr, indices = found.indptr.astype(np.int64), found.indices.astype(np.int64)
    parts = (torch.from_numpy(each) for each in (indptr, indices, found.data))
    return SparseRows(*parts, values.shape[1])


def slow_adjacency(values, k):
    """A[i, j] = 1 if j is among the k nearest others of i: all distances, sorted."""
    distance = cdist(values, values)
    np.fill_diagonal(distance, np.inf)
    found = np.zeros_like(distance)
    np.put_along_axis(found, np.argsort(distance, axis=1)[:, :k], 1, axis=1)
    return found


def whole_graph(weights, values, adjacency):
    """The encoder over all rows, one network: dense matrices, as the formula is written."""
    W1, b1, W2, b2, W3, b3 = weights
    out, into = adjacency.sum(1), adjacency.sum(0)
    hears = adjacency.T / np.sqrt(np.maximum(out, 1) * np.maximum(into, 1)[:, None])
    hears = torch.from_numpy(hears).to(values.dtype)
    hidden = torch.relu(hears @ (values @ W1) + b1)
    return (hears @ (hidden @ W2) + b2) @ W3 + b3


def make_weights(seed=0):
    generator = torch.Generator().manual_seed(seed)
    sizes = [(D, K), (1, K), (K, K), (1, K), (K, K), (1, K)]
    return [torch.randn(M, *size, generator=generator) for size in sizes]


@pytest.mark.parametrize("form", [DenseRows, as_sparse_rows])
@pytest.mark.parametrize("k", [1, 3, 12])
def test_links_are_those_of_the_sorted_distances(form, k):
    values = make_rows()
    found = choice_graph(form(values), k).linked(torch.arange(N)[None])[0]
    np.testing.assert_array_equal(found, slow_adjacency(values, k))


def encoder_of(graph, weights):
    return Encoder(graph, weights, [torch.full_like(weight, torch.nan) for weight in weights])


@pytest.mark.parametrize(
    ("form", "dtype"),
    [(DenseRows, torch.float32), (DenseRows, torch.float64), (as_sparse_rows, torch.float32)],
)
def test_the_encoder_on_a_batch_is_that_on_the_whole_graph(form, dtype):
    values, weights = make_rows().to(dtype), [weight.to(dtype) for weight in make_weights()]
    encoder = encoder_of(choice_graph(form(values), 3), weights)
    rows = torch.stack([torch.randperm(N)[:16] for _ in range(M)])
    found = encoder.logits(rows)
    twins = [weight.clone().requires_grad_() for weight in weights]
    adjacency = slow_adjacency(values, 3)
    expected = torch.stack(
        [whole_graph([w[m] for w in twins], values, adjacency)[rows[m]] for m in range(M)]
    )
    exact = dtype == torch.float64
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12 if exact else 1e-5)
    toll = torch.linspace(-1, 1, found.numel(), dtype=dtype).view_as(found)
    encoder.backward(toll)
    theirs = torch.autograd.grad((expected * toll).sum(), twins)
    for mine, other in zip(encoder.gradients, theirs, strict=True):
        torch.testing.assert_close(
            mine, other, rtol=1e-12 if exact else 1e-5, atol=1e-11 if exact else 1e-4
        )


def test_a_row_that_nobody_chose_hears_nothing():
    graph = ChoiceGraph(DenseRows(make_rows(n=3)), np.array([[1], [0], [0]]))
    heard = graph.heard(torch.tensor([[2]]))
    assert heard.shares.count_nonzero() == 0
    assert graph.inputs.part(2, 3).count_nonzero() == 0


def test_networks_in_company_hear_what_they_hear_alone():
    graph = choice_graph(DenseRows(make_rows()), 3)
    rows = torch.stack([torch.randperm(N)[:5] for _ in range(M)])
    together, weights = encoder_of(graph, make_weights()).logits(rows), make_weights()
    for m in range(M):
        alone = encoder_of(graph, [w[m : m + 1] for w in weights]).logits(rows[m : m + 1])
        torch.testing.assert_close(together[m : m + 1], alone, rtol=0, atol=1e-5)


def test_few_rows_choose_all_others():
    graph = choice_graph(DenseRows(torch.tensor([[0.0], [1.0]])), k=3)
    assert graph.linked(torch.tensor([[0, 1]])).tolist() == [[[0.0, 1.0], [1.0, 0.0]]]


def test_copies_of_a_row_do_not_choose_themselves():
    graph = choice_graph(DenseRows(torch.zeros(9, 2)), k=3)
    linked = graph.linked(torch.arange(9)[None])[0]
    assert linked.diagonal().sum() == 0
    assert linked.sum(1).tolist() == [3.0] * 9


def test_choices_are_remembered_by_content(monkeypatch):
    searched = []

    def search(features, k):
        searched.append(k)
        return nearest_others(features, k)

    nearest_others = graphs.nearest_others
    monkeypatch.setattr(graphs, "nearest_others", search)
    values = make_rows(seed=99)
    for rows in (values, values.clone(), values.clone()):
        choice_graph(DenseRows(rows), 3)
    assert searched == [3]
    choice_graph(DenseRows(values), 4)
    choice_graph(DenseRows(values + 1), 3)
    assert searched == [3, 4, 3]
    for other in range(graphs.GRAPHS_KEPT + 5):
        choice_graph(DenseRows(values + other), 2)
    assert len(graphs._REMEMBERED) == graphs.GRAPHS_KEPT


def test_sparse_rows_made_dense():
    values = make_rows() * (make_rows(1) > 0.5)
    chosen = torch.tensor([[3, 0, 3], [69, 1, 2]])
    assert torch.equal(as_sparse_rows(values).dense(chosen), DenseRows(values).dense(chosen))
