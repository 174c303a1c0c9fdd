"""Two-layer networks of one shape, several side by side, with their gradients by hand.

All networks take a step together: their weights are stacked, and each product is one call for all
of them. The gradient with respect to the logits comes from a loss; from there on it is four matrix
products, written out because for small networks autograd spends longer on its own bookkeeping.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lamc.learners import streams
from lamc.learners.rows import Batch, Rows, blocks
from lamc.types import FloatArray

Activation: TypeAlias = Callable[[Tensor], Tensor]
LINE = 16  # floats in a line of the processor's cache
LONG = 128  # floats from which on a row of weights is worth a line of its own


@dataclass(frozen=True)
class Shape:
    """Features, hidden units and labels of a network."""

    features: int
    hidden: int
    labels: int

    @property
    def parameters(self) -> int:
        """Number of weights and biases."""
        return (self.features + 1) * self.hidden + (self.hidden + 1) * self.labels


class Stack:
    """Networks ``x → relu(x W1 + b1) W2 + b2``, one for each seed.

    Attributes
    ----------
    weights, gradients : tuples of Tensor
        W1, b1, W2 and b2, each with a first axis over networks, and the gradients of them.
    held_weights, held_gradients : tuples of Tensor
        The same as they stand in memory: see :func:`held`.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.rows import DenseRows
    >>> from lamc.learners.stack import Shape, Stack
    >>> stack = Stack(Shape(features=3, hidden=4, labels=2), seeds=[0, 1, 2])
    >>> rows = DenseRows(torch.zeros(5, 3))
    >>> stack.logits(rows.take(torch.tensor([[0, 1], [2, 3], [4, 0]]))).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, shape: Shape, seeds: Sequence[int], *, device: str = "cpu") -> None:
        self.shape = shape
        self.device = device
        drawn = [initial_weights(self.layers(), seed) for seed in seeds]
        stacked = [torch.from_numpy(np.stack(each)) for each in zip(*drawn, strict=True)]
        self.held_weights = tuple(held(each).to(device) for each in stacked)
        self.held_gradients = tuple(torch.zeros_like(each) for each in self.held_weights)
        widths = [each.shape[-1] for each in stacked]
        self.weights = _cut(self.held_weights, widths)
        self.gradients = _cut(self.held_gradients, widths)
        self._batch: Batch
        self._hidden: Tensor
        self._keep: Tensor | None

    def layers(self) -> list[tuple[int, int]]:
        """Inputs and outputs of each layer."""
        return [
            (self.shape.features, self.shape.hidden),
            (self.shape.hidden, self.shape.labels),
        ]

    def logits(self, batch: Batch, keep: Tensor | None = None) -> Tensor:
        """Logits (M, B, K) of a batch; ``keep`` (M, B, h) scales the hidden units, for dropout."""
        W1, b1, W2, b2 = self.weights
        self._batch = batch
        self._hidden = batch.times(W1, b1).relu_()
        self._keep = keep
        if keep is not None:
            self._hidden *= keep
        return torch.baddbmm(b2, self._hidden, W2)

    def backward(self, at_logits: Tensor) -> None:
        """Set the gradients of all weights from that at the logits of the last batch."""
        _, _, to_W2, to_b2 = self.gradients
        torch.bmm(self._hidden.mT, at_logits, out=to_W2)
        torch.sum(at_logits, dim=1, keepdim=True, out=to_b2)
        self._to_first_layer(torch.bmm(at_logits, self.weights[2].mT))

    def _to_first_layer(self, at_hidden: Tensor) -> None:
        """Set the gradients of W1 and b1 from that at the hidden units, which it overwrites."""
        to_W1, to_b1, *_ = self.gradients
        at_hidden *= self._hidden.sign()  # 0 where the unit is off
        if self._keep is not None:
            at_hidden *= self._keep
        self._batch.collect(at_hidden, out=to_W1)
        torch.sum(at_hidden, dim=1, keepdim=True, out=to_b1)

    def scores(self, rows: Rows, activation: Activation) -> Tensor:
        """Scores (M, n, K) of all rows, without dropout."""
        found = self.weights[0].new_empty((len(self), len(rows), self.shape.labels))
        for start, x in blocks(rows):
            for model in range(len(self)):
                found[model, start : start + len(x)] = activation(self.one(model, x))
        return found

    def one(self, model: int, x: Tensor) -> Tensor:
        """Logits of one network, without dropout."""
        W1, b1, W2, b2 = (weight[model] for weight in self.weights)
        return torch.addmm(b2, torch.addmm(b1, x, W1).relu_(), W2)

    def __len__(self) -> int:
        return len(self.weights[0])


def held(weights: Tensor) -> Tensor:
    """Weights with zeros behind each row, so that every row begins with a line of the cache.

    Products write gradients into such rows in up to a third less time. Short rows are left as they
    are: small networks gain more from standing without gaps, where one call serves them all.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.stack import held
    >>> held(torch.ones(2, 5, 374)).shape, held(torch.ones(2, 5, 14)).shape
    (torch.Size([2, 5, 384]), torch.Size([2, 5, 14]))
    """
    width = weights.shape[-1]
    return functional.pad(weights, (0, -width % LINE)) if width >= LONG else weights


def _cut(tensors: Sequence[Tensor], widths: Sequence[int]) -> tuple[Tensor, ...]:
    return tuple(each[..., :width] for each, width in zip(tensors, widths, strict=True))


def initial_weights(layers: Sequence[tuple[int, int]], seed: int) -> tuple[FloatArray, ...]:
    """Weights and biases uniform within ±1/√(number of inputs), as torch's linear layers start.

    They depend on the seed alone, so a network starts alike by itself and in any stack.
    """
    rng = np.random.default_rng([seed, streams.START])
    return tuple(
        (rng.uniform(-1, 1, size=(n_rows, outputs)) / np.sqrt(inputs)).astype(np.float32)
        for inputs, outputs in layers
        for n_rows in (inputs, 1)  # weights, biases
    )
