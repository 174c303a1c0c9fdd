"""Large loss matters: the labels not observed that cost most are likely true."""

from dataclasses import dataclass
from typing import get_args

from torch import Tensor

from lamc import losses
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_within, one_of
from lamc.learners.row_tables import for_each_network, put_rows, take_rows
from lamc.learners.stack import Shape
from lamc.losses.large import Scheme


class CorrectForNow(Method):
    """LL-R and LL-Ct: every batch looks for large losses afresh."""

    def __init__(self, scheme: Scheme, delta: float) -> None:
        self.scheme = scheme
        self.delta = delta

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        return losses.large_loss(
            logits, step.observed, epoch=step.epoch, scheme=self.scheme, delta=self.delta
        ).loss


class CorrectForGood(Method):
    """LL-Cp: what once had a large loss stays true; the networks differ in what that is."""

    def __init__(self, group: Group, delta: float) -> None:
        self.delta = delta
        self.present = for_each_network(group.observed.matrix(), group)
        self._corrected: Tensor

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        present = take_rows(self.present, step.rows)
        found = losses.large_loss(
            logits, present, epoch=step.epoch, scheme="correct-permanently", delta=self.delta
        )
        self._corrected = present | found.large
        return found.loss

    def after_step(self, step: Step) -> None:
        """Write the corrected labels back."""
        put_rows(self.present, step.rows, self._corrected)

    def state(self) -> dict[str, Tensor]:
        """The labels that count as true."""
        return {"present": self.present}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.present.copy_(state["present"])


@dataclass(kw_only=True, eq=False, repr=False)
class LargeLoss(NetworkLearner):
    """Large loss matters: assume negative, but for what resists it most.

    A network learns what is true of many rows before it learns the labels that are missing from
    some; these stand out by their loss −ln(1 − f). In epoch t, of the B K entries of a batch,

    - ``"reject"`` (LL-R) leaves out the ⌈(t − 1) Δ B K⌉ largest losses of labels not observed;
    - ``"correct-temporarily"`` (LL-Ct) takes −ln f for them, this time;
    - ``"correct-permanently"`` (LL-Cp) takes −ln f for the ⌈Δ B K⌉ largest, from the second epoch,
      and writes them down as true.

    Parameters
    ----------
    scheme : {"reject", "correct-temporarily", "correct-permanently"}
        What becomes of large losses.
    delta : float
        Δ. The paper takes .001 to .004, by scheme and image data set, for 10 epochs; .002 is the
        most frequent of its values. With 25 epochs it ends at 4.8 % of all entries, and labels
        that are true but not observed make 1 to 23 % of the entries of the data sets here.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    The reference code runs LL-Ct where LL-Cp is asked for, and turns observed labels round where Δ
    is too large; neither is repeated here. LL-Cp keeps n K bytes for each network.

    References
    ----------
    Y. Kim et al., "Large loss matters in weakly supervised multi-label classification", CVPR 2022.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import LargeLoss
    >>> data = digit_scenes(300)
    >>> learner = LargeLoss(scheme="correct-permanently", epochs=3, learning_rate=1e-3)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    scheme: Scheme = "reject"
    delta: float = 0.002

    def _checks(self) -> list[Check]:
        return [
            one_of(self, "scheme", get_args(Scheme)),
            ("delta", is_within(self.delta, 0, 1), "a number from 0 to 1"),
        ]

    def _method(self, group: Group) -> Method:
        if self.scheme == "correct-permanently":
            return CorrectForGood(group, self.delta)
        return CorrectForNow(self.scheme, self.delta)

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        kept = n_rows * shape.labels if self.scheme == "correct-permanently" else 0
        return Memory(rows=kept)
