"""Losses by name, as functions and as modules."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from lamc import losses
from lamc.exceptions import SettingError, TrainingError
from lamc.learners import Network
from lamc.learners.module.loss import LOSSES

from .scenes import FAST, X_NEW, X, Y, mlp, weights, y

ASK_FOR_MORE = {"crisp", "em_apl", "epr", "role", "soft_target"}


@pytest.mark.parametrize("name", sorted(LOSSES.keys() - ASK_FOR_MORE))
def test_losses_by_name_and_as_functions(name):
    settings = {**FAST, "learning_rate": 3e-3}
    by_name = Network(mlp, loss=name, **settings).fit(X, y)
    as_function = Network(mlp, loss=getattr(losses, name), **settings).fit(X, y)
    assert weights(by_name) == weights(as_function)
    assert len(np.unique(by_name.predict_proba(X_NEW))) > 100


@pytest.mark.parametrize("name", sorted(ASK_FOR_MORE))
def test_losses_that_need_more_are_refused_with_what_they_need(name):
    with pytest.raises(SettingError, match=rf"(?s){name}.*also needs.*functools.partial"):
        Network(mlp, loss=name, **FAST).fit(X, y)


def test_parameters_of_losses_are_fixed_by_partial():
    for expected in (2.5, 5.0):
        loss = partial(losses.epr, expected=expected)
        network = Network(mlp, loss=loss, **{**FAST, "epochs": 20}, validation_size=0).fit(X, y)
        assert network.predict_proba(X).sum(axis=1).mean() == pytest.approx(expected, abs=0.5)


class Moving(nn.Module):
    """A loss that keeps a mean of the logits, and learns how much of it to take off."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(10))
        self.share = nn.Parameter(torch.zeros(1))

    def forward(self, logits, observed):
        self.mean = 0.9 * self.mean + 0.1 * logits.detach().mean(0)
        return losses.wan(logits - self.share * self.mean, observed)


def test_a_loss_that_is_a_module_is_trained_in_a_copy_of_its_own():
    loss = Moving()
    settings = {**FAST, "learning_rate": (1e-2, 1e-3)}
    first = Network(mlp, loss=loss, **settings).fit(X, y)
    again = Network(mlp, loss=loss, **settings).fit(X, y)
    assert weights(first) == weights(again)
    assert torch.equal(loss.mean, torch.zeros(10))
    assert loss.share.item() == 0
    turned = Network(mlp, loss=loss, **FAST | {"learning_rate": (1e-3, 1e-2)}).fit(X, y)
    assert turned.selection_[0]["values"] == first.selection_[0]["values"]
    fixed = Moving()
    fixed.share.requires_grad_(False)
    assert weights(Network(mlp, loss=fixed, **settings).fit(X, y)) != weights(first)


def test_a_class_is_no_loss():
    with pytest.raises(SettingError, match=r"loss=Moving is a class; give Moving\(…\)"):
        Network(mlp, loss=Moving, **FAST).fit(X, y)


def test_a_loss_without_a_gradient_is_told():
    with pytest.raises(TrainingError, match=r"(?s)no gradient.*detach\(\)"):
        Network(mlp, loss=lambda s, o: losses.wan(s, o).detach(), **FAST).fit(X, y)


def test_a_loss_of_ones_own_sees_observed_labels_and_the_epoch():
    seen = []

    def own(logits, observed, epoch, epochs):
        seen.append((epoch, epochs, observed.dtype, observed.shape))
        return losses.an(logits, observed)

    assert weights(Network(mlp, loss=own, **FAST, batch_size=200).fit(X, y)) == weights(
        Network(mlp, loss="an", **FAST, batch_size=200).fit(X, y)
    )
    assert seen == [(1, 2, torch.int64, (144,)), (2, 2, torch.int64, (144,))]
    seen.clear()
    Network(mlp, loss=own, **FAST, batch_size=200).fit(X, Y)
    assert seen[0] == (1, 2, torch.bool, (144, 10))


class Noting(nn.Module):
    """A loss that notes what it was told."""

    def __init__(self, seen):
        super().__init__()
        self.note = seen.append  # a copy of the loss notes in the same place

    def forward(self, logits, observed, epoch, epochs=None):
        self.note((epoch, epochs))
        return losses.an(logits, observed)


def noting_by_default(seen):
    def own(logits, observed, epoch=7, *, epochs=7):
        seen.append((epoch, epochs))
        return losses.an(logits, observed)

    return own


@pytest.mark.parametrize("make", [Noting, noting_by_default], ids=["module", "defaults"])
def test_a_loss_is_told_the_epoch_unless_it_is_fixed(make):
    seen = []
    settings = {**FAST, "batch_size": 200}
    Network(mlp, loss=make(seen), **settings).fit(X, y)
    assert seen == [(1, 2), (2, 2)]
    seen.clear()
    Network(mlp, loss=partial(make(seen), epoch=5), **settings).fit(X, y)
    assert seen == [(5, 2), (5, 2)]


def test_a_module_that_needs_more_to_be_a_loss_is_refused_with_what_it_needs():
    with pytest.raises(SettingError, match=r"(?s)also needs var.*functools.partial"):
        Network(mlp, loss=nn.GaussianNLLLoss(), **FAST).fit(X, y)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("wam", "loss='wam'; give a function, or one of 'an', 'an_ls'"),
        (None, "loss=None"),
        (partial(losses.large_loss, scheme="correct-permanently"), "write corrections down"),
    ],
)
def test_losses_that_cannot_be_used_are_refused(loss, message):
    with pytest.raises(SettingError, match=message):
        Network(mlp, loss=loss, **FAST).fit(X, y)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda logits, observed: logits.mean(1), r"(?s)gave shape \(32,\).*Take the mean"),
        (lambda logits, observed: 0.5, "gave no tensor"),
    ],
)
def test_what_a_loss_gives_must_be_one_number(loss, message):
    with pytest.raises(TrainingError, match=message):
        Network(mlp, loss=loss, **FAST).fit(X, y)


@pytest.mark.parametrize("loss", ["softmax", losses.softmax, nn.functional.cross_entropy])
def test_scores_of_a_choice_add_up_to_1(loss):
    network = Network(mlp, loss=loss, **FAST).fit(X, y)
    np.testing.assert_allclose(network.predict_proba(X_NEW).sum(axis=1), 1)
    apart = Network(mlp, loss=loss, activation="sigmoid", **FAST).fit(X, y)
    assert np.abs(apart.predict_proba(X_NEW).sum(axis=1) - 1).max() > 0.1
