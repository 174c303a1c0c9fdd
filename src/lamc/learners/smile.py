"""SMILE: soft targets, mixed of a constant and of what an encoder of the rows' graph estimates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import torch
from torch import Tensor

from lamc.exceptions import SettingError
from lamc.learners.beta import KLSign
from lamc.learners.enhancement import (
    Constant,
    Enhancer,
    Estimate,
    Links,
    Terms,
    n_parameters,
)
from lamc.learners.kept import Trained, Training
from lamc.learners.method import Group, Memory, Method, Step
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_count, is_within, one_of
from lamc.learners.stack import Shape
from lamc.losses.observed import read_observed

# p, μ and rate of the paper's code for its twelve data sets; no rate is its "bias = 1".
PUBLISHED: dict[str, tuple[float, float, float | None]] = {
    "CAL500": (0.01, 0.01, 0.1),
    "Image": (0.1, 0.9, 0.7),
    "scene": (0.075, 0.3, 0.5),
    "yeast": (0.05, 0.5, 0.1),
    "corel5k": (0.025, 0.1, 0.1),
    "rcv1subset1": (0.01, 0.01, 0.1),
    "Corel16k001": (0.001, 0.01, None),
    "delicious": (0.01, 0.01, None),
    "iaprtc12": (0.001, 0.01, None),
    "espgame": (0.025, 0.01, None),
    "mirflickr": (0.01, 0.01, 0.1),
    "tmc2007": (0.025, 0.1, 0.3),
}


class SoftTargets(Method):
    """Cross-entropy with targets μ d + (1 − μ) t, weighted; ``estimate`` gives d."""

    def __init__(
        self,
        group: Group,
        estimate: Estimate,
        *,
        p: float,
        mu: float,
        rate: float | None,
        records: Sequence[dict[str, Any]],
    ) -> None:
        self.estimate = estimate
        self.p, self.mu = p, mu
        self.weight = 1 / (group.shape.labels - 1) if rate is None else rate
        self.spread = Spread(records, group)

    def before_epoch(self, epoch: int) -> None:
        """Start the draws of the epoch."""
        self.estimate.begin(epoch)

    def gradient(self, logits: Tensor, step: Step) -> Tensor:
        """Weights times f − c, over B K; what estimates c takes its own step, by the same rows."""
        d = self.estimate.step(step)
        self.spread.note(d)
        positives = read_observed(logits, step.observed)
        targets = positives.mark(logits, 1.0, self.p).lerp_(d, self.mu)
        at = logits.sigmoid().sub_(targets).mul_(positives.mark(logits, 1.0, self.weight))
        return at.div_(logits.shape[-1] * logits.shape[-2])

    def after_epoch(self, epoch: int, scores: Callable[[], Tensor]) -> None:
        """Record how the estimates spread."""
        self.spread.close()

    def state(self) -> dict[str, Tensor]:
        """The enhancer, and the record."""
        return self.estimate.state() | {"spread": self.spread.table()}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put them back."""
        self.estimate.restore(state)
        self.spread.refill(state["spread"])


class Spread:
    """How far the estimates d differ between rows and between labels, for the record.

    Each network has a dict with three lists, to which every epoch adds a number.
    """

    LISTS = ("mean", "over_rows", "over_labels")

    def __init__(self, records: Sequence[dict[str, Any]], group: Group) -> None:
        self.records = records
        self._sums = np.zeros((2, len(group), group.shape.labels))
        self._n_rows = 0

    def note(self, d: Tensor) -> None:
        """Add the estimates (M, B, K) of a batch."""
        wide = d.cpu().numpy().astype(np.float64)
        self._sums += wide.sum(axis=1), np.square(wide).sum(axis=1)
        self._n_rows += d.shape[1]

    def close(self) -> None:
        """Record an epoch and begin the next."""
        mean, square = self._sums / self._n_rows
        over_rows = np.sqrt((square - mean**2).clip(min=0).mean(axis=1))
        found = np.stack([mean.mean(axis=1), over_rows, mean.std(axis=1)], axis=1)
        for record, values in zip(self.records, found.tolist(), strict=True):
            for name, value in zip(self.LISTS, values, strict=True):
                record[name].append(value)
        self._sums.fill(0)
        self._n_rows = 0

    def table(self) -> Tensor:
        """The record as (M, 3, epochs)."""
        lists = [[record[name] for name in self.LISTS] for record in self.records]
        return torch.tensor(lists, dtype=torch.float64)

    def refill(self, table: Tensor) -> None:
        """Put back what :meth:`table` gave."""
        for record, lists in zip(self.records, table.tolist(), strict=True):
            record.update(zip(self.LISTS, lists, strict=True))


@dataclass(kw_only=True, eq=False, repr=False)
class SMILE(NetworkLearner):
    """Single-positive multi-label learning with label enhancement.

    The network is trained by the cross-entropy with soft targets c = μ d + (1 − μ) t, where t is 1
    for the observed label and p for the others, weighted by 1 for the observed label and by a rate
    for the others. d estimates all labels of a row. It is σ of an encoder on the graph in which
    each training row chooses its nearest ones, trained beside the network on

    AN(d) + γ (‖x̂ − x‖² + AN(y) + ‖y yᵀ − A‖²) + δ KL

    where x̂ is a row decoded from d and from a code of the row and d, y is drawn from
    Beta(d, 1 − d), A tells which rows of the batch chose which, norms are means of squares, and KL
    is that of the Beta from the uniform distribution. No gradient flows between the two sides.

    Parameters
    ----------
    p : float in [0, 1]
        Target of labels that were not observed, before d is mixed in.
    mu : float in [0, 1]
        μ, the share of d in the targets.
    rate : float, optional
        Weight of labels that were not observed; by default 1 / (K − 1), the reference code's
        ``bias = 1``.
    gamma, delta : float
        γ and δ.
    n_neighbors : int
        Rows that each row chooses.
    estimate : "graph" or float
        Where d comes from: the encoder, or the constant given. As published d hardly differs
        between rows; the constant shows what is left without an encoder.
    kl : "published" or "correct"
        The reference code has the sign of two terms of the divergence reversed.
    links : "published" or "normalised"
        Compare A with y yᵀ, which grows with the number of labels, or with y yᵀ / K.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`. The encoder's layers have K units, its
        learning rate is the network's, and it has neither dropout nor weight decay.

    Attributes
    ----------
    estimates_ : list of dict
        For each network that was trained its ``seed`` and ``learning_rate``, and how d was
        distributed in each epoch: ``mean``, ``over_rows`` (standard deviation over rows, root mean
        square over labels) and ``over_labels`` (standard deviation of the labels' means).

    Notes
    -----
    Defaults are those of the reference code; :meth:`published` gives what it takes for the paper's
    data sets. Its trainings take 10 epochs at rate 1e-3, with ``hidden="labels"``. It uses features
    as they are, for the graph too; here distances are between standardised ones unless
    ``standardise=False``. It runs the encoder over the whole graph at every batch; here it is
    evaluated where a batch needs it, which gives the same: see
    :class:`lamc.learners.enhancement_networks.Encoder`. It adds 1e-5 or 1e-6 to d and 1 − d inside
    logarithms and as shapes of the Beta; here AN(d) is computed from logits, and the shapes are d
    and 1 − d with d kept 1e-5 from 0 and 1.

    With d features and K labels the side networks take 16 (d² + 4 d K + 4 K² + 2 d + 5 K) bytes
    for each network: with tens of thousands of features, reduce them first.

    References
    ----------
    N. Xu et al., "One positive label is sufficient: single-positive multi-label learning with
    label enhancement", NeurIPS 2022.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import SMILE
    >>> data = digit_scenes(300)
    >>> learner = SMILE(epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    >>> len(learner.estimates_[0]["over_rows"])
    3
    """

    p: float = 0.5
    mu: float = 0.5
    rate: float | None = None
    gamma: float = 1e-3
    delta: float = 1.0
    n_neighbors: int = 3
    estimate: float | Literal["graph"] = "graph"
    kl: KLSign = "published"
    links: Links = "published"

    @classmethod
    def published(cls, dataset: str) -> Self:
        """SMILE with p, μ and rate as its paper's code takes them for a data set.

        Examples
        --------
        >>> from lamc.learners import SMILE
        >>> SMILE.published("yeast")
        SMILE(p=0.05, rate=0.1)
        """
        by_name = {name.lower(): settings for name, settings in PUBLISHED.items()}
        if dataset.lower() not in by_name:
            raise SettingError(
                f"The paper has no settings for {dataset!r}. It has some for "
                f"{', '.join(PUBLISHED)}."
            )
        p, mu, rate = by_name[dataset.lower()]
        return cls(p=p, mu=mu, rate=rate)

    def _method(self, group: Group) -> Method:
        records: list[dict[str, Any]] = [
            {"seed": seed, "learning_rate": rate} | {name: [] for name in Spread.LISTS}
            for seed, rate in zip(group.seeds, group.learning_rates, strict=True)
        ]
        self.estimates_ += records
        return SoftTargets(
            group, self._estimate(group), p=self.p, mu=self.mu, rate=self.rate, records=records
        )

    def _estimate(self, group: Group) -> Estimate:
        if self.estimate != "graph":
            return Constant(self.estimate, group.shape.labels)
        terms = Terms(self.gamma, self.delta, self.kl, self.links)
        return Enhancer(group, self.n_neighbors, terms)

    def _memory(self, shape: Shape, n_rows: int) -> Memory:
        return Memory(each_step=16 * n_parameters(shape) if self.estimate == "graph" else 0)

    def _train(self, X: Any, y: Any, X_val: Any, Y_val: Any, seeds: Sequence[int]) -> Training:
        self.estimates_: list[dict[str, Any]] = []
        return super()._train(X, y, X_val, Y_val, seeds)

    def _keep(self, networks: Sequence[Trained]) -> None:
        super()._keep(networks)
        own = {network.seed for network in networks}  # several learners may be fitted at once
        self.estimates_ = [record for record in self.estimates_ if record["seed"] in own]

    def _checks(self) -> list[Check]:
        graph = "'graph', or a number from 0 to 1"
        return [
            ("p", is_within(self.p, 0, 1), "a number from 0 to 1"),
            ("mu", is_within(self.mu, 0, 1), "a number from 0 to 1"),
            ("rate", self.rate is None or is_within(self.rate, 0), "a number from 0, or None"),
            ("gamma", is_within(self.gamma, 0), "a number from 0"),
            ("delta", is_within(self.delta, 0), "a number from 0"),
            ("n_neighbors", is_count(self.n_neighbors), "a whole number from 1"),
            ("estimate", self.estimate == "graph" or is_within(self.estimate, 0, 1), graph),
            one_of(self, "kl", ["published", "correct"]),
            one_of(self, "links", ["published", "normalised"]),
        ]
