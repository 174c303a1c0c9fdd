"""Pools: the most likely weights, and factors that know how much the validation rows tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from lamc import as_labels
from lamc.learners import pool
from lamc.learners.pool import (
    as_shares,
    count_factor,
    pool_weights,
    pooled,
    reveal_factors,
    shares_of_odds,
)


def random_members(seed, n=40, k=5, m=3):
    rng = np.random.default_rng(seed)
    members = [rng.dirichlet(np.ones(k), size=n) for _ in range(m - 1)]
    members.append(np.tile(rng.dirichlet(5 * np.ones(k)), (n, 1)))
    Y = rng.random((n, k)) < 0.4
    Y[np.arange(n), rng.integers(k, size=n)] = True
    return members, Y


def mean_likelihood(weights, members, Y):
    total = 0.0
    for i, row in enumerate(Y):
        powers = np.prod([m[i] ** w for w, m in zip(weights, members, strict=True)], axis=0)
        total += np.log(powers[row] / powers.sum()).mean()
    return total / len(Y)


@pytest.mark.parametrize(("n", "copies"), [(8, 1), (40, 1), (8, 6)])
@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_a_general_optimiser(seed, n, copies):
    """Copies of rows make these more likely, and are no further witnesses."""
    members, Y = random_members(seed, n)
    members, Y = [np.tile(member, (copies, 1)) for member in members], np.tile(Y, (copies, 1))
    things = np.tile(np.arange(n), copies)
    found = pool_weights(members, as_labels(Y, knowledge="all"), things)
    assert ((found >= 0) & (found <= 2)).all()

    def value(weights):
        away = np.square(weights - 1 / len(members)).sum()
        prior = max(0, 1 - n / 40)
        return mean_likelihood(weights, members, Y) - prior * away / len(Y)

    best = minimize(
        lambda weights: -value(np.clip(weights, 0, 2)),
        np.full(len(members), 0.5),
        method="Nelder-Mead",
        options={"maxiter": 4000},
    )
    assert value(found) >= -best.fun - 1e-5


def test_rows_without_a_label_are_no_witnesses():
    members, Y = random_members(0)
    Y[3:] = False
    few = [member[:3] for member in members]
    np.testing.assert_allclose(
        pool_weights(members, as_labels(Y, knowledge="all")),
        pool_weights(few, as_labels(Y[:3], knowledge="all")),
        atol=1e-4,
    )


def test_a_few_rows_move_the_weights_little():
    members, Y = random_members(0, n=2000)
    labels = as_labels(Y, knowledge="all")
    one, many = (
        pool_weights([member[:n] for member in members], labels[np.arange(n)]) for n in (1, 2000)
    )
    assert np.abs(one - 1 / 3).max() < 0.4
    assert np.abs(many - 1 / 3).max() > np.abs(one - 1 / 3).max() or (many == 0).any()


def test_weights_do_not_depend_on_how_rows_are_sorted(monkeypatch):
    """Where only some rows are looked at, they come from everywhere."""
    monkeypatch.setattr(pool, "_ENTRIES", 2 * 50)
    right, wrong = np.array([[0.9, 0.1]] * 200), np.array([[0.1, 0.9]] * 200)
    y = np.r_[np.zeros(120, int), np.ones(80, int)]  # in order: the first half shows one label
    weights = pool_weights([right, wrong], as_labels(y))
    assert weights == pytest.approx(
        pool_weights([right[::4], wrong[::4]], as_labels(y[::4])), abs=0.1
    )


def test_a_pool_is_the_product_of_powers():
    members, _ = random_members(0)
    weights = np.array([0.3, 1.2, 0.5])
    product = np.prod([m**w for m, w in zip(members, weights, strict=True)], axis=0)
    np.testing.assert_allclose(
        pooled(members, weights), product / product.sum(axis=1, keepdims=True), rtol=1e-9
    )


def test_a_member_that_knows_nothing_gets_little():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(0.3 * np.ones(6), size=4000)
    y = np.array([rng.choice(6, p=p) for p in truth])
    noise = rng.dirichlet(np.ones(6), size=4000)
    weights = pool_weights([truth, noise], as_labels(y, classes=np.arange(6)))
    np.testing.assert_allclose(weights, [1, 0], atol=0.1)


def test_a_member_that_is_too_sure_is_toned_down():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(4), size=4000)
    y = np.array([rng.choice(4, p=p) for p in truth])
    weights = pool_weights([as_shares(truth**2)], as_labels(y, classes=np.arange(4)))
    np.testing.assert_allclose(weights, [0.5], atol=0.05)


def test_labels_that_a_member_thinks_impossible_do_no_harm():
    even, wrong = np.full((3, 2), 0.5), np.eye(2)[[1, 0, 1]]
    weights = pool_weights([even, wrong], as_labels([0, 1, 0]))
    assert weights[1] == pytest.approx(0, abs=1e-6)
    assert np.isfinite(pooled([even, wrong], weights)).all()


@given(st.integers(0, 1000), st.integers(1, 19))
def test_probabilities_add_up_to_the_count(seed, n_true):
    rates = np.random.default_rng(seed).random((5, 4)) + 1e-3
    c = count_factor(rates, n_true)
    assert -np.expm1(-c * rates).sum() == pytest.approx(n_true)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("lamc.learners.pool._ENTRIES", 8)  # two rows at a time
        assert count_factor(rates, n_true) == pytest.approx(c)


def test_where_all_labels_are_true_scores_still_differ():
    rates = np.array([[0.1, 0.4], [0.2, 0.3]])
    scores = -np.expm1(-count_factor(rates, 4) * rates)
    assert (scores > 0.99).all()
    assert len(np.unique(scores)) == 4


@given(st.integers(0, 1000))
def test_shares_come_back_from_the_odds_of_wan(seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(5), size=4)
    odds = 4 * shares / (1 - shares)
    np.testing.assert_allclose(shares_of_odds(odds / (1 + odds)), shares, rtol=1e-6)


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
