"""The graph that SMILE's encoder runs on: each row chooses its nearest, and hears who chose it."""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lamc.learners.neighbours import nearest_others
from lamc.learners.rows import DenseRows, Rows, SparseRows, as_rows
from lamc.types import IntArray, Matrix

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
        n, k = len(chosen), max(1, chosen.shape[1])  # a row alone chooses none
        features = _matrix(rows)
        self._device = rows.part(0, 1).device
        self._chosen = chosen
        self._counts = np.bincount(chosen.ravel(), minlength=n)
        self._starts = np.r_[0, np.cumsum(self._counts)]
        self._choosers = np.argsort(chosen.ravel(), kind="stable") // k
        self._shares = (1 / np.sqrt(k * np.maximum(self._counts, 1))).astype(features.dtype)
        values = np.repeat(self._shares, self._counts)
        hears = sparse.csr_array((values, self._choosers, self._starts), shape=(n, n))
        self.inputs = _as_rows(hears @ features, self._device)

    def heard(self, rows: Tensor) -> Heard:
        """Rows that the rows (M, B) of a batch hear from."""
        batch = rows.cpu().numpy()
        m, b = batch.shape
        flat = batch.ravel()
        counts = self._counts[flat]
        before = np.cumsum(counts) - counts
        of_row = np.arange(m * b).repeat(counts)  # counted through the networks
        number = np.arange(len(of_row))
        network = of_row // b
        place = number - before[::b][network]
        size = int(place.max(initial=0)) + 1
        found = np.zeros(m * size, dtype=np.int64)
        number += (self._starts[flat] - before)[of_row]
        found[network * size + place] = self._choosers[number]
        shares = np.zeros(m * b * size, dtype=self._shares.dtype)
        shares[of_row * size + place] = self._shares[flat][of_row]
        return Heard(
            torch.from_numpy(found.reshape(m, size)).to(self._device),
            torch.from_numpy(shares.reshape(m, b, size)).to(self._device),
        )

    def linked(self, rows: Tensor) -> Tensor:
        """Which rows of a batch chose which: (M, B, B) of 0 and 1."""
        batch = rows.cpu().numpy()
        linked = (self._chosen[batch][..., None] == batch[:, None, None, :]).any(axis=2)
        return torch.from_numpy(linked.astype(self._shares.dtype)).to(self._device)


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


def _matrix(rows: Rows) -> Matrix:
    """The features as a NumPy array or a sparse matrix."""
    if isinstance(rows, SparseRows):
        parts = (rows.values, rows.columns, rows.starts)
        shape = (len(rows), rows.n_features)
        return sparse.csr_array(tuple(part.cpu().numpy() for part in parts), shape=shape)
    return rows.part(0, len(rows)).cpu().numpy()


def _as_rows(features: Matrix, device: torch.device) -> Rows:
    """Rows of what a layer reads, in the precision of the features."""
    if sparse.issparse(features):
        return as_rows(features, str(device))
    return DenseRows(torch.from_numpy(features).to(device))


def _content(features: Matrix, k: int) -> str:
    digest = blake2b(f"{features.shape} {k}".encode(), digest_size=16)
    dense = not sparse.issparse(features)
    for part in [features] if dense else [features.indptr, features.indices, features.data]:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()
