"""Hill: labels that were not observed but score high are pulled down less and less."""

from dataclasses import dataclass
from functools import partial

from lamc import losses
from lamc.learners.method import Group, LossMethod, Method
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_within


@dataclass(kw_only=True, eq=False, repr=False)
class Hill(NetworkLearner):
    """Hill loss: bounded on labels that were not observed, focal on those that were.

    −(1 − p)^γ ln p with p = σ(s − m) for an observed label, and (λ − f) f² for another: its slope
    falls back towards 0 as f nears 1, where the label is likely true and was not seen.

    Parameters
    ----------
    margin, gamma, lam : float
        m, γ and λ. Defaults are those of the paper and its code.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    The reference code sums over entries; here it is the mean. Under Adam that differs by its ε
    only. Its learning schedule and augmentation are for images and are left out.

    References
    ----------
    Y. Zhang et al., "Simple and robust loss design for multi-label learning with missing labels",
    2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import Hill
    >>> data = digit_scenes(300)
    >>> learner = Hill(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    margin: float = 1.0
    gamma: float = 2.0
    lam: float = 1.5

    def _checks(self) -> list[Check]:
        return [
            ("margin", is_within(self.margin), "a number"),
            ("gamma", is_within(self.gamma, 0), "a number from 0"),
            ("lam", is_within(self.lam), "a number"),
        ]

    def _method(self, group: Group) -> Method:
        return LossMethod(partial(losses.hill, margin=self.margin, gamma=self.gamma, lam=self.lam))
