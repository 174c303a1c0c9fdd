"""Layers that behave otherwise in training."""

import numpy as np
import pytest
import torch
from torch import nn

from lamc.exceptions import TrainingError
from lamc.learners import Network

from .scenes import FAST, X_NEW, X, mlp, restless, weights, y


def test_scores_do_not_depend_on_company_or_chance():
    network = Network(restless, **FAST).fit(X, y)
    assert not any(module.training for module in network.modules_)
    together = network.predict_proba(X_NEW)
    np.testing.assert_array_equal(network.predict_proba(X_NEW), together)
    alone = np.concatenate([network.predict_proba(X_NEW[row : row + 1]) for row in range(5)])
    np.testing.assert_allclose(alone, together[:5], atol=1e-6)


def test_a_last_row_by_itself_joins_the_batch_before():
    settings = {**FAST, "validation_size": 0, "batch_size": 8}
    assert Network(restless, **settings).fit(X[:17], y[:17]).modules_[0][1].num_batches_tracked == 4


def test_batches_of_one_row_are_refused_where_the_module_needs_two():
    network = Network(restless, **FAST, batch_size=1)
    with pytest.raises(TrainingError, match=r"(?s)one row.*more than 1 value.*two rows or more"):
        network.fit(X, y)
    assert Network(mlp, **{**FAST, "epochs": 1}, batch_size=1).fit(X[:20], y[:20])


def normalised():
    """A backbone that normalises, and a head; the statistics are those of some rows."""
    backbone = nn.Sequential(nn.Linear(256, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5))
    backbone(torch.from_numpy(X))
    return nn.Sequential(backbone, nn.Linear(16, 10))


def frozen():
    module = normalised()
    module[0].requires_grad_(False).eval()
    return module


@pytest.mark.parametrize("form", ["module", "function"])
def test_parts_in_evaluation_mode_stay_in_it(form):
    given, modes = frozen(), []
    given[0].register_forward_hook(
        lambda part, x, out: modes.append((part.training, part[3].training))
    )
    network = Network(given if form == "module" else lambda: given, **FAST)
    before = {name: each.clone() for name, each in given[0].state_dict().items()}
    (trained,) = network.fit(X, y).modules_
    for name, each in trained[0].state_dict().items():
        assert torch.equal(each, before[name]), name
    assert modes
    assert not any(any(each) for each in modes)


def test_a_part_that_trains_within_one_in_evaluation_mode():
    module = frozen()
    module[0][1].train()
    (trained,) = Network(module, **FAST).fit(X, y).modules_
    assert torch.equal(trained[0][0].weight, module[0][0].weight)
    assert trained[0][1].num_batches_tracked > module[0][1].num_batches_tracked
    assert not trained[0][1].training


def test_a_new_head_on_a_module_that_came_in_evaluation_mode():
    module = normalised().eval()
    module[-1] = nn.Linear(16, 10)  # in training mode, as layers are made
    before = [each.clone() for each in module[:-1].buffers()]
    (trained,) = Network(module, **FAST).fit(X + 3, y).modules_
    assert all(torch.equal(*each) for each in zip(trained[:-1].buffers(), before, strict=True))


def test_a_module_wholly_in_evaluation_mode_trains_in_all_its_parts():
    module = normalised().eval()
    whole = weights(Network(module, **FAST).fit(X, y))
    assert not any(part.training for part in module.modules())  # the one given stays as it is
    assert weights(Network(module.train(), **FAST).fit(X, y)) == whole


def test_a_module_that_sets_its_own_modes_is_asked_for_them():
    class Still(nn.Sequential):
        def train(self, mode=True):
            super().train(mode)
            self[1].eval()
            return self

    module = Still(nn.Linear(256, 16), nn.BatchNorm1d(16), nn.Linear(16, 10))
    (trained,) = Network(module, **FAST).fit(X, y).modules_
    assert trained[1].num_batches_tracked == 0
