"""Rows, modules and settings that tests of Network share."""

import numpy as np
from torch import nn

from lamc.datasets import digit_scenes, observe

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
