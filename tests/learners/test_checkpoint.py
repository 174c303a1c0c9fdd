"""A training that was killed ends with the weights of one that was not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError, TrainingError
from lamc.learners import APL, CRISP, EPR, MIME, WAN, LargeLoss, trainer
from lamc.learners.progress import Progress

SCENES = digit_scenes(120)
X, Y = SCENES.X[:100], SCENES.Y[:100]
X_VAL, Y_VAL = SCENES.X[100:], SCENES.Y[100:]
y = observe(Y, random_state=0)

FAST = {"epochs": 6, "hidden": 8, "learning_rate": (1e-2, 1e-3), "random_state": 0, "n_threads": 1}


class KilledError(Exception):
    """What ends a training in the middle, without a word to the learner."""


def weights(learner):
    return [weight.tobytes() for weight in learner.weights_]


def outcome(learner):
    """The weights that were kept, and what was seen in every epoch, kept or not."""
    return weights(learner), learner.selection_


def fit_killed_in(epoch, learner, monkeypatch):
    """Fit a learner, and end it within an epoch."""
    plain = trainer.train_epoch

    def deadly(stack, adam, group, plan, method, now):
        plain(stack, adam, group, plan, method, now)
        if now == epoch:
            raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(trainer, "train_epoch", deadly)
        with pytest.raises(KilledError):
            learner.fit(X, y)


LEARNERS = [
    WAN(**FAST, dropout=0.3, weight_decay=0.01),
    WAN(**FAST, patience=1),
    APL(**FAST, warm_up=0.2),
    LargeLoss(**FAST, scheme="correct-permanently", delta=0.02),
    CRISP(**FAST),
    EPR(**FAST),
    MIME(**FAST, code_size=4, threshold=0.3),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("together", [True, False], ids=["one group", "group by group"])
def test_training_goes_on_to_the_same_bytes(learner, together, tmp_path, monkeypatch):
    if not together:
        monkeypatch.setattr(trainer, "CACHE_BYTES", 0)
    whole = outcome(learner.set_params(checkpoint=None).fit(X, y))
    learner.set_params(checkpoint=tmp_path)
    for epoch in (2, 4) if learner.patience is None else (2,):
        fit_killed_in(epoch, learner, monkeypatch)
    assert outcome(learner.fit(X, y)) == whole
    assert outcome(learner.fit(X, y)) == whole  # from checkpoints of a training that is complete


def test_a_training_that_patience_ended_does_not_go_on(tmp_path):
    learner = WAN(**{**FAST, "epochs": 40, "learning_rate": 0.1}, patience=2, checkpoint=tmp_path)
    first = learner.fit(X, y)
    kept, values = weights(first), first.selection_[0]["values"]
    assert len(values[0.1]) < 40
    assert weights(learner.fit(X, y)) == kept
    assert learner.selection_[0]["values"] == values


def test_progress_ends_full_after_a_training_was_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "CACHE_BYTES", 0)  # the second rate was not begun when it ended
    shown = []

    class Watched(Progress):
        def __init__(self, title, total):
            super().__init__(title, total)
            shown.append(self)

    monkeypatch.setattr("lamc.learners.progress.Progress", Watched)
    learner = WAN(**FAST, checkpoint=tmp_path, verbose=True)
    fit_killed_in(4, learner, monkeypatch)
    learner.fit(X, y)
    learner.fit(X, y)
    assert [each.total for each in shown] == [12, 12, 12]
    assert [each.done for each in shown] == [3, 12, 12]


SCRIPT = """
import sys
from lamc.datasets import digit_scenes, observe
from lamc.learners import LargeLoss

scenes = digit_scenes(400)
learner = LargeLoss(
    scheme="correct-permanently", delta=0.01, epochs=20, hidden=16, learning_rate=1e-2,
    validation_size=0, dropout=0.2, n_threads=1, random_state=0,
    checkpoint=sys.argv[1] if sys.argv[1:] else None,
)
learner.fit(scenes.X, observe(scenes.Y, random_state=0))
sys.stdout.buffer.write(b"".join(weight.tobytes() for weight in learner.weights_))
"""


def test_a_process_killed_by_the_system_goes_on_to_the_same_bytes(tmp_path):
    command = [sys.executable, "-c", SCRIPT]
    source = Path(trainer.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    folder = tmp_path / "kept"
    process = subprocess.Popen([*command, folder], env=environment, stdout=subprocess.PIPE)
    wait_until_written(folder / "group-0.safetensors")
    os.kill(process.pid, signal.SIGKILL)
    left, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert left == b""
    resumed = subprocess.run([*command, folder], env=environment, capture_output=True, check=True)
    whole = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert resumed.stdout == whole.stdout
    assert len(whole.stdout) > 4 * 64 * 16


def wait_until_written(path, seconds=60):
    for _ in range(seconds * 100):
        if path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written within {seconds} s")


# -- what is refused -----------------------------------------------------------------------------


def started(folder):
    return WAN(**FAST, checkpoint=folder).fit(X, y, X_VAL, Y_VAL)


@pytest.mark.parametrize(
    "other",
    [
        {"epochs": 7},
        {"hidden": 9},
        {"batch_size": 8},
        {"learning_rate": (1e-2, 2e-3)},
        {"weight_decay": 0.1},
        {"standardise": False},
        {"random_state": 1},
    ],
    ids=lambda other: next(iter(other)),
)
def test_other_settings_are_refused(tmp_path, other):
    started(tmp_path)
    with pytest.raises(TrainingError, match=r"(?s)another training.*Remove it, or name another"):
        WAN(**{**FAST, **other}, checkpoint=tmp_path).fit(X, y, X_VAL, Y_VAL)


def test_settings_of_the_method_count_too(tmp_path):
    LargeLoss(**FAST, checkpoint=tmp_path).fit(X, y)
    with pytest.raises(TrainingError, match="another training"):
        LargeLoss(**FAST, checkpoint=tmp_path, delta=0.01).fit(X, y)
    with pytest.raises(TrainingError, match="another training"):
        WAN(**FAST, checkpoint=tmp_path).fit(X, y)


@pytest.mark.parametrize("what", ["rows", "labels", "validation rows", "validation labels"])
def test_other_data_are_refused(tmp_path, what):
    started(tmp_path)
    X_other, X_val = X.copy(), X_VAL.copy()
    observed, Y_val = y.index().copy(), Y_VAL
    if what == "rows":
        X_other[0, 0] += 1
    elif what == "labels":
        observed[0] = (observed[0] + 1) % 10
    elif what == "validation rows":
        X_val[0, 100] += 1
    else:
        Y_val = Y_VAL[np.r_[1, 0, 2:20]]
    with pytest.raises(TrainingError, match="another training"):
        WAN(**FAST, checkpoint=tmp_path).fit(X_other, observed, X_val, Y_val)


def test_how_it_is_run_does_not_matter(tmp_path):
    kept = weights(started(tmp_path))
    again = WAN(**{**FAST, "n_threads": 2}, checkpoint=str(tmp_path), device="cpu")
    assert weights(again.fit(X, y, X_VAL, Y_VAL)) == kept


def test_what_no_fit_could_go_on_from_is_refused(tmp_path):
    with pytest.raises(SettingError, match=r"(?s)random_state=None draws anew.*random_state=0"):
        WAN(**{**FAST, "random_state": None}, checkpoint=tmp_path).fit(X, y)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(SettingError, match="is a file; give a folder"):
        WAN(**FAST, checkpoint=file).fit(X, y)


def test_groups_of_another_size_are_refused(tmp_path, monkeypatch):
    started(tmp_path)
    monkeypatch.setattr(trainer, "CACHE_BYTES", 0)
    with pytest.raises(TrainingError, match=r"(?s)holds 2 networks, but now 1 are.*Remove it"):
        started(tmp_path)


def test_a_damaged_checkpoint_is_refused_by_name(tmp_path):
    started(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TrainingError, match=r"(?s)group-0.*cannot be read.*Remove it"):
        started(tmp_path)
