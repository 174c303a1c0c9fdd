"""Losses that trust a confident network more than the absence of an observation."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from lamc.exceptions import SettingError
from lamc.losses.observed import AnyInARow, read_observed
from lamc.losses.terms import (
    Reduction,
    check_epoch,
    check_number,
    cost_absent,
    cost_present,
    reduce_entries,
)

Ramp: TypeAlias = tuple[float, float]  # first and last value


def hill(
    logits: Tensor,
    observed: Tensor,
    *,
    margin: float = 1.0,
    gamma: float = 2.0,
    lam: float = 1.5,
    reduction: Reduction = "mean",
) -> Tensor:
    """Hill loss: what was not observed but scores high is pulled down less and less.

    On P the focal loss −(1 − p)^γ ln p with p = σ(s − m); on U (λ − f) f², whose slope falls again
    towards f = 1.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`. The reference code sums: say ``reduction="sum"`` for its values. Under
        Adam the two differ by its ε only.
    margin : float, default=1
        m, asked of observed labels beyond the others.
    gamma : float, default=2
        γ, how much observed labels that score high already are left alone.
    lam : float, default=1.5
        λ. At 1.5 the slope on U, 2λ f − 3f², is back at 0 when f = 1.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Zhang et al., Simple and Robust Loss Design for Multi-Label Learning with Missing Labels,
    2021, whose defaults these are.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> losses.hill(torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0]), reduction="none")
    tensor([[0.0227, 0.0890, 0.2500]])
    """
    check_number("gamma", gamma, 0)
    check_number("margin", margin, -math.inf)
    check_number("lam", lam, -math.inf)
    positives = read_observed(logits, observed)
    chance = logits.sigmoid()
    entries = chance.square() * (lam - chance)
    entries = positives.replace(entries, logits, lambda s: _focal(margin - s, gamma))
    return reduce_entries(entries, reduction)


def splc(
    logits: Tensor,
    observed: Tensor,
    *,
    epoch: int,
    start: int = 2,
    threshold: float = 0.6,
    margin: float = 1.0,
    gamma: float = 2.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """Self-paced loss correction: after the first epoch, what scores high counts as positive.

    The focal loss −(1 − p)^γ ln p, where p is σ(s − m) on P, f on entries of U that are corrected,
    and 1 − f on the rest of U. Corrected are those with f > τ.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`. The reference code sums: say ``reduction="sum"`` for its values. Under
        Adam the two differ by its ε only.
    epoch : int
        The epoch of training, counted from 1.
    start : int, default=2
        The first epoch with corrections: number 1 in the reference code, which counts from 0.
    threshold : float in (0, 1), default=0.6
        τ.
    margin, gamma : float, default=1 and 2
        m and γ. The margin is not asked of corrected entries.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Zhang et al., Simple and Robust Loss Design for Multi-Label Learning with Missing Labels,
    2021, whose defaults these are.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits, observed = torch.tensor([[2.0, -1.0, 2.0]]), torch.tensor([0])
    >>> losses.splc(logits, observed, epoch=1, reduction="none")
    tensor([[0.0227, 0.0227, 1.6501]])
    >>> losses.splc(logits, observed, epoch=2, reduction="none")
    tensor([[0.0227, 0.0227, 0.0018]])
    """
    check_epoch(epoch)
    check_number("gamma", gamma, 0)
    if not 0 < threshold < 1:
        raise SettingError(f"threshold={threshold!r}; give a probability between 0 and 1.")
    positives = read_observed(logits, observed)
    present = positives.mask(logits)
    if epoch >= start:
        present = present | (logits > math.log(threshold / (1 - threshold)))
    sign = AnyInARow(present).mark(logits, -1.0, 1.0)
    wrong = torch.addcmul(positives.mark(logits, margin, 0.0), logits, sign)
    return reduce_entries(_focal(wrong, gamma), reduction)


def gr(
    logits: Tensor,
    observed: Tensor,
    *,
    epoch: int,
    epochs: int,
    slope: Ramp = (0.0, 2.0),
    bias: Ramp = (-2.0, -2.0),
    mean: Ramp = (0.5, 0.8),
    width: Ramp = (2.0, 0.5),
    powers: tuple[float, float] = (0.01, 1.0),
    reduction: Reduction = "mean",
) -> Tensor:
    """Generalised robust loss: a soft pseudo-label and a weight for each entry, by its own score.

    −ln f on P; on U v · (k (1 − f^q) / q + (1 − k) (1 − (1 − f)^q′) / q′) with the pseudo-label
    k = σ(w f + b) and the weight v = exp(−(f − μ)² / 2σ²), through neither of which a gradient
    flows. w, b, μ and σ move in a straight line over the epochs.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`.
    epoch, epochs : int
        The epoch of training, counted from 1, and how many there are.
    slope, bias : pairs of float, default=(0, 2) and (−2, −2)
        w and b at the start and at the end. In epoch t of T the share (t − 1) / T of the way is
        gone.
    mean, width : pairs of float, default=(0.5, 0.8) and (2, 0.5)
        μ and σ likewise, with the share t / T gone: one epoch ahead, as in the reference code.
    powers : pair of float in (0, 1], default=(0.01, 1)
        q and q′: near 0 the cost is that of the logarithm, at 1 the absolute error.

    Returns
    -------
    Tensor
        As for :func:`an`.

    References
    ----------
    Chen et al., Boosting Single Positive Multi-label Classification with Generalized Robust Loss,
    IJCAI 2024. Defaults are those of its code, which adds ε = 1e-7 inside its logarithm.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits, observed = torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0])
    >>> losses.gr(logits, observed, epoch=1, epochs=8, reduction="none")
    tensor([[0.1269, 0.3881, 0.5226]])
    """
    check_epoch(epoch, epochs=epochs)
    pairs = {"slope": slope, "bias": bias, "mean": mean, "width": width, "powers": powers}
    for name, pair in pairs.items():
        if not (isinstance(pair, Sequence | np.ndarray) and len(pair) == 2):
            raise SettingError(f"{name}={pair!r}; give two numbers.")
    for power in powers:
        if not 0 < power <= 1:
            raise SettingError(f"powers={powers!r}; give two numbers above 0 and at most 1.")
    if min(width) <= 0:
        raise SettingError(f"width={width!r}; give two numbers above 0.")
    positives = read_observed(logits, observed)
    chance = logits.detach().sigmoid()
    behind, ahead = (epoch - 1) / epochs, epoch / epochs
    pseudo = (chance * _at(slope, behind) + _at(bias, behind)).sigmoid()
    weight = ((chance - _at(mean, ahead)) / _at(width, ahead)).square().mul(-0.5).exp()
    present = _power_cost(cost_present(logits), powers[0])
    absent = _power_cost(cost_absent(logits), powers[1])
    entries = weight * torch.lerp(absent, present, pseudo)
    return reduce_entries(positives.replace(entries, logits, cost_present), reduction)


def _focal(wrong: Tensor, gamma: float) -> Tensor:
    """−(1 − p)^γ ln p with p = σ(−z), where z is the logit of the wrong side."""
    cost = cost_absent(wrong)
    # ln(1 − p) = z − cost; a power of 1 − p itself has no slope where 1 − p rounds to 0.
    return torch.exp((wrong - cost) * gamma) * cost


def _power_cost(cost: Tensor, power: float) -> Tensor:
    """(1 − p^q) / q from −ln p; expm1 as q is small and p^q near 1."""
    return torch.expm1(cost * -power) / -power


def _at(ramp: Ramp, share: float) -> float:
    """Value of a ramp when a share of the way is gone."""
    first, last = ramp
    return first + (last - first) * share
