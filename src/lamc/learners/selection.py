"""Which epoch and learning rate to keep: by clean validation labels, or by observed ones alone."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from lamc.labels import Knowledge, Labels
from lamc.learners.rows import Rows
from lamc.learners.stack import Activation, Stack
from lamc.metrics import average_precision
from lamc.types import FloatArray


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
    """Mean log-probability of an observed label of held-out rows, scores divided by their sum.

    It reads no label that was not observed. The score of a label estimates, up to a curve that is
    the same for all labels, the probability that it is the one observed.
    """

    rows: Rows
    labels: Labels
    name: str = "log-likelihood of the observed label on held-out rows"

    def values(self, stack: Stack, activation: Activation) -> FloatArray:
        """Log-likelihood under each network."""
        row, label = (torch.from_numpy(axis) for axis in self.labels.positives.tocoo().coords)
        found = []
        for own in stack.scores(self.rows, activation):
            scores = own.double().clamp_min(1e-12)
            share = scores[row, label] / scores.sum(dim=1)[row]
            found.append(float(share.log().mean()))
        return np.asarray(found)


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
    value : float
        Its value of the criterion.
    values : dict
        Value after each epoch, by learning rate.
    """

    criterion: str
    learning_rate: float
    epoch: int
    value: float
    values: dict[float, list[float]]


def criterion_for(rows: Rows, labels: Labels) -> Criterion:
    """Choose by all labels where they are known, else by the observed ones."""
    if labels.knowledge is Knowledge.ALL:
        return CleanAveragePrecision(rows, labels)
    return ObservedLikelihood(rows, labels)
