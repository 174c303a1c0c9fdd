"""MIME: a network that tells little beyond what labels need, and believes what it is sure of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from lamc import losses
from lamc.learners.bottleneck import BottleneckStack
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_count, is_within
from lamc.learners.row_tables import for_each_network, take_rows
from lamc.learners.stack import Shape, Stack
from lamc.learners.warm_up import check_warm_up, warm_up_epochs
from lamc.types import FloatArray, Matrix


class ConfidentPseudoLabels(Method):
    """AN on observed labels and on those that once scored above a threshold."""

    def __init__(
        self, group: Group, *, threshold: float, warm_up: int, code_size: int, kl_weight: float
    ) -> None:
        self.threshold = threshold
        self.rounds = range(warm_up, group.epochs)
        self.present = for_each_network(group.observed.matrix(), group)
        self.networks = BottleneckStack(
            group.shape,
            group.seeds,
            code_size=code_size,
            kl_weight=kl_weight,
            device=str(group.device),
        )

    def stack(self, group: Group) -> Stack:
        """Networks with a code."""
        return self.networks

    def before_epoch(self, epoch: int) -> None:
        """Start the draws of the epoch."""
        self.networks.begin(epoch)

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network, without the divergence of its codes, which the stack adds."""
        return losses.an(logits, take_rows(self.present, step.rows))

    def after_epoch(self, epoch: int, scores: Callable[[], Tensor]) -> None:
        """Believe what scores high, for good."""
        if epoch in self.rounds:
            self.present |= scores() > self.threshold

    def state(self) -> dict[str, Tensor]:
        """The labels that count as true."""
        return {"present": self.present}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.present.copy_(state["present"])


@dataclass(kw_only=True, eq=False, repr=False)
class MIME(NetworkLearner):
    """Mutual information bottleneck with pseudo-labels: AN on a random code, more and more true.

    Hidden units give the mean μ and, through a softplus, the σ of a normal code; the mean z of ten
    draws of it is decoded to logits. The loss is that of :class:`AN` plus β times the mean over
    code entries of ½ (μ² + σ² − 1) − ln σ. After each epoch from the end of the warm-up, every
    label with f > θ counts as true for good.

    Parameters
    ----------
    threshold : float in (0, 1)
        θ.
    kl_weight : float
        β.
    code_size : int
        Entries of the code.
    warm_up : float
        Share of the epochs before the first pseudo-labels: 2 of 10 as published, 5 for CUB.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    Defaults are those of the reference code. Its encoder is a ResNet-50, and its model for tables
    is not published: here a layer of ``hidden`` units takes that place. It trains with Adamax and
    a tenfold rate for the last layer; here it is Adam with one rate, chosen like that of the other
    learners. Scores, of training rows too, are those of z = μ, so that they are the same each time;
    the mean of ten draws is drawn as one normal number of a tenth of the variance, which is the
    same. Pseudo-labels take n K bytes for each network, and the scores that they are taken from
    4 n K.

    References
    ----------
    B. Liu et al., "Revisiting pseudo-label for single-positive multi-label learning", ICML 2023.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import MIME
    >>> data = digit_scenes(300)
    >>> learner = MIME(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    threshold: float = 0.95
    kl_weight: float = 1e-4
    code_size: int = 256
    warm_up: float = 0.2

    def _checks(self) -> list[Check]:
        between = is_within(self.threshold, above=0, below=1)
        return [
            ("threshold", between, "a probability between 0 and 1"),
            ("kl_weight", is_within(self.kl_weight, 0), "a number from 0"),
            ("code_size", is_count(self.code_size), "a whole number from 1"),
            check_warm_up(self.warm_up),
        ]

    def _method(self, group: Group) -> Method:
        return ConfidentPseudoLabels(
            group,
            threshold=self.threshold,
            warm_up=warm_up_epochs(self.warm_up, group.epochs),
            code_size=self.code_size,
            kl_weight=self.kl_weight,
        )

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        h, c, k = shape.hidden, self.code_size, shape.labels
        through_code, direct = (h + 1) * 2 * c + (c + 1) * k, (h + 1) * k
        return Memory(
            each_step=16 * (through_code - direct),
            rows=(1 + 4) * n_rows * k,  # pseudo-labels and scores
        )

    def _logits(self, rows: Matrix, weights: tuple[FloatArray, ...]) -> FloatArray:
        W1, b1, V, c, W2, b2 = weights
        mean = np.maximum(rows @ W1 + b1, 0) @ V + c
        return mean[:, : self.code_size] @ W2 + b2
