"""Adam for networks side by side, a learning rate for each.

``torch.optim.Adam`` looks through its parameters at every step, which takes 100 to 200 µs: longer
than a step of small networks. Here the parameters are known once and for all, and a step is the
call of the kernel that torch's own Adam ends in.
"""

from collections.abc import Sequence
from itertools import groupby

import torch
from torch import Tensor

BETAS, EPSILON = (0.9, 0.999), 1e-8  # as everywhere


class SameRate:
    """Adam for the networks of one learning rate."""

    def __init__(
        self, weights: list[Tensor], gradients: list[Tensor], rate: float, weight_decay: float
    ) -> None:
        self.weights = weights
        self.gradients = gradients
        self.means = [torch.zeros_like(weight) for weight in weights]
        self.squares = [torch.zeros_like(weight) for weight in weights]
        self.taken = torch.zeros((), dtype=torch.float32, device=weights[0].device)
        self.rate = rate
        self.weight_decay = weight_decay

    def step(self) -> None:
        """Take a step along the gradients."""
        self.taken += 1
        torch._fused_adam_(
            self.weights,
            self.gradients,
            self.means,
            self.squares,
            [],
            [self.taken] * len(self.weights),
            lr=self.rate,
            beta1=BETAS[0],
            beta2=BETAS[1],
            weight_decay=self.weight_decay,
            eps=EPSILON,
            amsgrad=False,
            maximize=False,
        )


class StackAdam:
    """Adam with a learning rate for each network; one call serves neighbours of equal rates.

    Parameters
    ----------
    weights, gradients : sequences of Tensor
        Each with a first axis over M networks, and contiguous. They stay the caller's, and are read
        and changed where they are.
    rates : sequence of M floats
        Learning rate of each network.
    weight_decay : float
        Added to the gradients, times the weights.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.stack_adam import StackAdam
    >>> weights, gradients = torch.zeros(2, 3), torch.tensor([[1.0, 2.0, 0.0], [3.0, -1.0, 0.0]])
    >>> StackAdam([weights], [gradients], rates=[0.1, 0.01]).step()
    >>> weights  # a first step is as long as the rate
    tensor([[-0.1000, -0.1000,  0.0000],
            [-0.0100,  0.0100,  0.0000]])
    """

    def __init__(
        self,
        weights: Sequence[Tensor],
        gradients: Sequence[Tensor],
        rates: Sequence[float],
        weight_decay: float = 0.0,
    ) -> None:
        if not all(each.is_contiguous() for each in (*weights, *gradients)):
            raise ValueError("Adam's kernel takes contiguous tensors; these have gaps.")
        self._parts = []
        start = 0
        for rate, equal in groupby(rates):
            part = slice(start, start + len(list(equal)))
            self._parts.append(
                SameRate(
                    [weight[part] for weight in weights],
                    [gradient[part] for gradient in gradients],
                    rate,
                    weight_decay,
                )
            )
            start = part.stop

    def step(self) -> None:
        """Take a step along the gradients."""
        for part in self._parts:
            part.step()

    def state(self) -> dict[str, Tensor]:
        """Moments and number of steps, for a checkpoint."""
        found = {}
        for number, part in enumerate(self._parts):
            found[f"{number}.taken"] = part.taken
            found |= {f"{number}.mean.{i}": mean for i, mean in enumerate(part.means)}
            found |= {f"{number}.square.{i}": square for i, square in enumerate(part.squares)}
        return found

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put back what :meth:`state` gave."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])
