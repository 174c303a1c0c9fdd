"""What the losses refuse, and what they say."""

import re

import numpy as np
import pytest
import torch

from lamc import losses
from lamc.exceptions import LabelError, SettingError

from .cases import CASES, IDS, batch

every_loss = pytest.mark.parametrize("case", CASES, ids=IDS)
LOGITS = torch.zeros(4, 3)
INDEX = torch.tensor([0, 1, 2, 0])


def refused(message, error=LabelError):
    return pytest.raises(error, match=re.escape(message))


@every_loss
def test_every_loss_checks_shapes_values_and_the_reduction(case):
    logits, observed, *more = batch(case).tensors()
    with refused("observed has shape (6, 4), but logits has shape (6, 5)."):
        case.loss(logits, observed[:, :4], *more)
    with refused("observed holds the index 5, but logits has 5 labels: they count from 0 to 4."):
        case.loss(logits, torch.tensor([0, 1, 2, 3, 4, 5]), *more)
    with refused("observed holds -1"):
        case.loss(logits, -observed.int(), *more)
    with refused("reduction='average'; choose 'mean'", SettingError):
        case.loss(logits, observed, *more, reduction="average")


@pytest.mark.parametrize(
    ("logits", "observed", "message"),
    [
        (LOGITS, INDEX[:3], "Give the index of one positive a row, of shape (4,), or a 0/1 matrix"),
        (LOGITS.expand(2, 4, 3), INDEX, "one positive a row, of shape (2, 4), or a 0/1 matrix of"),
        (LOGITS, INDEX - 1, "observed holds the index -1, but logits has 3 labels"),
        (LOGITS, INDEX.float(), "observed has shape (4,) and holds torch.float32 values"),
        (LOGITS, INDEX.bool(), "observed has shape (4,) and holds torch.bool values"),
        (LOGITS, INDEX.numpy(), "observed is of type ndarray; losses take torch tensors"),
        (LOGITS.numpy(), INDEX, "logits is of type ndarray; losses take torch tensors"),
        (LOGITS, LOGITS + 0.5, "observed holds 0.5 at (0, 0); a matrix of observed labels holds"),
        (LOGITS, LOGITS + 0.5, "Soft targets go to losses.soft_target(logits, observed, targets)"),
        (LOGITS, LOGITS - 1, "Where −1 and 0 mean negative and unknown, pass observed == 1."),
        (LOGITS, LOGITS * np.nan, "observed holds nan at (0, 0)"),
        (LOGITS[0], INDEX[0], "logits has shape (3,); expected is a row for each example"),
        (LOGITS[:0], INDEX[:0], "logits has shape (0, 3)"),
        (LOGITS.int(), INDEX, "logits holds torch.int32 values; logits are floats."),
    ],
)
def test_what_cannot_be_read_is_named(logits, observed, message):
    with refused(message):
        losses.an(logits, observed)


def test_a_row_without_a_positive_is_refused_where_it_has_no_loss():
    matrix = torch.tensor([[1, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1]])
    with refused("Row 2 of observed has no positive, and softmax cross-entropy needs"):
        losses.softmax(LOGITS, matrix)
    with refused("Row (1, 2) of observed has no positive"):
        losses.softmax(LOGITS.expand(2, 4, 3), torch.stack([torch.ones_like(matrix), matrix]))
    assert torch.isfinite(losses.wan(LOGITS, matrix))


def test_one_label_has_no_default_weight():
    one, observed = torch.zeros(4, 1), torch.ones(4, 1)
    with refused("logits has one label, so the weight 1 / (K − 1)"):
        losses.wan(one, observed)
    with refused("logits has one label, so the weight 1 / (K − 1)"):
        losses.soft_target(one, observed, observed)
    assert losses.wan(one, observed, weight=0.5) == losses.an(one, observed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: losses.an_ls(LOGITS, INDEX, smoothing=1.5),
            "smoothing=1.5; give a number that is",
        ),
        (lambda: losses.wan(LOGITS, INDEX, weight=-1), "weight=-1; give a number that is at least"),
        (lambda: losses.em(LOGITS, INDEX, alpha=-0.1), "alpha=-0.1"),
        (lambda: losses.em_apl(LOGITS, INDEX, LOGITS, beta=-1), "beta=-1"),
        (lambda: losses.epr(LOGITS, INDEX, expected=-2), "expected=-2"),
        (lambda: losses.role(LOGITS, INDEX, LOGITS, expected=float("nan")), "expected=nan"),
        (lambda: losses.hill(LOGITS, INDEX, gamma=-1), "gamma=-1"),
        (lambda: losses.splc(LOGITS, INDEX, epoch=0), "epoch=0; epochs count from 1."),
        (lambda: losses.splc(LOGITS, INDEX, epoch=1, threshold=1), "threshold=1; give a prob"),
        (lambda: losses.gr(LOGITS, INDEX, epoch=9, epochs=8), "epoch=9; epochs count from 1 to"),
        (lambda: losses.gr(LOGITS, INDEX, epoch=1, epochs=8, powers=(0, 1)), "powers=(0, 1)"),
        (lambda: losses.gr(LOGITS, INDEX, epoch=1, epochs=8, width=(2, 0)), "width=(2, 0)"),
        (lambda: losses.large_loss(LOGITS, INDEX, epoch=0), "epoch=0; epochs count from 1."),
        (lambda: losses.large_loss(LOGITS, INDEX, epoch=1, delta=2), "delta=2; give a number"),
        (lambda: losses.large_loss(LOGITS, INDEX, epoch=1, scheme="LL-R"), "scheme='LL-R'; choose"),
        (lambda: losses.gr(LOGITS, INDEX, epoch=1, epochs=8, bias=2), "bias=2; give two numbers."),
        (lambda: losses.crisp_priors(LOGITS, INDEX, delta=0), "delta=0; give a probability"),
        (lambda: losses.crisp_priors(LOGITS, INDEX, tau=-1), "tau=-1; give a number"),
    ],
)
def test_parameters_are_checked(call, message):
    with refused(message, SettingError):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: losses.em_apl(LOGITS, INDEX, LOGITS[0]), "pseudo has shape (3,), but logits has"),
        (lambda: losses.soft_target(LOGITS, INDEX, LOGITS.T), "targets has shape (3, 4), but"),
        (lambda: losses.role(LOGITS, INDEX, LOGITS[:2], expected=2), "estimates has shape (2, 3)"),
        (lambda: losses.crisp(LOGITS, INDEX, LOGITS[:, 0]), "priors has shape (4,), but logits"),
        (lambda: losses.crisp(LOGITS, INDEX, LOGITS[0] - 1), "priors are shares of rows: give num"),
        (
            lambda: losses.crisp(LOGITS, INDEX, LOGITS[0], shares=LOGITS[0]),
            "A label that is observed in this batch has the share 0.",
        ),
        (lambda: losses.gaussian_kl(LOGITS, LOGITS[0]), "mean has shape (4, 3) and log_std (3,)"),
    ],
)
def test_tensors_beside_the_logits_are_checked(call, message):
    with refused(message):
        call()
