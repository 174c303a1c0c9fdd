"""The graph that SMILE's encoder runs on: each row chooses its nearest, and hears who chose it."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lamc.learners.neighbours import nearest_others
from lamc.learners.rows import Rows, SparseRows, as_rows
from lamc.types import IntArray, ScoreMatrix

GRAPHS_KEPT = 8  # in the process: n k integers each


@dataclass(frozen=True, eq=False)
class Heard:
    """The rows that each row of a batch hears from, for each of M networks.

    Attributes
    ----------
    rows : Tensor (M, S)
        Rows that chose a row of the batch. S is the largest number that a network has of them; the
        places that others have left are filled with row 0.
    shares : Tensor (M, B, S)
        How much of each goes into each row of the batch; 0 for what fills places.
    """

    rows: Tensor
    shares: Tensor


class ChoiceGraph:
    """Which rows chose which, and what a layer of a graph network makes of it.

    Row j hears Σ hᵢ / √(k cⱼ) over the rows i that chose it, where k is how many rows each chooses
    and cⱼ how many chose j. It does not hear itself. A row that nobody chose hears 0.

    Parameters
    ----------
    rows : Rows
        All n rows.
    chosen : ndarray (n, k)
        The rows that each row chooses.

    Attributes
    ----------
    inputs : Rows
        What each row hears when every row says its features. It is the same in every step, so the
        first layer need not go along the graph.

    Examples
    --------
    >>> import numpy as np, torch
    >>> from lamc.learners.graph import ChoiceGraph
    >>> from lamc.learners.rows import DenseRows
    >>> rows = DenseRows(torch.tensor([[1.0], [2.0], [4.0]]))
    >>> graph = ChoiceGraph(rows, np.array([[1], [0], [1]]))
    >>> heard = graph.heard(torch.tensor([[1, 2]]))
    >>> heard.rows, heard.shares
    (tensor([[0, 2]]), tensor([[[0.7071, 0.7071], [0.0000, 0.0000]]]))
    >>> graph.linked(torch.tensor([[0, 1]]))
    tensor([[[0., 1.], [1., 0.]]])
    """

    def __init__(self, rows: Rows, chosen: IntArray) -> None:
        n, k = chosen.shape
        device = rows.part(0, 1).device
        counts = np.bincount(chosen.ravel(), minlength=n)
        shares = (1 / np.sqrt(k * np.maximum(counts, 1))).astype(np.float32)
        order = np.argsort(chosen.ravel(), kind="stable")
        choosers, starts = order // k, np.r_[0, np.cumsum(counts)]
        hears = sparse.csr_array((np.repeat(shares, counts), choosers, starts), shape=(n, n))
        self.inputs = as_rows(hears @ _matrix(rows), str(device))
        self._chosen, self._choosers, self._starts, self._shares = (
            torch.from_numpy(each).to(device) for each in (chosen, choosers, starts, shares)
        )

    def heard(self, rows: Tensor) -> Heard:
        """Rows that the rows (M, B) of a batch hear from."""
        m, b = rows.shape
        first = self._starts[rows]
        counts = self._starts[rows + 1] - first
        size = max(1, int(counts.sum(1).max()))
        flat = counts.reshape(-1)
        of_row = torch.repeat_interleave(flat)  # row of the batch, counted through the networks
        network, row = of_row // b, of_row % b
        within = torch.arange(len(of_row), device=rows.device) - (flat.cumsum(0) - flat)[of_row]
        place = (counts.cumsum(1) - counts).reshape(-1)[of_row] + within
        found = rows.new_zeros(m, size)
        found[network, place] = self._choosers[first.reshape(-1)[of_row] + within]
        shares = self._shares.new_zeros(m, b, size)
        shares[network, row, place] = self._shares[rows.reshape(-1)[of_row]]
        return Heard(found, shares)

    def linked(self, rows: Tensor) -> Tensor:
        """Which rows of a batch chose which: (M, B, B) of 0 and 1."""
        chosen = self._chosen[rows].unsqueeze(2)
        return (chosen == rows[:, None, :, None]).any(dim=3).float()


def choice_graph(rows: Rows, k: int) -> ChoiceGraph:
    """Let each row choose its ``k`` nearest others; fewer where there are not so many.

    No matrix of all distances is made. The choices are remembered by what the rows hold, so
    further networks on the same rows need not search again.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.graph import choice_graph
    >>> from lamc.learners.rows import DenseRows
    >>> rows = DenseRows(torch.tensor([[0.0], [1.0], [5.0]]))
    >>> choice_graph(rows, k=1).linked(torch.tensor([[0, 1, 2]]))
    tensor([[[0., 1., 0.],
             [1., 0., 0.],
             [0., 1., 0.]]])
    """
    features = _matrix(rows)
    key = _content(features, k)
    if key not in _REMEMBERED:
        _REMEMBERED[key] = nearest_others(features, min(k, len(rows) - 1)).rows
    _REMEMBERED.move_to_end(key)
    while len(_REMEMBERED) > GRAPHS_KEPT:
        _REMEMBERED.popitem(last=False)
    return ChoiceGraph(rows, _REMEMBERED[key])


_REMEMBERED: OrderedDict[str, IntArray] = OrderedDict()


def encode(weights: Sequence[Tensor], graph: ChoiceGraph, rows: Tensor) -> Tensor:
    """Logits (M, B, K) of an encoder of two graph layers and a linear one, for a batch.

    H = relu(A X W₁ + b₁) and (A H W₂ + b₂) W₃ + b₃, where A is what rows hear. A batch needs H only
    of the rows it hears from, and these need A X, which never changes: so it costs what the two
    steps around the batch do, and gives what the encoder over the whole graph would.

    Parameters
    ----------
    weights : six tensors
        W₁ (M, d, h), b₁ (M, 1, h), W₂, b₂, W₃, b₃.
    graph : ChoiceGraph
        The graph of all rows.
    rows : Tensor (M, B)
        The batch of each network.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.graph import choice_graph, encode
    >>> from lamc.learners.rows import DenseRows
    >>> graph = choice_graph(DenseRows(torch.rand(20, 4)), k=3)
    >>> sizes = [(4, 5), (1, 5), (5, 5), (1, 5), (5, 2), (1, 2)]
    >>> encode([torch.rand(2, *size) for size in sizes], graph, torch.tensor([[0, 1, 2]] * 2)).shape
    torch.Size([2, 3, 2])
    """
    W1, b1, W2, b2, W3, b3 = weights
    heard = graph.heard(rows)
    hidden = graph.inputs.take(heard.rows).times(W1, b1).relu()
    code = torch.baddbmm(b2, torch.bmm(heard.shares, hidden), W2)
    return torch.baddbmm(b3, code, W3)


def _matrix(rows: Rows) -> ScoreMatrix:
    """The features as a NumPy array or a sparse matrix."""
    if isinstance(rows, SparseRows):
        parts = (rows.values, rows.columns, rows.starts)
        shape = (len(rows), rows.n_features)
        return sparse.csr_array(tuple(part.cpu().numpy() for part in parts), shape=shape)
    return rows.part(0, len(rows)).cpu().numpy()


def _content(features: ScoreMatrix, k: int) -> str:
    digest = blake2b(f"{features.shape} {k}".encode(), digest_size=16)
    dense = not sparse.issparse(features)
    for part in [features] if dense else [features.indptr, features.indices, features.data]:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()
