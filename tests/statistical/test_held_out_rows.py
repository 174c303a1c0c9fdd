"""Rows that LAMC holds out by itself to calibrate on, where many rows are equal."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from lamc import LAMC

from .judging import mean_at_least

ALPHA, FITS, ROWS = 0.1, 40, 600


def drawn(rng: np.random.Generator, n: int, empty: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of four labels; a share of them is empty, and tells nothing of its label."""
    y = rng.integers(4, size=n)
    X = rng.normal(size=(n, 4))
    X[np.arange(n), y] += 3
    X[rng.random(n) < empty] = 0
    return X, y


@pytest.mark.filterwarnings("ignore:.*observed labels only:lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("empty", [0.25, 0.3])
def test_recall_is_kept_though_many_rows_are_empty(empty: float) -> None:
    """Empty rows score lowest; if none were calibrated on, most of them would be missed."""
    recall = []
    for seed in range(FITS):
        rng = np.random.default_rng(seed)
        X, y = drawn(rng, ROWS, empty)
        clf = LAMC(GaussianNB(), rule="recall", alpha=ALPHA, random_state=seed).fit(X, y)
        X_new, new = drawn(rng, 2000, empty)
        recall.append(clf.predict(X_new)[np.arange(len(new)), new].mean())
    mean_at_least(recall, 1 - ALPHA)
