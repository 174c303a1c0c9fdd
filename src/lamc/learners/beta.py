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

HALLEY_STEPS = 2  # leave an error below 1e-6 in a logit


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
    low = chances <= _share_below_half(d)
    found = _draw_low(np.where(low, d, 1 - d), np.where(low, chances, 1 - chances))
    return Drawn(np.where(low, found.logits, -found.logits), found.slopes)


def _draw_low(a: FloatArray, chances: FloatArray) -> Drawn:
    """Quantiles of Beta(a, 1 − a) that are below one half.

    The logit is at most ℓ ≤ 0 with probability P = sin(πa)/π ∫ eᵃʷ / (1 + eʷ) dw, up to w = ℓ. With
    r = e^ℓ that is sin(πa)/π rᵃ S, where S = Σ (−r)ᵏ / (a + k). The ℓ of a given P is where
    F = a ℓ + ln S less its goal is 0. Halley's method finds it: F′ = 1 / (S (1 + r)), and
    F″ / F′ = a − r / (1 + r) − F′. The start takes the first term for S. The slope of ℓ is
    −(∂P/∂a) / (∂P/∂ℓ).
    """
    height = _height(a)
    inverse = 1 / _shapes(a)
    terms = _WEIGHTS.astype(a.dtype).reshape(-1, *[1] * a.ndim) * inverse
    goal = np.log(chances / height)
    logits = np.minimum((goal + np.log(a)) / a, 0)
    for _ in range(HALLEY_STEPS):
        r = np.exp(logits)
        total, more = _polynomial(terms, r), 1 + r
        surplus = a * logits + np.log(total) - goal
        bend = 1 + total * (r - a * more)
        logits -= surplus * total * more / (1 + surplus * bend / 2)
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
    turned = math.pi * d
    over_sine = math.pi / turned.sin()
    slope = (d * over_sine).mul_(over_sine).sub_(torch.special.polygamma(1, d))
    if sign == "published":
        slope.addcmul_(over_sine, turned.cos_(), value=-2)
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
    found = coefficients[-1] * r
    for coefficient in coefficients[-2:0:-1]:
        found += coefficient
        found *= r
    found += coefficients[0]
    return found


def _fit_below_half(n: int) -> FloatArray:
    """Coefficients of :func:`_share_below_half`, from its series sin(πd)/π Σ (−1)ᵏ / (d + k)."""
    t = np.cos(np.pi * (np.arange(50) + 0.5) / 100) / 2
    chances = _height(0.5 + t) * (_WEIGHTS @ (1 / _shapes(0.5 + t)))
    squares = t * t
    powers = squares[:, None] ** np.arange(n)
    return np.linalg.lstsq(powers, (chances - 0.5 + t) / (t * (0.25 - squares)), rcond=None)[0]


_BELOW_HALF = _fit_below_half(4)  # error below 5e-9 d (1 − d)


def _share_below_half(d: FloatArray) -> FloatArray:
    """Chance that a draw is below one half.

    It is 1 and 0 at the ends, and odd about d = ½: so with t = d − ½ it is ½ − t + t (¼ − t²) times
    a polynomial of t².
    """
    t = d - 0.5
    squares = t * t
    curve = _polynomial(_BELOW_HALF.astype(d.dtype), squares)
    return 0.5 - t + t * (0.25 - squares) * curve
