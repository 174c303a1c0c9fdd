"""The losses are their formulas, whatever the form of the labels and however many models."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lamc import losses

from . import twins
from .cases import CASES, IDS, batch

every_loss = pytest.mark.parametrize("case", CASES, ids=IDS)


@every_loss
@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    shape=st.tuples(st.integers(1, 7), st.integers(2, 6)),
    spread=st.sampled_from([0.1, 2.0, 5.0]),
    several=st.booleans(),
)
def test_each_is_its_formula(case, seed, shape, spread, several):
    given = batch(case, seed, shape, spread, several)
    expected = case.twin(given.s, given.o, *given.more)
    n = shape[0] * shape[1]
    found = {
        reduction: case.loss(*given.tensors(), reduction=reduction).detach().numpy()
        for reduction in ("mean", "sum")
    }
    if case.parts == "nothing":
        np.testing.assert_allclose(found["mean"], expected, rtol=1e-9)
        np.testing.assert_allclose(found["sum"], expected * n, rtol=1e-9)
        return
    np.testing.assert_allclose(found["mean"], expected.mean(), rtol=1e-9)
    np.testing.assert_allclose(found["sum"], expected.sum(), rtol=1e-9)
    entries = case.loss(*given.tensors(), reduction="none").detach().numpy()
    np.testing.assert_allclose(entries, expected, rtol=1e-9, atol=1e-12)


@every_loss
def test_the_mean_is_the_default(case):
    given = batch(case)
    torch.testing.assert_close(
        case.loss(*given.tensors()), case.loss(*given.tensors(), reduction="mean")
    )


@every_loss
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_an_index_says_what_a_matrix_with_one_positive_a_row_says(case, dtype):
    given = batch(case)
    logits, index, *more = given.tensors(by="index")
    matrix_logits, matrix, *_ = given.tensors()
    by_index = case.loss(logits, index.to(dtype), *more)
    by_matrix = case.loss(matrix_logits, matrix, *more)
    torch.testing.assert_close(by_index, by_matrix, rtol=1e-12, atol=1e-12)
    by_index.backward()
    by_matrix.backward()
    torch.testing.assert_close(logits.grad, matrix_logits.grad, rtol=1e-12, atol=1e-12)


@every_loss
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.uint8])
def test_a_matrix_may_hold_bools_integers_or_floats(case, dtype):
    logits, matrix, *more = batch(case, several=True).tensors()
    torch.testing.assert_close(
        case.loss(logits, matrix.to(dtype), *more), case.loss(logits, matrix, *more), rtol=0, atol=0
    )


@every_loss
@pytest.mark.parametrize("by", ["index", "matrix"])
@pytest.mark.parametrize("models", [(4,), (2, 3)])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_stacked_models_give_what_each_gives_alone(case, by, models, reduction):
    stacked = batch(case, shape=(*models, 6, 5), several=by == "matrix")
    logits, observed, *more = stacked.tensors(by=by)
    together = case.loss(logits, observed, *more, reduction=reduction)
    assert together.shape == models
    together.sum().backward()
    for model in np.ndindex(models):
        alone = logits[model].detach().requires_grad_()
        loss = case.loss(alone, observed[model], *(m[model] for m in more), reduction=reduction)
        torch.testing.assert_close(together[model], loss, rtol=1e-12, atol=1e-12)
        loss.backward()
        torch.testing.assert_close(logits.grad[model], alone.grad, rtol=1e-12, atol=1e-12)


@every_loss
def test_without_a_reduction_stacked_models_keep_their_parts(case):
    if case.parts == "nothing":
        with pytest.raises(ValueError, match=r"reduction='none'.*whole batch"):
            case.loss(*batch(case).tensors(), reduction="none")
        return
    found = case.loss(*batch(case, shape=(3, 6, 5)).tensors(), reduction="none")
    assert found.shape == {"entries": (3, 6, 5), "rows": (3, 6), "labels": (3, 5)}[case.parts]


def test_each_model_may_have_priors_of_its_own_or_share_them():
    rng = np.random.default_rng(0)
    logits, index = torch.tensor(rng.normal(size=(3, 6, 5))), torch.tensor(rng.integers(5, size=6))
    observed, priors = index.expand(3, 6), torch.tensor(rng.random(5))
    torch.testing.assert_close(
        losses.crisp(logits, observed, priors), losses.crisp(logits, observed, priors.expand(3, 5))
    )


def test_shares_make_the_observed_term_of_crisp_right_on_average_over_batches():
    rng = np.random.default_rng(0)
    s, index = torch.tensor(rng.normal(size=(24, 5))), torch.tensor(rng.integers(5, size=24))
    priors = torch.full((5,), 0.4, dtype=torch.float64)
    shares = index.bincount(minlength=5) / 24

    def observed_term(rows):
        risk = losses.crisp(s[rows], index[rows], priors, shares=shares, reduction="none")
        return risk - (s[rows].sigmoid().mean(0) - priors).abs()

    batches = [observed_term(slice(i, i + 4)) for i in range(0, 24, 4)]
    torch.testing.assert_close(torch.stack(batches).mean(0), observed_term(slice(None)))


def test_crisp_is_0_when_scores_are_the_truth():
    rng = np.random.default_rng(0)
    truth = rng.random((30, 4)) < 0.4
    truth[:, 0] |= ~truth.any(axis=1)
    index = torch.tensor([rng.choice(np.flatnonzero(row)) for row in truth])
    logits = torch.where(torch.tensor(truth), 60.0, -60.0).double()
    assert losses.crisp(logits, index, torch.tensor(truth.mean(axis=0))) < 1e-12


def test_the_divergence_is_its_formula():
    rng = np.random.default_rng(0)
    mean, log_std = rng.normal(size=(2, 3, 6, 4))
    expected = twins.gaussian_kl(mean, log_std)
    found = losses.gaussian_kl(torch.tensor(mean), torch.tensor(log_std), reduction="none")
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    found = losses.gaussian_kl(torch.tensor(mean), torch.tensor(log_std))
    np.testing.assert_allclose(found, expected.mean(axis=(1, 2)), rtol=1e-9)
    normal = torch.distributions.Normal(torch.tensor(mean), torch.tensor(log_std).exp())
    standard = torch.distributions.Normal(0.0, 1.0)
    np.testing.assert_allclose(
        torch.distributions.kl_divergence(normal, standard), expected, rtol=1e-9
    )


@pytest.mark.parametrize("by", ["index", "matrix"])
def test_a_loss_is_compiled_as_one_graph(by):
    logits = torch.randn(4, 5, generator=torch.Generator().manual_seed(0))
    observed = torch.tensor([0, 3, 2, 2])
    if by == "matrix":
        observed = torch.nn.functional.one_hot(observed, 5).float()
    whole = torch.compile(losses.wan, backend="eager", fullgraph=True)
    torch.testing.assert_close(whole(logits, observed), losses.wan(logits, observed))
