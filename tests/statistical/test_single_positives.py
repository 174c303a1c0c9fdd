"""Calibration on observed labels alone, on known truth: recall over all true rows of a label.

Among the true rows of a label, the number of labels |Y| is uniform from 1 to 5, and the row reveals
one of its labels at random: this one with probability 1/|Y|. So rows of few labels are seen too
often, which does harm if the score of the label depends on |Y|.
"""

from collections.abc import Callable

import numpy as np
import pytest

from lamc import Calibrator
from lamc.exceptions import LAMCWarning
from lamc.types import FloatArray, IntArray

from .judging import mean_at_least, mean_between, mean_is
from .truth import below, each_row_one_label, scores_around

FITS, LABELS, POSITIVES = 50, 50, 120  # 2,500 calibrations of 120 observed positives
SIZES = np.arange(1, 6)

Fit = Callable[[FloatArray, IntArray, IntArray], Calibrator]


def recalls(
    slope: float,
    fit: Fit,
    *,
    seed: int,
    truth: FloatArray | None = None,
    positives: int = POSITIVES,
    fits: int = FITS,
) -> FloatArray:
    """True recall of each calibration; a row's scores are centred at ``slope`` times its |Y|."""
    share = np.full(5, 0.2) if truth is None else truth
    revealed = share / SIZES / (share / SIZES).sum()
    found = []
    for rng in np.random.default_rng(seed).spawn(fits):
        size = rng.choice(SIZES, p=revealed, size=(positives, LABELS))
        scores, y = each_row_one_label(scores_around(slope * size, rng))
        thresholds = fit(scores, y, size.ravel()).thresholds_
        found.append(1 - below(thresholds[:, None], slope * SIZES) @ share)
    return np.concatenate(found)


def plain(scores: FloatArray, y: IntArray, size: IntArray) -> Calibrator:
    with pytest.warns(LAMCWarning, match="does not depend on how many these are"):
        return Calibrator("recall", alpha=0.1).fit(scores, y)


def weighted(scores: FloatArray, y: IntArray, size: IntArray) -> Calibrator:
    return Calibrator("recall", alpha=0.1).fit(scores, y, cardinality=size)


def bounded(scores: FloatArray, y: IntArray, size: IntArray) -> Calibrator:
    return Calibrator("recall", alpha=0.1).fit(scores, y, cardinality=5)


def test_plain_calibration_is_right_where_the_score_does_not_depend_on_the_number() -> None:
    mean_is(recalls(0.0, plain, seed=1), 1 - 12 / 121)


@pytest.mark.parametrize(("slope", "recall"), [(-0.3, 0.854), (-0.6, 0.819), (0.6, 0.945)])
def test_plain_calibration_is_off_where_it_does(slope: float, recall: float) -> None:
    """Scores that fall with |Y| cost recall: .85 and .82 instead of .9. Rising ones give some."""
    assert recalls(slope, plain, seed=2).mean() == pytest.approx(recall, abs=0.005)


@pytest.mark.parametrize("slope", [-0.6, -0.3, 0.0, 0.3, 0.6])
def test_weighing_rows_by_their_number_of_labels_repairs_it(slope: float) -> None:
    """The recall is at most M/W above 1 − alpha, for the largest weight M = 5 and the sum W.

    W is more than the number of positives, as every row has a label at least.
    """
    mean_between(recalls(slope, weighted, seed=3), 0.9, 0.9 + 5 / POSITIVES)


@pytest.mark.parametrize("slope", [-3.0, -0.6, -0.3, 0.0, 0.3, 0.6])
def test_a_bound_on_the_number_is_enough(slope: float) -> None:
    mean_at_least(recalls(slope, bounded, seed=4), 0.9)


def test_the_bound_cannot_be_improved() -> None:
    """One true row in ten has five labels and scores low, the others have one.

    Of the observed rows, those are 1/46: the very share that the level for M = 5 lets go, the
    20th smallest of 919. So all that is missed are rows of five labels, and hardly any of them is
    found.
    """
    share = np.array([0.9, 0, 0, 0, 0.1])
    recall = recalls(-3.0, bounded, seed=5, truth=share, positives=919, fits=40)
    mean_between(recall, 0.9, 0.92)


def test_p_values_under_a_bound_hold_for_all_true_rows() -> None:
    """P(p <= alpha) <= alpha for a true row, whatever alpha: here for scores falling with |Y|."""
    rng = np.random.default_rng(6)
    p = []
    for each in rng.spawn(FITS):
        size = each.choice(SIZES, p=1 / SIZES / (1 / SIZES).sum(), size=(POSITIVES, LABELS))
        cal = bounded(*each_row_one_label(scores_around(-0.6 * size, each)), size)
        new = scores_around(-0.6 * each.integers(1, 6, size=(1, LABELS)), each)
        p.append(cal.p_values(new).ravel())
    for alpha in (0.05, 0.1, 0.2, 0.5):
        mean_between(np.concatenate(p) <= alpha, 0.0, alpha)
