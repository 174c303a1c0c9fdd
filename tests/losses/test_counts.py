"""Losses that know how many labels a row has: the number may differ from model to model."""

import re

import numpy as np
import pytest
import torch

from lamc import losses
from lamc.exceptions import LabelError, SettingError

RNG = np.random.default_rng(0)
LOGITS = torch.tensor(RNG.normal(size=(3, 6, 5)))
ESTIMATES = torch.tensor(RNG.normal(size=(3, 6, 5)))
OBSERVED = torch.tensor(RNG.integers(5, size=(3, 6)))
EXPECTED = torch.tensor([1.0, 2.5, 4.0], dtype=torch.float64)


def epr(models, expected):
    return losses.epr(LOGITS[models], OBSERVED[models], expected=expected)


def role(models, expected):
    return losses.role(LOGITS[models], OBSERVED[models], ESTIMATES[models], expected=expected)


every_loss = pytest.mark.parametrize("loss", [epr, role])


@every_loss
def test_each_model_has_the_number_that_it_would_have_alone(loss):
    together = loss(slice(None), EXPECTED)
    assert together.shape == (3,)
    for model, expected in enumerate(EXPECTED.tolist()):
        torch.testing.assert_close(together[model], loss(model, expected))


@every_loss
def test_one_number_serves_all_models(loss):
    every = slice(None)
    torch.testing.assert_close(loss(every, torch.tensor(2.5)), loss(every, 2.5))
    assert not torch.equal(loss(every, 2.5), loss(every, EXPECTED))


@every_loss
@pytest.mark.parametrize(
    ("expected", "error", "message"),
    [
        (
            EXPECTED[:2],
            LabelError,
            "expected has shape (2,), but logits has shape (3, 6, 5): give one number",
        ),
        (EXPECTED[:, None], LabelError, "one for each model, of shape (3,)."),
        (-EXPECTED, SettingError, "expected=-1.0; give a number that is at least 0."),
        (EXPECTED * np.nan, SettingError, "expected=nan"),
    ],
)
def test_numbers_that_cannot_be_are_refused(loss, expected, error, message):
    with pytest.raises(error, match=re.escape(message)):
        loss(slice(None), expected)
