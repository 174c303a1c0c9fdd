"""Learners say what they keep for each network, so that groups of networks fit into memory."""

import numpy as np
import pytest
import torch

from lamc.learners import APL, CRISP, MIME, WAN, LargeLoss
from lamc.learners.method import Group
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import as_rows
from lamc.learners.stack import Shape
from lamc.learners.trainer import ROW_BYTES, group_size

N, SHAPE = 40, Shape(features=7, hidden=5, labels=6)
SCORES = 4 * N * SHAPE.labels  # float32, of all training rows


def group():
    rows = as_rows(np.zeros((N, SHAPE.features)), "cpu")
    observed = OneLabelEach(torch.arange(N) % SHAPE.labels, SHAPE.labels)
    return Group([0, 1], [1e-3, 1e-2], SHAPE, rows, observed, epochs=4)


def kept_for_rows(method):
    """Bytes a network of what the method keeps for every training row."""
    tables = [tensor for tensor in method.state().values() if tensor.shape[1:2] == (N,)]
    return sum(table[0].nbytes for table in tables)


@pytest.mark.parametrize(
    ("learner", "scores"),
    [
        (WAN(), 0),
        (APL(), SCORES),
        (MIME(code_size=4), SCORES),
        (CRISP(), SCORES),
        (LargeLoss(), 0),
        (LargeLoss(scheme="correct-permanently"), 0),
    ],
    ids=repr,
)
def test_what_is_kept_for_rows_is_what_is_said(learner, scores):
    said = learner._memory(SHAPE, N).rows
    assert said == kept_for_rows(learner._method(group())) + scores


@pytest.mark.parametrize("learner", [WAN(), MIME(code_size=4), MIME(code_size=1)], ids=repr)
def test_what_every_step_goes_through_is_the_weights_gradients_and_moments(learner):
    stack = learner._method(group()).stack(group())
    weights = sum(weight[0].nbytes for weight in stack.weights)
    assert 16 * SHAPE.parameters + learner._memory(SHAPE, N).each_step == 4 * weights


@pytest.mark.parametrize(
    "learner", [APL(), MIME(), CRISP(), LargeLoss(scheme="correct-permanently")], ids=repr
)
def test_large_tables_are_kept_for_few_networks_at_a_time(learner):
    narrow = Shape(features=10, hidden=4, labels=1000)
    beside = learner._memory(narrow, n_rows=200_000)
    size = group_size(narrow, n_tasks=15, beside=beside)
    assert size < group_size(narrow, n_tasks=15)
    assert size * beside.rows <= ROW_BYTES
