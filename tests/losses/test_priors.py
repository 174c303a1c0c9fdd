"""CRISP's estimate of how often a label is true."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lamc import losses

from . import twins


@st.composite
def scored(draw):
    """Scores, often tied, and positives: of some labels many, of some none."""
    n, k = draw(st.integers(1, 40)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    scores = rng.random((n, k))
    if draw(st.booleans()):
        scores = scores.round(1)
    return scores, rng.random((n, k)) < draw(st.sampled_from([0.0, 0.05, 0.3, 1.0]))


@given(scored(), st.sampled_from([(0.01, 0.01), (0.5, 0.0), (0.9, 1.0)]))
def test_it_is_the_best_of_all_thresholds(case, levels):
    scores, o = case
    delta, tau = levels
    found = losses.crisp_priors(torch.tensor(scores), torch.tensor(o), delta=delta, tau=tau)
    np.testing.assert_allclose(found, twins.crisp_priors(scores, o, delta, tau), rtol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_it_is_exactly_what_looking_up_each_row_gives(dtype):
    """Labels from frequent to never observed, and in the shorter types many ties."""
    rng = np.random.default_rng(0)
    scores = torch.tensor(rng.random((700, 40))).to(dtype)
    often = np.r_[1 / np.arange(1, 40), 0]
    index = torch.tensor(rng.choice(40, size=700, p=often / often.sum()))
    found = losses.crisp_priors(scores, index)
    assert found.dtype == dtype
    matrix = torch.nn.functional.one_hot(index, 40).bool()
    assert torch.equal(found, twins.crisp_priors_by_levels(scores, matrix))


@given(scored())
def test_it_lies_between_what_was_seen_and_1(case):
    scores, o = case
    found = losses.crisp_priors(torch.tensor(scores), torch.tensor(o)).numpy()
    assert (found >= o.mean(axis=0) - 1e-12).all()
    assert (found <= 1 + 1e-12).all()
    assert (found[~o.any(axis=0)] == 0).all()


def test_only_the_order_of_scores_counts():
    rng = np.random.default_rng(0)
    logits, index = torch.tensor(rng.normal(size=(200, 4))), torch.tensor(rng.integers(4, size=200))
    torch.testing.assert_close(
        losses.crisp_priors(logits, index), losses.crisp_priors(logits.sigmoid(), index)
    )


def test_an_index_or_a_matrix_and_stacked_models_give_the_same():
    rng = np.random.default_rng(0)
    scores = torch.tensor(rng.random((3, 60, 4)), dtype=torch.float32)
    index = torch.tensor(rng.integers(4, size=(3, 60)))
    matrix = torch.nn.functional.one_hot(index, 4)
    together = losses.crisp_priors(scores, index)
    assert together.shape == (3, 4)
    assert together.dtype == torch.float32
    assert torch.equal(together, losses.crisp_priors(scores, matrix))
    for model in range(3):
        assert torch.equal(together[model], losses.crisp_priors(scores[model], index[model]))


def test_it_finds_the_prior_where_true_rows_lead_the_ranking():
    """Scores above 0.5 belong to true rows only, which half of them reach.

    But with probability δ = 0.01, |q̂ − q| ≤ a = √(ln(4/δ)/2n) and |p̂ − p| ≤ b = √(ln(4/δ)/2m)
    at all thresholds. At 0.5, where q = π p, the bound that is minimised is then at most
    π + (2 + τ) d / p̂ with d = a + b, and no estimate exceeds its bound. Below, q ≥ π p everywhere,
    so the estimate is at least π − (a + π b) / p̂(ẑ); and as the bound at ẑ is no larger than at
    0.5, (1 − π) b / p̂(ẑ) ≤ (2 + τ) d / p̂, which makes that π − 2 d / p̂ for the a and b here.
    """
    rng = np.random.default_rng(0)
    n, prior = 100_000, 0.3
    true = rng.random(n) < prior
    scores = np.where(true, rng.random(n), 0.5 * rng.random(n))
    seen = true & (rng.random(n) < 0.5)
    found = losses.crisp_priors(torch.tensor(scores[:, None]), torch.tensor(seen[:, None])).item()
    doubt = np.sqrt(np.log(400) / 2) * (n**-0.5 + seen.sum() ** -0.5)
    assert abs(found - prior) <= 2.01 * doubt / (scores[seen] >= 0.5).mean()


@pytest.mark.parametrize("delta", [0, 1, -0.1, float("nan")])
def test_a_level_is_a_probability(delta):
    with pytest.raises(ValueError, match=r"delta=.*between 0 and 1"):
        losses.crisp_priors(torch.rand(4, 2), torch.tensor([0, 1, 0, 1]), delta=delta)


def test_scores_that_are_nan_are_refused():
    with pytest.raises(ValueError, match="scores holds NaN"):
        losses.crisp_priors(torch.full((2, 2), torch.nan), torch.tensor([0, 1]))
