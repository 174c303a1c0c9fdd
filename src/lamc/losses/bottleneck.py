"""The information bottleneck of MIME: a code that says little beyond what labels need."""

from torch import Tensor

from lamc.exceptions import LabelError
from lamc.losses.terms import Reduction, reduce_entries


def gaussian_kl(mean: Tensor, log_std: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """Divergence of independent normal distributions from the standard one.

    ½ (μ² + σ² − 1) − ln σ for each component. MIME minimises :func:`an` of logits that are decoded
    from draws of N(μ, σ²), plus 1e-4 times this.

    Parameters
    ----------
    mean, log_std : Tensor of shape (..., B, D)
        μ and ln σ of the D components of each row's code.
    reduction : {"mean", "sum", "none"}, default="mean"
        Mean, as in the reference code, or sum over all components of all rows of a model, or the
        matrix.

    Returns
    -------
    Tensor
        Of shape (...,), or (..., B, D) without a reduction.

    References
    ----------
    Liu et al., Revisiting Pseudo-Label for Single-Positive Multi-Label Learning, ICML 2023; Alemi
    et al., Deep Variational Information Bottleneck, ICLR 2017.

    Examples
    --------
    >>> import torch
    >>> from lamc import losses
    >>> losses.gaussian_kl(torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0, 0.5]]), reduction="none")
    tensor([[0.0000, 0.8591]])
    """
    if mean.shape != log_std.shape or mean.ndim < 2:
        raise LabelError(
            f"mean has shape {tuple(mean.shape)} and log_std {tuple(log_std.shape)}; give one of "
            "each for every component of every row, of shape (..., B, D)."
        )
    return reduce_entries((mean.square() + (2 * log_std).expm1()) / 2 - log_std, reduction)
