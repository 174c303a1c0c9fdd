"""The labels of a batch are those of its rows, whichever way they are kept."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc import as_labels
from lamc.learners import WAN
from lamc.learners.observed_labels import OneLabelEach, SeveralLabels, as_observed


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_batches_are_the_rows_of_the_matrix(seed, share):
    rng = np.random.default_rng(seed)
    n, k, m, b = rng.integers(1, 7, size=4)
    Y = rng.random((n, k + 1)) < share
    Y[0, :2] = True  # so that not every row has one label
    observed = as_observed(as_labels(Y, knowledge="some"), "cpu")
    chosen = torch.from_numpy(rng.integers(n, size=(m, b)))
    assert isinstance(observed, SeveralLabels)
    assert torch.equal(observed.take(chosen), torch.from_numpy(Y)[chosen])
    assert torch.equal(observed.matrix(), torch.from_numpy(Y))
    assert torch.equal(observed.all_rows(), torch.from_numpy(Y))


def test_one_label_a_row_is_kept_by_number():
    Y = np.eye(4, dtype=bool)[[2, 0, 3, 3, 1]]
    observed = as_observed(as_labels(Y, knowledge="some"), "cpu")
    chosen = torch.tensor([[4, 0], [1, 1]])
    assert isinstance(observed, OneLabelEach)
    assert observed.take(chosen).tolist() == [[1, 2], [0, 0]]
    assert observed.all_rows().tolist() == [2, 0, 3, 3, 1]
    assert torch.equal(observed.matrix(), torch.from_numpy(Y))


def test_what_is_kept_grows_with_the_labels_that_are_there():
    n, k = 1000, 50_000
    Y = sparse.csr_array((np.ones(n + 1), (np.arange(n + 1) % n, np.arange(n + 1))), shape=(n, k))
    observed = as_observed(as_labels(Y, knowledge="some"), "cpu")
    assert sum(each.nbytes for each in observed.tensors()) == 8 * (n + 1) * 2


def test_networks_that_keep_nothing_for_rows_ask_for_batches_only(monkeypatch):
    def refuse(self):
        raise AssertionError("a table of all rows and labels")

    monkeypatch.setattr(SeveralLabels, "matrix", refuse)
    rng = np.random.default_rng(0)
    Y = rng.random((40, 6)) < 0.4
    Y[:, 0] |= ~Y.any(axis=1)
    learner = WAN(hidden=2, epochs=2, learning_rate=1e-2, random_state=0)
    assert learner.fit(rng.normal(size=(40, 3)), Y).weights_[0].shape == (1, 3, 2)
