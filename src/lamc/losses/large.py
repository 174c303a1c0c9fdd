"""Large losses among what was not observed: they are likely missing labels."""

import math
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, get_args

import torch
from torch import Tensor

from lamc.exceptions import SettingError
from lamc.losses.observed import AnyInARow, read_observed
from lamc.losses.terms import Reduction, check_epoch, check_number, cost_absent, reduce_entries

Scheme: TypeAlias = Literal["reject", "correct-temporarily", "correct-permanently"]


class LargeLoss(NamedTuple):
    """What :func:`large_loss` gives.

    Attributes
    ----------
    loss : Tensor
        As for :func:`an`.
    large : Tensor of bool, shape (..., B, K)
        The entries that were rejected or corrected.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits = torch.tensor([[2.0, -1.0, 3.0]])
    >>> losses.large_loss(logits, torch.tensor([0]), epoch=2).large
    tensor([[False, False,  True]])
    """

    loss: Tensor
    large: Tensor


def large_loss(
    logits: Tensor,
    observed: Tensor,
    *,
    epoch: int,
    scheme: Scheme = "reject",
    delta: float = 0.002,
    reduction: Reduction = "mean",
) -> LargeLoss:
    """Large loss matters: :func:`an` without, or with the opposite of, its largest terms on U.

    A network learns what is true of many rows before it learns the labels that are missing from
    some, so that these stand out by their loss. In epoch t the largest terms on U are

    ========================  ==============================  =====================================
    ``scheme``                how many of B · K               what becomes of them
    ========================  ==============================  =====================================
    "reject" (LL-R)           ⌈(t − 1) Δ B K⌉                 0
    "correct-temporarily"     ⌈(t − 1) Δ B K⌉                 −ln f, this time
    (LL-Ct)
    "correct-permanently"     ⌈Δ B K⌉, none in epoch 1        −ln f; the caller writes them back
    (LL-Cp)
    ========================  ==============================  =====================================

    Never more than there are on U.

    Parameters
    ----------
    logits, observed, reduction
        As for :func:`an`. The mean divides by B · K, with the rejected entries.
    epoch : int
        The epoch of training, counted from 1.
    scheme : {"reject", "correct-temporarily", "correct-permanently"}, default="reject"
        What becomes of large losses. After "correct-permanently" the caller stores
        ``observed | large`` in the place of the observed labels of these rows.
    delta : float, default=0.002
        Δ. The paper takes 0.002 for LL-R and LL-Ct on VOC and 0.001 for LL-Cp, and up to 0.004 on
        other data.

    Returns
    -------
    LargeLoss
        The ``loss``, and which entries were ``large``.

    References
    ----------
    Kim et al., Large Loss Matters in Weakly Supervised Multi-Label Classification, CVPR 2022. Its
    code runs LL-Ct where LL-Cp is asked for, and with Δ too large it rejects or turns round
    observed labels; neither is repeated here. Its set includes ties with the last entry, and what
    it writes back leaves that entry out; here exactly the stated number is large, and all of it
    is written back.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits, observed = torch.tensor([[2.0, -1.0, 3.0]]), torch.tensor([[1, 0, 0]])
    >>> losses.large_loss(logits, observed, epoch=1, reduction="none").loss
    tensor([[0.1269, 0.3133, 3.0486]])
    >>> losses.large_loss(logits, observed, epoch=2, reduction="none").loss
    tensor([[0.1269, 0.3133, 0.0000]])
    >>> losses.large_loss(
    ...     logits, observed, epoch=2, scheme="correct-temporarily", reduction="none"
    ... ).loss
    tensor([[0.1269, 0.3133, 0.0486]])
    """
    check_epoch(epoch)
    check_number("delta", delta, 0, 1)
    if scheme not in get_args(Scheme):
        raise SettingError(f"scheme={scheme!r}; choose one of {', '.join(get_args(Scheme))}.")
    known = read_observed(logits, observed).mask(logits)
    steps = min(epoch - 1, 1) if scheme == "correct-permanently" else epoch - 1
    n_entries = logits.shape[-2] * logits.shape[-1]
    # As a fraction: 100 · 0.07 is a little more than 7 in floats, and its ceiling 8.
    wanted = math.ceil(n_entries * steps * Fraction(str(delta)))
    large = _largest(logits.detach(), known, min(wanted, n_entries))
    present = known if scheme == "reject" else known | large
    entries = cost_absent(logits * AnyInARow(present).mark(logits, -1.0, 1.0))
    if scheme == "reject":
        entries = torch.where(large, 0.0, entries)
    return LargeLoss(reduce_entries(entries, reduction), large)


def _largest(logits: Tensor, known: Tensor, wanted: int) -> Tensor:
    """Mark the ``wanted`` largest losses of each model that are not of known positives."""
    if wanted == 0:
        return torch.zeros_like(known)
    # −ln(1 − f) grows with the logit, so that the loss itself is not needed.
    candidates = torch.where(known, -math.inf, logits).flatten(-2)
    large = torch.zeros_like(candidates, dtype=torch.bool)
    large.scatter_(-1, candidates.topk(wanted, sorted=False).indices, True)
    return large.reshape(known.shape).logical_and_(~known)
