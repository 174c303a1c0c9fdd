"""Adam on rows moves what torch's two Adams move, at the cost of the rows of a step."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lamc.learners.row_adam import DenseAdam, LazyAdam, decaying_sum, moves_ahead

N_NETWORKS, N_ROWS, N_COLUMNS = 2, 40, 3
RATES = [1e-2, 1e-1]


def some_steps(n_steps, sizes=(1e-9, 1e-6, 1e-2), seed=0):
    """Rows of each step and their gradients; a column is as large as its size."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(n_steps):
        rows = torch.stack([torch.randperm(N_ROWS, generator=generator)[:4] for _ in RATES])
        size = torch.tensor(sizes, dtype=torch.float64)
        yield rows, size * torch.randn(N_NETWORKS, 4, N_COLUMNS, generator=generator).double()


def start(dtype=torch.float64):
    return torch.linspace(-1, 1, N_NETWORKS * N_ROWS * N_COLUMNS, dtype=dtype).reshape(
        N_NETWORKS, N_ROWS, N_COLUMNS
    )


def all_rows():
    return torch.arange(N_ROWS).expand(N_NETWORKS, N_ROWS)


def run(adam, steps):
    for rows, gradient in steps:
        adam.step(adam.take(rows), gradient)
    return adam.take(all_rows()).values


def run_torch(n_steps):
    """The obvious way: Adam on the whole table, its gradient 0 outside the batch."""
    tables = [table.clone().requires_grad_() for table in start()]
    adam = torch.optim.Adam(
        [{"params": [t], "lr": rate} for t, rate in zip(tables, RATES, strict=True)]
    )
    for rows, gradient in some_steps(n_steps):
        for table, own, at in zip(tables, rows, gradient, strict=True):
            table.grad = torch.zeros_like(table)
            table.grad[own] = at
        adam.step()
    return torch.stack(tables).detach()


@pytest.mark.parametrize("n_steps", [1, 2, 7, 60, 500])
def test_dense_is_torchs_adam(n_steps):
    ours = run(DenseAdam(start(), RATES), some_steps(n_steps))
    torch.testing.assert_close(ours, run_torch(n_steps), rtol=0, atol=1e-6)


def test_dense_in_single_precision():
    steps = [(rows, gradient.float()) for rows, gradient in some_steps(300)]
    ours = run(DenseAdam(start(torch.float32), RATES), steps)
    torch.testing.assert_close(ours.double(), run_torch(300), rtol=0, atol=2e-5)


def test_dense_moves_rows_at_every_moment():
    adam, seen = DenseAdam(start(), RATES), []
    (rows, gradient), *others = some_steps(30)
    adam.step(adam.take(rows), gradient)
    for _, nothing in others:
        seen.append(adam.take(rows).values)
        adam.step(adam.take((rows + 1) % N_ROWS), 0 * nothing)
    assert all((later != earlier).all() for earlier, later in pairwise(seen))


def test_lazy_is_torchs_sparse_adam():
    tables = [table.clone().requires_grad_() for table in start()]
    adams = [
        torch.optim.SparseAdam([table], lr=rate) for table, rate in zip(tables, RATES, strict=True)
    ]
    steps = list(some_steps(50, sizes=(1e4, 1e5, 1e6)))  # large: ε is added at another place
    for rows, gradient in steps:
        for table, adam, own, at in zip(tables, adams, rows, gradient, strict=True):
            table.grad = torch.sparse_coo_tensor(own[None], at, table.shape, check_invariants=True)
            adam.step()
    ours = run(LazyAdam(start(), RATES), steps)
    torch.testing.assert_close(ours, torch.stack(tables).detach(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", [LazyAdam, DenseAdam])
def test_state_put_back_goes_on_alike(kind):
    steps = list(some_steps(40))
    through = run(kind(start(), RATES), steps)
    first, second = kind(start(), RATES), kind(torch.zeros_like(start()), RATES)
    run(first, steps[:25])
    second.restore({name: tensor.clone() for name, tensor in first.state().items()})
    assert torch.equal(run(second, steps[25:]), through)


@given(now=st.integers(1, 10**5), size=st.floats(1e-12, 1e3))
def test_the_short_sum_is_the_long_one(now, size):
    steps = np.arange(1, 600)
    each = 0.9**steps / (1 - 0.9 ** (now + steps))
    each /= size * np.sqrt(0.999**steps / (1 - 0.999 ** (now + steps))) + 1e-8
    square = torch.tensor([size**2], dtype=torch.float64)
    found = moves_ahead(torch.ones(1, dtype=torch.float64), square, now)
    assert found.item() == pytest.approx(each.sum(), rel=1e-6)


@given(degree=st.integers(0, 7), n_exact=st.integers(0, 5))
def test_the_rule_is_exact_for_polynomials(degree, n_exact):
    steps, weights = decaying_sum(0.9, n_exact=n_exact, n_nodes=4)
    j = np.arange(1, 1500.0)
    assert weights @ steps**degree == pytest.approx((0.9**j * j**degree).sum(), rel=1e-9)
