"""The promises on real labels and scores: yeast, scene and tmc2007.

A ridge regression learns the one observed label of some rows and scores the others. Those make a
population of which everything is known: by cutting it at random, or drawing from it with
replacement, what a calibration does to it is computed and not estimated.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from lamc import Calibrator
from lamc.datasets import load
from lamc.types import BoolArray, FloatArray

from .judging import mean_at_least, mean_at_most, mean_between, mean_is, rate_at_most

pytestmark = pytest.mark.real_data

TRAINED_ON, HELD_OUT = 1000, 1400
CALIBRATIONS = 200


@dataclass(frozen=True)
class Population:
    """Held-out rows with all their labels, and the scores of rows trained on."""

    scores: FloatArray
    Y: BoolArray
    training_scores: FloatArray


@pytest.fixture(scope="module", params=["yeast", "scene", "tmc2007"])
def population(request: pytest.FixtureRequest, data_folder: Path) -> Population:
    data = load(request.param, folder=data_folder)
    rows = np.random.default_rng(0).permutation(data.Y.shape[0])[: TRAINED_ON + HELD_OUT]
    X = StandardScaler(with_mean=False).fit_transform(data.X[rows])
    assert data.observed is not None
    observed = data.observed[rows[:TRAINED_ON]].toarray()
    model = Ridge(alpha=100.0).fit(X[:TRAINED_ON], observed)
    scores = special.expit(4 * model.predict(X) - 2)
    return Population(scores[TRAINED_ON:], data.Y[rows[TRAINED_ON:]].toarray(), scores[:TRAINED_ON])


def test_recall_over_random_splits_is_what_the_ranks_say(population: Population) -> None:
    """Half of the rows calibrate, the others are counted.

    Given n calibration positives of a label and m others, all orders of the n + m are equally
    likely. So of the m, the share below the j-th smallest of the n has the expectation j/(n + 1),
    from which 1 − alpha <= recall <= 1 − alpha + 1/(n + 1), and the variance of a negative
    hypergeometric. Ties among the scores can only add recall.
    """
    rng = np.random.default_rng(1)
    n_rows, n_labels = population.Y.shape
    recall, n, m = np.empty((3, CALIBRATIONS, n_labels))
    for split in range(CALIBRATIONS):
        first, rest = np.array_split(rng.permutation(n_rows), 2)
        cal = Calibrator("recall", alpha=0.1).fit(population.scores[first], population.Y[first])
        n[split], m[split] = cal.n_positives_, population.Y[rest].sum(axis=0)
        found = (cal.accept(population.scores[rest]) & population.Y[rest]).sum(axis=0)
        recall[split] = found / m[split]
    rank = (n + 1) // 10
    variance = rank * (n + 1 - rank) * (n + m + 1) / (m * (n + 1) ** 2 * (n + 2))
    untied = 0
    for label in range(n_labels):
        mean_at_least(recall[:, label], 0.9)
        true = population.scores[population.Y[:, label], label]
        if len(np.unique(true)) == len(true):
            untied += 1
            mean_between(recall[:, label], 0.9, 0.9 + float(np.mean(1 / (n[:, label] + 1))))
            mean_is(recall[:, label], (1 - rank / (n + 1))[:, label], variance[:, label])
    assert untied >= n_labels / 2


@pytest.mark.filterwarnings("ignore:.*pass it by luck")
def test_a_certified_precision_is_that_of_the_population(population: Population) -> None:
    rng = np.random.default_rng(2)
    scores, Y = population.scores, population.Y
    broken = np.zeros((CALIBRATIONS, Y.shape[1]), dtype=bool)
    certified = 0
    for draw in range(CALIBRATIONS):
        drawn = rng.integers(len(Y), size=700)
        cal = Calibrator("precision", alpha=0.3, delta=0.1).fit(
            scores[drawn], Y[drawn], reference=population.training_scores
        )
        accepted = cal.accept(scores)
        certified += int(accepted.any(axis=0).sum())
        broken[draw] = (accepted & Y).sum(axis=0) < 0.7 * accepted.sum(axis=0)
    for label in range(Y.shape[1]):
        rate_at_most(broken[:, label], 0.1)
    assert certified > CALIBRATIONS / 2


@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_the_share_of_a_row_s_labels_that_is_missed(population: Population, alpha: float) -> None:
    """At most alpha, and no less than alpha − 3/(n + 1) with few ties: see test_set_recall."""
    rng = np.random.default_rng(3)
    scores, Y = population.scores, population.Y
    shares = []
    for _ in range(CALIBRATIONS):
        drawn = rng.integers(len(Y), size=150)
        cal = Calibrator("set-recall", alpha=alpha).fit(
            scores[drawn], Y[drawn], reference=population.training_scores
        )
        shares.append(np.mean((Y & ~cal.accept(scores)).sum(axis=1) / Y.sum(axis=1)))
    mean_at_most(shares, alpha)
    mean_at_least(shares, alpha - 3 / 151)
