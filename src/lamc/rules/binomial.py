"""Binomial counts at a level of confidence: the ranks and errors that a test allows."""

import numpy as np
from scipy import stats

from lamc.types import AnyArray, IntArray

# Probabilities come with an error of about 1e-12; one this close to the level is equal to it.
_EQUAL = 1 + 1e-10


def largest_count(n: AnyArray, alpha: AnyArray | float, delta: float) -> IntArray:
    """Largest v with P(Binomial(n, alpha) <= v) <= delta, for each n; −1 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.binomial import largest_count
    >>> largest_count(np.array([21, 22, 38]), alpha=0.1, delta=0.1)
    array([-1,  0,  1])
    """
    # The smallest v with P(… <= v) >= delta, or one beside it.
    near = stats.binom.ppf(delta, n, alpha).astype(np.int64)
    at, before = (stats.binom.cdf(v, n, alpha) <= delta * _EQUAL for v in (near, near - 1))
    return near - 2 + before.astype(np.int64) + at
