"""The set-recall rule on known truth: the share of a row's true labels that is missed.

Rows come in kinds, each with its own labels and scores, and the scores of a row move together; so
labels depend on each other in every way. The expected share is still a closed form, as it is a
sum over labels.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import special

from lamc import Calibrator
from lamc.types import BoolArray, FloatArray

from .judging import mean_at_most, mean_between
from .truth import below

CALIBRATIONS = 2000
KINDS = np.array(
    [[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]],
    dtype=bool,
)
SHARES = np.array([0.3, 0.25, 0.2, 0.1, 0.15])
# Rows of many labels score lower; the last label has a scale of its own.
CENTRES = np.where(KINDS, [[2.0], [1.0], [0.0], [1.0], [0.0]], -1.0)
CENTRES[:, -1] += 3.0


def draw(rng: np.random.Generator, n: int) -> tuple[FloatArray, BoolArray]:
    kind = rng.choice(len(KINDS), p=SHARES, size=n)
    together, own = rng.standard_normal((n, 1)), rng.standard_normal((n, KINDS.shape[1]))
    return special.expit(CENTRES[kind] + (together + own) / 2**0.5), KINDS[kind]


def missed(thresholds: FloatArray) -> float:
    """Expected share of missed labels of a row that has any."""
    of_kind = (KINDS * below(thresholds, CENTRES)).sum(axis=1) / np.maximum(KINDS.sum(axis=1), 1)
    return float(SHARES @ of_kind / SHARES[KINDS.any(axis=1)].sum())


def rngs(seed: int, fits: int = CALIBRATIONS) -> Iterator[np.random.Generator]:
    return iter(np.random.default_rng(seed).spawn(fits))


@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_with_reference_rows_the_missed_share_is_close_below_alpha(alpha: float) -> None:
    """Conformal risk control gives alpha − 2/(n + 1) at least, were there no ties.

    Among 300 reference scores few of the n = 80 rows tie, which costs less than 1/(n + 1). About
    68 of the rows have a label and count.
    """
    shares = []
    for rng in rngs(1):
        other, _ = draw(rng, 300)
        cal = Calibrator("set-recall", alpha=alpha).fit(*draw(rng, 80), reference=other)
        shares.append(missed(cal.thresholds_))
    mean_between(shares, alpha - 3 / 60, alpha)


def test_without_reference_rows_it_is_as_close_below_alpha() -> None:
    """Without ties: between alpha − 2/(n + 1) and alpha, with about n = 76 rows that count."""
    shares = [
        missed(Calibrator("set-recall", alpha=0.2).fit(*draw(rng, 90)).thresholds_)
        for rng in rngs(2)
    ]
    mean_between(shares, 0.2 - 2 / 60, 0.2)


def test_one_threshold_for_all_true_pairs_misses_too_much_of_a_row() -> None:
    """Pairs are not rows: rows of many labels, easy here, weigh more among pairs."""

    def reversed_centres(rng: np.random.Generator, n: int) -> tuple[FloatArray, BoolArray]:
        many = rng.random(n) < 0.3
        Y = np.where(many[:, None], np.arange(5) < 5, np.arange(5) == rng.integers(5, size=(n, 1)))
        centre = np.where(many, 2.0, -1.0)[:, None]
        return special.expit(centre + rng.standard_normal((n, 5))), Y

    def missed_of_row(threshold: float) -> float:
        return float(0.3 * below(threshold, 2.0) + 0.7 * below(threshold, -1.0))

    by_pairs, by_rows = [], []
    for rng in rngs(3, 500):
        scores, Y = reversed_centres(rng, 60)
        other = np.repeat(rng.random((200, 1)), 5, axis=1)  # the same scale for every label
        by_pairs.append(missed_of_row(float(np.quantile(scores[Y], 0.2, method="lower"))))
        cal = Calibrator("set-recall", alpha=0.2).fit(scores, Y, reference=other)
        by_rows.append(missed_of_row(cal.thresholds_[0]))
    mean_at_most(by_rows, 0.2)
    assert np.mean(by_pairs) > 0.25
