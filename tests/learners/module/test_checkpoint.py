"""A module whose training was killed ends with the weights of one that was not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import lamc
from lamc import losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError, TrainingError
from lamc.learners import Network

SCENES = digit_scenes(120)
X, Y = SCENES.X[:100].astype(np.float32), SCENES.Y[:100]
X_VAL, Y_VAL = SCENES.X[100:].astype(np.float32), SCENES.Y[100:]
y = observe(Y, random_state=0).index()

FAST = {"epochs": 4, "learning_rate": (1e-2, 1e-3), "random_state": 0, "n_threads": 1}


class KilledError(Exception):
    """What ends a training in the middle, without a word to the learner."""


def restless(n_labels=10):
    return nn.Sequential(
        nn.Linear(256, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, n_labels)
    )


def tied(n_labels=10):
    """Two layers with one weight, which a file must not hold as two that part."""
    layers = nn.Sequential(nn.Linear(256, 10), nn.Linear(10, 10), nn.Linear(10, 10))
    layers[2].weight = layers[1].weight
    return layers


class Passing(nn.Linear):
    """A layer that scales by what it has seen, which is not in its state."""

    def __init__(self, n_labels=10):
        super().__init__(256, n_labels)
        self.register_buffer("seen", torch.ones(1), persistent=False)

    def forward(self, x):
        if self.training:
            self.seen += x.mean()
        return super().forward(x / self.seen)


def outcome(network):
    """The weights that were kept, and what was seen in every epoch, kept or not."""
    states = [module.state_dict() for module in network.modules_]
    kept = [(name, each.numpy().tobytes()) for state in states for name, each in state.items()]
    return kept, network.selection_


LEFT = {"batches": 0}  # until the training ends, if above 0


def deadly(logits, observed):
    """A loss that ends the training in the middle, and looks the same whether it will or not."""
    LEFT["batches"] -= 1
    if LEFT["batches"] == 0:
        raise KilledError
    return losses.wan(logits, observed)


def killed(network, *data, batch):
    LEFT["batches"] = batch
    with pytest.raises(KilledError):
        network.fit(*data)


@pytest.mark.parametrize(
    ("module", "optimiser"),
    [
        (restless, "adam"),
        (restless, "sgd"),
        (restless, torch.optim.ASGD),
        (restless(), "adam"),
        (tied, "adam"),
        (Passing, "adam"),
    ],
    ids=["adam", "sgd", "asgd", "one module", "tied weights", "a passing buffer"],
)
def test_training_goes_on_to_the_same_bytes(module, optimiser, tmp_path):
    network = Network(module, loss=deadly, optimiser=optimiser, **FAST)
    whole = outcome(network.fit(X, y))
    network.set_params(checkpoint=tmp_path)
    for batch in (5, 9):  # three batches an epoch: in the second, and in one after that
        killed(network, X, y, batch=batch)
    assert outcome(network.fit(X, y)) == whole
    assert outcome(network.fit(X, y)) == whole  # from checkpoints of a training that is complete


def test_a_loader_goes_on_with_the_order_it_would_have_had(tmp_path):
    data = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
    network = Network(restless, loss=deadly, epochs=4, validation_size=0, random_state=0)
    loader = DataLoader(data, batch_size=32, shuffle=True)
    whole = outcome(network.fit(loader))
    network.set_params(checkpoint=tmp_path)
    killed(network, loader, batch=10)
    assert outcome(network.fit(loader)) == whole
    own = DataLoader(data, batch_size=32, shuffle=True, generator=torch.Generator())
    with pytest.raises(TrainingError, match=r"(?s)generator of its own.*Leave generator= out"):
        network.fit(own)


def convolutions(n_labels):
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.LazyLinear(n_labels),
    )


def bytes_of_training(folder=None):
    """What this file does when it is run by itself."""
    scenes = digit_scenes(300)
    settings = {"epochs": 12, "validation_size": 0, "n_threads": 1, "random_state": 0}
    network = Network(convolutions, checkpoint=folder, **settings)
    network.fit(scenes.pictures[:, None].astype("float32"), observe(scenes.Y, random_state=0))
    (module,) = network.modules_
    return b"".join(each.numpy().tobytes() for each in module.state_dict().values())


def test_a_process_killed_by_the_system_goes_on_to_the_same_bytes(tmp_path):
    folder = tmp_path / "kept"
    command = [sys.executable, __file__, folder]
    source = Path(lamc.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    wait_until_written(folder / "module-0.safetensors")
    os.kill(process.pid, signal.SIGKILL)
    left, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert left == b""
    resumed = subprocess.run(command, env=environment, capture_output=True, check=True)
    whole = bytes_of_training()
    assert resumed.stdout == whole
    assert len(whole) > 4 * 196 * 10


def wait_until_written(path, seconds=300):
    for _ in range(seconds * 100):
        if path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written within {seconds} s")


# -- what is refused -----------------------------------------------------------------------------


def started(folder, module=restless, X=X, y=y, X_val=X_VAL, Y_val=Y_VAL, **other):
    settings = {**FAST, "epochs": 1, "learning_rate": 1e-2, **other}
    return Network(module, checkpoint=folder, **settings).fit(X, y, X_val, Y_val)


@pytest.mark.parametrize(
    "other",
    [
        {"epochs": 2},
        {"batch_size": 8},
        {"learning_rate": 1e-3},
        {"weight_decay": 0.1},
        {"optimiser": "sgd"},
        {"loss": "an"},
        {"random_state": 1},
        {"module": tied},
        {"module": restless()},  # the same layers, with other weights
        {"X": X + 1},
        {"y": (y + 1) % 10},
        {"X_val": X_VAL + 1},
        {"Y_val": Y_VAL[::-1]},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_training_is_refused(tmp_path, other):
    started(tmp_path)
    with pytest.raises(TrainingError, match=r"(?s)another training.*Remove it, or name another"):
        started(tmp_path, **other)


def resting(n_labels=10):
    module = restless(n_labels)
    module[1].eval()
    return module


def test_other_parts_in_evaluation_mode_are_another_training(tmp_path):
    started(tmp_path, restless)
    with pytest.raises(TrainingError, match="another training"):
        started(tmp_path, resting)


def scaled(factor):
    return lambda logits, observed: factor * losses.wan(logits, observed)


def with_momentum(momentum):
    return lambda parameters, **other: torch.optim.SGD(parameters, momentum=momentum, **other)


class Steered:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, logits, observed):
        return self.factor * losses.wan(logits, observed)


@pytest.mark.parametrize(
    ("name", "one", "same", "other"),
    [
        ("loss", scaled(1.0), scaled(1.0), scaled(2.0)),
        ("loss", Steered(1.0), Steered(1.0), Steered(2.0)),
        (
            "loss",
            lambda logits, observed: losses.wan(logits, observed),
            lambda logits, observed: losses.wan(logits, observed),
            lambda logits, observed: losses.hill(logits, observed),
        ),
        (
            "loss",
            nn.CrossEntropyLoss(),
            nn.CrossEntropyLoss(),
            nn.CrossEntropyLoss(label_smoothing=0.5),
        ),
        ("optimiser", with_momentum(0.0), with_momentum(0.0), with_momentum(0.9)),
    ],
    ids=["closure", "object", "lambda", "module", "optimiser"],
)
def test_functions_are_known_by_what_they_do(tmp_path, name, one, same, other):
    kept = outcome(started(tmp_path, **{name: one}))
    assert outcome(started(tmp_path, **{name: same})) == kept
    with pytest.raises(TrainingError, match="another training"):
        started(tmp_path, **{name: other})


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
def test_a_checkpoint_that_no_fit_could_go_on_from_is_refused(tmp_path, random_state):
    with pytest.raises(SettingError, match=r"(?s)draws anew.*random_state=0"):
        started(tmp_path, random_state=random_state)


def test_how_it_is_run_does_not_matter(tmp_path):
    kept = outcome(started(tmp_path))
    assert outcome(started(str(tmp_path), n_threads=2, device="cpu", verbose=True)) == kept


def test_a_damaged_checkpoint_is_refused_by_name(tmp_path):
    started(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TrainingError, match=r"(?s)module-0.*cannot be read.*Remove it"):
        started(tmp_path)


class Remembering(nn.Linear):
    def get_extra_state(self):
        return {"seen": 3}

    def set_extra_state(self, state):
        pass


def test_a_state_that_is_no_tensor_is_refused():
    with pytest.raises(TrainingError, match="type dict; Network keeps weights and buffers"):
        Network(Remembering(256, 10), **FAST).fit(X, y)


def test_an_optimiser_whose_state_a_file_cannot_hold_is_refused(tmp_path):
    class Noting(torch.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            for parameter in self.param_groups[0]["params"]:
                self.state[parameter]["history"] = ["a step"]

    assert started(None, optimiser=Noting).modules_
    with pytest.raises(TrainingError, match=r"(?s)Noting keeps 'history' of type list.*Adam"):
        started(tmp_path, optimiser=Noting)


if __name__ == "__main__":
    sys.stdout.buffer.write(bytes_of_training(sys.argv[1]))


class Drifting(nn.Module):
    """A loss with a state of its own, which ends the training in the middle like ``deadly``."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(10))
        self.share = nn.Parameter(torch.ones(1))

    def forward(self, logits, observed):
        self.mean = 0.9 * self.mean + 0.1 * logits.detach().mean(0)
        return deadly(logits - self.share * self.mean, observed)


def test_the_state_of_a_loss_goes_on_too(tmp_path):
    loss = Drifting()
    whole = outcome(Network(restless, loss=loss, **FAST).fit(X, y))
    network = Network(restless, loss=loss, checkpoint=tmp_path, **FAST)
    killed(network, X, y, batch=8)
    assert outcome(network.fit(X, y)) == whole


@pytest.mark.parametrize("given", ["class", "object", "function"])
def test_a_module_whose_code_was_changed_is_another_training(given, tmp_path, monkeypatch):
    class Layers(nn.Linear):
        def __init__(self, n_labels=10):
            super().__init__(256, n_labels)

        def forward(self, x):
            return super().forward(x)

    def make(n_labels):
        return Layers(n_labels)

    torch.manual_seed(0)
    module = {"class": Layers, "object": Layers(), "function": make}[given]
    network = Network(module, checkpoint=tmp_path, **FAST).fit(X, y)
    assert outcome(network.fit(X, y))
    monkeypatch.setattr(Layers, "forward", lambda self, x: nn.Linear.forward(self, torch.cos(x)))
    with pytest.raises(TrainingError, match="another training: other data, settings, code"):
        network.fit(X, y)


def scheduled(parameters, lr, weight_decay):
    optimiser = torch.optim.SGD(parameters, lr=lr, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.8)
    optimiser.register_step_post_hook(lambda *step: schedule.step())
    return optimiser


def test_a_schedule_that_no_checkpoint_holds_is_refused(tmp_path):
    Network(restless, optimiser=scheduled, **FAST).fit(X, y)
    with pytest.raises(TrainingError, match=r"(?s)changes lr from 0.01 to .*without checkpoint="):
        Network(restless, optimiser=scheduled, checkpoint=tmp_path, **FAST).fit(X, y)


def test_workers_that_a_loader_keeps_are_refused(tmp_path):
    data = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
    kept = DataLoader(data, batch_size=32, num_workers=1, persistent_workers=True)
    network = Network(restless, validation_size=0, epochs=1, random_state=0, checkpoint=tmp_path)
    with pytest.raises(TrainingError, match=r"(?s)keeps its workers.*Leave persistent_workers"):
        network.fit(kept)


def test_a_function_may_hold_a_backbone_whose_weights_are_part_of_the_training(tmp_path):
    def made_from(backbone):
        return lambda n_labels: nn.Sequential(backbone, nn.Linear(8, n_labels))

    torch.manual_seed(0)
    backbone = nn.Linear(256, 8)
    whole = outcome(Network(made_from(backbone), checkpoint=tmp_path, **FAST).fit(X, y))
    assert outcome(Network(made_from(backbone), checkpoint=tmp_path, **FAST).fit(X, y)) == whole
    with pytest.raises(TrainingError, match="another training"):
        Network(made_from(nn.Linear(256, 8)), checkpoint=tmp_path, **FAST).fit(X, y)
