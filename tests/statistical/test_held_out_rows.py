"""Rows that LAMC holds out by itself to calibrate on, where many rows are equal."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
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


@pytest.mark.filterwarnings("ignore:.*observed labels only:lamc.exceptions.LAMCWarning")
@pytest.mark.filterwarnings("ignore:.*are copies:lamc.exceptions.LAMCWarning")
def test_recall_is_kept_though_a_rare_label_was_copied_to_weigh_more() -> None:
    """A forest knows its training rows by heart; copies of them would be calibrated on."""
    recall = []
    for seed in range(FITS):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(size=(510, 3)), np.repeat(rng.normal(size=(30, 3)), 17, axis=0)])
        y = np.repeat(["common", "rare"], 510)
        scorer = RandomForestClassifier(20, random_state=0)
        clf = LAMC(scorer, rule="recall", alpha=0.3, random_state=seed).fit(X, y)
        rare = list(clf.classes_).index("rare")
        recall.append(clf.predict(rng.normal(size=(300, 3)))[:, rare].mean())
    # Six things or so are calibrated on, 17 times each, so less is sure than of 102 rows.
    assert np.mean(recall) > 0.5
