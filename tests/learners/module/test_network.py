"""Any torch module as a classifier: trained as one would by hand, its faults told by name."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from lamc import losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import LabelError, LAMCWarning, ScorerError, SettingError, TrainingError
from lamc.labels import as_labels
from lamc.learners import WAN, Network
from lamc.learners.devices import own_draws, seed_draws
from lamc.learners.module.call import scores_of
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import InMemory
from lamc.learners.module.loss import LOSSES
from lamc.learners.progress import Progress
from lamc.learners.selection import ObservedLikelihood
from lamc.learners.stack import initial_weights
from lamc.metrics import average_precision

SCENES = digit_scenes(260)
X, Y = SCENES.X[:160].astype(np.float32), SCENES.Y[:160]
X_VAL, Y_VAL = SCENES.X[160:200].astype(np.float32), SCENES.Y[160:200]
X_NEW, Y_NEW = SCENES.X[200:].astype(np.float32), SCENES.Y[200:]
y = observe(Y, random_state=0).index()

FAST = {"epochs": 2, "learning_rate": 1e-2, "random_state": 0, "n_threads": 1}


def mlp(n_labels):
    return nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.Linear(16, n_labels))


class Layers(nn.Sequential):
    """The same as a class, whose name is the same in every process."""

    def __init__(self, n_labels):
        super().__init__(*mlp(n_labels))


def restless(n_labels):
    """Layers that behave otherwise in training: they normalise over batches, and drop units."""
    return nn.Sequential(
        nn.LazyLinear(16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, n_labels)
    )


def weights(learner):
    return [
        each.numpy().tobytes()
        for module in learner.modules_
        for each in module.state_dict().values()
    ]


# -- scikit-learn's contract ---------------------------------------------------------------------

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
        scaled.predict_proba(X_NEW),
        by_hand.predict_proba(StandardScaler().fit(X).transform(X_NEW)),
    )


# -- training ------------------------------------------------------------------------------------


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


# -- layers that behave otherwise in training ----------------------------------------------------


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


# -- the same again ------------------------------------------------------------------------------


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


# -- what is chosen ------------------------------------------------------------------------------


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


# -- losses --------------------------------------------------------------------------------------

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


# -- what modules give ---------------------------------------------------------------------------


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


# -- labels --------------------------------------------------------------------------------------


def test_numbers_of_labels_are_numbers_of_outputs():
    rows = y != 7
    network = Network(nn.Linear(256, 12), **FAST).fit(X[rows], y[rows])
    np.testing.assert_array_equal(network.classes_, np.arange(12))
    named = as_labels(y[rows], classes=np.arange(12))
    again = Network(network.module, **FAST).fit(X[rows], named)
    assert weights(again) == weights(network)


def test_names_are_matched_with_outputs_or_refused():
    names = np.array([f"digit {k}" for k in range(10)])
    network = Network(mlp, **FAST).fit(X, names[y])
    assert network.classes_.tolist() == names.tolist()
    assert set(network.predict(X_NEW)) <= set(names)
    with pytest.raises(LabelError, match=r"(?s)12 logits a row, but y has 10 labels.*classes="):
        Network(nn.Linear(256, 12), **FAST).fit(X, names[y])
    with pytest.raises(LabelError, match=r"(?s)12 logits a row, but y has 10 labels"):
        Network(nn.Linear(256, 12), **FAST).fit(X, Y)


def test_more_than_one_positive_a_row():
    network = Network(mlp, **FAST).fit(X, Y)
    assert network.predict(X_NEW).shape == (60, 10)


def test_bad_labels_are_refused_with_the_way_out():
    lists = [[int(label)] for label in y]
    lists[3] = []
    with pytest.raises(LabelError, match=r"(?s)[Rr]ow 3.*no observed label.*Network"):
        Network(mlp, **FAST).fit(X, lists)
    with pytest.raises(LabelError, match="159 rows, but X has 160"):
        Network(mlp, **FAST).fit(X, y[:-1])
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        Network(mlp, **FAST).fit(X, y, X_VAL)
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        Network(mlp, **FAST).fit(X, y, None, Y_VAL)
    with pytest.raises(LabelError, match="No row of the validation set has a label"):
        Network(mlp, **FAST).fit(X, y, X_VAL, np.zeros((40, 10), dtype=int))
    with pytest.raises(LabelError, match="39 rows, but X_val has 40"):
        Network(mlp, **FAST).fit(X, y, X_VAL, Y_VAL[:39])


def test_labels_known_to_be_absent_are_not_used_and_that_is_said():
    known = np.zeros((160, 10), dtype=int)
    known[np.arange(160), y] = 1
    plain = weights(Network(mlp, **FAST).fit(X, known))
    known[np.arange(160), (y + 1) % 10] = -1
    labels = as_labels(known, meaning={0: "unknown", -1: "negative"})
    with pytest.warns(LAMCWarning, match="160 labels as absent, which Network does not use"):
        assert weights(Network(mlp, **FAST).fit(X, labels)) == plain


# -- how it is run -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("epochs", 0, "whole number from 1"),
        ("batch_size", 2.5, "whole number from 1"),
        ("learning_rate", (1e-3, -1.0), "numbers above 0"),
        ("learning_rate", (), "numbers above 0"),
        ("weight_decay", -0.1, "a number from 0"),
        ("n_models", 0, "whole number from 1"),
        ("validation_size", 1.0, "below 1"),
        ("patience", 0, "or None"),
        ("n_threads", 0, "or None"),
        ("device", "abacus", "'cpu'"),
        ("optimiser", "adagrad", "'adamw', 'sgd'"),
        ("activation", "relu", "'sigmoid' or 'softmax'"),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value, expected):
    with pytest.raises(SettingError) as refusal:
        Network(mlp, **{**FAST, name: value}).fit(X, y)
    assert f"{name}={value!r}" in str(refusal.value)
    assert expected in str(refusal.value)


def test_a_loss_that_is_no_number_is_told_with_epoch_batch_and_rate():
    def breaking(logits, observed, epoch):
        value = losses.an(logits, observed)
        return value * np.nan if epoch == 2 else value

    with pytest.raises(TrainingError, match=r"(?s)epoch 2, batch 1, with learning rate 0.01"):
        Network(mlp, loss=breaking, **FAST).fit(X, y)


def test_weights_that_are_no_numbers_are_not_kept():
    network = Network(mlp, optimiser="sgd", **{**FAST, "learning_rate": 1e38}, batch_size=200)
    with pytest.raises(TrainingError, match=r"(?s)Weights.*after epoch 1.*rate 1e\+38.*lower rate"):
        network.set_params(validation_size=0, epochs=1, weight_decay=1e38).fit(X, y)


def test_infinite_masks_are_no_broken_weights():
    class Masked(nn.Linear):
        def __init__(self):
            super().__init__(256, 10)
            self.register_buffer("mask", torch.full((3, 3), -torch.inf).triu(1))

    assert Network(Masked, **FAST).fit(X, y).selection_[0]["epoch"] > 0


def test_rows_that_get_no_score_are_told():
    network = Network(mlp, **FAST).fit(torch.from_numpy(X), y)
    broken = torch.from_numpy(X_NEW).clone()
    broken[4, 0] = torch.nan
    with pytest.raises(ScorerError, match=r"(?s)no number for row 4"):
        network.predict_proba(broken)


def test_an_interruption_leaves_a_fitted_learner(monkeypatch):
    plain, calls = ObservedLikelihood.values, []

    def interrupted(self, scores):
        calls.append(None)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return plain(self, scores)

    monkeypatch.setattr(ObservedLikelihood, "values", interrupted)
    network = Network(mlp, **{**FAST, "epochs": 50})
    with pytest.raises(KeyboardInterrupt):
        network.fit(X, y)
    assert len(network.selection_[0]["values"][1e-2]) == 3
    assert network.predict_proba(X_NEW).shape == (60, 10)


def test_an_interruption_before_the_first_epoch_leaves_nothing():
    def interrupted(logits, observed):
        raise KeyboardInterrupt

    network = Network(mlp, loss=interrupted, **FAST)
    with pytest.raises(KeyboardInterrupt):
        network.fit(X, y)
    with pytest.raises(NotFittedError):
        network.predict_proba(X_NEW)


def test_threads_are_put_back():
    before, during = torch.get_num_threads(), []

    def watching(logits, observed):
        during.append(torch.get_num_threads())
        return losses.an(logits, observed)

    Network(mlp, loss=watching, **{**FAST, "n_threads": before + 1}).fit(X, y)
    assert set(during) == {before + 1}
    assert torch.get_num_threads() == before


def test_progress_is_shown_if_asked_for(capsys):
    Network(mlp, **FAST).fit(X, y)
    assert capsys.readouterr().err == ""
    Network(mlp, **FAST, verbose=True).fit(X, y)
    assert "Network: epoch 2 of 1 networks" in capsys.readouterr().err


def test_progress_ends_full_whatever_patience_leaves_out(monkeypatch):
    seen = []
    monkeypatch.setattr(Progress, "__exit__", lambda self, *error: seen.append(self.done))
    settings = {**FAST, "epochs": 30, "learning_rate": (0.1, 0.1, 0.2)}
    network = Network(mlp, **settings, patience=1, verbose=True, n_models=2).fit(X, y)
    assert all(len(values) < 30 for values in network.selection_[0]["values"].values())
    assert seen == [30 * 2 * 2]


@pytest.mark.parametrize(
    ("loss", "labels", "advice"),
    [
        (nn.BCEWithLogitsLoss(), y, "one_hot(observed, logits.shape[1]).to(logits)"),
        (nn.BCEWithLogitsLoss(), Y.toarray(), "yours(logits, observed.to(logits))"),
        (nn.MultiLabelSoftMarginLoss(), y, "the number of the observed label of each row"),
    ],
)
def test_a_loss_that_takes_other_labels_is_told_with_a_way_out(loss, labels, advice):
    observed = as_labels(labels, knowledge="some") if np.ndim(labels) == 2 else labels
    with pytest.raises(TrainingError, match=f"loss={loss!r} fails".replace("()", r"\(\)")) as told:
        Network(mlp, loss=loss, **FAST).fit(X, observed)
    assert advice in str(told.value)


@pytest.mark.parametrize("labels", [y, Y.toarray()], ids=["one a row", "several"])
def test_the_way_out_works(labels):
    several = np.ndim(labels) == 2

    def loss(logits, observed):
        marks = observed if several else nn.functional.one_hot(observed, logits.shape[1])
        return nn.functional.binary_cross_entropy_with_logits(logits, marks.to(logits))

    observed = as_labels(labels, knowledge="some") if several else labels
    by_hand = Network(mlp, loss=loss, **FAST).fit(X, observed).predict_proba(X_NEW)
    own = Network(mlp, loss="an", **FAST).fit(X, observed).predict_proba(X_NEW)
    np.testing.assert_allclose(by_hand, own, atol=1e-5)


def test_a_function_that_asks_for_what_it_is_not_told_is_refused():
    network = Network(lambda k: nn.Linear(2, k), epochs=1)
    with pytest.raises(SettingError, match="asks for k, and is told n_labels alone"):
        network.fit(np.zeros((6, 2)), [0, 1, 2, 0, 1, 2])


# -- what is shared, and what is lost ------------------------------------------------------------


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
