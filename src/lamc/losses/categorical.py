"""Softmax cross-entropy: which label is observed, as if it were a choice among all."""

import torch
from torch import Tensor

from lamc.exceptions import LabelError
from lamc.losses.observed import AnyInARow, read_observed
from lamc.losses.terms import Reduction, reduce_vector


def softmax(logits: Tensor, observed: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """Cross-entropy of the observed label: minus the logarithm of its softmax.

    Optimal is softmax(s) = r, the probability that a label is the observed one. Where a row has
    several observed labels, the mean over them is taken, so that each row weighs the same.

    Parameters
    ----------
    logits, observed
        As for :func:`an`. Every row has an observed label.
    reduction : {"mean", "sum", "none"}, default="mean"
        Mean or sum over the B rows of a model, or one value a row: the loss has no entries.

    Returns
    -------
    Tensor
        Of shape (...,), or (..., B) without a reduction.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits = torch.tensor([[2.0, -1.0, 0.0], [0.5, 0.0, -2.0]])
    >>> losses.softmax(logits, torch.tensor([0, 1]), reduction="none")
    tensor([0.1698, 1.0239])
    >>> losses.softmax(logits, torch.tensor([[1, 0, 0], [1, 1, 0]]))
    tensor(0.4719)
    """
    positives = read_observed(logits, observed)
    costs = -logits.log_softmax(-1)
    if isinstance(positives, AnyInARow):
        rows = _mean_of_marked(costs, positives.matrix)
    else:
        rows = costs.gather(-1, positives.index).squeeze(-1)
    return reduce_vector(rows, reduction)


def _mean_of_marked(costs: Tensor, marked: Tensor) -> Tensor:
    counts = marked.sum(-1)
    empty = counts == 0
    if empty.any():
        row = empty.nonzero()[0].tolist()
        raise LabelError(
            f"Row {row[-1] if len(row) == 1 else tuple(row)} of observed has no positive, and "
            "softmax cross-entropy needs at least one a row.\nLeave rows without a label out."
        )
    return torch.where(marked, costs, 0.0).sum(-1) / counts
