"""How sure a calibration set is: against the spread of recall over many sets."""

import numpy as np
import pytest

from lamc import Calibrator
from lamc.rules.certainty import cases_behind

from .cases import LEVELS, labelled, random_set

SETS, N, ALPHA, MOST = 600, 300, 0.1, 5
LOW = 0.1 / (MOST - (MOST - 1) * 0.1)  # of the rows have all labels; they are a tenth of all pairs


def observed(rng, n):
    """Scores and one observed label a row, of one label or of all, where the scores are lower."""
    many = rng.random(n) < LOW
    scores = np.where(many[:, None], 0.5 * rng.random((n, MOST)), 0.5 + rng.random((n, MOST)) / 2)
    return scores, rng.integers(0, MOST, n), np.where(many, MOST, 1)


@pytest.mark.parametrize("how", ["weights", "bound"])
def test_the_spread_of_recall_over_sets_is_that_of_as_many_cases(how):
    """A threshold of t <= 0.5 misses a share of 2 t of the tenth, and none of the others."""
    missed, unsure = [], []
    for rng in np.random.default_rng(0).spawn(SETS):
        scores, y, counts = observed(rng, MOST * N)
        cal = Calibrator("recall", alpha=ALPHA / 2)
        cal.fit(scores, y, cardinality=counts if how == "weights" else MOST)
        at = cal.thresholds_
        missed.append(0.1 * np.clip(2 * at, 0, 1) + 0.9 * np.clip(2 * at - 1, 0, 1))
        level = np.full(MOST, ALPHA / 2)
        unsure.append(1 / (cases_behind(cal.evidence_, at, level, cal.most_labels_) + 2))
    a = np.mean(missed)
    ratio = np.var(missed) / (a * (1 - a) * np.mean(unsure))
    assert 0.03 < a < ALPHA / 2
    assert np.mean(unsure) > 1.5 / N
    assert 0.8 < ratio < 1.25  # the variance of 3,000 values is known to about 4 %


def test_without_weights_and_bound_each_positive_counts():
    scores, Y = random_set(200, 4)
    cal = Calibrator().fit(scores, labelled(Y))
    found = cases_behind(cal.evidence_, cal.thresholds_, np.full(4, 0.1))
    np.testing.assert_allclose(found, Y.sum(axis=0))


@pytest.mark.parametrize("alpha", LEVELS)
@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_equal_weights_are_as_sure_as_none_in_any_unit(alpha, unit):
    scores, Y = random_set(200, 4)
    cal = Calibrator(alpha=alpha).fit(scores, labelled(Y), sample_weight=np.full(200, unit))
    found = cases_behind(cal.evidence_, cal.thresholds_, np.full(4, alpha))
    counts = Y.sum(axis=0)
    assert (found <= counts + 1e-6).all()
    assert (found > 0.6 * counts).all()  # fewer below the threshold than alpha, by a rank


def test_a_label_without_positives_is_sure_of_nothing():
    scores, Y = random_set(50, 2)
    Y[:, 1] = False
    for weights in (None, np.ones(50)):
        cal = Calibrator().fit(scores, labelled(Y), sample_weight=weights)
        assert cases_behind(cal.evidence_, cal.thresholds_, np.full(2, 0.1))[1] <= 0


@pytest.mark.parametrize("most", [2, 7])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_a_bound_magnifies_errors_as_its_slope_does(most, alpha):
    """The share of all misses that a share of observed ones stands for, differentiated by steps."""
    scores, Y = random_set(100, 1, share=0.9)
    cal = Calibrator().fit(scores, labelled(Y))
    level = alpha / (most * (1 - alpha) + alpha)

    def all_misses(a):
        return a * most / (a * (most - 1) + 1)

    assert all_misses(level) == pytest.approx(alpha)
    slope = (all_misses(level + 1e-6) - all_misses(level - 1e-6)) / 2e-6
    variance = slope**2 * level * (1 - level) / (Y.sum() + 2)
    found = cases_behind(cal.evidence_, cal.thresholds_, np.array([alpha]), most)
    assert alpha * (1 - alpha) / (found + 2) == pytest.approx(variance, rel=1e-4)
