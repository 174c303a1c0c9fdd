"""Adam for networks side by side is torch's Adam, for each of them."""

import pytest
import torch

from lamc.learners.stack_adam import StackAdam

RATES = [0.1, 0.1, 0.02, 0.1]  # equal ones need not be neighbours
SHAPES = [(3, 5), (1, 5)]


def start():
    draws = torch.Generator().manual_seed(0)
    weights = [torch.randn(len(RATES), *shape, generator=draws) for shape in SHAPES]
    return weights, [torch.zeros_like(weight) for weight in weights]


def walk(steps, seed, gradients, adam):
    draws = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        for gradient in gradients:
            gradient.copy_(torch.randn(gradient.shape, generator=draws))
        adam.step()


@pytest.mark.parametrize("weight_decay", [0.0, 0.3])
def test_each_network_goes_as_with_torchs_adam(weight_decay):
    weights, gradients = start()
    walk(7, 1, gradients, StackAdam(weights, gradients, RATES, weight_decay))
    for model, rate in enumerate(RATES):
        first, slopes = start()
        own = [weight[model] for weight in first]
        for parameter, slope in zip(own, slopes, strict=True):
            parameter.grad = slope[model]
        walk(7, 1, slopes, torch.optim.Adam(own, lr=rate, weight_decay=weight_decay))
        for found, expected in zip(weights, own, strict=True):
            torch.testing.assert_close(found[model], expected, atol=1e-6, rtol=1e-5)


def test_what_was_kept_goes_on_to_the_same_bytes():
    weights, gradients = start()
    adam = StackAdam(weights, gradients, RATES)
    walk(3, 1, gradients, adam)
    kept = {name: tensor.clone() for name, tensor in adam.state().items()}
    others, slopes = [weight.clone() for weight in weights], [g.clone() for g in gradients]
    walk(3, 2, gradients, adam)
    resumed = StackAdam(others, slopes, RATES)
    resumed.restore(kept)
    walk(3, 2, slopes, resumed)
    for a, b in zip(weights, others, strict=True):
        assert torch.equal(a, b)


def test_tensors_with_gaps_are_refused_as_the_kernel_would_misread_them():
    weights, gradients = start()
    with pytest.raises(ValueError, match="contiguous"):
        StackAdam([weights[0][..., :2]], [gradients[0][..., :2]], RATES)
