"""A loss by name or as a function, an optimiser likewise, and the scores that go with the loss."""

import copy
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self, TypeAlias

import torch
from torch import Tensor, nn

from lamc import losses
from lamc.exceptions import LAMCError, SettingError, TrainingError

Activation: TypeAlias = Literal["sigmoid", "softmax"]

_NOT_LOSSES = {"LargeLoss", "crisp_priors", "gaussian_kl"}
LOSSES = {name: getattr(losses, name) for name in losses.__all__ if name not in _NOT_LOSSES}
OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": partial(torch.optim.SGD, momentum=0.9),
}
# Losses of a choice among labels, whose logits mean nothing without those of the other labels.
_CHOICES = (losses.softmax, nn.functional.cross_entropy)


class Loss:
    """A loss of logits and observed labels, told the epoch if it has a parameter for it.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.loss import Loss
    >>> loss = Loss("splc", epochs=10)
    >>> loss(torch.zeros(2, 3), torch.tensor([0, 2]), epoch=1).shape
    torch.Size([])
    """

    def __init__(self, loss: Any, epochs: int) -> None:
        self.function = _by_name("loss", loss, LOSSES)
        self.name = name_of(loss)
        self.told = _unfixed(self.function, {"epoch", "epochs"})
        self.epochs = epochs
        _refuse_unfinished(self.function, self.name)
        open_ = [name for name in required(self.function)[2:] if name not in self.told]
        if open_:
            raise SettingError(
                f"loss={self.name} also needs {', '.join(open_)}, and Network gives a loss the "
                "logits, the observed labels and, if it asks, epoch and epochs.\nFix the others: "
                f"functools.partial(loss, {open_[0]}=…). Where they belong to rows, write a "
                "training loop of your own with lamc.losses."
            )

    @property
    def module(self) -> nn.Module | None:
        """The module that computes the loss, if one does; it may change as it goes."""
        function = self.function.func if isinstance(self.function, partial) else self.function
        return function if isinstance(function, nn.Module) else None

    def start(self, device: str) -> Self:
        """The loss at its start: if it is a module, a copy, so that trainings do not meet in it."""
        if self.module is None:
            return self
        own = copy.copy(self)
        own.function = copy.deepcopy(self.function)
        own.module.to(device)  # type: ignore[union-attr]  # a copy of a module is one
        return own

    def __call__(self, logits: Tensor, observed: Tensor, epoch: int) -> Tensor:
        """Loss of a batch."""
        values = {"epoch": epoch, "epochs": self.epochs}
        asked = {name: values[name] for name in self.told}
        try:
            found = self.function(logits, observed, **asked)
        except (TypeError, ValueError, RuntimeError) as error:  # as of shapes and types
            ours = self.function in LOSSES.values() or isinstance(error, LAMCError)
            if ours or isinstance(error, torch.OutOfMemoryError):
                raise
            raise TrainingError(_refused(self.name, logits, observed, error)) from error
        value = found.loss if isinstance(found, losses.LargeLoss) else found
        if not isinstance(value, Tensor) or value.ndim > 0:
            shape = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else "no tensor"
            raise TrainingError(
                f"loss={self.name} gave {shape}; a loss is one number for a batch, a tensor of "
                "shape ().\nTake the mean."
            )
        return value


def _refused(name: str, logits: Tensor, observed: Tensor, error: Exception) -> str:
    """Say what a loss of the user's was given, and how to give it what it takes."""
    kind = "a matrix of bool that marks the observed labels"
    marks = "observed.to(logits)"
    if observed.ndim == 1:
        kind = "the number of the observed label of each row"
        marks = "torch.nn.functional.one_hot(observed, logits.shape[1]).to(logits)"
    return (
        f"loss={name} fails: {error}.\nIt is given logits of shape {tuple(logits.shape)} and "
        f"{kind}, of shape {tuple(observed.shape)}. If it takes a matrix of 0 and 1, give "
        f"loss=lambda logits, observed: yours(logits, {marks}); or one of lamc.losses."
    )


def optimiser_for(
    module: nn.Module, loss: Loss, optimiser: Any, *, learning_rate: float, weight_decay: float
) -> torch.optim.Optimizer:
    """The optimiser of the parameters that are to be trained, of the module and of its loss."""
    parameters = [each for each in module.parameters() if each.requires_grad]
    own = [] if loss.module is None else [*loss.module.parameters()]
    if not parameters:
        raise TrainingError(
            "No parameter of the module requires a gradient, so there is nothing to train.\nTo use "
            "the module as it is, give LAMC a function from X to scores."
        )
    make = _by_name("optimiser", optimiser, OPTIMISERS)
    parameters += [each for each in own if each.requires_grad]
    return make(parameters, lr=learning_rate, weight_decay=weight_decay)


def activation_for(activation: str, loss: Loss) -> Activation:
    """How logits become scores: as was said, or as the loss has it."""
    if activation == "auto":
        function = loss.function
        while isinstance(function, partial):
            function = function.func
        choice = function in _CHOICES or isinstance(function, nn.CrossEntropyLoss)
        return "softmax" if choice else "sigmoid"
    if activation not in ("sigmoid", "softmax"):
        raise SettingError(f"activation={activation!r}; choose 'auto', 'sigmoid' or 'softmax'.")
    return activation  # type: ignore[return-value]  # one of the two, as just checked


def required(function: Callable[..., Any]) -> list[str]:
    """Names of the parameters that have no default; none if the function does not tell."""
    return [
        each.name
        for each in _parameters(function)
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]


def _unfixed(function: Callable[..., Any], names: set[str]) -> set[str]:
    """Those of the names that are parameters of a function, and that no partial has fixed."""
    fixed = function.keywords if isinstance(function, partial) else {}
    return {each.name for each in _parameters(function)} & names - fixed.keys()


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Parameters of a function, or of what a module computes; none if they are not told."""
    try:
        return [*inspect.signature(_computed(function)).parameters.values()]
    except (TypeError, ValueError):
        return []


def _computed(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a call computes: of a module, which takes anything and passes it on, its forward."""
    if isinstance(function, partial):
        return partial(_computed(function.func), *function.args, **function.keywords)
    return function.forward if isinstance(function, nn.Module) else function


def name_of(value: Any) -> str:
    """A function or a name, in words that are the same in every run.

    Examples
    --------
    >>> from functools import partial
    >>> from lamc import losses
    >>> from lamc.learners.module.loss import name_of
    >>> name_of(losses.wan), name_of(partial(losses.epr, expected=2))
    ('lamc.losses.negative.wan', "partial(lamc.losses.count.epr, (), {'expected': 2})")
    """
    if isinstance(value, partial):
        return f"partial({name_of(value.func)}, {value.args}, {value.keywords})"
    if isinstance(value, str | nn.Module) or not callable(value):
        return repr(value)
    return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def short_name(value: Any) -> str | None:
    """The name that a loss or an optimiser is given by; None for a function that has none here.

    Examples
    --------
    >>> from lamc import losses
    >>> from lamc.learners.module.loss import short_name
    >>> short_name(losses.wan), short_name("adam"), short_name(max)
    ('wan', 'adam', None)
    """
    if isinstance(value, str):
        return value
    return next((name for name, function in LOSSES.items() if function is value), None)


def _by_name(what: str, value: Any, known: dict[str, Any]) -> Callable[..., Any]:
    found: Any = known.get(value) if isinstance(value, str) else value
    if isinstance(found, type) and issubclass(found, nn.Module):
        raise SettingError(f"{what}={value.__name__} is a class; give {value.__name__}(…).")
    if not callable(found):
        listed = ", ".join(repr(name) for name in known)
        raise SettingError(f"{what}={value!r}; give a function, or one of {listed}.")
    return found


def _refuse_unfinished(function: Any, name: str) -> None:
    if isinstance(function, partial) and function.keywords.get("scheme") == "correct-permanently":
        raise SettingError(
            f"loss={name} leaves it to its caller to write corrections down, which Network does "
            "not do.\nUse the scheme 'reject' or 'correct-temporarily'."
        )
