"""Modules at their start, and modules that hold given weights."""

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lamc.exceptions import ScorerError, TrainingError
from lamc.learners.module.loss import required
from lamc.types import AnyArray


def make_module(module: Any, n_labels: int | None) -> nn.Module:
    """A copy of a module, or one that a function makes.

    Examples
    --------
    >>> from torch import nn
    >>> from lamc.learners.module.making import make_module
    >>> make_module(lambda n_labels: nn.Linear(4, n_labels), n_labels=3)
    Linear(in_features=4, out_features=3, bias=True)
    """
    if isinstance(module, nn.Module):
        return copy.deepcopy(module)
    if not callable(module):
        raise TrainingError(
            f"module={module!r}; give a torch.nn.Module, or a function that makes one."
        )
    told = {"n_labels": n_labels} if "n_labels" in required(module) else {}
    if told and n_labels is None:
        raise TrainingError(
            "module asks for n_labels, which labels that stand beside the rows do not tell.\nFix "
            "it, functools.partial(make, n_labels=…), or give y."
        )
    made = module(**told)
    if not isinstance(made, nn.Module):
        raise TrainingError(
            f"The function given as module made a {type(made).__name__}; a torch.nn.Module is "
            "needed."
        )
    return made


def put_weights(module: nn.Module, weights: Mapping[str, Any]) -> nn.Module:
    """Give a module these weights, tensors or arrays by name."""
    try:
        module.load_state_dict({name: torch.as_tensor(each) for name, each in weights.items()})
    except RuntimeError as error:
        raise ScorerError(
            f"The module is not the one that was trained: {error}\nGive one with the same layers."
        ) from error
    return module


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    """A copy of the weights and buffers of a module, by name; each tensor has memory of its own.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.making import weights_of
    >>> list(weights_of(torch.nn.Linear(2, 1)))
    ['weight', 'bias']
    """
    state = module.state_dict()
    for name, value in state.items():
        if not isinstance(value, Tensor):
            raise TrainingError(
                f"The state {name!r} of the module is of type {type(value).__name__}; Network "
                "keeps weights and buffers, which are tensors."
            )
    return {name: value.detach().cpu().clone() for name, value in state.items()}


def weights_as_arrays(module: nn.Module) -> dict[str, AnyArray]:
    """Weights as arrays; bfloat16, which numpy does not have, as float32."""
    return {
        name: (each.float() if each.dtype == torch.bfloat16 else each).numpy()
        for name, each in weights_of(module).items()
    }
