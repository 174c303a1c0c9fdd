"""The enhancer's gradients, written by hand, are those of its loss over the whole graph."""

import numpy as np
import pytest
import torch
from scipy import stats
from torch.nn import functional

from lamc.learners.enhancement import (
    Enhancer,
    Terms,
    at_chances,
    at_linking,
    n_parameters,
    start,
)
from lamc.learners.enhancement_networks import Rebuilder
from lamc.learners.method import Group, Step
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import DenseRows
from lamc.learners.stack import Shape

N, SEEDS, EPOCH = 60, [1, 2, 3], 2
SHAPE = Shape(features=7, hidden=4, labels=5)
GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(N, SHAPE.features, generator=GENERATOR, dtype=torch.float64)
OBSERVED = torch.randint(SHAPE.labels, (N,), generator=GENERATOR)
ROWS = torch.stack([torch.randperm(N, generator=GENERATOR)[:16] for _ in SEEDS])
CHOSE = torch.cdist(X, X).fill_diagonal_(torch.inf).argsort(1)[:, :3]
A = torch.zeros(N, N, dtype=torch.float64).scatter_(1, CHOSE, 1.0)
HEARS = A.T / (3 * A.sum(0).clamp_min(1)).sqrt()[:, None]


def enhancer(terms, rows=X):
    observed = OneLabelEach(OBSERVED, SHAPE.labels)
    found = Enhancer(Group(SEEDS, [1e-2] * 3, SHAPE, DenseRows(rows), observed, epochs=3), 3, terms)
    found.begin(EPOCH)
    return found


def quantiles(d, seed):
    """What is drawn from Beta(d, 1 − d), with slopes from differences."""
    chances = np.random.default_rng([seed, 5, EPOCH]).random(d.shape, dtype=np.float32)
    a, step = d.detach().numpy(), 1e-6
    at, up, down = (stats.beta.ppf(chances, a + s, 1 - a - s) for s in (0, step, -step))
    return torch.from_numpy(at) + torch.from_numpy((up - down) / (2 * step)) * (d - d.detach())


def whole_loss(w, rows, o, terms, seed):
    """Estimates and loss of one network as its formula is written, over the whole graph."""
    hidden = (HEARS @ X @ w[0] + w[1]).relu()
    d = ((HEARS @ hidden @ w[2] + w[3]) @ w[4] + w[5]).sigmoid()[rows]
    y, x = quantiles(d, seed), X[rows]
    z = (torch.cat([x, d], 1) @ w[6] + w[7]).relu() @ w[8] + w[9]
    rebuilt = (torch.cat([d, z], 1) @ w[10] + w[11]).relu() @ w[12] + w[13]
    slopes = (d - 1) * d.digamma() - d * (1 - d).digamma()
    gammas = d.lgamma() + (1 - d).lgamma()
    divergence = slopes + gammas if terms.kl == "published" else slopes - gammas
    found = y @ y.T / (SHAPE.labels if terms.links == "normalised" else 1)
    shown = -(o * (y + 1e-5).log() + (1 - o) * (1 - y + 1e-5).log()).mean()
    linked = functional.mse_loss(found, A[rows][:, rows])
    fitted = functional.mse_loss(rebuilt, x) + shown + linked
    seen = functional.binary_cross_entropy(d, o)
    return d, seen + terms.gamma * fitted + terms.delta * divergence.mean()


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(
    ("kl", "links"),
    [("published", "published"), ("correct", "published"), ("correct", "normalised")],
)
def test_gradients_are_those_of_the_loss_over_the_whole_graph(kl, links, several):
    terms = Terms(gamma=0.3, delta=0.7, kl=kl, links=links)
    matrix = functional.one_hot(OBSERVED, SHAPE.labels).bool()
    if several:
        matrix[::4, 2] = True
    ours = enhancer(terms)
    observed = matrix if several else OBSERVED
    d = ours.collect(Step(ROWS, observed[ROWS], EPOCH))
    for m, seed in enumerate(SEEDS):
        w = [each[m].clone().requires_grad_() for each in ours.weights]
        expected, loss = whole_loss(w, ROWS[m], matrix[ROWS[m]].double(), terms, seed)
        torch.testing.assert_close(d[m], expected.detach(), rtol=0, atol=1e-12)
        for mine, other in zip(ours.gradients, torch.autograd.grad(loss, w), strict=True):
            torch.testing.assert_close(mine[m], other, rtol=1e-6, atol=1e-8)


def test_single_precision_is_near_double_precision():
    terms = Terms(gamma=0.3, delta=0.7, kl="published", links="published")
    step = Step(ROWS, OBSERVED[ROWS], EPOCH)
    exact, rough = enhancer(terms), enhancer(terms, rows=X.float())
    torch.testing.assert_close(rough.collect(step).double(), exact.collect(step), rtol=0, atol=1e-5)
    for mine, other in zip(rough.gradients, exact.gradients, strict=True):
        torch.testing.assert_close(mine.double(), other, rtol=1e-4, atol=1e-5)


def test_rebuilding_by_autograd():
    sizes = [(12, 4), (1, 4), (4, 3), (1, 3), (8, 7), (1, 7), (7, 7), (1, 7)]
    drawn = [torch.randn(2, *size, generator=GENERATOR, dtype=torch.float64) for size in sizes]
    leaves = [weight.clone().requires_grad_() for weight in drawn]
    x, d, toll = (torch.randn(2, 6, n, generator=GENERATOR).double() for n in (7, 5, 7))
    d.requires_grad_()
    V1, c1, V2, c2, D1, e1, D2, e2 = leaves
    z = (torch.cat([x, d], 2) @ V1 + c1).relu() @ V2 + c2
    expected = (torch.cat([d, z], 2) @ D1 + e1).relu() @ D2 + e2
    *theirs, at_d = torch.autograd.grad((expected * toll).sum(), [*leaves, d])
    rebuilder = Rebuilder(drawn, [torch.full_like(weight, torch.nan) for weight in drawn])
    torch.testing.assert_close(rebuilder.rows(x, d.detach()), expected)
    torch.testing.assert_close(rebuilder.backward(toll), at_d)
    for mine, other in zip(rebuilder.gradients, theirs, strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize("links", ["published", "normalised"])
def test_terms_of_drawn_labels_by_autograd(links):
    y = torch.rand(2, 3, 5, generator=GENERATOR, dtype=torch.float64).requires_grad_()
    linked = torch.tensor([[0.0, 1, 0], [0, 0, 1], [1, 1, 0]]).double().expand(2, 3, 3)
    seen = torch.rand(2, 3, 5, generator=GENERATOR) < 0.3
    shown = -torch.where(seen, (y + 1e-5).log(), (1 - y + 1e-5).log()).mean((1, 2))
    found = y @ y.mT / (5 if links == "normalised" else 1)
    distance = (found - linked).square().mean((1, 2))
    at_shown = torch.autograd.grad(shown.sum(), y, retain_graph=True)[0]
    np.testing.assert_allclose(at_chances(y.detach().numpy(), seen.numpy()), at_shown, rtol=1e-7)
    at_distance = torch.autograd.grad(distance.sum(), y)[0]
    torch.testing.assert_close(at_linking(y.detach(), linked, links), at_distance)


def test_labels_drawn_as_0_or_1_have_finite_gradients():
    y, seen = np.array([[[0.0, 1.0, 0.0, 1.0]]]), np.array([[[True, True, False, False]]])
    assert np.isfinite(at_chances(y, seen)).all()


def test_a_step_moves_all_weights_from_where_they_start():
    ours = enhancer(Terms(gamma=0.3, delta=0.7, kl="published", links="published"))
    assert sum(weight[0].numel() for weight in ours.weights) == n_parameters(SHAPE)
    for m, seed in enumerate(SEEDS):
        for weight, drawn in zip(ours.weights, start(SHAPE, seed), strict=True):
            np.testing.assert_array_equal(weight[m].float().numpy(), drawn)
    before = [weight.clone() for weight in ours.weights]
    ours.step(Step(ROWS, OBSERVED[ROWS], EPOCH))
    assert all((weight != old).any() for weight, old in zip(ours.weights, before, strict=True))
