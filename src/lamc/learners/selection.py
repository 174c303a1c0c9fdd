"""Which epoch and learning rate to keep: by clean validation labels, or by observed ones alone."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from lamc.labels import Knowledge, Labels
from lamc.learners.rows import Rows
from lamc.learners.stack import Activation, Stack
from lamc.metrics import average_precision
from lamc.types import FloatArray

_LEAST = 1e-12  # score, and distance of a score from 1
_LARGEST_POWER = 2.0


class Criterion(Protocol):
    """Judges networks; higher is better."""

    @property
    def name(self) -> str:
        """What is measured, for the record."""

    @property
    def rows(self) -> Rows:
        """Rows that it is measured on."""

    @property
    def labels(self) -> Labels:
        """What is known of their labels."""

    def values(self, stack: Stack, activation: Activation) -> FloatArray:
        """Return a value for each network."""


@dataclass(frozen=True, eq=False)
class CleanAveragePrecision:
    """Example-based average precision on rows of which all labels are known."""

    rows: Rows
    labels: Labels
    name: str = "average precision on fully labelled validation rows"

    def values(self, stack: Stack, activation: Activation) -> FloatArray:
        """Average precision of each network."""
        scores = stack.scores(self.rows, activation).cpu().numpy()
        return np.asarray([average_precision(self.labels, each) for each in scores])


@dataclass(frozen=True, eq=False)
class ObservedLikelihood:
    """Mean log-probability of an observed label of held-out rows, if networks were as sure as due.

    It reads no label that was not observed. The odds of a score tell, up to a factor, those of the
    label being the one observed. Networks become too sure of that while they still get better at
    telling labels apart, which is what is asked here; so all odds of a network are raised to the
    power under which the observed labels are most likely, and divided by their sum. Where it
    matters how sure a network is, scores are taken ``as_they_are``, divided by their sum.
    """

    rows: Rows
    labels: Labels
    as_they_are: bool = False
    name: str = "log-likelihood of the observed label on held-out rows"

    def values(self, stack: Stack, activation: Activation) -> FloatArray:
        """Log-likelihood under each network."""
        row, label = (torch.from_numpy(axis) for axis in self.labels.positives.tocoo().coords)
        scores = stack.scores(self.rows, activation)
        likelihood = _likelihood if self.as_they_are else _best_likelihood
        return np.asarray([likelihood(own.double(), row, label) for own in scores])


def _likelihood(scores: Tensor, row: Tensor, label: Tensor) -> float:
    """Mean log-probability of labels, of which scores are the shares of a row."""
    scores = scores.clamp_min(_LEAST)
    return float((scores[row, label] / scores.sum(dim=1)[row]).log().mean())


def _best_likelihood(scores: Tensor, row: Tensor, label: Tensor) -> float:
    """Mean log-probability of labels, of which odds to the best power are the shares of a row."""
    log_odds = torch.logit(scores, eps=_LEAST)
    given = float(log_odds[row, label].mean())

    def loss(power: float) -> float:  # convex
        return float((power * log_odds).logsumexp(dim=1)[row].mean()) - power * given

    found = minimize_scalar(
        loss, bounds=(0, _LARGEST_POWER), method="bounded", options={"xatol": 1e-3}
    )
    return -float(found.fun)


@dataclass(frozen=True)
class Choice:
    """What was chosen for one network, and by what.

    Attributes
    ----------
    criterion : str
        What was compared.
    learning_rate : float
        The rate of the network kept.
    epoch : int
        The epoch, from 1, after which it was kept.
    value : float or None
        Its value of the criterion; None where nothing was compared.
    values : dict
        Value after each epoch, by learning rate.
    """

    criterion: str
    learning_rate: float
    epoch: int
    value: float | None
    values: dict[float, list[float]]


def criterion_for(rows: Rows, labels: Labels) -> Criterion:
    """Choose by all labels where they are known, else by the observed ones."""
    if labels.knowledge is Knowledge.ALL:
        return CleanAveragePrecision(rows, labels)
    return ObservedLikelihood(rows, labels)
