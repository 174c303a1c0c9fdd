"""A model with a Network goes into a file with its weights, and needs its module to come back."""

import copy
import pickle

import numpy as np
import pytest
import torch
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from lamc import LAMC, load, losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import ScorerError, StorageError
from lamc.learners import Network

SCENES = digit_scenes(200)
X, Y = SCENES.X[:100].astype(np.float32), SCENES.Y[:100]
X_CAL, Y_CAL = SCENES.X[100:150].astype(np.float32), SCENES.Y[100:150]
X_NEW = SCENES.X[150:].astype(np.float32)
y = observe(Y, random_state=0).index()

FAST = {"epochs": 2, "learning_rate": 1e-2, "random_state": 0, "n_threads": 1}


def normalised(n_labels):
    return nn.Sequential(nn.LazyLinear(8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, n_labels))


def fitted(estimator):
    clf = LAMC(estimator, rule="selective", alpha=0.5, random_state=0)
    return clf.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)


def saved_and_loaded(clf, folder):
    clf.save(folder / "model.lamc")
    return load(folder / "model.lamc")


def assert_same(loaded, clf):
    np.testing.assert_array_equal(loaded.predict_proba(X_NEW), clf.predict_proba(X_NEW))
    np.testing.assert_array_equal(loaded.decide(X_NEW), clf.decide(X_NEW))


@pytest.mark.parametrize(
    ("trained", "again"),
    [
        (normalised, normalised),
        (nn.Linear(256, 10), nn.Linear(256, 10)),
        (nn.Linear(256, 10, dtype=torch.bfloat16), nn.Linear(256, 10, dtype=torch.bfloat16)),
    ],
    ids=["function", "module", "bfloat16"],
)
def test_the_module_is_attached_again(tmp_path, trained, again):
    clf = fitted(Network(trained, n_models=2, **FAST))
    loaded = saved_and_loaded(clf, tmp_path)
    with pytest.raises(ScorerError, match=r"(?s)not its module.*attach\(module\)"):
        loaded.predict(X_NEW)
    assert loaded.estimator_.attach(again) is loaded.estimator_
    assert_same(loaded, clf)
    assert loaded.estimator_.selection_ == clf.estimator_.selection_
    assert loaded.estimator_.get_params()["epochs"] == 2


class Passing(nn.Linear):
    """A layer with buffers that are not in its state: one that adds up, and one that comes late."""

    def __init__(self, dtype=None):
        super().__init__(256, 10, dtype=dtype)
        self.register_buffer("seen", torch.zeros(256, dtype=dtype), persistent=False)
        self.register_buffer("late", None, persistent=False)

    def forward(self, x):
        if self.training:
            self.seen += x.mean(0)
            self.late = x[:1] / 10
        shift = 0 if self.late is None else self.late
        return super().forward(x - self.seen / 10 - shift)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_buffers_that_are_not_in_the_state_come_back(tmp_path, dtype):
    clf = fitted(Network(nn.Sequential(Passing(dtype)), n_models=2, **FAST))
    loaded = saved_and_loaded(clf, tmp_path)
    loaded.estimator_.attach(nn.Sequential(Passing(dtype)))
    assert loaded.estimator_.modules_[0][0].seen.dtype == dtype
    assert loaded.estimator_.modules_[0][0].seen.any()
    assert_same(loaded, clf)


def test_weights_without_such_buffers_leave_those_of_the_module():
    network = Network(Passing, **FAST).fit(X, y).without_code()
    for state in network.weights_:
        for name in list(state):
            if name not in ("weight", "bias"):
                del state[name]
    network.attach(Passing)
    assert not network.modules_[0].seen.any()


def test_a_module_without_the_part_that_had_such_a_buffer_is_refused():
    class Inside(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(256, 10)
            self.mask = nn.Module()
            self.mask.register_buffer("marks", torch.ones(256), persistent=False)

        def forward(self, x):
            return self.layer(x * self.mask.marks)

    class Without(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(256, 10)

    network = Network(Inside, **FAST).fit(X, y).without_code()
    with pytest.raises(ScorerError, match="not the one that was trained"):
        network.attach(Without)


def test_saving_leaves_the_model_as_it_was(tmp_path):
    clf = fitted(Network(normalised, **FAST))
    before = clf.predict_proba(X_NEW)
    clf.save(tmp_path / "model.lamc")
    np.testing.assert_array_equal(clf.predict_proba(X_NEW), before)
    assert clf.estimator_.module is normalised


@pytest.mark.parametrize("loss", [losses.an, "an", lambda s, o: losses.an(s, o)])
def test_a_loss_of_ones_own_is_not_needed_to_score(tmp_path, loss):
    clf = fitted(Network(normalised, loss=loss, optimiser=torch.optim.Adam, **FAST))
    loaded = saved_and_loaded(clf, tmp_path)
    loaded.estimator_.attach(normalised)
    assert_same(loaded, clf)
    assert loaded.estimator_.loss in ("an", None)


def test_scores_of_a_choice_stay_that(tmp_path):
    clf = fitted(Network(normalised, loss=nn.functional.cross_entropy, **FAST))
    loaded = saved_and_loaded(clf, tmp_path)
    loaded.estimator_.attach(normalised)
    np.testing.assert_allclose(loaded.predict_proba(X_NEW).sum(axis=1), 1)


def test_a_network_at_the_end_of_a_pipeline(tmp_path):
    clf = fitted(make_pipeline(StandardScaler(), Network(normalised, **FAST)))
    loaded = saved_and_loaded(clf, tmp_path)
    loaded.estimator_[-1].attach(normalised)
    assert_same(loaded, clf)


def test_a_network_that_was_trained_before(tmp_path):
    clf = fitted(FrozenEstimator(Network(normalised, **FAST).fit(X, y)))
    loaded = saved_and_loaded(clf, tmp_path)
    loaded.estimator_.estimator.attach(normalised)
    assert_same(loaded, clf)


def test_another_module_is_refused(tmp_path):
    clf = fitted(Network(nn.Linear(256, 10), **FAST))
    loaded = saved_and_loaded(clf, tmp_path)
    with pytest.raises(ScorerError, match=r"(?s)not the one that was trained.*weight.*same layers"):
        loaded.estimator_.attach(nn.Linear(256, 11))
    with pytest.raises(ScorerError, match="not the one that was trained"):
        loaded.estimator_.attach(nn.Sequential(nn.Linear(256, 10)))
    loaded.estimator_.attach(nn.Linear(256, 10))
    with pytest.raises(ScorerError, match="has its module"):
        loaded.estimator_.attach(nn.Linear(256, 10))


def test_a_module_elsewhere_is_refused_before_anything_is_written(tmp_path):
    clf = fitted(Network(normalised, **FAST))
    clf.estimator_.notes_ = nn.Linear(2, 2)
    with pytest.raises(StorageError, match="cannot be saved"):
        clf.save(tmp_path / "model.lamc")
    assert list(tmp_path.iterdir()) == []


def test_copies_and_pickles_keep_the_module():
    network = Network(normalised, **FAST).fit(X, y)
    expected = network.predict_proba(X_NEW)
    for twin in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        np.testing.assert_array_equal(twin.predict_proba(X_NEW), expected)
