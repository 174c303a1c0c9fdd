"""Gradients are those of the formulas, and neither they nor values overflow."""

import numpy as np
import pytest
import torch

from lamc import losses

from .cases import CASES, IDS, batch

every_loss = pytest.mark.parametrize("case", CASES, ids=IDS)


@pytest.mark.parametrize("case", [c for c in CASES if c.frozen is None], ids=lambda c: c.name)
@pytest.mark.parametrize("by", ["index", "matrix"])
def test_gradients_are_those_of_the_values(case, by):
    logits, observed, *more = batch(case, seed=1, several=by == "matrix").tensors(by=by)
    assert torch.autograd.gradcheck(lambda s: case.loss(s, observed, *more), (logits,))


@pytest.mark.parametrize("case", [c for c in CASES if c.frozen is not None], ids=lambda c: c.name)
@pytest.mark.parametrize("by", ["index", "matrix"])
def test_no_gradient_flows_through_what_teaches(case, by):
    given = batch(case, seed=1, several=by == "matrix")
    logits, *rest = given.tensors(by=by)
    case.loss(logits, *rest).backward()
    frozen = case.frozen(given.s, given.o, *given.more)
    step = 1e-5
    for entry in np.ndindex(given.s.shape):
        moved = np.zeros(given.s.shape)
        moved[entry] = step
        slope = (frozen(given.s + moved) - frozen(given.s - moved)) / (2 * step)
        assert logits.grad[entry].item() == pytest.approx(slope, rel=1e-5, abs=1e-9)


def test_both_sides_of_role_learn_alike():
    rng = np.random.default_rng(0)
    f, g = (torch.tensor(x, requires_grad=True) for x in rng.normal(size=(2, 6, 5)))
    index = torch.tensor(rng.integers(5, size=6))
    one = losses.role(f, index, g, expected=1.7)
    other = losses.role(g, index, f, expected=1.7)
    torch.testing.assert_close(one, other)
    there = torch.autograd.grad(one, (f, g))
    back = torch.autograd.grad(other, (f, g))
    torch.testing.assert_close(there, back)


def test_gradients_reach_the_code_of_the_bottleneck():
    mean, log_std = torch.randn(2, 4, 3, dtype=torch.float64, generator=torch.manual_seed(0))
    inputs = (mean.requires_grad_(), log_std.requires_grad_())
    assert torch.autograd.gradcheck(losses.gaussian_kl, inputs)


EXTREMES = [-1e30, -1e4, -100.0, -50.0, -1.0, 0.0, 1.0, 50.0, 100.0, 1e4, 1e30]


@every_loss
@pytest.mark.parametrize("by", ["index", "matrix"])
def test_extreme_logits_give_finite_values_and_gradients(case, by):
    n = len(EXTREMES)
    given = batch(case, shape=(n, n))
    _, observed, *more = given.tensors(by=by, dtype=torch.float32)
    logits = torch.tensor(np.stack([np.roll(EXTREMES, i) for i in range(n)])).float()
    if by == "index":  # every logit is once that of a positive
        observed = torch.arange(n).flip(0)
    logits.requires_grad_()
    loss = case.loss(logits, observed, *more)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(logits.grad).all()


def test_extreme_estimates_of_role_give_finite_values_and_gradients():
    n = len(EXTREMES)
    f, g = (torch.tensor(EXTREMES).repeat(n, 1).requires_grad_() for _ in range(2))
    loss = losses.role(f, torch.arange(n), g.T, expected=1.7)  # every pair of logits
    loss.backward()
    assert all(torch.isfinite(each).all() for each in (loss, f.grad, g.grad))


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 3.0])
def test_a_focus_of_any_power_has_a_slope_at_extreme_logits(gamma):
    logits = torch.tensor([EXTREMES], requires_grad=True)
    everything = torch.ones(logits.shape, dtype=torch.bool)
    for observed in (everything, ~everything):
        splc = losses.splc(logits, observed, epoch=1, gamma=gamma, reduction="sum")
        (slopes,) = torch.autograd.grad(splc, logits)
        assert torch.isfinite(slopes).all()
        assert (slopes < 0 if observed.all() else slopes > 0).any()


@every_loss
def test_single_precision_agrees_with_double_precision(case):
    given = batch(case, spread=6.0, shape=(20, 7))
    single = case.loss(*given.tensors(dtype=torch.float32))
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), case.loss(*given.tensors()), rtol=2e-5, atol=1e-6)


@every_loss
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("by", ["index", "matrix"])
def test_half_precision_stays_finite_and_near(case, dtype, by):
    given = batch(case, shape=(256, 1000))
    logits, observed, *more = given.tensors(by=by, dtype=dtype)
    loss = case.loss(logits, observed, *more)
    assert loss.dtype == dtype
    expected = case.loss(*given.tensors(by=by))
    torch.testing.assert_close(loss.double(), expected, rtol=0.05, atol=1e-3)
    loss.backward()
    assert torch.isfinite(logits.grad).all()


@every_loss
@pytest.mark.parametrize("by", ["index", "matrix"])
def test_mixed_precision_has_logits_shorter_than_what_stands_beside_them(case, by):
    given = batch(case, shape=(64, 20))
    logits, observed, *_ = given.tensors(by=by, dtype=torch.bfloat16)
    _, _, *more = given.tensors(by=by, dtype=torch.float32)
    loss = case.loss(logits, observed, *more)
    torch.testing.assert_close(
        loss.double(), case.loss(*given.tensors(by=by)), rtol=0.05, atol=1e-2
    )
    loss.backward()
    assert torch.isfinite(logits.grad).all()


def test_costs_are_exact_far_out():
    s = np.array([[-1e4, -30.0, 19.0, 25.0, 39.0, 45.0]])
    logits, everything = torch.tensor(s), torch.ones(s.shape, dtype=torch.bool)
    np.testing.assert_allclose(
        losses.an(logits, everything, reduction="none"), np.logaddexp(0, -s), rtol=1e-14
    )
    np.testing.assert_allclose(
        losses.an(logits, ~everything, reduction="none"), np.logaddexp(0, s), rtol=1e-14
    )


@pytest.mark.parametrize(
    ("dtype", "close"), [(torch.float32, 1e-5), (torch.bfloat16, 0.03), (torch.float16, 0.005)]
)
def test_the_slope_of_the_entropy_is_not_lost_for_large_logits(dtype, close):
    s = torch.tensor([-9.0, -6, -1, 1, 6, 7, 9])
    logits = torch.cat([torch.zeros(1), s]).to(dtype)[None].requires_grad_()
    unknown = torch.full_like(logits, torch.nan)
    f = s.double().sigmoid()
    expected = s.double() * f * (1 - f)
    for loss in (
        losses.em(logits, torch.tensor([0]), alpha=1.0, reduction="sum"),
        losses.em_apl(logits, torch.tensor([0]), unknown, alpha=1.0, reduction="sum"),
    ):
        (found,) = torch.autograd.grad(loss, logits)
        torch.testing.assert_close(found[0, 1:].double(), expected, rtol=close, atol=0)
