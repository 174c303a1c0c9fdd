"""Networks whose rows pass through a random code: normal, and kept close to the standard one."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lamc.learners import streams
from lamc.learners.rows import Batch
from lamc.learners.stack import Shape, Stack

DRAWS = 10  # of the code, whose mean is decoded
QUIET = 5.0  # codes start with σ near ln(1 + e⁻⁵) = .007: little noise before they say anything


class BottleneckStack(Stack):
    """Networks ``x → a = relu(x W1 + b1) → (μ, t) = a V + c → z ~ N(μ, σ²) → z W2 + b2``.

    σ = ln(1 + exp(t − 5)). In training, z is the mean of ten draws. The gradients include those of
    ``kl_weight`` times the mean divergence of N(μ, σ²) from N(0, 1) over the entries of a batch.
    Scores take z = μ.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.bottleneck import BottleneckStack
    >>> from lamc.learners.rows import DenseRows
    >>> from lamc.learners.stack import Shape
    >>> stack = BottleneckStack(Shape(3, 4, 2), seeds=[0, 1], code_size=5, kl_weight=1e-4)
    >>> stack.begin(epoch=1)
    >>> rows = DenseRows(torch.zeros(5, 3))
    >>> stack.logits(rows.take(torch.tensor([[0, 1], [2, 3]]))).shape
    torch.Size([2, 2, 2])
    """

    def __init__(
        self,
        shape: Shape,
        seeds: Sequence[int],
        *,
        code_size: int,
        kl_weight: float,
        device: str = "cpu",
    ) -> None:
        self.code_size = code_size
        self.kl_weight = kl_weight
        self.seeds = seeds
        super().__init__(shape, seeds, device=device)
        self._mean: Tensor
        self._std: Tensor
        self._std_slope: Tensor
        self._noise: Tensor
        self._code: Tensor

    def layers(self) -> list[tuple[int, int]]:
        """Inputs and outputs of each layer."""
        d, h, k = self.shape.features, self.shape.hidden, self.shape.labels
        return [(d, h), (h, 2 * self.code_size), (self.code_size, k)]

    def begin(self, epoch: int) -> None:
        """Draw codes as this epoch does, so that a training that resumes draws the same."""
        starts = [[seed, streams.CODES, epoch] for seed in self.seeds]
        self._draws = [np.random.default_rng(each) for each in starts]

    def logits(self, batch: Batch, keep: Tensor | None = None) -> Tensor:
        """Logits (M, B, K) of a batch, of codes drawn at random."""
        W1, b1, V, c, W2, b2 = self.weights
        self._batch, self._keep = batch, keep
        self._hidden = batch.times(W1, b1).relu_()
        if keep is not None:
            self._hidden *= keep
        self._mean, raw = torch.baddbmm(c, self._hidden, V).chunk(2, dim=-1)
        self._std = functional.softplus(raw - QUIET).clamp_min(torch.finfo(raw.dtype).tiny)
        self._std_slope = torch.sigmoid(raw - QUIET)
        self._noise = self._draw(self._mean.shape[1])
        self._code = torch.addcmul(self._mean, self._std, self._noise)
        return torch.baddbmm(b2, self._code, W2)

    def backward(self, at_logits: Tensor) -> None:
        """Set the gradients from that at the logits, and from the divergence of the codes."""
        _, _, to_V, to_c, to_W2, to_b2 = self.gradients
        torch.bmm(self._code.mT, at_logits, out=to_W2)
        torch.sum(at_logits, dim=1, keepdim=True, out=to_b2)
        at_code = torch.bmm(at_logits, self.weights[4].mT)
        weight = self.kl_weight / (self._mean.shape[1] * self.code_size)
        at_mean = at_code + weight * self._mean
        at_std = at_code * self._noise + weight * (self._std - 1 / self._std)
        at_both = torch.cat([at_mean, at_std * self._std_slope], dim=-1)
        torch.bmm(self._hidden.mT, at_both, out=to_V)
        torch.sum(at_both, dim=1, keepdim=True, out=to_c)
        self._to_first_layer(torch.bmm(at_both, self.weights[2].mT))

    def one(self, model: int, x: Tensor) -> Tensor:
        """Logits of one network, with the mean of each code for the code."""
        W1, b1, V, c, W2, b2 = (weight[model] for weight in self.weights)
        hidden = torch.addmm(b1, x, W1).relu_()
        d = self.code_size
        return torch.addmm(b2, torch.addmm(c[:, :d], hidden, V[:, :d]), W2)

    def _draw(self, n_rows: int) -> Tensor:
        """The mean of ten standard normal draws: one, of a tenth of the variance."""
        shape = (n_rows, self.code_size)
        drawn = [rng.standard_normal(shape, dtype=np.float32) for rng in self._draws]
        return torch.from_numpy(np.stack(drawn) / np.float32(np.sqrt(DRAWS))).to(self.device)
