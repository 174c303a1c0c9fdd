"""Losses that know how many labels a row has on average."""

from torch import Tensor

from lamc.exceptions import LabelError
from lamc.losses.observed import Observed, read_observed
from lamc.losses.terms import (
    Reduction,
    check_entries,
    check_number,
    cost_present,
    cross_entropy,
    scale_mean,
)


def epr(
    logits: Tensor, observed: Tensor, *, expected: float | Tensor, reduction: Reduction = "mean"
) -> Tensor:
    """Expected positive regularisation: observed labels, and the number of labels a row.

    The mean over all entries of −ln f on P and 0 on U, plus ((Σ f) / B − k)² / K²: the second
    term is of the batch, not of rows, and carries what is said of labels that were not observed.

    Parameters
    ----------
    logits, observed
        As for :func:`an`.
    expected : float, or Tensor of shape (...,)
        k, the mean number of true labels a row; each model may have its own. The paper computes it
        from the full labels of the training set; a method that knows single positives only has to
        be told it or to estimate it.
    reduction : {"mean", "sum"}, default="mean"
        "sum" is the mean times B · K. There is no matrix of entries.

    Returns
    -------
    Tensor of shape (...,)

    References
    ----------
    Cole et al., Multi-Label Learning from Single Positive Labels, CVPR 2021. The weight of the
    regulariser is 1 as in its code.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> losses.epr(torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([0]), expected=1.5)
    tensor(0.0448)
    """
    positives = read_observed(logits, observed)
    _check_expected(expected, logits)
    mean = _seen(logits, positives) + _miscounted(logits.sigmoid(), expected)
    return scale_mean(mean, logits, reduction)


def role(
    logits: Tensor,
    observed: Tensor,
    estimates: Tensor,
    *,
    expected: float | Tensor,
    reduction: Reduction = "mean",
) -> Tensor:
    """Regularised online label estimation: a classifier f and free labels g that teach each other.

    ½ (L(f, g) + L(g, f)), where L(p, q) is :func:`epr` of p plus the mean over all entries, the
    observed ones among them, of the cross-entropy −q ln p − (1 − q) ln(1 − p). No gradient flows
    through the q that teaches, so one step of both is what the paper does.

    Parameters
    ----------
    logits, observed
        As for :func:`an`.
    estimates : Tensor of shape (..., B, K)
        Logits of g: the rows of a parameter with one row for each training example that are in
        this batch.
    expected : float, or Tensor of shape (...,)
        k, the mean number of true labels a row; see :func:`epr`.
    reduction : {"mean", "sum"}, default="mean"
        "sum" is the mean times B · K. There is no matrix of entries.

    Returns
    -------
    Tensor of shape (...,)

    References
    ----------
    Cole et al., Multi-Label Learning from Single Positive Labels, CVPR 2021.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> logits, estimates = torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([[5.3, 0.2, -0.2]])
    >>> losses.role(logits, torch.tensor([0]), estimates, expected=1.5)
    tensor(0.6656)
    """
    positives = read_observed(logits, observed)
    _check_expected(expected, logits)
    check_entries("estimates", estimates, logits)
    f, g = logits.sigmoid(), estimates.sigmoid()
    taught = cross_entropy(g.detach(), logits) + cross_entropy(f.detach(), estimates)
    sides = (
        taught.mean((-2, -1))
        + _seen(logits, positives)
        + _seen(estimates, positives)
        + _miscounted(f, expected)
        + _miscounted(g, expected)
    )
    return scale_mean(sides / 2, logits, reduction)


def _seen(logits: Tensor, positives: Observed) -> Tensor:
    return positives.mean(logits, cost_present)


def _miscounted(chances: Tensor, expected: float | Tensor) -> Tensor:
    # Means, for a sum over a batch is more than float16 can hold.
    return (chances.mean((-2, -1)) - expected / chances.shape[-1]).square()


def _check_expected(expected: float | Tensor, logits: Tensor) -> None:
    if not isinstance(expected, Tensor):
        check_number("expected", expected, 0)
        return
    if expected.shape not in ((), logits.shape[:-2]):
        raise LabelError(
            f"expected has shape {tuple(expected.shape)}, but logits has shape "
            f"{tuple(logits.shape)}: give one number, or one for each model, of shape "
            f"{tuple(logits.shape[:-2])}."
        )
    fits = expected >= 0
    if not fits.all():
        check_number("expected", expected[~fits].flatten()[0].item(), 0)
