"""AN, AN-LS and WAN: a label that was not observed counts as false, in full or in part."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from lamc import losses
from lamc.learners.method import Group, LossMethod, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_within


class AssumeNegative(LossMethod):
    """Binary cross-entropy in which labels that were not observed are false with some weight."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor], weight: float) -> None:
        super().__init__(loss)
        self.weight = weight

    def gradient(self, logits: Tensor, step: Step) -> Tensor:
        """σ(s) − 1 for an observed label, and the weight times σ(s) for another, over B K."""
        at = torch.sigmoid(logits)
        at *= self.weight
        if step.observed.dtype == torch.bool:
            observed = torch.nonzero(step.observed, as_tuple=True)
            at[observed] = at[observed] / self.weight - 1
        else:
            place = step.observed.unsqueeze(-1)
            at.scatter_(-1, place, at.gather(-1, place) / self.weight - 1)
        return at.div_(logits.shape[-1] * logits.shape[-2])


@dataclass(kw_only=True, eq=False, repr=False)
class AN(NetworkLearner):
    """Assume negative: every label that was not observed is taken to be false.

    The loss of a row is the mean over its K labels of −log f for the observed one and −log(1 − f)
    for the others. In the population f is the probability that the label is the observed one.

    Parameters
    ----------
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    References
    ----------
    E. Cole et al., "Multi-label learning from single positive labels", CVPR 2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import AN
    >>> data = digit_scenes(300)
    >>> learner = AN(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    def _method(self, group: Group) -> Method:
        return AssumeNegative(losses.an, weight=1.0)


@dataclass(kw_only=True, eq=False, repr=False)
class ANLS(NetworkLearner):
    """Assume negative with label smoothing: targets are 1 − ε and ε instead of 1 and 0.

    −(1 − ε) ln f − ε ln(1 − f) for an observed label, −(1 − ε) ln(1 − f) − ε ln f for another.
    In the population f = ε + (1 − 2ε) r, with r the probability that the label is observed.

    Parameters
    ----------
    smoothing : float in [0, 1]
        ε. The default is that of the reference code, which takes it whole where the paper may mean
        ε/2.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    References
    ----------
    E. Cole et al., "Multi-label learning from single positive labels", CVPR 2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import ANLS
    >>> data = digit_scenes(300)
    >>> learner = ANLS(smoothing=0.05, epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    smoothing: float = 0.1

    def _checks(self) -> list[Check]:
        return [("smoothing", is_within(self.smoothing, 0, 1), "a number from 0 to 1")]

    def _method(self, group: Group) -> Method:
        return LossMethod(partial(losses.an_ls, smoothing=self.smoothing))


@dataclass(kw_only=True, eq=False, repr=False)
class WAN(NetworkLearner):
    """Weak assume negative: the labels not observed are false, all together as one vote.

    As :class:`AN`, with −log(1 − f) weighted by 1/(K − 1), so that the K − 1 labels that were not
    observed weigh as much as the one that was. The scorer of the paper's method.

    Parameters
    ----------
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    References
    ----------
    E. Cole et al., "Multi-label learning from single positive labels", CVPR 2021.

    Examples
    --------
    >>> from lamc import LAMC
    >>> from lamc.learners import WAN
    >>> LAMC(WAN(), rule="selective", alpha=0.5)
    LAMC(alpha=0.5, estimator=WAN(), rule='selective')
    """

    def _method(self, group: Group) -> Method:
        return AssumeNegative(losses.wan, weight=1 / (group.shape.labels - 1))
