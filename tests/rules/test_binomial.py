"""Binomial counts are those of exact fractions, ties with the level included."""

from fractions import Fraction

import numpy as np
import pytest

from lamc.rules.binomial import largest_count

from .twins import LEVELS, binomial_cdfs
from .twins import largest_count as exact

DELTAS = [Fraction(1, q) for q in (100, 20, 10, 8, 4, 2)] + [Fraction(3, 4), Fraction(19, 20)]


@pytest.mark.parametrize("alpha", LEVELS, ids=str)
def test_counts_are_exact_for_every_n(alpha):
    counts = range(61)
    cdfs = [binomial_cdfs(n, alpha) for n in counts]
    for delta in DELTAS:
        found = largest_count(np.asarray(counts), float(alpha), float(delta))
        assert found.tolist() == [exact(cdf, delta) for cdf in cdfs]


@pytest.mark.parametrize("n", [999, 2000])
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 2)], ids=str)
def test_counts_are_exact_for_large_n(n, alpha):
    cdfs = binomial_cdfs(n, alpha)
    for delta in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)):
        assert largest_count(np.array([n]), float(alpha), float(delta)) == exact(cdfs, delta)


def test_alphas_may_differ():
    found = largest_count(np.array([44, 45, 22]), np.array([0.05, 0.05, 0.1]), 0.1)
    assert found.tolist() == [-1, 0, 0]
