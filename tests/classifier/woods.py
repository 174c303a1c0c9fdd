"""Rows, labels and a model that tests of LAMC share."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from lamc import LAMC, datasets

NAMES = np.array(["ash", "elm", "fir", "oak"])


def make_data(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    Y = X[:, :4] + 0.5 * rng.normal(size=(n, 4)) > 0.3
    Y[np.arange(n), X[:, :4].argmax(axis=1)] = True
    return X, Y


X, Y = make_data()
X_CAL, Y_CAL = make_data(seed=1)
X_NEW, Y_NEW = make_data(seed=2)
y = datasets.observe(Y, random_state=0).index()


LINEAR = LogisticRegression(max_iter=1000)


def fitted(estimator=LINEAR, **parameters) -> LAMC:
    return LAMC(estimator, **parameters).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)


def sigmoid_scores(X: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-X[:, :4]))


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers which rows it was shown, by their first feature."""

    def fit(self, X, y):
        self.rows_ = set(X[:, 0].tolist())
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        self.scored_ = set(X[:, 0].tolist())
        return np.full((len(X), len(self.classes_)), 0.5)


class Untrained(Spy):
    def fit(self, X, y):
        raise AssertionError("trained for nothing")
