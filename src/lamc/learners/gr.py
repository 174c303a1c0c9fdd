"""GR: a soft pseudo-label and a weight for every label that was not observed."""

from dataclasses import dataclass
from functools import partial

from lamc import losses
from lamc.learners.method import Group, Method, ScheduledLossMethod
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, are_two


@dataclass(kw_only=True, eq=False, repr=False)
class GR(NetworkLearner):
    """Generalised robust loss: what a label scores says what it is taught, and how firmly.

    −ln f for an observed label; for another v (k (1 − f^q) / q + (1 − k) (1 − (1 − f)^q′) / q′)
    with the pseudo-label k = σ(w f + b) and the weight v = exp(−(f − μ)² / 2σ²), through neither
    of which a gradient flows. w, b, μ and σ move in a straight line over the epochs.

    Parameters
    ----------
    slope, bias, mean, width : pairs of float
        w, b, μ and σ, at the start and at the end of training.
    powers : pair of float in (0, 1]
        q and q′.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    Defaults are those of the reference code, which are one set for VOC, COCO, NUS-WIDE and CUB. It
    trains for 8 epochs; the schedule here is stretched over ``epochs``.

    References
    ----------
    Y. Chen et al., "Boosting single positive multi-label classification with generalized robust
    loss", IJCAI 2024.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import GR
    >>> data = digit_scenes(300)
    >>> learner = GR(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    slope: tuple[float, float] = (0.0, 2.0)
    bias: tuple[float, float] = (-2.0, -2.0)
    mean: tuple[float, float] = (0.5, 0.8)
    width: tuple[float, float] = (2.0, 0.5)
    powers: tuple[float, float] = (0.01, 1.0)

    def _checks(self) -> list[Check]:
        powers = are_two(self.powers, above=0, high=1)
        return [
            ("slope", are_two(self.slope), "two numbers"),
            ("bias", are_two(self.bias), "two numbers"),
            ("mean", are_two(self.mean), "two numbers"),
            ("width", are_two(self.width, above=0), "two numbers above 0"),
            ("powers", powers, "two numbers above 0 and at most 1"),
        ]

    def _method(self, group: Group) -> Method:
        return ScheduledLossMethod(
            partial(
                losses.gr,
                epochs=group.epochs,
                slope=self.slope,
                bias=self.bias,
                mean=self.mean,
                width=self.width,
                powers=self.powers,
            )
        )
