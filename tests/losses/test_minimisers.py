"""Where the losses are smallest, with r the probability that a label is the observed one."""

import pytest
import torch

from lamc import losses

# A population of one input: each label is the observed one in a share r of its rows.
R = torch.tensor([0.01, 0.04, 0.1, 0.25, 0.6], dtype=torch.float64)
EACH = torch.arange(len(R))


def minimise(loss):
    """Logits that minimise the mean of ``loss(logits, observed)``, one part a row, over rows."""
    s = torch.zeros(len(R), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [s], max_iter=500, tolerance_grad=1e-12, tolerance_change=0, line_search_fn="strong_wolfe"
    )

    def closure():
        optimiser.zero_grad()
        parts = loss(s.expand(len(R), len(R)), EACH)
        risk = (R * parts.reshape(len(R), -1).sum(1)).sum()
        risk.backward()
        return risk

    optimiser.step(closure)
    return s.detach()


def same(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


def test_an_estimates_the_chance_to_be_observed():
    same(minimise(lambda s, o: losses.an(s, o, reduction="none")).sigmoid(), R)


@pytest.mark.parametrize("eps", [0.1, 0.25])
def test_an_ls_draws_it_towards_a_half(eps):
    found = minimise(lambda s, o: losses.an_ls(s, o, smoothing=eps, reduction="none"))
    same(found.sigmoid(), eps + (1 - 2 * eps) * R)


@pytest.mark.parametrize("weight", [None, 0.3])
def test_wan_raises_it(weight):
    found = minimise(lambda s, o: losses.wan(s, o, weight=weight, reduction="none"))
    same(found.sigmoid(), R / (R + (1 - R) * (weight or 1 / (len(R) - 1))))


@pytest.mark.parametrize(("a", "b", "weight"), [(1.0, 0.0, None), (0.73, 0.26, 0.1)])
def test_soft_targets_are_averaged_with_their_weights(a, b, weight):
    targets = torch.where(torch.eye(len(R), dtype=torch.bool), a, b).double()
    found = minimise(
        lambda s, o: losses.soft_target(s, o, targets, weight=weight, reduction="none")
    )
    rho = weight or 1 / (len(R) - 1)
    same(found.sigmoid(), (R * a + (1 - R) * rho * b) / (R + (1 - R) * rho))


@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.2])
def test_em_solves_its_equation_and_is_never_below_a_half(alpha):
    s = minimise(lambda s, o: losses.em(s, o, alpha=alpha, reduction="none"))
    f = s.sigmoid()
    expected = R / (alpha * (1 - R))
    near = expected < 16  # beyond, the loss is too flat for an optimiser to get there
    same((f * s)[near], expected[near])
    assert (f >= 0.5).all()
    rare = {0.01: 0.784, 0.1: 0.546, 0.2: 0.524}[alpha]  # at r = 0.01
    assert f[0].item() == pytest.approx(rare, abs=5e-4)


def test_pseudo_labels_stand_for_the_entries_not_observed():
    pseudo = torch.full((len(R), len(R)), 0.05, dtype=torch.float64)
    found = minimise(lambda s, o: losses.em_apl(s, o, pseudo, beta=0.4, reduction="none"))
    same(found.sigmoid(), (R + (1 - R) * 0.4 * 0.05) / (R + (1 - R) * 0.4))


def test_softmax_estimates_the_chance_to_be_observed():
    same(minimise(lambda s, o: losses.softmax(s, o, reduction="none")).softmax(0), R)


def test_all_rank_labels_alike():
    for loss in (losses.an, losses.an_ls, losses.wan, losses.em):
        found = minimise(lambda s, o, loss=loss: loss(s, o, reduction="none"))
        assert found.argsort().tolist() == R.argsort().tolist()
