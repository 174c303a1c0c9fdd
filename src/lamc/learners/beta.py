"""Beta(d, 1 − d), the law of the labels that SMILE's enhancer draws: quantiles, and a divergence.

A draw is the quantile of a uniform chance. So it follows d smoothly: a difference in the last digit
of d never makes another draw.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor

from lamc.types import FloatArray

KLSign: TypeAlias = Literal["published", "correct"]

NEWTON_STEPS = 3  # leave an error below 1e-6 in a logit


class Drawn(NamedTuple):
    """Draws on the scale of logits, and their derivatives by d."""

    logits: FloatArray
    slopes: FloatArray


def draw(d: FloatArray, chances: FloatArray) -> Drawn:
    """Quantiles of Beta(d, 1 − d), as logits, and by how much they move with d.

    Parameters
    ----------
    d, chances : ndarrays of one shape
        Above 0 and below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.beta import draw
    >>> drawn = draw(np.array([0.5, 0.2]), np.array([0.25, 0.95]))
    >>> (1 / (1 + np.exp(-drawn.logits))).round(4)
    array([0.1464, 0.8637])
    >>> drawn.slopes.round(4)
    array([ 8.5179, 10.1167])
    """
    below = _height(d) * np.tensordot(_WEIGHTS.astype(d.dtype), 1 / _shapes(d), axes=1)
    low = chances <= below  # the draw is below one half
    found = _draw_low(np.where(low, d, 1 - d), np.where(low, chances, 1 - chances))
    return Drawn(np.where(low, found.logits, -found.logits), found.slopes)


def _draw_low(a: FloatArray, chances: FloatArray) -> Drawn:
    """Quantiles of Beta(a, 1 − a) that are below one half.

    The logit is at most ℓ ≤ 0 with probability P = sin(πa)/π ∫ eᵃʷ / (1 + eʷ) dw, up to w = ℓ. With
    r = e^ℓ that is sin(πa)/π rᵃ S, where S = Σ (−r)ᵏ / (a + k). Newton's method finds the ℓ of a
    given ln P. The curve is concave, and the start, which takes the first term for S, is left of
    the solution: so no step goes too far. The slope of ℓ is −(∂P/∂a) / (∂P/∂ℓ).
    """
    height = _height(a)
    inverse = 1 / _shapes(a)
    terms = _WEIGHTS.astype(a.dtype).reshape(-1, *[1] * a.ndim) * inverse
    goal = np.log(chances / height)  # a ℓ + ln S
    logits = np.minimum((goal + np.log(a)) / a, 0)
    for _ in range(NEWTON_STEPS):
        r = np.exp(logits)
        total = _polynomial(terms, r)
        logits += (goal - a * logits - np.log(total)) * total * (1 + r)
        np.minimum(logits, 0, out=logits)
    r, total = np.exp(logits), np.exp(goal - a * logits)
    inverse *= terms
    rise = (np.cos(np.pi * a) / height + logits) * total - _polynomial(inverse, r)
    return Drawn(logits, -rise * (1 + r))


def kl_slope(d: Tensor, sign: KLSign) -> Tensor:
    """Derivative by d of the divergence of Beta(d, 1 − d) from the uniform distribution.

    The divergence is (a − 1) ψ(a) + (b − 1) ψ(b) − ln Γ(a) − ln Γ(b) plus a constant, where a = d
    and b = 1 − d. One ψ′ serves for two, as ψ′(a) + ψ′(b) = π² / sin²(πa). ``"published"`` has the
    sign of the two ln Γ reversed, as in the reference code: that adds 2 (ψ(a) − ψ(b)).

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.beta import kl_slope
    >>> kl_slope(torch.tensor([0.3, 0.7]), "correct")
    tensor([-7.7215,  7.7215])
    >>> kl_slope(torch.tensor([0.3, 0.7]), "published")
    tensor([-12.2865,  12.2865])
    """
    sine = torch.sin(math.pi * d)
    slope = d * (math.pi / sine).square_() - torch.special.polygamma(1, d)
    if sign == "published":
        slope -= 2 * math.pi * torch.cos(math.pi * d) / sine
    return slope


def alternating_weights(n: int) -> FloatArray:
    """Weights that make Σ (−1)ᵏ tₖ over all k ≥ 0 of n terms, for t that fall smoothly to 0.

    Each term makes the error 5.8 times smaller. (H. Cohen, F. Rodriguez Villegas and D. Zagier,
    "Convergence acceleration of alternating series", Experimental Mathematics 9, 2000.)

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.beta import alternating_weights
    >>> float(alternating_weights(10) @ (1 / np.arange(1, 11)))  # 1 − 1/2 + 1/3 − … = ln 2
    0.693147180...
    """
    k = np.arange(n)
    ratios = (n + k) * (n - k) / ((k + 0.5) * (k + 1))
    chebyshev = np.cumprod(np.r_[1.0, ratios])  # size of the coefficients of (−1)ⁿ Tₙ(1 − 2x)
    return (-1.0) ** k * (1 - np.cumsum(chebyshev[:-1]) / chebyshev.sum())


_WEIGHTS = alternating_weights(10)  # relative error below 5e-8


def _shapes(a: FloatArray) -> FloatArray:
    """Give a + k, with a first axis over k."""
    return np.add.outer(np.arange(len(_WEIGHTS), dtype=a.dtype), a)


def _height(a: FloatArray) -> FloatArray:
    """Give sin(πa) / π, exact near 1 too."""
    return np.sin(np.pi * np.minimum(a, 1 - a)) / np.pi


def _polynomial(coefficients: FloatArray, r: FloatArray) -> FloatArray:
    """Σ cₖ rᵏ, by Horner's rule."""
    found = coefficients[-1].copy()
    for coefficient in coefficients[-2::-1]:
        found *= r
        found += coefficient
    return found
