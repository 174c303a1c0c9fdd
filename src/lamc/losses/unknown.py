"""Losses that leave what was not observed open: as uncertain as it can be."""

import torch
from torch import Tensor

from lamc.losses.observed import read_observed
from lamc.losses.terms import (
    Reduction,
    check_entries,
    check_number,
    cost_present,
    cross_entropy,
    entropy,
    reduce_entries,
)


def em(
    logits: Tensor, observed: Tensor, *, alpha: float = 0.1, reduction: Reduction = "mean"
) -> Tensor:
    """Entropy maximisation: nothing is assumed of the labels that were not observed.

    −ln f on P, −α H(f) on U with H(f) = −f ln f − (1 − f) ln(1 − f). The optimal f solves
    f ln(f / (1 − f)) = r / (α (1 − r)), so it is never below 0.5: rank by it, or choose thresholds
    on labelled rows, but do not cut at 0.5.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`.
    alpha : float, default=0.1
        Weight of the entropy. The reference code takes 0.1 for COCO and NUS-WIDE, 0.2 for VOC and
        0.01 for CUB.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Zhou et al., Acknowledging the Unknown for Multi-label Learning with Single Positive Labels,
    ECCV 2022. Equal to its code but for the ε = 1e-5 inside its logarithms.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> losses.em(torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0]), reduction="none")
    tensor([[ 0.1269, -0.0582, -0.0693]])
    """
    check_number("alpha", alpha, 0)
    positives = read_observed(logits, observed)
    entries = positives.replace(entropy(logits) * -alpha, logits, cost_present)
    return reduce_entries(entries, reduction)


def em_apl(
    logits: Tensor,
    observed: Tensor,
    pseudo: Tensor,
    *,
    alpha: float = 0.1,
    beta: float = 0.2,
    reduction: Reduction = "mean",
) -> Tensor:
    """Entropy maximisation with asymmetric pseudo-labels: :func:`em` on what has no pseudo-label.

    Where a pseudo-label c is given, −β (c ln f + (1 − c) ln(1 − f)) takes the place of the
    entropy. Observed labels stay what they are.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`.
    pseudo : Tensor of shape (..., B, K)
        Soft pseudo-labels c in [0, 1], and NaN where there is none. The paper stores, for each
        label and after each epoch of its second half, the scores of the rows that score lowest.
    alpha : float, default=0.1
        Weight of the entropy.
    beta : float, default=0.2
        Weight of pseudo-labels. The reference code takes α = 0.1 and β = 0.2 for NUS-WIDE, and
        β = 0.02 for VOC, 0.9 for COCO, 0.4 for CUB.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Zhou et al., Acknowledging the Unknown for Multi-label Learning with Single Positive Labels,
    ECCV 2022.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> pseudo = torch.tensor([[torch.nan, 0.05, torch.nan]])
    >>> losses.em_apl(torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0]), pseudo, reduction="none")
    tensor([[ 0.1269,  0.0727, -0.0693]])
    """
    check_number("alpha", alpha, 0)
    check_number("beta", beta, 0)
    positives = read_observed(logits, observed)
    check_entries("pseudo", pseudo, logits)
    unlabelled = pseudo.isnan()
    labelled = cross_entropy(pseudo.masked_fill(unlabelled, 0), logits) * beta
    entries = torch.where(unlabelled, entropy(logits) * -alpha, labelled)
    return reduce_entries(positives.replace(entries, logits, cost_present), reduction)
