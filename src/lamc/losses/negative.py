"""Losses that take what was not observed for absent, with a smoothing or a weight to soften it."""

import torch
from torch import Tensor

from lamc.exceptions import LabelError
from lamc.losses.observed import read_observed
from lamc.losses.terms import (
    Reduction,
    check_entries,
    check_number,
    cost_absent,
    cross_entropy,
    reduce_entries,
)


def an(logits: Tensor, observed: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """Assume negative: binary cross-entropy with every label absent that was not observed.

    −ln f on P, −ln(1 − f) on U. With r the probability that a label is observed, f = r is optimal.

    Parameters
    ----------
    logits : Tensor of shape (..., B, K)
        Scores of each label in each row, before a sigmoid.
    observed : Tensor of shape (..., B) or (..., B, K)
        Index of the one observed label of each row, or a 0/1 matrix of those observed.
    reduction : {"mean", "sum", "none"}, default="mean"
        Mean or sum over all entries of a model, or the matrix of entries.

    Returns
    -------
    Tensor
        Of shape (...,), or (..., B, K) without a reduction.

    References
    ----------
    Cole et al., Multi-Label Learning from Single Positive Labels, CVPR 2021. Equal to its code but
    for the ε = 1e-5 inside its logarithms.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits = torch.tensor([[2.0, -1.0, 0.0], [0.5, 0.0, -2.0]])
    >>> losses.an(logits, torch.tensor([0, 1]))
    tensor(0.4879)
    >>> losses.an(logits, torch.tensor([[1, 0, 0], [1, 1, 0]]), reduction="none")
    tensor([[0.1269, 0.3133, 0.6931],
            [0.4741, 0.6931, 0.1269]])
    """
    sign = read_observed(logits, observed).mark(logits, -1.0, 1.0)
    return reduce_entries(cost_absent(logits * sign), reduction)


def an_ls(
    logits: Tensor, observed: Tensor, *, smoothing: float = 0.1, reduction: Reduction = "mean"
) -> Tensor:
    """Assume negative with label smoothing: targets are 1 − ε on P and ε on U.

    −(1 − ε) ln f − ε ln(1 − f) on P, −(1 − ε) ln(1 − f) − ε ln f on U. Optimal is
    f = ε + (1 − 2ε) r.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`.
    smoothing : float in [0, 1], default=0.1
        ε, as in the reference code, which takes it whole where a paper may mean ε/2.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Cole et al., Multi-Label Learning from Single Positive Labels, CVPR 2021.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> losses.an_ls(torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0]))
    tensor(0.4778)
    """
    check_number("smoothing", smoothing, 0, 1)
    turned = logits * read_observed(logits, observed).mark(logits, -1.0, 1.0)
    # With z the logit of the wrong side, −(1−ε) ln σ(−z) − ε ln σ(z) = −ln σ(−z) − ε z.
    return reduce_entries(torch.sub(cost_absent(turned), turned, alpha=smoothing), reduction)


def wan(
    logits: Tensor,
    observed: Tensor,
    *,
    weight: float | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Weak assume negative: what was not observed weighs less.

    −ln f on P, −w ln(1 − f) on U. Optimal is f = r / (r + w (1 − r)).

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`. The mean divides by B · K, not by the sum of weights.
    weight : float, default=1 / (K − 1)
        w. By default all labels that were not observed weigh as much as the one that was, as in
        the paper.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Cole et al., Multi-Label Learning from Single Positive Labels, CVPR 2021.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> losses.wan(torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0]), reduction="none")
    tensor([[0.1269, 0.1566, 0.3466]])
    """
    positives = read_observed(logits, observed)
    entries = cost_absent(logits * positives.mark(logits, -1.0, 1.0))
    return reduce_entries(entries * positives.mark(logits, 1.0, _weight(weight, logits)), reduction)


def soft_target(
    logits: Tensor,
    observed: Tensor,
    targets: Tensor,
    *,
    weight: float | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Weighted binary cross-entropy with soft targets: what SMILE trains its classifier by.

    w · (−c ln f − (1 − c) ln(1 − f)), with weight 1 on P and w on U. With targets a on P and b on
    U, optimal is f = (r a + (1 − r) w b) / (r + (1 − r) w).

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`. The mean divides by B · K, not by the sum of weights.
    targets : Tensor of shape (..., B, K)
        c, in [0, 1]. SMILE's are μ d + (1 − μ) t, where d is what its encoder estimates and t is 1
        on P and a constant p on U. Gradients reach ``targets`` unless they are detached.
    weight : float, default=1 / (K − 1)
        w: SMILE's ``bias = 1``. With ``bias = 0`` its code takes a ``rate`` of each data set.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Xu et al., One Positive Label is Sufficient: Single-Positive Multi-Label Learning with Label
    Enhancement, NeurIPS 2022.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits = torch.tensor([[2.0, -1.0, 0.0]])
    >>> losses.soft_target(logits, torch.tensor([0]), torch.tensor([[0.9, 0.2, 0.1]]))
    tensor(0.3100)
    """
    positives = read_observed(logits, observed)
    check_entries("targets", targets, logits)
    weights = positives.mark(logits, 1.0, _weight(weight, logits))
    return reduce_entries(cross_entropy(targets, logits) * weights, reduction)


def _weight(weight: float | None, logits: Tensor) -> float:
    """Weight of an entry that was not observed."""
    if weight is not None:
        check_number("weight", weight, 0)
        return weight
    n_labels = logits.shape[-1]
    if n_labels == 1:
        raise LabelError(
            "logits has one label, so the weight 1 / (K − 1) of labels not observed is not "
            "defined.\nGive logits of at least two labels, or weight=…."
        )
    return 1 / (n_labels - 1)
