"""Label enhancement, the other half of SMILE: networks that estimate all labels of a row.

An encoder reads the graph of the rows and gives d, the estimates. A second one reads the row and d
and gives z, and a decoder makes the row again of d and z. They are trained to fit the observed
labels, the rows and the graph, and know nothing of the classifier.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import torch
from scipy.special import expit
from torch import Tensor

from lamc.learners import streams
from lamc.learners.beta import KLSign, draw, kl_slope
from lamc.learners.enhancement_networks import Encoder, Rebuilder
from lamc.learners.graph import choice_graph
from lamc.learners.method import Group, Step
from lamc.learners.stack import Shape, held
from lamc.learners.stack_adam import StackAdam
from lamc.losses.observed import read_observed
from lamc.types import BoolArray, FloatArray

Links: TypeAlias = Literal["published", "normalised"]

LEAST_ESTIMATE = 1e-5  # distance of d from 0 and 1, where labels are drawn from Beta(d, 1 − d)
LEAST_CHANCE = 1e-5  # that a logarithm is taken of
LEAST_DRAWN = 2.0**-25  # chance: half of what numbers drawn in single precision lie apart


@dataclass(frozen=True)
class Terms:
    """What the encoder minimises: see :class:`lamc.learners.smile.SMILE`."""

    gamma: float
    delta: float
    kl: KLSign
    links: Links


class Estimate(Protocol):
    """What gives d, the estimates of the labels of training rows."""

    def begin(self, epoch: int) -> None:
        """Start an epoch."""

    def step(self, step: Step) -> Tensor:
        """Estimates d (M, B, K) of a batch; after them, a step of what gives them."""

    def state(self) -> dict[str, Tensor]:
        """What a checkpoint must hold."""

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put back what :meth:`state` gave."""


@dataclass(frozen=True)
class Constant:
    """The same estimate for every row and label, to see what the enhancer is worth."""

    value: float
    n_labels: int

    def begin(self, epoch: int) -> None:
        """Start an epoch."""

    def step(self, step: Step) -> Tensor:
        """The constant, for each row and label."""
        shape = (*step.rows.shape, self.n_labels)
        return torch.full(shape, self.value, dtype=torch.float32, device=step.rows.device)

    def state(self) -> dict[str, Tensor]:
        """Nothing changes."""
        return {}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Nothing to put back."""


class Enhancer:
    """The three networks beside each classifier, and their Adam."""

    def __init__(self, group: Group, n_neighbors: int, terms: Terms) -> None:
        self.terms = terms
        self.seeds = group.seeds
        self.features = group.rows
        dtype = group.rows.part(0, 1).dtype
        drawn = [start(group.shape, seed) for seed in group.seeds]
        stacked = [torch.from_numpy(np.stack(each)) for each in zip(*drawn, strict=True)]
        self._held = [held(each).to(group.device, dtype) for each in stacked]
        gradients = [torch.zeros_like(each) for each in self._held]
        self.adam = StackAdam(self._held, gradients, group.learning_rates)
        self.weights, self.gradients = (
            [each[..., : like.shape[-1]] for each, like in zip(tensors, stacked, strict=True)]
            for tensors in (self._held, gradients)
        )
        graph = choice_graph(group.rows, n_neighbors)
        self.encoder = Encoder(graph, self.weights[:6], self.gradients[:6])
        self.rebuilder = Rebuilder(self.weights[6:], self.gradients[6:])
        self._draws: list[np.random.Generator] = []

    def begin(self, epoch: int) -> None:
        """Start the draws of an epoch, which depend on the seed alone."""
        starts = [[seed, streams.LABELS, epoch] for seed in self.seeds]
        self._draws = [np.random.default_rng(each) for each in starts]

    def step(self, step: Step) -> Tensor:
        """Take a step; return the estimates d (M, B, K) that were there before it."""
        d = self.collect(step)
        self.adam.step()
        return d

    def collect(self, step: Step) -> Tensor:
        """Set the gradients of all weights for a batch; return its estimates d.

        The loss depends on d by the rows made again, the labels drawn and the divergence, whose
        gradients are added up at d. That of AN(d) is simplest at the logits: d less what was seen.
        """
        d = self.encoder.logits(step.rows).sigmoid_()
        n_entries = d.shape[1] * d.shape[2]
        x = self.features.dense(step.rows)
        surplus = self.rebuilder.rows(x, d).sub_(x)
        at_d = self.rebuilder.backward(surplus.mul_(2 * self.terms.gamma / x[0].numel()))
        seen = read_observed(d, step.observed).mask(d)
        inside = d.clamp(LEAST_ESTIMATE, 1 - LEAST_ESTIMATE)
        at_d.add_(self._at_drawn(inside, seen, step.rows), alpha=self.terms.gamma)
        at_d.add_(kl_slope(inside, self.terms.kl), alpha=self.terms.delta / n_entries)
        at_logits = torch.ops.aten.sigmoid_backward(at_d, d)
        self.encoder.backward(at_logits.add_(d - seen.to(d.dtype), alpha=1 / n_entries))
        return d

    def _at_drawn(self, d: Tensor, seen: Tensor, rows: Tensor) -> Tensor:
        """Gradient at d of what is asked of labels drawn from Beta(d, 1 − d).

        In NumPy, which does little for each call: the tensors are small and the calls many.
        """
        estimates, positives = d.cpu().numpy(), seen.cpu().numpy()
        chances = np.empty(estimates.shape, dtype=np.float32)
        for own, rng in zip(chances, self._draws, strict=True):
            rng.random(dtype=np.float32, out=own)
        np.maximum(chances, LEAST_DRAWN, out=chances)
        drawn = draw(estimates, chances.astype(estimates.dtype, copy=False))
        y = expit(drawn.logits)
        at_y = at_chances(y, positives)
        linked = self.encoder.graph.linked(rows).cpu()
        at_y += at_linking(torch.from_numpy(y), linked, self.terms.links).numpy()
        at_y *= y * (1 - y)
        at_y *= drawn.slopes
        return torch.from_numpy(at_y).to(d.device)

    def state(self) -> dict[str, Tensor]:
        """Weights and Adam's moments."""
        moments = {f"enhancer.adam.{name}": each for name, each in self.adam.state().items()}
        return {f"enhancer.{i}": weight for i, weight in enumerate(self._held)} | moments

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put back what :meth:`state` gave."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])


def layers(shape: Shape) -> list[tuple[int, int]]:
    """Inputs and outputs of the seven layers: encoder, encoder of z, decoder."""
    d, k = shape.features, shape.labels
    return [(d, k), (k, k), (k, k), (d + k, k), (k, k), (2 * k, d), (d, d)]


def n_parameters(shape: Shape) -> int:
    """Weights and biases of the three networks.

    Examples
    --------
    >>> from lamc.learners.enhancement import n_parameters
    >>> from lamc.learners.stack import Shape
    >>> n_parameters(Shape(features=500, hidden=153, labels=153))
    651401
    """
    return sum((inputs + 1) * outputs for inputs, outputs in layers(shape))


def start(shape: Shape, seed: int) -> list[FloatArray]:
    """Weights and biases at the start; they depend on the seed alone.

    Those of graph layers by Xavier's rule and 0, the others as torch's linear layers start.
    """
    rng = np.random.default_rng([seed, streams.SIDE_NETWORKS])
    found = []
    for number, (inputs, outputs) in enumerate(layers(shape)):
        on_graph = number < 2
        bound = np.sqrt(6 / (inputs + outputs)) if on_graph else 1 / np.sqrt(inputs)
        found.append(rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32))
        bound = 0.0 if on_graph else bound
        found.append(rng.uniform(-bound, bound, (1, outputs)).astype(np.float32))
    return found


def at_chances(chances: FloatArray, seen: BoolArray) -> FloatArray:
    """Gradient of AN's loss at chances that were drawn and may be 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.enhancement import at_chances
    >>> at_chances(np.array([[[0.5, 0.8]]]), np.array([[[True, False]]])).round(4)
    array([[[-1.    ,  2.4999]]])
    """
    found = np.where(seen, chances, 1 - chances)  # chance of what was seen
    found += LEAST_CHANCE
    found *= chances[0].size
    np.reciprocal(found, out=found)
    return np.negative(found, out=found, where=seen)


def at_linking(y: Tensor, linked: Tensor, links: Links) -> Tensor:
    """Gradient at y of how far y yᵀ is from the links between rows of a batch.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement import at_linking
    >>> y, linked = torch.ones(1, 2, 4), torch.tensor([[[0.0, 1.0], [0.0, 0.0]]])
    >>> at_linking(y, linked, "published")[0, :, 0], at_linking(y, linked, "normalised")[0, :, 0]
    (tensor([7.5000, 7.5000]), tensor([0.3750, 0.3750]))
    """
    b, k = y.shape[1:]
    size = k if links == "normalised" else 1
    surplus = torch.baddbmm(linked, y, y.mT, beta=-1, alpha=1 / size)
    return torch.bmm(surplus + surplus.mT, y).mul_(2 / (b * b * size))
