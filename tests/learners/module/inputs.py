"""Rows in the containers that torch has, and scores of a module trained on them."""

import numpy as np
from torch import nn
from torch.utils.data import DataLoader, Dataset

from lamc.datasets import digit_scenes, observe
from lamc.learners import Network

SCENES = digit_scenes(240)
X, Y = SCENES.X[:120].astype(np.float32), SCENES.Y[:120]
X_VAL, Y_VAL = SCENES.X[120:160].astype(np.float32), SCENES.Y[120:160].toarray()
X_NEW = SCENES.X[200:].astype(np.float32)
y = observe(Y, random_state=0).index()

FAST = {"epochs": 2, "learning_rate": 1e-2, "random_state": 0, "n_threads": 1}
LAST = {**FAST, "validation_size": 0}


def mlp(n_labels=10):
    return nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.Linear(8, n_labels))


class Rows(Dataset):
    """A Dataset that gives what ``item`` makes of a row and its number."""

    def __init__(self, item, n):
        self.item = item
        self.n = n

    def __getitem__(self, row):
        if not 0 <= row < self.n:
            raise IndexError(row)
        return self.item(row)

    def __len__(self):
        return self.n


def rows_of(X):
    return Rows(lambda row: X[row], len(X))


def pairs_of(X, second):
    return Rows(lambda row: (X[row], second[row]), len(X))


def scores(X, y=None, X_val=None, Y_val=None, X_new=X_NEW, module=mlp, **more):
    return Network(module, **{**FAST, **more}).fit(X, y, X_val, Y_val).predict_proba(X_new)


def loader(data, **more):
    return DataLoader(data, batch_size=16, **more)
