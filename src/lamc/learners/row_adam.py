"""Adam for a table of which each step has the gradient of a few rows only.

The gradient of the other rows is 0, and what Adam makes of that is a choice. Adam as it is written
moves them nevertheless, by the momentum they still have: :class:`DenseAdam`. The other way is to
let them rest: :class:`LazyAdam`. Both touch only the rows of a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from lamc.types import FloatArray

BETA_MEAN, BETA_SQUARE, EPSILON = 0.9, 0.999, 1e-8  # as everywhere


@dataclass(frozen=True, eq=False)
class Taken:
    """Rows of a table, as the next step finds them: values and moments, each (M, B, K)."""

    at: Tensor
    values: Tensor
    mean: Tensor
    square: Tensor


class LazyAdam:
    """Adam that leaves alone what has no gradient, as ``torch.optim.SparseAdam`` does.

    (That one adds ε to the root of the second moment before it is corrected for its start, and not
    after it as Adam does. Here it is as in Adam.)

    Parameters
    ----------
    table : Tensor (M, n, K)
        Where each of M networks starts. The table becomes the optimiser's, and takes with Adam's
        two moments 12 M n K bytes.
    rates : sequence of M floats
        Learning rate of each network.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.row_adam import LazyAdam
    >>> adam = LazyAdam(torch.zeros(1, 3, 2), [0.5])
    >>> adam.step(adam.take(torch.tensor([[1]])), torch.tensor([[[1.0, -2.0]]]))
    >>> adam.take(torch.tensor([[0, 1]])).values
    tensor([[[ 0.0000,  0.0000],
             [-0.5000,  0.5000]]])
    """

    def __init__(self, table: Tensor, rates: Sequence[float]) -> None:
        n_networks, n_rows, n_columns = table.shape
        self._values = table.view(n_networks * n_rows, n_columns)
        self._mean = torch.zeros_like(self._values)
        self._square = torch.zeros_like(self._values)
        self._time = torch.zeros((), dtype=torch.int64)
        self._rates = torch.tensor(rates, dtype=table.dtype, device=table.device)[:, None, None]
        self._starts = torch.arange(n_networks, device=table.device)[:, None] * n_rows

    def take(self, rows: Tensor) -> Taken:
        """Take rows (M, B), all different, of each network."""
        at = self._starts + rows
        return Taken(at, self._values[at], self._mean[at], self._square[at])

    def step(self, taken: Taken, gradient: Tensor) -> None:
        """Take a step with the gradient (M, B, K) at rows that were just taken."""
        self._time += 1
        now = int(self._time)
        mean = torch.lerp(taken.mean, gradient, 1 - BETA_MEAN)
        square = torch.lerp(taken.square, gradient.square(), 1 - BETA_SQUARE)
        size = (square / (1 - BETA_SQUARE**now)).sqrt_().add_(EPSILON)
        move = (mean / (1 - BETA_MEAN**now)).div_(size).mul_(self._rates)
        self._put(Taken(taken.at, taken.values - move, mean, square))

    def state(self) -> dict[str, Tensor]:
        """All that changes, by name."""
        return {
            "values": self._values,
            "mean": self._mean,
            "square": self._square,
            "time": self._time,
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put back what :meth:`state` gave."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])

    def _put(self, taken: Taken) -> None:
        self._values[taken.at] = taken.values
        self._mean[taken.at] = taken.mean
        self._square[taken.at] = taken.square


class DenseAdam(LazyAdam):
    """Adam that moves every row in every step, as ``torch.optim.Adam`` does.

    Without a gradient the moments m and v of a row decay, so what it does from step s on is known
    in advance: step s + j moves it by the rate times

        0.9ʲ m / (1 − 0.9ˢ⁺ʲ) / (√v √(0.999ʲ / (1 − 0.999ˢ⁺ʲ)) + ε).

    The table holds where each row will come to rest, its value less the sum of these moves over
    all j. It stays right while nothing is done. The value of a row in a later step is that plus
    the moves which are then still ahead.

    Parameters
    ----------
    table, rates
        As for :class:`LazyAdam`.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.row_adam import DenseAdam
    >>> adam = DenseAdam(torch.zeros(1, 3, 2), [0.5])
    >>> adam.step(adam.take(torch.tensor([[1]])), torch.tensor([[[1.0, -2.0]]]))
    >>> adam.step(adam.take(torch.tensor([[0]])), torch.tensor([[[3.0, 3.0]]]))
    >>> adam.take(torch.tensor([[1, 2]])).values
    tensor([[[-0.8350,  0.8350],
             [ 0.0000,  0.0000]]])
    """

    def __init__(self, table: Tensor, rates: Sequence[float]) -> None:
        super().__init__(table, rates)
        self._last = torch.zeros(len(self._values), dtype=torch.int64, device=table.device)

    def take(self, rows: Tensor) -> Taken:
        """Take rows, moved by the momentum that they have had since they were last taken."""
        resting = super().take(rows)
        missed = (int(self._time) - self._last[resting.at]).unsqueeze(-1).double()
        mean = resting.mean * torch.pow(BETA_MEAN, missed).to(resting.mean.dtype)
        square = resting.square * torch.pow(BETA_SQUARE, missed).to(resting.square.dtype)
        ahead = self._rates * moves_ahead(mean, square, int(self._time))
        return Taken(resting.at, resting.values + ahead, mean, square)

    def state(self) -> dict[str, Tensor]:
        """All that changes, by name."""
        return super().state() | {"last": self._last}

    def _put(self, taken: Taken) -> None:
        self._last[taken.at] = int(self._time)
        ahead = self._rates * moves_ahead(taken.mean, taken.square, int(self._time))
        super()._put(replace(taken, values=taken.values - ahead))


def moves_ahead(mean: Tensor, square: Tensor, now: int) -> Tensor:
    """All that Adam will move a value by if it has no gradient after step ``now``, at rate 1.

    The infinite sum is taken by 22 terms: see :func:`decaying_sum`. It needs 88 bytes a value
    while it is computed.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.row_adam import moves_ahead
    >>> moves_ahead(torch.tensor([1.0]), torch.tensor([1.0]), now=10**6)
    tensor([9.0452])
    """
    steps, weights = _RULE
    when = now + steps
    weights = weights / (1 - BETA_MEAN**when)
    scales = np.sqrt(BETA_SQUARE**steps / (1 - BETA_SQUARE**when))
    size = square.sqrt().unsqueeze(-1) * torch.from_numpy(scales).to(square)
    shares = size.add_(EPSILON).reciprocal_() @ torch.from_numpy(weights).to(square)
    return shares.mul_(mean)


def decaying_sum(decay: float, n_exact: int, n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Points jᵢ and weights wᵢ with Σ wᵢ g(jᵢ) = Σ decayʲ g(j) over all j ≥ 1, for smooth g.

    The first terms are taken as they are. For the others it is Gauss' rule, exact for polynomials
    of degree 2 n_nodes − 1: its points are the eigenvalues of the matrix of the recurrence of the
    polynomials that are orthogonal under the weights decayʲ (Meixner's). Adam's terms have a pole
    at step 0. Twelve terms as they are keep away from it: then ten points leave a relative error
    below 6e-7 for rows last seen in the first step, and below 1e-8 from the twentieth on.

    Examples
    --------
    >>> from lamc.learners.row_adam import decaying_sum
    >>> steps, weights = decaying_sum(0.9, n_exact=2, n_nodes=3)
    >>> round(float(weights @ steps), 9)  # Σ j 0.9ʲ = 0.9 / 0.1²
    90.0
    """
    exact = np.arange(1, n_exact + 1)
    degree = np.arange(n_nodes)
    diagonal = (degree + (degree + 1) * decay) / (1 - decay)
    beside = degree[1:] * np.sqrt(decay) / (1 - decay)
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    tail = decay ** (n_exact + 1) / (1 - decay) * vectors[0] ** 2
    return np.r_[exact, n_exact + 1 + nodes], np.r_[decay**exact, tail]


_RULE = decaying_sum(BETA_MEAN, n_exact=12, n_nodes=10)
