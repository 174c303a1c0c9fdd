"""What cannot be loaded is not saved, and saving never spoils what is there."""

import os
import platform
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from lamc import LAMC, Calibrator
from lamc.exceptions import StorageError
from lamc.learners import WAN
from lamc.storage import load, save
from lamc.storage.facts import encode_classes

rng = np.random.default_rng(0)
Y = rng.random((80, 3)) < 0.6
Y[:, 0] |= ~Y.any(axis=1)
X = rng.normal(size=(80, 3)) + Y
SCORES = 1 / (1 + np.exp(-X))


def fitted(estimator: object = None, **settings: object) -> LAMC:
    y = (Y * rng.random(Y.shape)).argmax(axis=1)
    return LAMC(estimator, alpha=0.3, **settings).fit(X[:40], y[:40], X_cal=X[40:], Y_cal=Y[40:])


def logistic_scores(rows: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-rows))


class SubclassOfLAMC(LAMC):
    pass


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LAMC(), "This LAMC is not fitted.*\n.*Fit it first"),
        (Calibrator(), "This Calibrator is not fitted"),
        (LogisticRegression(), "LogisticRegression is neither LAMC nor Calibrator"),
        (SubclassOfLAMC(), "SubclassOfLAMC is neither"),
        (None, "NoneType is neither"),
    ],
)
def test_what_is_no_fitted_model_is_refused(tmp_path, model, message):
    with pytest.raises(StorageError, match=message):
        save(model, tmp_path / "m.lamc")
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_cannot_be_found_again_is_refused(tmp_path):
    class Local(ClassifierMixin, BaseEstimator):
        def fit(self, X: np.ndarray, y: np.ndarray) -> "Local":
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X: np.ndarray) -> np.ndarray:
            return np.full((len(X), len(self.classes_)), 0.5)

    with pytest.raises(StorageError, match=r"could not be loaded again: .*Local"):
        fitted(Local()).save(tmp_path / "m.lamc")
    assert list(tmp_path.iterdir()) == []


def test_a_function_inside_an_estimator_is_refused(tmp_path):
    model = fitted(make_pipeline(FunctionTransformer(lambda X: X + 1), LogisticRegression()))
    with pytest.raises(StorageError, match=r"(?s)lambda.*importable by name"):
        model.save(tmp_path / "m.lamc")
    assert list(tmp_path.iterdir()) == []


def test_what_skops_cannot_write_is_refused_with_a_way_out(tmp_path):
    model = fitted(LogisticRegression())
    model.estimator_.stream = (number for number in range(3))
    with pytest.raises(
        StorageError, match=r"(?s)cannot be saved: .*model\.calibrator_\.save\(path"
    ):
        model.save(tmp_path / "m.lamc")
    model.calibrator_.save(tmp_path / "thresholds.lamc")
    loaded = load(tmp_path / "thresholds.lamc")
    assert loaded.accept(SCORES).tobytes() == model.calibrator_.accept(SCORES).tobytes()


def test_a_random_state_is_refused_with_a_way_out(tmp_path):
    model = fitted(random_state=np.random.RandomState(0))
    with pytest.raises(StorageError, match=r"random_state=.*\n.*set_params\(random_state=0\)"):
        model.save(tmp_path / "m.lamc")
    model.set_params(random_state=0).save(tmp_path / "m.lamc")
    assert load(tmp_path / "m.lamc").random_state == 0


def test_names_that_would_fill_the_memory_are_refused_with_a_way_out(tmp_path):
    calibrator = fitted().calibrator_
    names = [*map(str, range(1000)), "oak" * 10_000]
    calibrator.classes_ = np.array(names, dtype=object)
    with pytest.raises(
        StorageError, match=r"labels cannot be saved: the longest of 1001 .*\nShorten"
    ):
        calibrator.save(tmp_path / "m.lamc")
    assert list(tmp_path.iterdir()) == []


def test_many_names_and_a_long_one_are_saved(tmp_path):
    """An array of names may be large if the names are many, or if one of them is."""
    names = np.array([f"{number:0200d}" for number in range(100_000)], dtype=object)
    assert len(encode_classes(names)["array"]) == 100_000
    classes = np.array(["oak" * 10_000, "elm", "ash"])
    Calibrator(alpha=0.3).fit(SCORES, Y, classes=classes).save(tmp_path / "m.lamc")
    np.testing.assert_array_equal(load(tmp_path / "m.lamc").classes_, classes, strict=True)


def test_a_function_must_be_given_again(tmp_path):
    fitted(logistic_scores).save(tmp_path / "m.lamc")
    with pytest.raises(StorageError, match=r"(?s)scoring function.*estimator=function"):
        load(tmp_path / "m.lamc")
    with pytest.raises(StorageError, match="scoring function"):
        load(tmp_path / "m.lamc", estimator=LogisticRegression())
    loaded = load(tmp_path / "m.lamc", estimator=logistic_scores)
    assert loaded.predict(X).shape == Y.shape
    assert b"logistic_scores" not in (tmp_path / "m.lamc").read_bytes()


def test_an_estimator_is_not_given_twice(tmp_path):
    fitted().save(tmp_path / "m.lamc")
    with pytest.raises(StorageError, match="leave estimator= out"):
        load(tmp_path / "m.lamc", estimator=logistic_scores)


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "m.lamc"
    fitted().save(path)
    before = path.read_bytes()

    def full_disk(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="No space left"):
        fitted(rule="selective").save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_is_replaced(tmp_path):
    path = tmp_path / "a" / "m.lamc"
    fitted().save(path)
    fitted(rule="three-way").save(str(path))
    assert load(str(path)).rule == "three-way"


def test_the_file_does_not_say_where_or_when_it_was_written(tmp_path, monkeypatch):
    machine = "a-machine-of-ones-own"  # a short name may stand among the numbers by chance
    monkeypatch.setattr(platform, "node", lambda: machine)
    monkeypatch.setattr(socket, "gethostname", lambda: machine)
    path = tmp_path / "m.lamc"
    fitted().save(path)
    content = path.read_bytes()
    assert os.fsencode(tmp_path.name) not in content
    assert machine.encode() not in content


SAVES_FOR_EVER = """
import sys
import numpy as np
from lamc import Calibrator
from lamc.storage import save
rng = np.random.default_rng(0)
Y = rng.random((20_000, 20)) < 0.5
scores = rng.random(Y.shape)
models = [Calibrator(alpha=alpha, keep_negatives=True).fit(scores, Y) for alpha in (0.1, 0.3)]
for turn in range(10**9):
    save(models[turn % 2], sys.argv[1])
    print(turn, flush=True)
"""


def test_killed_at_any_moment_leaves_a_whole_model_behind(tmp_path):
    """SIGKILL cannot be caught; the name always stands for one model or the other."""
    path = tmp_path / "m.lamc"
    for pause in np.random.default_rng(0).uniform(0, 0.05, size=6):
        with subprocess.Popen(
            [sys.executable, "-c", SAVES_FOR_EVER, str(path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert [process.stdout.readline() for _ in range(2)] == [b"0\n", b"1\n"]
            time.sleep(pause)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        assert load(path).alpha in (0.1, 0.3)


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize(
    "wrap", [lambda learner: learner, lambda learner: make_pipeline(StandardScaler(), learner)]
)
def test_a_folder_of_checkpoints_is_not_saved(tmp_path, kind, wrap):
    learner = WAN(epochs=1, checkpoint=kind(tmp_path / "of this machine"), random_state=0)
    clf = fitted(wrap(learner), random_state=0)
    save(clf, tmp_path / "m.lamc")
    assert b"of this machine" not in (tmp_path / "m.lamc").read_bytes()
    np.testing.assert_array_equal(load(tmp_path / "m.lamc").predict_proba(X), clf.predict_proba(X))
    assert learner.checkpoint is not None


@pytest.mark.parametrize("name", ["status_", "reason_"])
def test_a_word_that_no_rule_gives_is_not_saved_as_another(name, tmp_path):
    scores, Y = np.linspace(0, 1, 40).reshape(20, 2), np.ones((20, 2), dtype=int)
    calibrator = Calibrator(alpha=0.1).fit(scores, Y)
    setattr(calibrator, name, np.array([getattr(calibrator, name)[0], "lost"]))
    with pytest.raises(StorageError, match="'lost' cannot be saved; it is none of"):
        calibrator.save(tmp_path / "a.lamc")
    assert not (tmp_path / "a.lamc").exists()
