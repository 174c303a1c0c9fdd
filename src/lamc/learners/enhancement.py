"""Label enhancement, the other half of SMILE: networks that estimate all labels of a row.

An encoder reads the graph of the rows and gives d, the estimates. A second one reads the row and d
and gives z, and a decoder makes the row again of d and z. They are trained to fit the observed
labels, the rows and the graph, and know nothing of the classifier.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.distributions import Beta

from lamc import losses
from lamc.learners.graph import ChoiceGraph, choice_graph, encode
from lamc.learners.method import Group, Step
from lamc.learners.stack import Shape
from lamc.learners.trainer import adam_for
from lamc.losses.observed import read_observed
from lamc.types import FloatArray

KLSign: TypeAlias = Literal["published", "correct"]
Links: TypeAlias = Literal["published", "normalised"]

LEAST_SHAPE = 1e-5  # of a Beta distribution that is drawn from
LEAST_CHANCE = 1e-5  # that a logarithm is taken of
LEAST_KL_SHAPE = 1e-6
ADAM_STATE = ("step", "exp_avg", "exp_avg_sq")


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
        return torch.full((*step.rows.shape, self.n_labels), self.value, device=step.rows.device)

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
        self.graph: ChoiceGraph = choice_graph(group.rows, n_neighbors)
        drawn = [start(group.shape, seed) for seed in group.seeds]
        stacked = (np.stack(each) for each in zip(*drawn, strict=True))
        self.weights = tuple(torch.from_numpy(each).to(group.device) for each in stacked)
        self.gradients = tuple(torch.zeros_like(weight) for weight in self.weights)
        self.adam = adam_for(self, group.learning_rates, weight_decay=0.0)
        self._draws: list[np.random.Generator] = []

    def begin(self, epoch: int) -> None:
        """Start the draws of an epoch, which depend on the seed alone."""
        self._draws = [np.random.default_rng([seed, 5, epoch]) for seed in self.seeds]

    def step(self, step: Step) -> Tensor:
        """Take a step; return the estimates d (M, B, K) that were there before it."""
        leaves = [weight.detach().requires_grad_() for weight in self.weights]
        logits = encode(leaves[:6], self.graph, step.rows)
        d = logits.sigmoid()
        loss = self._loss(logits, d, leaves[6:], step)
        found = torch.autograd.grad(loss.sum(), leaves)
        for kept, gradient in zip(self.gradients, found, strict=True):
            kept.copy_(gradient)
        self.adam.step()
        return d.detach()

    def state(self) -> dict[str, Tensor]:
        """Weights and Adam's moments."""
        found = {f"enhancer.{i}": weight for i, weight in enumerate(self.weights)}
        for i, parameter in enumerate(self._parameters()):
            found |= {
                f"enhancer.{i}.{name}": self.adam.state[parameter][name] for name in ADAM_STATE
            }
        return found

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put back what :meth:`state` gave."""
        for i, weight in enumerate(self.weights):
            weight.copy_(state[f"enhancer.{i}"])
        for i, parameter in enumerate(self._parameters()):
            self.adam.state[parameter] = {
                name: state[f"enhancer.{i}.{name}"] for name in ADAM_STATE
            }

    def _loss(self, logits: Tensor, d: Tensor, others: Sequence[Tensor], step: Step) -> Tensor:
        """Loss of each network, (M,)."""
        x = self.features.dense(step.rows)
        y = self._draw(d)
        rebuilt = (decode(others, x, d) - x).square().mean((1, 2))
        shown = an_of_chances(y, step.observed)
        linked = linking(y, self.graph.linked(step.rows), self.terms.links)
        fitted = self.terms.gamma * (rebuilt + shown + linked)
        return losses.an(logits, step.observed) + fitted + self.terms.delta * kl(d, self.terms.kl)

    def _draw(self, d: Tensor) -> Tensor:
        """Draw labels from Beta(d, 1 − d) so that gradients reach d; each network by its seed."""
        drawn = []
        with _put_back(_generator(d.device)) as generator:
            for own, rng in zip(d, self._draws, strict=True):
                generator.manual_seed(int(rng.integers(2**63)))
                a, b = own + LEAST_SHAPE, 1 - own + LEAST_SHAPE
                drawn.append(Beta(a, b, validate_args=False).rsample())
        return torch.stack(drawn)

    def _parameters(self) -> list[Tensor]:
        return [parameter for group in self.adam.param_groups for parameter in group["params"]]


def _generator(device: torch.device) -> torch.Generator:
    """The generator that distributions draw by: they take no other."""
    if device.type == "cuda":
        return torch.cuda.default_generators[device.index or 0]
    return torch.default_generator


@contextmanager
def _put_back(generator: torch.Generator) -> Iterator[torch.Generator]:
    """Leave a generator as it was."""
    before = generator.get_state()
    try:
        yield generator
    finally:
        generator.set_state(before)


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
    rng = np.random.default_rng([seed, 4])
    found = []
    for number, (inputs, outputs) in enumerate(layers(shape)):
        on_graph = number < 2
        bound = np.sqrt(6 / (inputs + outputs)) if on_graph else 1 / np.sqrt(inputs)
        found.append(rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32))
        bound = 0.0 if on_graph else bound
        found.append(rng.uniform(-bound, bound, (1, outputs)).astype(np.float32))
    return found


def decode(weights: Sequence[Tensor], x: Tensor, d: Tensor) -> Tensor:
    """Make rows again: z of rows and estimates, and from z and the estimates the rows.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement import decode
    >>> sizes = [(5, 2), (1, 2), (2, 2), (1, 2), (4, 3), (1, 3), (3, 3), (1, 3)]
    >>> weights = [torch.rand(1, *size) for size in sizes]
    >>> decode(weights, torch.rand(1, 7, 3), torch.rand(1, 7, 2)).shape
    torch.Size([1, 7, 3])
    """
    V1, c1, V2, c2, D1, e1, D2, e2 = weights
    z = torch.baddbmm(c2, torch.baddbmm(c1, torch.cat([x, d], dim=2), V1).relu(), V2)
    return torch.baddbmm(e2, torch.baddbmm(e1, torch.cat([d, z], dim=2), D1).relu(), D2)


def an_of_chances(chances: Tensor, observed: Tensor) -> Tensor:
    """AN's loss of chances that have no logits, which may be 0 or 1.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement import an_of_chances
    >>> an_of_chances(torch.tensor([[0.5, 0.5]]), torch.tensor([0]))
    tensor(0.6931)
    """
    seen = read_observed(chances, observed).mask(chances)
    right = torch.where(seen, chances, 1 - chances)
    return -(right + LEAST_CHANCE).log().mean((-2, -1))


def linking(y: Tensor, linked: Tensor, links: Links) -> Tensor:
    """How far y yᵀ is from the links between rows of a batch.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement import linking
    >>> y, linked = torch.ones(1, 2, 4), torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    >>> linking(y, linked, "published"), linking(y, linked, "normalised")
    (tensor([12.5000]), tensor([0.5000]))
    """
    found = torch.bmm(y, y.mT)
    if links == "normalised":
        found = found / y.shape[-1]
    return (found - linked).square().mean((1, 2))


def kl(d: Tensor, sign: KLSign) -> Tensor:
    """Divergence of Beta(d, 1 − d) from the uniform distribution, mean over entries.

    ``"published"`` has the sign of the two ln Γ reversed, as in the reference code.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement import kl
    >>> d = torch.full((1, 1, 1), 0.3)
    >>> kl(d, "correct"), kl(d, "published")
    (tensor([0.8839]), tensor([4.1744]))
    """
    a, b = d + LEAST_KL_SHAPE, 1 - d + LEAST_KL_SHAPE
    gammas = a.lgamma() + b.lgamma()
    slopes = (a - 1) * a.digamma() + (b - 1) * b.digamma()
    if sign == "published":
        return (slopes + gammas).mean((-2, -1))
    total = a + b
    rest = total.lgamma() + (2 - total) * total.digamma()
    return (slopes - gammas + rest).mean((-2, -1))
