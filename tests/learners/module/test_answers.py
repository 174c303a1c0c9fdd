"""What modules give is checked, and their faults are told by name."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from lamc.exceptions import LabelError, ScorerError, SettingError
from lamc.learners import Network
from lamc.learners.module.call import scores_of
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import InMemory

from .scenes import FAST, X_NEW, X, weights, y


class Answering(nn.Module):
    def __init__(self, answer):
        super().__init__()
        self.layer = nn.Linear(256, 10)
        self.answer = answer

    def forward(self, x):
        return self.answer(self.layer(x))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda logits: logits[:, :, None], r"shape \(2, 10, 1\) for 2 rows; logits have shape"),
        (lambda logits: logits.mean(1), r"shape \(2,\) for 2 rows"),
        (lambda logits: logits[:1], r"shape \(1, 10\) for 2 rows; logits have shape \(2, K\)"),
        (lambda logits: logits.argmax(1)[:, None], "int64 values; logits are floats"),
        (lambda logits: {"scores": logits}, "gave a dict; a tensor of logits is needed"),
    ],
)
def test_other_answers_than_logits_are_refused(answer, message):
    with pytest.raises(ScorerError, match=message):
        Network(Answering(answer), **FAST).fit(X, y)


def test_logits_may_be_a_field_of_the_answer():
    torch.manual_seed(0)
    plain = Answering(lambda logits: logits)
    wrapped = Answering(lambda logits: SimpleNamespace(logits=logits))
    wrapped.load_state_dict(plain.state_dict())
    assert weights(Network(plain, **FAST).fit(X, y)) == weights(Network(wrapped, **FAST).fit(X, y))


def test_one_output_is_refused():
    with pytest.raises(LabelError, match="one logit a row"):
        Network(nn.Linear(256, 1), **FAST).fit(X, np.zeros(160, dtype=int))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_floats_come_in_the_type_of_the_module(dtype):
    network = Network(nn.Linear(256, 10, dtype=dtype), **FAST).fit(X, y)
    assert network.modules_[0].weight.dtype == dtype
    assert network.predict_proba(X_NEW).dtype == np.float64


class OnAnotherDevice(torch.Tensor):
    """As a tensor on a device that has no float64."""

    def double(self):
        raise TypeError("This device has no float64.")

    def cpu(self):
        return self.as_subclass(torch.Tensor)


@pytest.mark.parametrize("activation", ["sigmoid", "softmax"])
def test_no_device_has_to_compute_in_double_precision(activation):
    torch.manual_seed(0)
    module = Answering(lambda logits: logits.as_subclass(OnAnotherDevice))
    examples = Examples(InMemory(X_NEW), None, None, 10)
    scores = scores_of([module], examples, activation, "cpu", 32)
    assert scores.dtype == torch.float64
    module.answer = nn.Identity()
    torch.testing.assert_close(scores, scores_of([module], examples, activation, "cpu", 32))


def test_the_modules_own_error_says_what_it_was_given():
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied") as refusal:
        Network(nn.Linear(3, 10), **FAST).fit(X, y)
    assert refusal.value.__notes__ == ["The module was given float32 of shape (2, 256)."]
    with pytest.raises(RuntimeError) as refusal:
        Network(nn.Linear(256, 10), **FAST).fit(X.astype(int), y)
    assert "X.astype(np.float32)" in refusal.value.__notes__[0]


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (None, "module=None; give a torch.nn.Module"),
        (lambda: "a network", "made a str; a torch.nn.Module is needed"),
    ],
)
def test_what_is_no_module_is_refused(module, message):
    with pytest.raises(SettingError, match=message):
        Network(module, **FAST).fit(X, y)
