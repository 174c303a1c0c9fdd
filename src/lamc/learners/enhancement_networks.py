"""The networks of SMILE's enhancer, several of each side by side, with their gradients by hand.

The encoder reads the graph of the rows and gives estimates of all labels. The rebuilder makes a row
again of its estimates and of a code z.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from lamc.learners.graph import ChoiceGraph, Heard
from lamc.learners.rows import Batch


class Encoder:
    """Two graph layers and a linear one: (A relu(A X W₁ + b₁) W₂ + b₂) W₃ + b₃ for rows of a batch.

    A is what rows hear of each other. A batch needs the first layer only of the rows it hears from,
    and these need A X, which never changes: so it costs what the two steps around the batch do, and
    gives what the encoder over the whole graph would.

    Parameters
    ----------
    graph : ChoiceGraph
        The graph of all rows.
    weights, gradients : six tensors each
        W₁ (M, d, h), b₁ (M, 1, h), W₂, b₂, W₃ and b₃ of M networks, and where to put what
        :meth:`backward` finds.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement_networks import Encoder
    >>> from lamc.learners.graph import choice_graph
    >>> from lamc.learners.rows import DenseRows
    >>> graph = choice_graph(DenseRows(torch.rand(20, 4)), k=3)
    >>> sizes = [(4, 5), (1, 5), (5, 5), (1, 5), (5, 2), (1, 2)]
    >>> weights = [torch.rand(2, *size) for size in sizes]
    >>> encoder = Encoder(graph, weights, [torch.empty_like(weight) for weight in weights])
    >>> encoder.logits(torch.tensor([[0, 1, 2], [5, 7, 9]])).shape
    torch.Size([2, 3, 2])
    """

    def __init__(
        self, graph: ChoiceGraph, weights: Sequence[Tensor], gradients: Sequence[Tensor]
    ) -> None:
        self.graph = graph
        self.weights, self.gradients = weights, gradients
        self._heard: Heard
        self._inputs: Batch
        self._hidden: Tensor
        self._mixed: Tensor
        self._code: Tensor

    def logits(self, rows: Tensor) -> Tensor:
        """Logits (M, B, K) of the rows (M, B) of a batch."""
        W1, b1, W2, b2, W3, b3 = self.weights
        self._heard = self.graph.heard(rows)
        self._inputs = self.graph.inputs.take(self._heard.rows)
        self._hidden = self._inputs.times(W1, b1).relu_()
        self._mixed = torch.bmm(self._heard.shares, self._hidden)
        self._code = torch.baddbmm(b2, self._mixed, W2)
        return torch.baddbmm(b3, self._code, W3)

    def backward(self, at_logits: Tensor) -> None:
        """Set the gradients from that at the logits of the last batch."""
        _, _, W2, _, W3, _ = self.weights
        to_W1, to_b1, to_W2, to_b2, to_W3, to_b3 = self.gradients
        _collect(self._code, at_logits, to_W3, to_b3)
        at_code = torch.bmm(at_logits, W3.mT)
        _collect(self._mixed, at_code, to_W2, to_b2)
        at_hidden = torch.bmm(self._heard.shares.mT, torch.bmm(at_code, W2.mT))
        at_hidden = _through_relu(at_hidden, self._hidden)
        self._inputs.collect(at_hidden, out=to_W1)
        torch.sum(at_hidden, dim=1, keepdim=True, out=to_b1)


class Rebuilder:
    """Rows made again, relu([d z] D₁ + e₁) D₂ + e₂, of d and z = relu([x d] V₁ + c₁) V₂ + c₂.

    Parameters
    ----------
    weights, gradients : eight tensors each
        V₁ (M, d + K, h), c₁ (M, 1, h), V₂, c₂, D₁, e₁, D₂ and e₂ of M networks, and where to put
        what :meth:`backward` finds.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.enhancement_networks import Rebuilder
    >>> sizes = [(5, 2), (1, 2), (2, 2), (1, 2), (4, 3), (1, 3), (3, 3), (1, 3)]
    >>> weights = [torch.rand(1, *size) for size in sizes]
    >>> rebuilder = Rebuilder(weights, [torch.empty_like(weight) for weight in weights])
    >>> rebuilder.rows(torch.rand(1, 7, 3), torch.rand(1, 7, 2)).shape
    torch.Size([1, 7, 3])
    """

    def __init__(self, weights: Sequence[Tensor], gradients: Sequence[Tensor]) -> None:
        self.weights, self.gradients = weights, gradients
        self._inputs: Tensor
        self._first: Tensor
        self._codes: Tensor
        self._second: Tensor

    def rows(self, x: Tensor, d: Tensor) -> Tensor:
        """Rows (M, B, d), made again of rows and their estimates (M, B, K)."""
        V1, c1, V2, c2, D1, e1, D2, e2 = self.weights
        self._inputs = torch.cat([x, d], dim=2)
        self._first = torch.baddbmm(c1, self._inputs, V1).relu_()
        self._codes = torch.cat([d, torch.baddbmm(c2, self._first, V2)], dim=2)
        self._second = torch.baddbmm(e1, self._codes, D1).relu_()
        return torch.baddbmm(e2, self._second, D2)

    def backward(self, at_rows: Tensor) -> Tensor:
        """Set the gradients from that at the rows made last; return that at the estimates."""
        V1, _, V2, _, D1, _, D2, _ = self.weights
        to_V1, to_c1, to_V2, to_c2, to_D1, to_e1, to_D2, to_e2 = self.gradients
        n_features, n_labels = at_rows.shape[2], V1.shape[1] - at_rows.shape[2]
        _collect(self._second, at_rows, to_D2, to_e2)
        at_second = _through_relu(torch.bmm(at_rows, D2.mT), self._second)
        _collect(self._codes, at_second, to_D1, to_e1)
        at_codes = torch.bmm(at_second, D1.mT)
        at_d, at_z = at_codes[..., :n_labels], at_codes[..., n_labels:]
        _collect(self._first, at_z, to_V2, to_c2)
        at_first = _through_relu(torch.bmm(at_z, V2.mT), self._first)
        _collect(self._inputs, at_first, to_V1, to_c1)
        return torch.baddbmm(at_d, at_first, V1[:, n_features:].mT)


def _collect(inputs: Tensor, at_product: Tensor, to_weight: Tensor, to_bias: Tensor) -> None:
    """Write the gradients of W and b where that at x W + b is known."""
    torch.bmm(inputs.mT, at_product, out=to_weight)
    torch.sum(at_product, dim=1, keepdim=True, out=to_bias)


def _through_relu(at_output: Tensor, output: Tensor) -> Tensor:
    """Gradient before a relu, from that behind it: 0 where the unit is off."""
    return torch.ops.aten.threshold_backward(at_output, output, 0)
