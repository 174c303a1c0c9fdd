"""EM and APL: labels that were not observed stay open, but for those surely absent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from lamc import losses
from lamc.learners.method import Group, LossMethod, Memory, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_within
from lamc.learners.row_tables import for_each_network, take_rows
from lamc.learners.stack import Shape
from lamc.learners.warm_up import check_warm_up, warm_up_epochs


@dataclass(kw_only=True, eq=False, repr=False)
class EM(NetworkLearner):
    """Entropy maximisation: nothing is assumed of the labels that were not observed.

    −ln f for an observed label, and −α H(f) for another, H(f) = −f ln f − (1 − f) ln(1 − f). In
    the population f ln(f / (1 − f)) = r / (α (1 − r)), so f is never below 0.5: rank by it, or
    choose thresholds on labelled rows, but do not cut at 0.5.

    Parameters
    ----------
    alpha : float
        Weight of the entropy. The default is that of the reference code for COCO and NUS-WIDE; it
        takes 0.2 for VOC and 0.01 for CUB.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    References
    ----------
    D. Zhou et al., "Acknowledging the unknown for multi-label learning with single positive
    labels", ECCV 2022.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import EM
    >>> data = digit_scenes(300)
    >>> learner = EM(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    alpha: float = 0.1

    def _checks(self) -> list[Check]:
        return [("alpha", is_within(self.alpha, 0), "a number from 0")]

    def _method(self, group: Group) -> Method:
        return LossMethod(partial(losses.em, alpha=self.alpha))


class AsymmetricPseudoLabels(Method):
    """EM, where after a warm-up every epoch writes down some of the lowest scores as labels."""

    def __init__(
        self, group: Group, *, alpha: float, beta: float, share: float, warm_up: int
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.rounds = range(warm_up, group.epochs)
        observed = group.observed.matrix()
        self.observed = observed
        nothing = torch.full(observed.shape, torch.nan, dtype=torch.float32, device=group.device)
        self.pseudo = for_each_network(nothing, group)
        self.quotas = [
            int(share * int(n) / max(len(self.rounds), 1)) for n in (~observed).sum(dim=0)
        ]

    def loss(self, logits: Tensor, step: Step) -> Tensor:
        """Loss of each network."""
        pseudo = take_rows(self.pseudo, step.rows)
        return losses.em_apl(logits, step.observed, pseudo, alpha=self.alpha, beta=self.beta)

    def after_epoch(self, epoch: int, scores: Callable[[], Tensor]) -> None:
        """Write down the lowest scores of each label that are not written down yet."""
        if epoch not in self.rounds:
            return
        for found, pseudo in zip(scores(), self.pseudo, strict=True):
            taken = self.observed | ~pseudo.isnan()
            order = found.masked_fill(taken, torch.inf).argsort(dim=0, stable=True)
            for label, quota in enumerate(self.quotas):
                lowest = order[:quota, label]
                pseudo[lowest, label] = found[lowest, label]

    def state(self) -> dict[str, Tensor]:
        """The pseudo-labels."""
        return {"pseudo": self.pseudo}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.pseudo.copy_(state["pseudo"])


@dataclass(kw_only=True, eq=False, repr=False)
class APL(NetworkLearner):
    """Entropy maximisation with asymmetric pseudo-labels: :class:`EM`, and surely absent labels.

    In T epochs with a warm-up of w, after each of the epochs w, …, T − 1 and for each label, of
    the n_U rows where it was not observed the ⌊0.9 n_U / (T − w)⌋ with the lowest scores among
    those still open get their score c as a label for good. It counts
    −β (c ln f + (1 − c) ln(1 − f)) in the place of the entropy.

    Parameters
    ----------
    alpha, beta : float
        Weights of the entropy and of pseudo-labels. Defaults are those of the reference code for
        NUS-WIDE; β is .02 for VOC, .9 for COCO and .4 for CUB.
    share : float
        Share of the open entries of a label that have a pseudo-label in the end.
    warm_up : float
        Share of the epochs before the first are given: 5 of 10 for VOC and COCO.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Notes
    -----
    No pseudo-labels are given after the last epoch, where they would serve nothing. The reference
    code stops when validation does not improve once, and so may never use them; here training goes
    on unless ``patience`` says otherwise. Pseudo-labels take 4 n K bytes for each network, and the
    scores that they are taken from as many.

    References
    ----------
    D. Zhou et al., "Acknowledging the unknown for multi-label learning with single positive
    labels", ECCV 2022.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import APL
    >>> data = digit_scenes(300)
    >>> learner = APL(epochs=4, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    alpha: float = 0.1
    beta: float = 0.2
    share: float = 0.9
    warm_up: float = 0.5

    def _checks(self) -> list[Check]:
        return [
            ("alpha", is_within(self.alpha, 0), "a number from 0"),
            ("beta", is_within(self.beta, 0), "a number from 0"),
            ("share", is_within(self.share, 0, 1), "a share from 0 to 1"),
            check_warm_up(self.warm_up),
        ]

    def _method(self, group: Group) -> Method:
        return AsymmetricPseudoLabels(
            group,
            alpha=self.alpha,
            beta=self.beta,
            share=self.share,
            warm_up=warm_up_epochs(self.warm_up, group.epochs),
        )

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        return Memory(rows=(4 + 4) * n_rows * shape.labels)  # pseudo-labels and scores
