"""ROLE: the network and an estimate of all labels of the training rows teach each other."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from lamc.learners import streams
from lamc.learners.counting import CountingLearner
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.numbers import Check, one_of
from lamc.learners.row_adam import DenseAdam, LazyAdam
from lamc.learners.stack import Shape
from lamc.losses.observed import read_observed

START_OBSERVED, START_UNKNOWN = 0.995, 0.6  # estimates: of observed labels, and at most of others
FASTER = 10  # times the network's learning rate is the estimates'

_ADAM = {"dense": DenseAdam, "lazy": LazyAdam}


class LabelEstimation(Method):
    """ROLE's loss, with a table of estimates for each network."""

    def __init__(self, group: Group, *, expected: float, adam: type[LazyAdam]) -> None:
        self.expected = expected
        self.adam = adam(first_estimates(group), [FASTER * rate for rate in group.learning_rates])

    def gradient(self, logits: Tensor, step: Step) -> Tensor:
        """Gradient at the logits; the estimates take their step, by the same values."""
        taken = self.adam.take(step.rows)
        f, g = logits.sigmoid(), taken.values.sigmoid()
        observed = read_observed(logits, step.observed).mask(logits)
        self.adam.step(taken, one_side(g, f, observed, self.expected))
        return one_side(f, g, observed, self.expected)

    def state(self) -> dict[str, Tensor]:
        """The estimates and their momentum."""
        return self.adam.state()

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.adam.restore(state)


def one_side(p: Tensor, teacher: Tensor, observed: Tensor, expected: float) -> Tensor:
    """Gradient of :func:`lamc.losses.role` at the logits of one side, which has the chances p.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.role import one_side
    >>> p, teacher = torch.tensor([[[0.5, 0.5]]]), torch.tensor([[[1.0, 0.5]]])
    >>> one_side(p, teacher, torch.tensor([[[True, False]]]), expected=1.0)
    tensor([[[-0.2500,  0.0000]]])
    """
    n, n_labels = p.shape[-2:]
    surplus = p.sum((-2, -1), keepdim=True) / n - expected
    at = torch.addcmul(p - teacher, p - 1, observed.to(p.dtype))
    at += surplus * (2 / n_labels) * p * (1 - p)
    return at.div_(2 * n * n_labels)


def first_estimates(group: Group) -> Tensor:
    """Logits (M, n, K) of the estimates at their start; they depend on the seed alone."""
    bound, n, n_labels = _logit(START_UNKNOWN), len(group.rows), group.shape.labels
    table = torch.empty(len(group), n, n_labels, dtype=torch.float32)
    for own, seed in zip(table, group.seeds, strict=True):
        rng = np.random.default_rng([seed, streams.ESTIMATES])
        drawn = rng.uniform(-bound, bound, (n, n_labels))
        own.copy_(torch.from_numpy(drawn))
    return table.to(group.device).masked_fill_(group.observed.matrix(), _logit(START_OBSERVED))


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


@dataclass(kw_only=True, eq=False, repr=False)
class ROLE(CountingLearner):
    """Regularised online label estimation: network and label estimates teach each other.

    Each training row has a free parameter for each label, whose sigmoid g estimates whether the
    label is true. With f the network's scores, the loss is ½ (L(f, g) + L(g, f)). L(p, q) is the
    mean over all B K entries of a batch of −ln p for observed labels plus the cross-entropy
    −q ln p − (1 − q) ln(1 − p), plus ((Σ p) / B − k)² / K². No gradient flows through q. Network
    and estimates take their steps at the same time, the estimates at ten times the rate. Scores
    of new rows are f.

    Parameters
    ----------
    expected_count : float, optional
        k, the mean number of true labels a row. Without it, k is estimated from the observed labels
        by a network of its own (:func:`lamc.learners.expected_count.estimate_count`); no label that
        was not observed is read. Where you know the number, give it.
    updates : "dense" or "lazy"
        What happens to the estimates of rows that are not in a batch. ``"dense"``: they go on by
        Adam's momentum, as in the code that the published numbers come from. ``"lazy"``: they
        stay.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`. The estimates have no weight decay.

    Attributes
    ----------
    expected_count_ : float
        The k that was used.

    Notes
    -----
    The estimates, Adam's moments of them, and when each row was last seen take (12 K + 8) n bytes a
    network. Networks are trained together as long as that stays below 2 GB. A step costs what its
    batch does, with dense updates too: see :class:`lamc.learners.row_adam.DenseAdam`.

    The paper takes k from the full labels of the training set, which a method that learns from
    single positives does not have. Its code adds 1e-5 to chances inside logarithms; here they are
    computed from logits. The weight of the term with k is 1 as in the code.

    References
    ----------
    E. Cole et al., "Multi-label learning from single positive labels", CVPR 2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import ROLE
    >>> data = digit_scenes(300)
    >>> learner = ROLE(expected_count=2.5, epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    updates: Literal["dense", "lazy"] = "dense"

    def _checks(self) -> list[Check]:
        return [*super()._checks(), one_of(self, "updates", [*_ADAM])]

    def _method(self, group: Group) -> Method:
        return LabelEstimation(group, expected=self.expected_count_, adam=_ADAM[self.updates])

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        return Memory(rows=(12 * shape.labels + 8) * n_rows)
