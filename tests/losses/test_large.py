"""Large losses: how many, which, and never those of observed labels."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lamc import losses

from . import twins

SCHEMES = ["reject", "correct-temporarily", "correct-permanently"]
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def batch(seed, shape, share=0.2):
    rng = np.random.default_rng(seed)
    o = rng.random(shape) < share
    return rng.normal(0, 3, shape), o


@every_scheme
def test_the_first_epoch_is_an(scheme):
    s, o = map(torch.tensor, batch(0, (6, 5)))
    loss, large = losses.large_loss(s, o, epoch=1, scheme=scheme, delta=0.3)
    torch.testing.assert_close(loss, losses.an(s, o))
    assert not large.any()


@every_scheme
@given(
    seed=st.integers(0, 999),
    shape=st.tuples(st.integers(1, 8), st.integers(1, 8)),
    epoch=st.integers(1, 30),
    delta=st.sampled_from([0.0, 0.002, 0.05, 0.3, 1.0]),
    share=st.sampled_from([0.0, 0.2, 0.9, 1.0]),
)
def test_the_largest_are_those_a_sort_finds(scheme, seed, shape, epoch, delta, share):
    s, o = batch(seed, shape, share)
    entries, expected = twins.large_loss(s, o, epoch, scheme, delta)
    found = losses.large_loss(
        torch.tensor(s),
        torch.tensor(o),
        epoch=epoch,
        scheme=scheme,
        delta=delta,
        reduction="none",
    )
    assert (found.large.numpy() == expected).all()
    np.testing.assert_allclose(found.loss, entries, rtol=1e-9, atol=1e-12)


@every_scheme
def test_the_order_of_tensors_in_memory_does_not_matter(scheme):
    s, o = map(torch.tensor, batch(2, (6, 5)))
    settings = {"epoch": 3, "scheme": scheme, "delta": 0.1}
    expected = losses.large_loss(s, o, **settings)
    assert expected.large.any()
    for turned in ((s, o.T.contiguous().T), (s.T.contiguous().T, o)):
        found = losses.large_loss(*turned, **settings)
        assert torch.equal(found.large, expected.large)
        torch.testing.assert_close(found.loss, expected.loss)


@every_scheme
def test_observed_labels_are_never_touched_however_many_are_asked_for(scheme):
    s, o = map(torch.tensor, batch(1, (3, 6, 5)))
    found = losses.large_loss(s, o, epoch=50, scheme=scheme, delta=1.0, reduction="none")
    assert (found.large == ~o).all()
    torch.testing.assert_close(found.loss[o], losses.an(s, o, reduction="none")[o])


@pytest.mark.parametrize(("scheme", "steps"), [*zip(SCHEMES, (3, 3, 1), strict=True)])
@pytest.mark.parametrize("delta", ["0.002", "0.004", "0.07", "0.29"])
def test_exactly_the_stated_number_is_large_in_each_model(scheme, steps, delta):
    tied, index = torch.zeros(2, 10, 10), torch.zeros(2, 10, dtype=torch.int64)
    found = losses.large_loss(tied, index, epoch=4, scheme=scheme, delta=float(delta))
    wanted = math.ceil(100 * steps * Fraction(delta))
    assert found.large.sum((-2, -1)).tolist() == [wanted, wanted]


def test_permanent_corrections_written_back_are_observed_labels_from_then_on():
    s, o = map(torch.tensor, batch(2, (8, 6)))
    options = {"scheme": "correct-permanently", "delta": 0.1}
    first = losses.large_loss(s, o, epoch=2, **options)
    assert first.large.sum() == math.ceil(4.8)
    torch.testing.assert_close(first.loss, losses.an(s, o | first.large))
    second = losses.large_loss(s, o | first.large, epoch=3, **options)
    assert second.large.sum() == math.ceil(4.8)
    assert not (first.large & second.large).any()


def test_rejected_entries_have_no_gradient_and_corrected_ones_the_opposite():
    s, o = map(torch.tensor, batch(3, (8, 6)))
    s.requires_grad_()
    (plain,) = torch.autograd.grad(losses.an(s, o), s)
    rejected = losses.large_loss(s, o, epoch=2, delta=0.1)
    (gradient,) = torch.autograd.grad(rejected.loss, s)
    large = rejected.large
    assert (gradient[large] == 0).all()
    torch.testing.assert_close(gradient[~large], plain[~large])
    corrected = losses.large_loss(s, o, epoch=2, delta=0.1, scheme="correct-temporarily")
    assert (corrected.large == large).all()
    (gradient,) = torch.autograd.grad(corrected.loss, s)
    torch.testing.assert_close(gradient[large], plain[large] - 1 / s.numel())
    torch.testing.assert_close(gradient[~large], plain[~large])
