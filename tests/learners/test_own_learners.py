"""Learners that users derive: their code counts in checkpoints, their draws go by the seed."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor

from lamc import losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import TrainingError
from lamc.learners.fingerprint import fingerprint
from lamc.learners.method import Group, LossMethod, Method
from lamc.learners.network import NetworkLearner
from lamc.learners.stack import Activation

DATA = digit_scenes(120, random_state=0)
X, OBSERVED = DATA.X, observe(DATA.Y, random_state=0)
SETTINGS = {"epochs": 2, "learning_rate": 1e-2, "hidden": 8, "random_state": 0}

Loss = Callable[[Tensor, Tensor], Tensor]


def learner_with(loss: Loss, activation: Activation = torch.sigmoid) -> type[NetworkLearner]:
    """A class as a user writes it; two of them differ in the loss only."""

    @dataclass(kw_only=True, eq=False, repr=False)
    class Mine(NetworkLearner):
        def _method(self, group: Group) -> Method:
            method = LossMethod(loss)
            method.activation = activation
            return method

    return Mine


def scores(learner):
    return learner.fit(X, OBSERVED).predict_proba(X)


def test_a_checkpoint_of_another_loss_is_refused(tmp_path):
    one = learner_with(partial(losses.wan, weight=0.5))(**SETTINGS, checkpoint=tmp_path)
    first = scores(one)
    same = learner_with(partial(losses.wan, weight=0.5))(**SETTINGS, checkpoint=tmp_path)
    np.testing.assert_array_equal(scores(same), first)
    other = learner_with(partial(losses.wan, weight=0.01))(**SETTINGS, checkpoint=tmp_path)
    with pytest.raises(TrainingError, match="belongs to another training"):
        other.fit(X, OBSERVED)


OWN = """
from dataclasses import dataclass

import helper
from lamc import losses
from lamc.learners.method import LossMethod
from lamc.learners.network import NetworkLearner

SCALE = 2

def smoothed(logits, observed):
    return SCALE * helper.smaller(logits, observed)

@dataclass(kw_only=True, eq=False, repr=False)
class Mine(NetworkLearner):
    def _method(self, group):
        return LossMethod(smoothed)
"""
HELPER = """
from lamc import losses

def smaller(logits, observed):
    return losses.wan(logits, observed) / 2
"""


@pytest.mark.parametrize(
    "change",
    [
        ("own", "SCALE = 2", "SCALE = 3"),
        ("helper", "/ 2", "/ 4"),
        ("own", "smoothed)", "losses.an)"),
    ],
    ids=["a number", "a function of another module", "a method"],
)
def test_code_that_a_class_calls_counts_too(tmp_path, monkeypatch, change):
    changed, old, new = change
    told = []
    for number, replaced in enumerate((old, old, new)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in (("own", OWN), ("helper", HELPER)):
            own = text.replace(old, replaced) if name == changed else text
            (folder / f"{name}.py").write_text(own)
            monkeypatch.delitem(sys.modules, name, raising=False)
        with monkeypatch.context() as within:
            within.syspath_prepend(folder)
            told.append(fingerprint(importlib.import_module("own").Mine))
    assert told[0] == told[1] != told[2]


def test_what_a_loss_draws_goes_by_the_seed():
    def noisy(logits: Tensor, observed: Tensor) -> Tensor:
        return losses.wan(logits + torch.randn_like(logits), observed)

    mine = learner_with(noisy)
    before = torch.get_rng_state()
    one, same, other = (scores(mine(**SETTINGS | {"random_state": seed})) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("loss", "shape"),
    [
        (lambda logits, observed: losses.wan(logits, observed).mean(), r"\(\)"),
        (lambda logits, observed: logits.sigmoid().mean(-1), r"\(1, 16\)"),
    ],
    ids=["one number for all networks", "one for each row"],
)
def test_a_loss_of_another_shape_is_refused(loss, shape):
    with pytest.raises(TrainingError, match=rf"gave shape {shape} .*\n.*of shape \(1,\)"):
        scores(learner_with(loss)(**SETTINGS, batch_size=16))


def test_epochs_are_chosen_by_the_scores_that_are_given():
    softmax = partial(torch.softmax, dim=-1)
    mine = learner_with(losses.softmax, softmax)
    with pytest.raises(TrainingError, match="Mine gives other scores than its method chooses"):
        scores(mine(**SETTINGS))
    mine._activate = lambda self, logits: softmax(torch.from_numpy(logits)).numpy()
    np.testing.assert_allclose(scores(mine(**SETTINGS)).sum(axis=1), 1, atol=1e-6)


def test_functions_made_of_text_are_told_apart_too():
    told = []
    for weight in ("0.5", "0.5", "0.1"):
        known: dict[str, object] = {"losses": losses}
        exec(f"def mine(l, o): return losses.wan(l, o, weight={weight})", known)
        told.append(fingerprint(known["mine"]))
    assert told[0] == told[1] != told[2]
