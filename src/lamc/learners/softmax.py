"""Softmax: which label is the observed one, as a choice among all."""

from dataclasses import dataclass
from functools import partial

import torch
from scipy.special import softmax

from lamc import losses
from lamc.learners.method import Group, LossMethod, Method
from lamc.learners.network import NetworkLearner
from lamc.types import FloatArray


class OneOfAll(LossMethod):
    """Cross-entropy of the observed label; the scores of a row add up to 1."""

    activation = staticmethod(partial(torch.softmax, dim=-1))


@dataclass(kw_only=True, eq=False, repr=False)
class Softmax(NetworkLearner):
    """Softmax cross-entropy on the observed label: the plainest estimate of what is observed.

    The loss of a row is −ln of the softmax of its observed label; of several, their mean. In the
    population the score is r, the probability that the label is the observed one, for which the
    other losses of this package stand in; so within a row it ranks labels as they do.

    The scores of a row add up to 1, so a row with several true labels gives none of them a score
    near 1: choose thresholds on labelled rows (:class:`lamc.LAMC`), do not cut at 0.5.

    Parameters
    ----------
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import Softmax
    >>> data = digit_scenes(300)
    >>> learner = Softmax(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).sum().round()
    np.float64(300.0)
    """

    def _method(self, group: Group) -> Method:
        return OneOfAll(losses.softmax)

    def _activate(self, logits: FloatArray) -> FloatArray:
        scores: FloatArray = softmax(logits, axis=1)
        return scores
