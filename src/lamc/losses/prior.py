"""CRISP: the risk of a label given how often it is true, and that estimated from scores."""

import math

import numpy as np
import torch
from torch import Tensor

from lamc.exceptions import LabelError, SettingError
from lamc.losses.observed import read_observed
from lamc.losses.terms import Reduction, check_number, reduce_vector
from lamc.types import BoolArray, FloatArray


def crisp(
    logits: Tensor,
    observed: Tensor,
    priors: Tensor,
    *,
    shares: Tensor | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Class-prior risk: observed rows of a label score high, all rows as often as it is true.

    For each label 2π · mean of (1 − f) over the rows where it is observed + abs(mean of f over all
    rows − π). A label that is observed in no row of the batch has the second term only.

    Parameters
    ----------
    logits, observed
        As for :func:`an`.
    priors : Tensor of shape (K,) or (..., K)
        π: how often each label is true, such as :func:`crisp_priors` estimates.
    shares : Tensor of shape (K,) or (..., K), optional
        Share of all training rows where each label is observed. With it the first mean is a sum
        divided by B times the share: right on average over batches, whereas the mean of the few
        rows a small batch has, or of none, counts rare labels too little.
    reduction : {"mean", "sum", "none"}, default="mean"
        Mean or sum over the K labels of a model, or one value a label: the loss has no entries.
        The paper sums.

    Returns
    -------
    Tensor
        Of shape (...,), or (..., K) without a reduction.

    References
    ----------
    Liu et al., Can Class-Priors Help Single-Positive Multi-Label Learning?, NeurIPS 2025 (arXiv
    2309.13886). Written from its risk; the term it adds on logits in training is not part of it.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits = torch.tensor([[2.0, -1.0, 0.0], [0.5, 0.0, -2.0]])
    >>> priors = torch.tensor([0.6, 0.3, 0.2])
    >>> losses.crisp(logits, torch.tensor([0, 1]), priors, reduction="none")
    tensor([0.2947, 0.3845, 0.1096])
    """
    positives = read_observed(logits, observed)
    _check_shares("priors", priors, logits)
    chance = logits.sigmoid()
    marked = positives.mark(logits, 1.0, 0.0)
    seen = marked.sum(-2)
    if shares is None:
        rows = seen
    else:
        _check_shares("shares", shares, logits)
        rows = shares * logits.shape[-2]
        if ((rows == 0) & (seen > 0)).any():
            raise LabelError(
                "A label that is observed in this batch has the share 0.\nshares are of all "
                "training rows: the mean of the 0/1 matrix of observed labels over rows."
            )
    missed = ((1 - chance) * marked).sum(-2) / torch.where(rows == 0, 1.0, rows)
    return reduce_vector(2 * priors * missed + (chance.mean(-2) - priors).abs(), reduction)


def crisp_priors(
    scores: Tensor, observed: Tensor, *, delta: float = 0.01, tau: float = 0.01
) -> Tensor:
    """Estimate how often each label is true, from scores and single positives.

    With q(z) the share of all n rows that score at least z on a label, and p(z) that of the m rows
    where it is observed, the estimate is q(z) / p(z) at the z that makes

    q(z) / p(z) + (1 + τ) / p(z) · (√(ln(4/δ) / 2n) + √(ln(4/δ) / 2m))

    smallest. It is right if some threshold is passed by true rows only, and if the rows where a
    label is observed are a fair sample of those where it is true. Labels drawn uniformly from the
    true ones are not quite that: rows with few labels are seen more often.

    Parameters
    ----------
    scores : Tensor of shape (..., n, K)
        Of all training rows. Probabilities and logits give the same, as only their order counts.
    observed : Tensor of shape (..., n) or (..., n, K)
        As for :func:`an`.
    delta, tau : float, default=0.01
        δ and τ, as in the paper.

    Returns
    -------
    Tensor of shape (..., K)
        At least the share of rows where the label is observed, and at most 1; 0 for a label that
        is observed in no row.

    References
    ----------
    Liu et al., Can Class-Priors Help Single-Positive Multi-Label Learning?, NeurIPS 2025 (arXiv
    2309.13886).

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> scores = torch.linspace(0, 1, 1000).unsqueeze(1)
    >>> observed = torch.zeros(1000, 1)
    >>> observed[700::3] = 1  # true in the upper 300 rows, observed in every third of them
    >>> losses.crisp_priors(scores, observed)
    tensor([0.3000])
    """
    if not 0 < delta < 1:
        raise SettingError(f"delta={delta!r}; give a probability between 0 and 1.")
    check_number("tau", tau, 0)
    seen = read_observed(scores, observed).mask(scores)
    if scores.isnan().any():
        raise LabelError("scores holds NaN, which has no rank.\nLook for the cause in the model.")
    n, n_labels = scores.shape[-2:]
    wide = scores.detach() if scores.dtype == torch.float64 else scores.detach().float()
    models, masks = (each.reshape(-1, n, n_labels).cpu().numpy() for each in (wide, seen))
    priors = [_estimates(*model, delta, tau) for model in zip(models, masks, strict=True)]
    return scores.new_tensor(np.array(priors)).reshape(*scores.shape[:-2], n_labels)


def _estimates(scores: FloatArray, seen: BoolArray, delta: float, tau: float) -> FloatArray:
    """Estimate how often each label is true, from the scores of one model."""
    rows, labels = seen.nonzero()
    ends = np.bincount(labels, minlength=scores.shape[1]).cumsum()
    observed = np.split(rows[labels.argsort(kind="stable")], ends[:-1])
    priors = np.zeros(scores.shape[1])
    for label, own in enumerate(observed):
        if len(own) > 0:
            column = scores[:, label]
            priors[label] = _top_share(np.sort(column), np.sort(column[own]), delta, tau)
    return priors


def _top_share(scores: FloatArray, levels: FloatArray, delta: float, tau: float) -> float:
    """Estimate how often a label is true, from its sorted scores and those of observed rows.

    Between two scores of observed rows p(z) does not change and q(z) falls with z, so the best z
    is the score of an observed row.
    """
    n, m = len(scores), len(levels)
    q = (n - scores.searchsorted(levels)) / n
    p = (m - levels.searchsorted(levels)) / m
    doubt = (1 + tau) * (math.sqrt(math.log(4 / delta) / 2) * (n**-0.5 + m**-0.5))
    best = ((q + doubt) / p).argmin()
    return float(q[best] / p[best])


def _check_shares(name: str, shares: Tensor, logits: Tensor) -> None:
    labels = logits.shape[:-2] + logits.shape[-1:]
    if shares.shape != labels and shares.shape != labels[-1:]:
        raise LabelError(
            f"{name} has shape {tuple(shares.shape)}, but logits has shape "
            f"{tuple(logits.shape)}: give one value for each of its {logits.shape[-1]} labels."
        )
    if not ((shares >= 0) & (shares <= 1)).all():
        raise LabelError(f"{name} are shares of rows: give numbers from 0 to 1.")
