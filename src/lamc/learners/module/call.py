"""Calling a torch module: inputs of any kind in, one logit for each row and label out."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lamc.exceptions import ScorerError, TrainingError
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import Tree, count_rows, placed
from lamc.learners.module.loss import Activation
from lamc.learners.module.modes import evaluating


def logits_of(module: nn.Module, x: Tree, device: str, n_labels: int | None = None) -> Tensor:
    """Logits (B, K) of a batch; what the module gives in another shape is refused.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.call import logits_of
    >>> logits_of(torch.nn.Linear(4, 3), torch.zeros(2, 4), "cpu").shape
    torch.Size([2, 3])
    """
    n = count_rows(x)
    output = _called(module, placed(x, device, float_type(module)))
    logits = getattr(output, "logits", output)
    if not isinstance(logits, Tensor):
        raise ScorerError(
            f"The module gave {_type_name(output)}; a tensor of logits is needed, or an object "
            "with a field 'logits'."
        )
    if logits.ndim != 2 or len(logits) != n or n_labels not in (None, logits.shape[1]):
        k = "K" if n_labels is None else n_labels
        raise ScorerError(
            f"The module gave a tensor of shape {tuple(logits.shape)} for {n} rows; logits have "
            f"shape ({n}, {k}): a row for each example and a column for each label."
        )
    if not logits.is_floating_point():
        raise ScorerError(f"The module gave {logits.dtype} values; logits are floats.")
    return logits


def scores_of(
    modules: list[nn.Module],
    examples: Examples,
    activation: Activation,
    device: str,
    size: int,
    *,
    of: str = "X",
) -> Tensor:
    """Scores (n, K) of rows as they stand, in evaluation mode, averaged over the modules."""
    found = []
    with torch.no_grad(), evaluating(modules):
        for x in examples.in_order(size):
            each = [
                _activated(logits_of(module, x, device, examples.n_labels), activation)
                for module in modules
            ]
            found.append(torch.stack(each).mean(0))
    scores = torch.cat(found) if found else torch.empty(0, examples.n_labels)
    odd = ~scores.isfinite().all(dim=1)
    if odd.any():
        row = int(odd.int().argmax())
        row = row if examples.rows is None else int(examples.rows[row])
        raise ScorerError(
            f"The module gave no number for row {row} of {of}.\nLook for NaN and very large values "
            "in that row."
        )
    return scores


def float_type(module: nn.Module) -> torch.dtype:
    """Type of floats that a module computes in: that of its first parameter."""
    for parameter in module.parameters():
        if parameter.is_floating_point():
            return parameter.dtype
    return torch.get_default_dtype()


def _activated(logits: Tensor, activation: Activation) -> Tensor:
    logits = logits.cpu().double()  # some devices have no float64
    return logits.softmax(1) if activation == "softmax" else logits.sigmoid()


def _called(module: nn.Module, x: Tree) -> Any:
    try:
        if isinstance(x, Mapping):
            return module(**x)
        return module(*x) if isinstance(x, tuple) else module(x)
    except (RuntimeError, TypeError, ValueError) as error:
        if count_rows(x) == 1 and module.training and "more than 1 value" in str(error):
            raise TrainingError(
                f"A batch of one row cannot be learnt from: {error}.\nThe module normalises over "
                "the rows of a batch. Use batches of two rows or more; where a DataLoader ends "
                "with a single row, give it drop_last=True."
            ) from error
        error.add_note(f"The module was given {_in_words(x)}.{_advice(x)}")
        raise


def _in_words(x: Tree) -> str:
    if isinstance(x, Mapping):
        return ", ".join(f"{name}: {_in_words(part)}" for name, part in x.items())
    if isinstance(x, tuple):
        return ", ".join(_in_words(part) for part in x)
    if isinstance(x, Tensor):
        return f"{str(x.dtype).removeprefix('torch.')} of shape {tuple(x.shape)}"
    return _type_name(x)


def _advice(x: Tree) -> str:
    if not isinstance(x, Tensor) or x.is_floating_point():
        return ""
    return (
        " Whole numbers are passed on as they are, for they may stand for words; make numbers "
        "that are measured floats: X.astype(np.float32)."
    )


def _type_name(value: Any) -> str:
    return f"a {type(value).__name__}"
