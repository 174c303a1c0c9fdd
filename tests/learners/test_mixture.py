"""Mixtures: the most likely weights, and factors that know how much the validation rows tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from lamc import as_labels
from lamc.learners.mixture import as_shares, mixture_weights, reveal_factors


def random_members(seed, n=40, k=5, m=3):
    rng = np.random.default_rng(seed)
    members = [rng.dirichlet(np.ones(k), size=n) for _ in range(m - 1)]
    members.append(np.tile(rng.dirichlet(5 * np.ones(k)), (n, 1)))
    Y = rng.random((n, k)) < 0.4
    Y[np.arange(n), rng.integers(k, size=n)] = True
    return members, Y


def mean_likelihood(weights, members, Y):
    mixed = sum(w * member for w, member in zip(weights, members, strict=True))
    return np.mean([np.log(mixed[i, Y[i]]).mean() for i in range(len(Y))])


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_a_general_optimiser(seed):
    members, Y = random_members(seed)
    found = mixture_weights(members, as_labels(Y, knowledge="all"))
    assert found.sum() == pytest.approx(1)

    def loss(logits):
        weights = np.exp(logits - logits.max())
        return -mean_likelihood(weights / weights.sum(), members, Y)

    best = minimize(loss, np.zeros(len(members)), method="Nelder-Mead", options={"maxiter": 4000})
    assert mean_likelihood(found, members, Y) >= -best.fun - 1e-5


def test_a_member_that_knows_nothing_gets_little():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(0.3 * np.ones(6), size=2000)
    y = np.array([rng.choice(6, p=p) for p in truth])
    noise = rng.dirichlet(np.ones(6), size=2000)
    weights = mixture_weights([truth, noise], as_labels(y, classes=np.arange(6)))
    assert weights[0] > 0.95


def test_labels_that_a_member_thinks_impossible_do_no_harm():
    even, wrong = np.full((3, 2), 0.5), np.eye(2)[[1, 0, 1]]
    assert mixture_weights([even, wrong], as_labels([0, 1, 0])).tolist() == [1, 0]


@given(st.integers(0, 1000))
def test_shares_add_up_to_one_in_every_row(seed):
    scores = np.random.default_rng(seed).random((6, 4)) * (np.arange(6) > 0)[:, None]
    np.testing.assert_allclose(as_shares(scores).sum(axis=1), 1)


def test_factors_undo_a_reveal_that_hides_one_label():
    """Label 0 always comes with two others, so it is shown in a third of its rows."""
    rng = np.random.default_rng(0)
    n = 20_000
    together = rng.random(n) < 0.5
    Y = np.zeros((n, 4), dtype=bool)
    Y[together, :3] = True
    Y[~together, 3] = True
    q = np.tile([1 / 6, 1 / 6, 1 / 6, 1 / 2], (n, 1))  # E[y / |Y|]
    factors = reveal_factors(q, as_labels(Y, knowledge="all"), np.array([10, 10, 10, 30]))
    np.testing.assert_allclose(q[0] * factors, Y.mean(axis=0), rtol=0.02)


def test_factors_trust_training_rows_where_there_are_many_of_them():
    labels = as_labels(np.array([[1, 0], [1, 1], [1, 0]]), knowledge="all")
    q = np.full((3, 2), 0.5)
    mean = 4 / 3
    certain = reveal_factors(q, labels, np.array([10**9, 10**9]))
    np.testing.assert_allclose(certain, mean, rtol=1e-6)
    guess = reveal_factors(q, labels, np.array([0, 0]))
    assert guess[0] > mean > guess[1]


def test_factors_are_the_mean_of_a_gamma_distribution():
    """By numbers: the posterior mean of f under Gamma(c, c) and a Poisson count of mean f·e."""
    f = np.linspace(1e-4, 12, 400_001)
    c, e, v = 4.0, 2.5, 6
    density = f ** (c - 1) * np.exp(-c * f) * f**v * np.exp(-f * e)
    posterior = (f * density).sum() / density.sum()
    Y = np.zeros((10, 2), dtype=bool)
    Y[:v, 0] = True
    Y[:4, 1] = True
    q = np.tile([0.25, 0.75], (10, 1))  # 10 true labels in 10 rows: mean factor 1, e = 2.5 and 7.5
    found = reveal_factors(q, as_labels(Y, knowledge="all"), np.array([3, 3]))
    assert found[0] == pytest.approx(posterior, rel=1e-4)
