"""CRISP: how often each label is true is estimated from scores, and trained towards."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from lamc import losses
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_within
from lamc.learners.stack import Shape
from lamc.learners.warm_up import check_warm_up, warm_up_epochs


class ClassPriorRisk(Method):
    """AN for a warm-up, then the risk given priors that each epoch estimates anew."""

    def __init__(self, group: Group, *, warm_up: int, delta: float, tau: float) -> None:
        self.group = group
        self.warm_up = warm_up
        self.delta = delta
        self.tau = tau
        self.shares = group.observed.matrix().float().mean(dim=0)
        self.priors = self.shares.expand(len(group), -1).clone()

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        if step.epoch <= self.warm_up:
            return losses.an(logits, step.observed)
        return losses.crisp(logits, step.observed, self.priors, shares=self.shares)

    def after_epoch(self, epoch: int, scores: Callable[[], Tensor]) -> None:
        """Estimate the priors from the scores of all training rows."""
        if not self.warm_up <= epoch < self.group.epochs:
            return
        for model, found in enumerate(scores()):
            self.priors[model] = losses.crisp_priors(
                found, self.group.observed.all_rows(), delta=self.delta, tau=self.tau
            )

    def state(self) -> dict[str, Tensor]:
        """The priors."""
        return {"priors": self.priors}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.priors.copy_(state["priors"])


@dataclass(kw_only=True, eq=False, repr=False)
class CRISP(NetworkLearner):
    """Class-prior risk: observed rows of a label score high, all rows as often as it is true.

    For each label 2π · mean of (1 − f) over the rows where it is observed + abs(mean of f over all
    rows − π), averaged over labels. π is estimated from the scores of all training rows after
    every epoch (:func:`lamc.losses.crisp_priors`); before the first estimate the network is
    trained as :class:`AN`. No label that was not observed is read.

    Parameters
    ----------
    warm_up : float
        Share of the epochs that are trained as AN. The paper warms up, but does not say how long;
        after a long one the network knows its rows by heart, and priors are estimated too low.
    delta, tau : float
        δ and τ of the estimate, as in the paper.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    The risk is of all rows, and steps take batches. The first mean is a sum over the batch divided
    by its expected number of rows, which is right on average also for labels that most batches do
    not show. The absolute value of a batch is larger than that of all rows on average, and pulls
    the scores of rare labels towards their prior; larger batches do so less. The estimate takes
    the rows where a label is observed for a fair sample of those where it is true; labels drawn
    uniformly from the true ones are not quite that.

    This is the paper's Algorithm 1, which trains by its Eq. (7). A modification for rare labels
    that it proposes beside, Eq. (8), with a term on logits, is left out.

    References
    ----------
    B. Liu et al., "Can class-priors help single-positive multi-label learning?", NeurIPS 2025
    (arXiv 2309.13886).

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import CRISP
    >>> data = digit_scenes(300)
    >>> learner = CRISP(epochs=4, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    warm_up: float = 0.1
    delta: float = 0.01
    tau: float = 0.01

    def _checks(self) -> list[Check]:
        between = is_within(self.delta, above=0, below=1)
        return [
            check_warm_up(self.warm_up),
            ("delta", between, "a probability between 0 and 1"),
            ("tau", is_within(self.tau, 0), "a number from 0"),
        ]

    def _method(self, group: Group) -> Method:
        return ClassPriorRisk(
            group,
            warm_up=warm_up_epochs(self.warm_up, group.epochs),
            delta=self.delta,
            tau=self.tau,
        )

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        return Memory(rows=4 * n_rows * shape.labels)  # scores
