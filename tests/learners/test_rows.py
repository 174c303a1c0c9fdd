"""Sparse rows are dense rows, in everything that networks ask of them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc.learners import rows as rows_module
from lamc.learners.rows import DenseRows, SparseRows, as_rows, blocks, take


def both(X, monkeypatch):
    """The same rows, dense and sparse."""
    monkeypatch.setattr(rows_module, "DENSE_BYTES", 0)
    compressed = as_rows(sparse.csr_array(X), "cpu")
    assert isinstance(compressed, SparseRows)
    return as_rows(X, "cpu"), compressed


@given(seed=st.integers(0, 10_000), filled=st.sampled_from([0.0, 0.2, 1.0]))
def test_products_and_gradients_are_those_of_dense_rows(seed, filled):
    rng = np.random.default_rng(seed)
    m, n, d, h, b = rng.integers(1, 6, size=5)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < filled)
    chosen = torch.from_numpy(rng.integers(n, size=(m, b)))
    W, bias, g = (
        torch.from_numpy(rng.normal(size=s).astype("f4")) for s in [(m, d, h), (m, 1, h), (m, b, h)]
    )
    with pytest.MonkeyPatch.context() as monkeypatch:
        dense, compressed = (each.take(chosen) for each in both(X, monkeypatch))
    torch.testing.assert_close(compressed.times(W, bias), dense.times(W, bias))
    found, expected = torch.full((m, d, h), 7.0), torch.empty(m, d, h)
    compressed.collect(g, out=found)
    dense.collect(g, out=expected)
    torch.testing.assert_close(found, expected)


def test_gradients_are_the_same_however_few_entries_are_collected_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    rows = both(rng.normal(size=(9, 4)), monkeypatch)[1].take(torch.arange(9)[None])
    g, found = torch.rand(1, 9, 3), []
    for most in (1 << 24, 21, 1):
        monkeypatch.setattr(rows_module, "COLLECTED", most)
        found.append(torch.empty(1, 4, 3))
        rows.collect(g, out=found[-1])
    assert all(torch.equal(each, found[0]) for each in found)


@pytest.mark.parametrize("kind", [0, 1], ids=["dense", "sparse"])
def test_blocks_are_all_rows_and_bounded_in_bytes_where_these_are_made_dense(monkeypatch, kind):
    X = np.random.default_rng(0).normal(size=(9, 4)).astype("f4")
    rows = both(X, monkeypatch)[kind]
    monkeypatch.setattr(rows_module, "BLOCK_BYTES", 40)  # two rows of four numbers
    found = list(blocks(rows))
    np.testing.assert_array_equal(torch.cat([part for _, part in found]), X)
    assert [start for start, _ in found] == [[0], [0, 2, 4, 6, 8]][kind]


@pytest.mark.parametrize("kind", [0, 1], ids=["dense", "sparse"])
def test_batches_are_the_rows_in_turn_and_the_last_may_be_smaller(monkeypatch, kind):
    rng = np.random.default_rng(0)
    rows = both(rng.normal(size=(9, 4)), monkeypatch)[kind]
    chosen = torch.from_numpy(rng.integers(9, size=(2, 7)))
    W, bias = torch.rand(2, 4, 3), torch.rand(2, 1, 3)
    found = [batch.times(W, bias) for batch in rows.batches(chosen, 3)]
    assert [part.shape[1] for part in found] == [3, 3, 1]
    torch.testing.assert_close(torch.cat(found, dim=1), rows.take(chosen).times(W, bias))


def test_no_more_rows_are_gathered_at_once_than_is_told(monkeypatch):
    rows = DenseRows(torch.rand(9, 4))
    gathered = []

    def watched(self, chosen):
        gathered.append(chosen.shape[1])
        return self.values[chosen]

    monkeypatch.setattr(DenseRows, "dense", watched)
    chosen = torch.arange(8).expand(2, 8)
    for limit, expected in ((1, [2] * 4), (2 * 2 * 2 * 16, [4, 4]), (1 << 20, [8])):
        monkeypatch.setattr(rows_module, "GATHERED_BYTES", limit)
        gathered.clear()
        assert len(list(rows.batches(chosen, 2))) == 4
        assert gathered == expected


@pytest.mark.parametrize("shape", [(6,), (6, 3), (6, 2, 2)])
def test_rows_of_a_table_are_those_of_plain_indexing(shape):
    table = torch.rand(shape)
    chosen = torch.tensor([[5, 0, 0, 1], [2, 2, 3, 4]])[:, 1:]
    assert torch.equal(take(table, chosen), table[chosen])


def test_parts_are_slices_and_entries_given_twice_add_up(monkeypatch):
    X = np.array([[0, 2.0, 0], [0, 0, 0], [1, 0, 3]], dtype=np.float32)
    dense, compressed = both(X, monkeypatch)
    assert len(dense) == len(compressed) == 3
    assert dense.n_features == compressed.n_features == 3
    for start in range(3):
        for end in range(start, 4):
            torch.testing.assert_close(compressed.part(start, end), dense.part(start, end))
    twice = sparse.csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    assert as_rows(twice, "cpu").part(0, 1).tolist() == [[0, 2, 0]]


def test_small_sparse_rows_are_made_dense():
    assert isinstance(as_rows(sparse.csr_array(np.eye(3)), "cpu"), DenseRows)
