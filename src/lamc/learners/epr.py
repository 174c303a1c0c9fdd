"""EPR: observed labels, and the number of labels that rows have on average."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lamc import losses
from lamc.exceptions import TrainingError
from lamc.learners.expected_count import expected_count
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.stack import Shape
from lamc.learners.warm_up import warm_up_epochs


class ExpectedPositives(Method):
    """EPR with a number of labels for each network; AN until there is one."""

    def __init__(self, group: Group, *, expected: float | None, warm_up: int) -> None:
        self.warm_up = 0 if expected is not None else warm_up
        self.expected = torch.full((len(group),), expected or 0.0, device=group.device)

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        if step.epoch <= self.warm_up:
            return losses.an(logits, step.observed)
        return losses.epr(logits, step.observed, expected=self.expected)

    def after_epoch(self, epoch: int, scores: Callable[[], Tensor]) -> None:
        """Estimate the number of labels at the end of the warm-up."""
        if epoch == self.warm_up:
            self.expected.copy_(expected_count(scores()))

    def state(self) -> dict[str, Tensor]:
        """The numbers of labels."""
        return {"expected": self.expected}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.expected.copy_(state["expected"])


@dataclass(kw_only=True, eq=False, repr=False)
class EPR(NetworkLearner):
    """Expected positive regularisation: observed labels score high, rows add up as expected.

    The mean over all B K entries of −ln f for observed labels and 0 for others, plus
    ((Σ f) / B − k)² / K², where the sum is over a batch and k is the mean number of labels a row.

    Parameters
    ----------
    expected_count : float, optional
        k. Without it, the network is trained as :class:`AN` for a warm-up, and k is estimated from
        its scores (:func:`lamc.learners.expected_count.expected_count`); no label that was not
        observed is read. Where you know the number, give it.
    warm_up : float
        Share of the epochs that are trained as AN when k is to be estimated. Few serve best: the
        estimate falls as the network comes to know its rows by heart.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    The paper takes k from the full labels of the training set, which a method that learns from
    single positives does not have. The weight of the second term is 1 as in its code.

    References
    ----------
    E. Cole et al., "Multi-label learning from single positive labels", CVPR 2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import EPR
    >>> data = digit_scenes(300)
    >>> learner = EPR(expected_count=2.5, epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    expected_count: float | None = None
    warm_up: float = 0.1

    def _method(self, group: Group) -> Method:
        k, n_labels = self.expected_count, group.shape.labels
        if k is not None and not 0 < k <= n_labels:
            raise TrainingError(
                f"expected_count={k!r}; give a number above 0 and at most {n_labels}, the number "
                "of labels, or None to estimate it."
            )
        return ExpectedPositives(
            group, expected=k, warm_up=warm_up_epochs(self.warm_up, group.epochs)
        )

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        scores = 4 * n_rows * shape.labels
        return Memory(rows=scores if self.expected_count is None else 0)
