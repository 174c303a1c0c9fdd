"""Labels whose true recall, false-alarm rate and precision at a threshold are a closed form.

Columns drawn from one of these are independent, so that each column of a calibrator's scores is a
calibration of its own: one fit does hundreds of them.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt
from scipy import special

from lamc.types import AnyArray, BoolArray, FloatArray, IntArray


class Label(Protocol):
    """A label that rows can be drawn of, and whose precision is known."""

    def draw(self, rng: np.random.Generator, n: int, k: int) -> tuple[FloatArray, BoolArray]:
        """Scores and truth of n rows, in k independent columns."""

    def precision(self, threshold: npt.ArrayLike) -> FloatArray:
        """Share of true rows among those at or above a threshold."""


@dataclass(frozen=True)
class Mixture:
    """Scores 1 / (1 + exp(−x)), x normal with variance 1 around one of several centres.

    Examples
    --------
    >>> float(Mixture((0.0,)).below(0.5))
    0.5
    """

    centres: tuple[float, ...]
    shares: tuple[float, ...] = (1.0,)

    def draw(self, rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        centre = rng.choice(self.centres, p=self.shares, size=size)
        return scores_around(centre, rng)

    def below(self, threshold: npt.ArrayLike) -> FloatArray:
        """Probability of a score below the threshold, which may be infinite."""
        return below(np.asarray(threshold)[..., None], np.asarray(self.centres)) @ self.shares


@dataclass(frozen=True)
class Binary:
    """A label that is true in a share of the rows, with scores for either case.

    With one centre each, the precision rises with the score.

    Examples
    --------
    >>> label = Binary(0.5, true=Mixture((1.0,)), false=Mixture((-1.0,)))
    >>> round(float(label.recall(0.5)), 3), round(float(label.precision(0.5)), 3)
    (0.841, 0.841)
    """

    prevalence: float
    true: Mixture
    false: Mixture

    def draw(self, rng: np.random.Generator, n: int, k: int) -> tuple[FloatArray, BoolArray]:
        Y = rng.random((n, k)) < self.prevalence
        return np.where(Y, self.true.draw(rng, (n, k)), self.false.draw(rng, (n, k))), Y

    def recall(self, threshold: npt.ArrayLike) -> FloatArray:
        return 1 - self.true.below(threshold)

    def false_alarm(self, threshold: npt.ArrayLike) -> FloatArray:
        return 1 - self.false.below(threshold)

    def precision(self, threshold: npt.ArrayLike) -> FloatArray:
        """Share of true rows among those at or above a threshold below +inf."""
        right = self.prevalence * self.recall(threshold)
        return right / (right + (1 - self.prevalence) * self.false_alarm(threshold))


@dataclass(frozen=True)
class Banded:
    """A label with uniform scores, true with a probability that is constant within bands.

    Examples
    --------
    >>> label = Banded(edges=(0.0, 0.5, 1.0), rates=(0.2, 1.0))
    >>> label.precision(np.array([-np.inf, 0.25, 0.5])).round(3)
    array([0.6  , 0.733, 1.   ])
    >>> label = Banded.with_precision((0.1, 0.2, 0.4), (0.9, 0.7, 0.8))
    >>> label.precision(np.array([0.9, 0.8, 0.6])).round(3)
    array([0.9, 0.7, 0.8])
    """

    edges: tuple[float, ...]
    rates: tuple[float, ...]

    @classmethod
    def with_precision(cls, masses: tuple[float, ...], precisions: tuple[float, ...]) -> Self:
        """Make a label of given precision above the scores that given shares of rows exceed."""
        right = np.diff(np.multiply(masses, precisions), prepend=0)
        rates = right / np.diff(masses, prepend=0)
        edges = (0.0, *(1 - np.flip(masses)), 1.0)
        return cls(edges, (0.0, *np.flip(rates)))

    def draw(self, rng: np.random.Generator, n: int, k: int) -> tuple[FloatArray, BoolArray]:
        scores = rng.random((n, k))
        band = np.searchsorted(self.edges, scores, side="right") - 1
        return scores, rng.random((n, k)) < np.asarray(self.rates)[band]

    def precision(self, threshold: npt.ArrayLike) -> FloatArray:
        """Share of true rows among those at or above a threshold below 1."""
        start = np.clip(threshold, 0, 1)[..., None]
        widths = np.clip(self.edges[1:] - start, 0, np.diff(self.edges))
        return (widths * self.rates).sum(axis=-1) / widths.sum(axis=-1)


@dataclass(frozen=True)
class Honest:
    """A label with uniform scores that are its probability: true in a share s of rows at score s.

    Above a threshold t its precision is (1 + t)/2 and its recall 1 − t².
    """

    def draw(self, rng: np.random.Generator, n: int, k: int) -> tuple[FloatArray, BoolArray]:
        scores = rng.random((n, k))
        return scores, rng.random((n, k)) < scores

    def precision(self, threshold: npt.ArrayLike) -> FloatArray:
        return (1 + np.clip(threshold, 0, 1)) / 2

    def recall(self, threshold: npt.ArrayLike) -> FloatArray:
        return 1 - np.clip(threshold, 0, 1) ** 2


def scores_around(centres: AnyArray, rng: np.random.Generator) -> FloatArray:
    """One score for each centre."""
    return special.expit(centres + rng.standard_normal(np.shape(centres)))


def below(threshold: npt.ArrayLike, centre: npt.ArrayLike) -> FloatArray:
    """Probability that a score around a centre lies below a threshold."""
    return special.ndtr(special.logit(np.clip(threshold, 0, 1)) - centre)


def each_row_one_label(columns: AnyArray) -> tuple[AnyArray, IntArray]:
    """Give every entry of (n, K) columns a row of its own; return the scores and the labels.

    Row i of column k becomes a row that has the label k and scores 0 elsewhere. So columns stay
    independent where a calibrator asks something of the rows: a weight, a cardinality, a label
    that was observed.

    Examples
    --------
    >>> scores, labels = each_row_one_label(np.array([[0.1, 0.2]]))
    >>> scores, labels
    (array([[0.1, 0. ],
           [0. , 0.2]]), array([0, 1]))
    """
    n, k = columns.shape
    labels = np.tile(np.arange(k), n)
    scores = np.zeros((n * k, k))
    scores[np.arange(n * k), labels] = columns.ravel()
    return scores, labels
