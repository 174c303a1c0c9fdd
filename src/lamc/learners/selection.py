"""Which epoch and learning rate to keep: by clean validation labels, or by observed ones alone."""

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from lamc.labels import Knowledge, Labels
from lamc.metrics import average_precision
from lamc.types import FloatArray

_LEAST = 1e-12  # score, and distance of a score from 1
_LARGEST_POWER = 2.0

RowsT = TypeVar("RowsT")


@dataclass(frozen=True, eq=False)
class Criterion(Generic[RowsT]):
    """Judges networks by their scores of some rows; higher is better.

    Attributes
    ----------
    rows : Rows or Examples
        Rows that it is measured on, as the trainer holds them.
    labels : Labels
        What is known of their labels.
    name : str
        What is measured, for the record.
    """

    rows: RowsT
    labels: Labels
    name: ClassVar[str]

    def values(self, scores: Tensor) -> FloatArray:
        """Return a value for each network, from its scores of the rows: (M, n, K)."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class CleanAveragePrecision(Criterion[RowsT]):
    """Example-based average precision on rows of which all labels are known."""

    name: ClassVar[str] = "average precision on fully labelled validation rows"

    def values(self, scores: Tensor) -> FloatArray:
        """Average precision of each network."""
        return np.asarray([average_precision(self.labels, own) for own in scores.cpu().numpy()])


@dataclass(frozen=True, eq=False)
class ObservedLikelihood(Criterion[RowsT]):
    """Mean log-probability of an observed label of held-out rows, if networks were as sure as due.

    It reads no label that was not observed. The odds of a score tell, up to a factor, those of the
    label being the one observed. Networks become too sure of that while they still get better at
    telling labels apart, which is what is asked here; so all odds of a network are raised to the
    power under which the observed labels are most likely, and divided by their sum. Where it
    matters how sure a network is, scores are taken ``as_they_are``, divided by their sum.
    """

    name: ClassVar[str] = "log-likelihood of the observed label on held-out rows"
    as_they_are: bool = False

    def values(self, scores: Tensor) -> FloatArray:
        """Log-likelihood under each network."""
        row, label = (torch.from_numpy(axis) for axis in self.labels.positives.tocoo().coords)
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


def criterion_for(rows: RowsT, labels: Labels) -> Criterion[RowsT]:
    """Choose by all labels where they are known, else by the observed ones."""
    if labels.knowledge is Knowledge.ALL:
        return CleanAveragePrecision(rows, labels)
    return ObservedLikelihood(rows, labels)
