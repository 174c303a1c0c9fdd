"""The gradients written by hand are autograd's, and a network is the same in any company."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lamc import losses
from lamc.learners import rows as rows_module
from lamc.learners.bottleneck import BottleneckStack
from lamc.learners.rows import as_rows
from lamc.learners.stack import LINE, LONG, Shape, Stack

SHAPE = Shape(features=5, hidden=7, labels=4)
WIDE = Shape(features=5, hidden=LONG + 1, labels=LONG + 2)  # rows of weights are padded
SEEDS = [3, 1, 8]
KEEP = torch.rand(3, 6, 7, generator=torch.Generator().manual_seed(0)).gt(0.3) / 0.7


def batch(monkeypatch, kind, n_labels=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5)) * (rng.random((20, 5)) < 0.6)
    chosen = torch.from_numpy(rng.integers(20, size=(3, 6)))
    monkeypatch.setattr(rows_module, "DENSE_BYTES", 0)
    rows = as_rows(sparse.csr_array(X) if kind == "sparse" else X, "cpu")
    x = torch.from_numpy(X.astype(np.float32))[chosen]
    observed = torch.from_numpy(rng.integers(n_labels, size=(3, 6)))
    return rows.take(chosen), x, observed


def at_logits(logits, observed):
    leaf = logits.detach().requires_grad_()
    return torch.autograd.grad(losses.wan(leaf, observed).sum(), leaf)[0]


def assert_gradients(stack, loss, leaves):
    for found, expected in zip(stack.gradients, torch.autograd.grad(loss, leaves), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("shape", "keep"),
    [(SHAPE, None), (SHAPE, KEEP), (WIDE, None)],
    ids=["plain", "dropout", "wide"],
)
def test_gradients_are_autograds(monkeypatch, kind, shape, keep):
    taken, x, observed = batch(monkeypatch, kind, shape.labels)
    stack = Stack(shape, SEEDS)
    W1, b1, W2, b2 = leaves = [w.clone().requires_grad_() for w in stack.weights]
    hidden = torch.relu(x @ W1 + b1) * (1 if keep is None else keep)
    expected = hidden @ W2 + b2
    logits = stack.logits(taken, keep)
    torch.testing.assert_close(logits, expected)
    stack.backward(at_logits(logits, observed))
    assert_gradients(stack, losses.wan(expected, observed).sum(), leaves)


@pytest.mark.parametrize("keep", [None, KEEP], ids=["", "dropout"])
def test_gradients_of_networks_with_a_code_are_autograds(monkeypatch, keep):
    taken, x, observed = batch(monkeypatch, "dense")
    stack = BottleneckStack(SHAPE, SEEDS, code_size=3, kl_weight=0.2)
    stack.begin(epoch=2)
    logits = stack.logits(taken, keep)
    W1, b1, V, c, W2, b2 = leaves = [w.clone().requires_grad_() for w in stack.weights]
    hidden = torch.relu(x @ W1 + b1) * (1 if keep is None else keep)
    mean, raw = (hidden @ V + c).split(3, dim=-1)
    std = torch.nn.functional.softplus(raw - 5)
    draws = [np.random.default_rng([seed, 3, 2]).standard_normal((6, 3), "f4") for seed in SEEDS]
    noise = torch.from_numpy(np.stack(draws)) / 10**0.5
    expected = (mean + std * noise) @ W2 + b2
    torch.testing.assert_close(logits, expected)
    stack.backward(at_logits(logits, observed))
    loss = losses.wan(expected, observed).sum() + 0.2 * losses.gaussian_kl(mean, std.log()).sum()
    assert_gradients(stack, loss, leaves)


def test_draws_of_a_code_have_a_tenth_of_the_variance():
    stack = BottleneckStack(Shape(1, 1, 2), [0], code_size=1000, kl_weight=0)
    stack.begin(epoch=1)
    noise = stack._draw(100)
    # The variance of 100,000 draws is off by √(2 / 100,000) = .45 % in the usual case.
    assert float(noise.var()) == pytest.approx(0.1, rel=0.02)
    assert float(noise.mean()) == pytest.approx(0, abs=0.005)


@pytest.mark.parametrize(
    "make",
    [Stack, lambda shape, seeds: BottleneckStack(shape, seeds, code_size=3, kl_weight=0.1)],
    ids=["plain", "code"],
)
def test_a_network_starts_alike_by_itself_and_in_any_stack(make):
    together, alone = make(SHAPE, SEEDS), make(SHAPE, [1])
    for stacked, single in zip(together.weights, alone.weights, strict=True):
        assert torch.equal(stacked[1], single[0])
        assert not torch.equal(stacked[0], stacked[1])


def test_long_rows_begin_with_a_line_of_the_cache_and_end_with_zeros(monkeypatch):
    taken, _, observed = batch(monkeypatch, "dense", WIDE.labels)
    stack = Stack(WIDE, SEEDS)
    stack.backward(at_logits(stack.logits(taken), observed))
    held = stack.held_weights + stack.held_gradients
    for whole, part in zip(held, stack.weights + stack.gradients, strict=True):
        assert whole.shape[-1] == LONG + LINE
        assert whole.is_contiguous()
        assert torch.equal(whole[..., : part.shape[-1]], part)
        assert not whole[..., part.shape[-1] :].any()
    small = Stack(SHAPE, SEEDS)
    assert [w.shape for w in small.held_weights] == [w.shape for w in small.weights]


def test_starts_are_uniform_as_in_torch():
    W1, b1, W2, b2 = Stack(Shape(100, 400, 50), [0]).weights
    for weight, inputs in ((W1, 100), (b1, 100), (W2, 400), (b2, 400)):
        bound = inputs**-0.5
        assert float(weight.abs().max()) <= bound
        assert float(weight.std()) == pytest.approx(bound / 3**0.5, rel=0.15)


def test_scores_are_those_of_the_logits_in_parts_too(monkeypatch):
    monkeypatch.setattr("lamc.learners.rows.ROWS_AT_ONCE", 3)
    rows = as_rows(np.random.default_rng(0).normal(size=(10, 5)), "cpu")
    stack = Stack(SHAPE, SEEDS)
    everything = torch.arange(10).expand(3, 10)
    expected = torch.sigmoid(stack.logits(rows.take(everything)))
    torch.testing.assert_close(stack.scores(rows, torch.sigmoid), expected)


def test_the_number_of_parameters():
    assert SHAPE.parameters == sum(w[0].numel() for w in Stack(SHAPE, [0]).weights)
