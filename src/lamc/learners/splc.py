"""SPLC: after a first epoch, a label that scores high counts as true."""

from dataclasses import dataclass
from functools import partial

from lamc import losses
from lamc.learners.method import Group, Method, ScheduledLossMethod
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_count, is_within


@dataclass(kw_only=True, eq=False, repr=False)
class SPLC(NetworkLearner):
    """Self-paced loss correction: the network's own confidence turns unobserved labels true.

    The focal loss −(1 − p)^γ ln p, where p is σ(s − m) for an observed label, f for another with
    f > τ from epoch ``start`` on, and 1 − f for the rest.

    Parameters
    ----------
    threshold : float in (0, 1)
        τ.
    start : int
        The first epoch with corrections, counted from 1.
    margin, gamma : float
        m, asked of observed labels only, and γ.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    Defaults are those of the paper's code, which counts epochs from 0. It sums over entries; here
    it is the mean, which under Adam differs by its ε only.

    References
    ----------
    Y. Zhang et al., "Simple and robust loss design for multi-label learning with missing labels",
    2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import SPLC
    >>> data = digit_scenes(300)
    >>> learner = SPLC(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    threshold: float = 0.6
    start: int = 2
    margin: float = 1.0
    gamma: float = 2.0

    def _checks(self) -> list[Check]:
        between = is_within(self.threshold, above=0, below=1)
        return [
            ("threshold", between, "a probability between 0 and 1"),
            ("start", is_count(self.start), "a whole number from 1"),
            ("margin", is_within(self.margin), "a number"),
            ("gamma", is_within(self.gamma, 0), "a number from 0"),
        ]

    def _method(self, group: Group) -> Method:
        return ScheduledLossMethod(
            partial(
                losses.splc,
                start=self.start,
                threshold=self.threshold,
                margin=self.margin,
                gamma=self.gamma,
            )
        )
