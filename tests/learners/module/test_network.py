"""Any torch module as a classifier: trained as one would by hand."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from lamc import losses
from lamc.exceptions import LAMCWarning, SettingError, TrainingError
from lamc.labels import as_labels
from lamc.learners import WAN, Network
from lamc.learners.devices import own_draws, seed_draws
from lamc.learners.stack import initial_weights
from lamc.metrics import average_precision

from .scenes import FAST, X_NEW, X_VAL, Y_NEW, Y_VAL, Layers, X, Y, mlp, restless, weights, y

# -- scikit-learn's contract ----------------------------------------------------------------------


WHOLE = "whole numbers are given to the module as they are: they may stand for words"
EXPECTED_FAILURES = {
    "check_estimators_dtypes": WHOLE,
    "check_classifier_data_not_an_array": WHOLE,
    "check_supervised_y_2d": "a column of y is the 0/1 column of one label, not a class a row",
}


@parametrize_with_checks(
    [Network(Layers, loss="softmax", epochs=5, learning_rate=3e-2, random_state=0, n_threads=1)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_parameters_are_kept_as_given_and_cloned():
    module = nn.Linear(256, 10)
    learner = Network(module, loss=losses.an, learning_rate=(1e-3, 1e-2))
    assert learner.module is module
    other = clone(learner).set_params(learning_rate=0.5)
    assert other.learning_rate == 0.5
    assert other.loss is losses.an
    torch.testing.assert_close(other.module.state_dict(), module.state_dict())


def test_it_works_in_pipelines():
    scaled = make_pipeline(StandardScaler(), Network(mlp, **FAST)).fit(X, y)
    by_hand = Network(mlp, **FAST).fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(
        scaled.predict_proba(X_NEW), by_hand.predict_proba(StandardScaler().fit(X).transform(X_NEW))
    )


# -- training -------------------------------------------------------------------------------------


def test_it_trains_as_the_two_layer_learner_does():
    settings = {**FAST, "epochs": 3, "batch_size": 16, "weight_decay": 0.01}
    learner = WAN(**settings, hidden=8, standardise=False).fit(X, y, X_VAL, Y_VAL)
    seed = np.random.RandomState(0).randint(2**31 - 1, size=1)[0]
    module = nn.Sequential(nn.Linear(256, 8), nn.ReLU(), nn.Linear(8, 10))
    started = initial_weights([(256, 8), (8, 10)], seed)
    with torch.no_grad():
        for parameter, start in zip(module.parameters(), started, strict=True):
            parameter.copy_(torch.from_numpy(start).T.reshape(parameter.shape))
    network = Network(module, loss="wan", **settings).fit(X, y, X_VAL, Y_VAL)
    np.testing.assert_allclose(
        network.predict_proba(X_NEW), learner.predict_proba(X_NEW), atol=1e-4
    )
    (chosen,), (expected,) = network.selection_, learner.selection_
    assert chosen["epoch"] == expected["epoch"]
    np.testing.assert_allclose(chosen["values"][1e-2], expected["values"][1e-2], atol=1e-3)


def test_it_trains_as_a_loop_written_by_hand(monkeypatch):
    module = nn.Linear(256, 10)
    network = Network(
        module, loss="an", optimiser="sgd", validation_size=0, batch_size=50, **FAST
    ).fit(X, y)

    by_hand = clone(network).module
    seed = np.random.RandomState(0).randint(2**31 - 1, size=1)[0]
    optimiser = torch.optim.SGD(by_hand.parameters(), lr=1e-2, momentum=0.9)
    for epoch in (1, 2):
        order = np.random.default_rng([seed, 1, epoch]).permutation(160)
        for rows in (order[:50], order[50:100], order[100:150], order[150:]):
            optimiser.zero_grad()
            logits = by_hand(torch.from_numpy(X[rows]))
            targets = torch.zeros(len(rows), 10)
            targets[np.arange(len(rows)), y[rows]] = 1
            nn.functional.binary_cross_entropy_with_logits(logits, targets).backward()
            optimiser.step()

    (trained,) = network.modules_
    torch.testing.assert_close(trained.state_dict(), by_hand.state_dict())
    assert not torch.equal(trained.weight, module.weight)  # the one given stays as it is


def test_it_learns_to_rank_what_was_never_shown():
    network = Network(mlp, **{**FAST, "epochs": 15}).fit(X, y)
    scores = network.predict_proba(X_NEW)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert average_precision(Y_NEW, scores) > 0.5  # with all labels alike it is about .4
    np.testing.assert_array_equal(network.predict(X_NEW), scores.argmax(axis=1))


def test_frozen_parameters_stay_and_others_learn():
    module = mlp(10)
    module(torch.zeros(1, 256))
    module[0].requires_grad_(False)
    (trained,) = Network(module, **FAST).fit(X, y).modules_
    assert torch.equal(trained[0].weight, module[0].weight)
    assert not torch.equal(trained[2].weight, module[2].weight)
    with pytest.raises(TrainingError, match="nothing to train"):
        Network(module.requires_grad_(False), **FAST).fit(X, y)


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd", torch.optim.RMSprop])
def test_optimisers(optimiser):
    network = Network(mlp, optimiser=optimiser, **{**FAST, "learning_rate": 1e-3}).fit(X, y)
    first, second = network.selection_[0]["values"][1e-3]
    assert second > first


# -- the same again -------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_and_leaves_torch_as_it_was():
    before = torch.random.get_rng_state()
    first, second = (weights(Network(restless, **FAST).fit(X, y)) for _ in range(2))
    assert first == second
    assert torch.equal(torch.random.get_rng_state(), before)
    assert weights(Network(restless, **{**FAST, "random_state": 1}).fit(X, y)) != first


def test_other_devices_are_not_seeded(monkeypatch):
    def refused(seed):
        raise AssertionError("a device that is not used was seeded")

    monkeypatch.setattr(torch.cuda, "manual_seed_all", refused)
    Network(restless, **FAST, device="cpu").fit(X, y).predict_proba(X_NEW)


def test_the_random_numbers_of_the_device_are_seeded_and_put_back(monkeypatch):
    state = {"mps": "before"}
    monkeypatch.setattr(torch.mps, "get_rng_state", lambda device: state[device.type])
    monkeypatch.setattr(
        torch.mps, "set_rng_state", lambda new, device: state.update({device.type: new})
    )
    monkeypatch.setattr(torch, "Generator", lambda device: torch.default_generator)
    with own_draws("mps"):
        seed_draws(3, "mps")
        assert torch.equal(state["mps"], torch.get_rng_state())
    assert state == {"mps": "before"}


def test_a_rate_ends_the_same_in_any_company():
    several = Network(restless, **{**FAST, "learning_rate": (1e-9, 1e-2)}).fit(X, y)
    assert several.selection_[0]["learning_rate"] == 1e-2
    assert weights(several) == weights(Network(restless, **FAST).fit(X, y))


def test_an_ensemble_averages_modules_that_start_apart():
    network = Network(mlp, **FAST, n_models=3).fit(X, y)
    single = []
    for module in network.modules_:
        with torch.no_grad():
            single.append(module(torch.from_numpy(X_NEW)).sigmoid().numpy())
    np.testing.assert_allclose(network.predict_proba(X_NEW), np.mean(single, axis=0), atol=1e-6)
    assert np.ptp(single, axis=0).max() > 0.01
    assert len(network.selection_) == 3


def test_copies_of_one_module_start_alike_and_differ_in_the_order_of_rows():
    still = Network(nn.Linear(256, 10), n_models=2, **{**FAST, "learning_rate": 1e-12}).fit(X, y)
    torch.testing.assert_close(*(module.weight for module in still.modules_))
    moved = Network(nn.Linear(256, 10), n_models=2, **FAST).fit(X, y)
    assert not torch.equal(*(module.weight for module in moved.modules_))


# -- what is chosen -------------------------------------------------------------------------------


def test_clean_validation_labels_choose_by_average_precision():
    rates = (1e-5, 1e-2)
    network = Network(mlp, **{**FAST, "epochs": 5, "learning_rate": rates})
    network.fit(X, y, X_VAL, Y_VAL)
    (chosen,) = network.selection_
    assert "average precision" in chosen["criterion"]
    assert chosen["learning_rate"] == 1e-2
    assert {rate: len(values) for rate, values in chosen["values"].items()} == {1e-5: 5, 1e-2: 5}
    assert chosen["value"] == max(max(values) for values in chosen["values"].values())
    found = average_precision(Y_VAL, network.predict_proba(X_VAL))
    assert found == pytest.approx(chosen["value"], abs=1e-6)


def test_rows_that_are_held_out_are_judged_by_observed_labels_only():
    network = Network(mlp, **FAST).fit(X, as_labels(Y, knowledge="all"))
    assert "observed label" in network.selection_[0]["criterion"]


class Passing(nn.Linear):
    """A layer that adds up what it is given, in a buffer that is not in its state."""

    def __init__(self, n_labels=10):
        super().__init__(256, n_labels)
        self.register_buffer("seen", torch.zeros(256), persistent=False)
        self.register_buffer("last", None, persistent=False)

    def forward(self, x):
        if self.training:
            self.seen += x.sum(0)
            self.last = x[:1] / 100
        return super().forward(x - self.seen / 1000)


@pytest.mark.parametrize("module", [Passing, Passing()], ids=["function", "module"])
def test_buffers_that_are_not_in_the_state_are_those_of_the_best_epoch(module):
    network = Network(module, **{**FAST, "epochs": 5}).fit(X, y, X_VAL, Y_VAL)
    (trained,), (chosen,) = network.modules_, network.selection_
    torch.testing.assert_close(trained.seen, torch.from_numpy(X).sum(0) * chosen["epoch"])
    assert trained.last.shape == (1, 256)
    assert list(trained.state_dict()) == ["weight", "bias"]
    found = average_precision(Y_VAL, network.predict_proba(X_VAL))
    assert found == pytest.approx(chosen["value"], abs=1e-6)


def test_without_validation_the_last_epoch_is_kept():
    network = Network(mlp, **FAST, validation_size=0).fit(X, y)
    assert network.selection_[0]["criterion"] == "the last epoch"
    assert network.selection_[0]["epoch"] == 2
    with pytest.raises(SettingError, match=r"(?s)2 learning rates.*Give one rate"):
        Network(mlp, **{**FAST, "learning_rate": (1e-3, 1e-2)}, validation_size=0).fit(X, y)


def test_patience_gives_a_module_up():
    network = Network(mlp, **{**FAST, "epochs": 40, "learning_rate": 0.1}, patience=2).fit(X, y)
    (chosen,) = network.selection_
    assert len(chosen["values"][0.1]) == chosen["epoch"] + 2 < 40


# -- what is shared, and what is lost -------------------------------------------------------------


def test_a_function_may_use_one_backbone_every_time():
    backbone = nn.Sequential(nn.Linear(256, 16), nn.Tanh())
    before = backbone[0].weight.clone()

    def with_a_head(n_labels):
        return nn.Sequential(backbone, nn.Linear(16, n_labels))

    first = Network(with_a_head, n_models=2, **FAST).fit(X, y)
    scores = first.predict_proba(X_NEW)
    second = Network(with_a_head, n_models=2, **FAST).fit(X, y)
    assert torch.equal(backbone[0].weight, before)
    np.testing.assert_array_equal(second.predict_proba(X_NEW), scores)
    np.testing.assert_array_equal(first.predict_proba(X_NEW), scores)
    one, other = first.modules_
    assert not torch.equal(one[0][0].weight, other[0][0].weight)


class Forgetful(nn.Linear):
    """A layer that keeps what it has seen where no state is."""

    def __init__(self, n_labels):
        super().__init__(256, n_labels)
        self.mean = torch.zeros(256)

    def forward(self, x):
        if self.training:
            self.mean = 0.5 * self.mean + 0.5 * x.mean(0)
        return super().forward(x - self.mean)


def test_what_a_module_keeps_outside_its_state_is_told():
    with pytest.warns(LAMCWarning, match=r"outside its parameters and buffers.*register_buffer"):
        Network(Forgetful, **FAST).fit(X + 20, y)


class Held(nn.Linear):
    """A layer that holds on to what it computed, which cannot be copied."""

    def forward(self, x):
        self.last = super().forward(x)
        return self.last


def test_a_module_that_cannot_be_copied_is_refused_with_a_way_out():
    held = Held(256, 10)
    held(torch.from_numpy(X))
    lazy = nn.Sequential(nn.LazyLinear(8), nn.LazyBatchNorm1d(), nn.LazyLinear(10))
    for module in (held, lazy):
        with pytest.raises(SettingError, match=r"(?s)cannot be copied.*function that makes it"):
            Network(module, **FAST).fit(X, y)
        Network(lambda module=module: module, **FAST).fit(X, y)


def test_half_precision_is_told_as_the_cause():
    with pytest.raises(TrainingError, match=r"(?s)half precision.*bfloat16"):
        Network(nn.Linear(256, 10).half(), **FAST).fit(X, y)
