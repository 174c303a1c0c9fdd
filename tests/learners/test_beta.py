"""Draws from Beta(d, 1 − d) are SciPy's quantiles, their slopes and the divergence's are exact."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from torch.distributions import Beta, kl_divergence

from lamc.learners.beta import alternating_weights, draw, kl_slope

inside = st.floats(1e-3, 1 - 1e-3)
RNG = np.random.default_rng(0)
SHAPES = RNG.uniform(0.01, 0.99, (3, 40, 7))
CHANCES = RNG.random(SHAPES.shape)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_draws_are_quantiles(dtype):
    d, chances = SHAPES.astype(dtype), CHANCES.astype(dtype)
    found = draw(d, chances).logits
    assert found.dtype == dtype
    expected = stats.beta.ppf(chances.astype(float), d.astype(float), 1 - d.astype(float))
    np.testing.assert_allclose(special.expit(found), expected, atol=1e-5)


@given(d=inside, chance=inside)
def test_a_draw_has_the_chance_it_was_drawn_by(d, chance):
    logit = draw(np.array([d]), np.array([chance])).logits[0]
    if logit > 0:  # where the draw is near 1, its distance from 1 tells more
        logit, d, chance = -logit, 1 - d, 1 - chance
    y = special.expit(logit)
    if y > 1e-300:
        assert stats.beta.cdf(y, d, 1 - d) == pytest.approx(chance, rel=1e-6, abs=1e-7)


@given(d=inside, chance=inside)
def test_turned_round(d, chance):
    one, other = (draw(np.array([a]), np.array([c])) for a, c in ((d, chance), (1 - d, 1 - chance)))
    assert one.logits[0] == pytest.approx(-other.logits[0], rel=1e-5, abs=1e-6)
    assert one.slopes[0] == pytest.approx(other.slopes[0], rel=1e-4)


def test_slopes_are_those_of_quantiles():
    drawn, step = draw(SHAPES, CHANCES), 1e-6
    y = special.expit(drawn.logits)
    up, down = (stats.beta.ppf(CHANCES, SHAPES + s, 1 - SHAPES - s) for s in (step, -step))
    np.testing.assert_allclose(
        drawn.slopes * y * (1 - y), (up - down) / (2 * step), rtol=1e-4, atol=1e-5
    )


def test_slopes_are_those_of_torchs_draws():
    """Torch's gradients are approximations, to about a thousandth."""
    d = torch.from_numpy(SHAPES).requires_grad_()
    drawn = Beta(d, 1 - d).rsample()
    chances = stats.beta.cdf(drawn.detach().numpy(), SHAPES, 1 - SHAPES)
    usual = (chances > 1e-3) & (chances < 1 - 1e-3)
    theirs = torch.autograd.grad(drawn.sum(), d)[0].numpy()
    y = drawn.detach().numpy()
    ours = draw(SHAPES, chances.clip(1e-3, 1 - 1e-3)).slopes * y * (1 - y)
    np.testing.assert_allclose(ours[usual], theirs[usual], rtol=1e-2, atol=1e-3)


def test_draws_on_both_sides_of_one_half_meet_there():
    """The side is told by a polynomial; where it is off, the draw is cut at one half."""
    d = np.linspace(1e-3, 1 - 1e-3, 999)
    half = stats.beta.cdf(0.5, d, 1 - d)
    for chances in (half - 1e-6, half, half + 1e-6):
        found = special.expit(draw(d, chances).logits)
        np.testing.assert_allclose(stats.beta.cdf(found, d, 1 - d), chances, atol=1e-7)


def test_extreme_estimates_give_finite_draws():
    d = np.array([1e-5, 1e-5, 1 - 1e-5, 1 - 1e-5, 0.5, 0.5], dtype=np.float32)
    chances = np.array([2**-25, 1 - 2**-24, 2**-25, 1 - 2**-24] * 2, dtype=np.float32)[:6]
    drawn = draw(d, chances)
    assert np.isfinite(drawn.logits).all()
    assert np.isfinite(drawn.slopes).all()


def test_the_correct_divergence_is_torchs():
    d = torch.linspace(0.01, 0.99, 50, dtype=torch.float64, requires_grad=True)
    ones = torch.ones_like(d)
    divergence = kl_divergence(Beta(d, 1 - d), Beta(ones, ones))
    expected = torch.autograd.grad(divergence.sum(), d)[0]
    torch.testing.assert_close(kl_slope(d.detach(), "correct"), expected, rtol=1e-8, atol=1e-8)


def test_the_published_divergence_has_two_signs_reversed():
    d = torch.linspace(0.01, 0.99, 50, dtype=torch.float64, requires_grad=True)
    gammas = 2 * (d.lgamma() + (1 - d).lgamma())
    expected = torch.autograd.grad(gammas.sum(), d)[0]
    found = kl_slope(d.detach(), "published") - kl_slope(d.detach(), "correct")
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8)


def test_the_published_divergence_pins_estimates():
    """Together with AN of a label that is never or always observed, at .460 and .540."""
    d = torch.linspace(0.001, 0.999, 999, dtype=torch.float64)
    slope = kl_slope(d, "published")
    assert d[(slope + 1 / (1 - d)).abs().argmin()].item() == pytest.approx(0.460, abs=2e-3)
    assert d[(slope - 1 / d).abs().argmin()].item() == pytest.approx(0.540, abs=2e-3)


@pytest.mark.parametrize(("n", "near"), [(5, 1e-3), (10, 1e-7), (15, 1e-11)])
def test_weights_of_alternating_sums(n, near):
    a = np.linspace(0.05, 1, 20)
    terms = 1 / np.add.outer(np.arange(n), a)
    expected = (special.digamma((a + 1) / 2) - special.digamma(a / 2)) / 2
    np.testing.assert_allclose(alternating_weights(n) @ terms, expected, rtol=near)
