"""Modules at their start, and modules that hold given weights."""

import copy
import itertools
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lamc.exceptions import ScorerError, SettingError, TrainingError
from lamc.labels.columns import unwrapped
from lamc.learners.module.loss import required
from lamc.types import AnyArray

_PASSING = "not in the state"  # marks a buffer that a module's state leaves out


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
        try:
            return _copied(module)
        except (RuntimeError, TypeError, ValueError) as error:
            raise SettingError(
                f"module cannot be copied: {error}.\nGive a function that makes it: "
                "Network(lambda n_labels: …)."
            ) from error
    if not callable(module):
        raise SettingError(
            f"module={module!r}; give a torch.nn.Module, or a function that makes one."
        )
    asked = required(module)
    if unknown := [name for name in asked if name != "n_labels"]:
        raise SettingError(
            f"The function given as module asks for {', '.join(unknown)}, and is told n_labels "
            "alone, the number of labels.\nCall its parameter so, or fix the others: "
            "functools.partial(make, …)."
        )
    told = {"n_labels": n_labels} if asked else {}
    if told and n_labels is None:
        raise SettingError(
            "module asks for n_labels, which labels that stand beside the rows do not tell.\nFix "
            "it, functools.partial(make, n_labels=…), or give y."
        )
    made = module(**told)
    if not isinstance(made, nn.Module):
        raise SettingError(
            f"The function given as module made a {type(made).__name__}; a torch.nn.Module is "
            "needed."
        )
    return _own(made)


def _own(made: nn.Module) -> nn.Module:
    """A module that shares nothing with others: a function may use one backbone every time."""
    states = itertools.chain(made.parameters(), made.buffers())
    if any(torch.nn.parameter.is_lazy(each) for each in states):
        return made  # what has no shape yet cannot be copied
    try:
        return _copied(made)
    except (RuntimeError, TypeError, ValueError):  # it was made to order, and may have no copy
        return made


def _copied(module: nn.Module) -> nn.Module:
    own = copy.deepcopy(module)
    if not all(each.is_leaf for each in own.parameters()):  # as of modules compiled by torch.jit
        raise ValueError("the parameters of a copy could not be trained")
    return own


def put_weights(module: nn.Module, weights: Mapping[str, Any]) -> nn.Module:
    """Give a module these weights, tensors or arrays by name."""
    tensors = {name: torch.as_tensor(each) for name, each in weights.items()}
    passing = {name: each for name, each in tensors.items() if name.startswith(_PASSING)}
    try:
        module.load_state_dict({name: tensors[name] for name in tensors if name not in passing})
        for name, each in passing.items():
            _put_buffer(module, name, each)
    except (RuntimeError, AttributeError, KeyError) as error:
        raise ScorerError(
            f"The module is not the one that was trained: {error}\nGive one with the same layers."
        ) from error
    return module


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    """A copy of the weights and buffers of a module, by name; each tensor has memory of its own.

    Buffers that a module leaves out of its state (``persistent=False``) are among them, marked:
    they may change in training as well.

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
    passing = {
        f"{_PASSING}, {each.dtype}: {name}": each
        for name, each in module.named_buffers()
        if name not in state
    }
    return {name: value.detach().cpu().clone() for name, value in {**state, **passing}.items()}


def _put_buffer(module: nn.Module, marked: str, value: Tensor) -> None:
    """Give a buffer that is not in the state of a module its value, of whatever shape."""
    mark, _, name = marked.partition(": ")
    value = value.bfloat16() if "bfloat16" in mark else value  # float32 in a file
    path, _, own_name = name.rpartition(".")
    owner = module.get_submodule(path)
    there = dict(owner.named_buffers(recurse=False)).get(own_name)
    value = value.to(next(module.parameters()).device if there is None else there)
    if there is None or there.shape != value.shape:
        owner.register_buffer(own_name, value, persistent=False)
    elif not torch.equal(there, value):
        there.copy_(value)


def weights_as_arrays(module: nn.Module) -> dict[str, AnyArray]:
    """Weights as arrays; bfloat16, which numpy does not have, as float32."""
    return {name: unwrapped(each) for name, each in weights_of(module).items()}
