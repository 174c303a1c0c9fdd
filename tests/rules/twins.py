"""Slow, obvious twins of the rules: loops over fractions, straight from the definitions."""

from fractions import Fraction
from math import comb, inf

import numpy as np

LEVELS = sorted(
    {Fraction(k, q) for q in (7, 10, 20) for k in range(1, q)}
    | {Fraction(1, 3), Fraction(2, 3), Fraction(1, 100), Fraction(999, 1000)}
)


def smallest_first(counts):
    """The values 1 … n of labels with these counts, as (values, labels)."""
    values = [i for n in counts for i in range(1, n + 1)]
    return np.asarray(values, dtype=float), np.repeat(np.arange(len(counts)), counts)


def recall_rank(n, alpha):
    return max(j for j in range(n + 1) if Fraction(j, n + 1) <= alpha)


def selective_rank(n, alpha):
    return min(r for r in range(n + 1) if r >= (n + 1) * (1 - alpha) or r == n)


def binomial_cdfs(n, alpha):
    """P(Binomial(n, alpha) <= v) for v = 0 … n."""
    p, q = alpha.numerator, alpha.denominator
    total, cdfs = 0, []
    for v in range(n + 1):
        total += comb(n, v) * p**v * (q - p) ** (n - v)
        cdfs.append(Fraction(total, q**n))
    return cdfs


def largest_count(cdfs, delta):
    return max((v for v, cdf in enumerate(cdfs) if cdf <= delta), default=-1)


def weighted_threshold(scores, weights, alpha, new):
    """Largest score that, with the new weight, has a share of at most alpha below it."""
    total = sum(map(Fraction, weights)) + Fraction(new)
    enough = [-inf]
    for v in scores:
        below = sum(Fraction(w) for s, w in zip(scores, weights, strict=True) if s < v)
        if below + Fraction(new) <= alpha * total:
            enough.append(v)
    return max(enough)


def weighted_selective_threshold(scores, weights, alpha, new):
    """The same from the top; the highest score if nothing can be left above a threshold."""
    down = weighted_threshold([-s for s in scores], weights, alpha, new)
    return max(scores, default=inf) if down == -inf else -down


def points_at_start(alpha, delta):
    """Fewest points of which one may be wrong."""
    return next(m for m in range(1, 10_000) if binomial_cdfs(m, alpha)[1] <= delta)


def precision_threshold(true, false, alpha, delta, *, start=None, wanted=0):
    """Test each distinct score downwards, and stop at the first that fails.

    Returns what lies above every score that was not certified, as (lowest certified, highest not).
    """
    values = sorted({*true, *false}, reverse=True)
    if start is not None:
        claims = [v for v in values if v > start][-1:] + [v for v in values if v <= start]
    else:
        above = [sum(s >= v for s in [*true, *false]) for v in values]
        claims = [v for v, m in zip(values, above, strict=True) if m >= wanted]
    if start is not None and not any(v > start for v in values):
        return inf, None
    certified = inf
    for v in claims:
        wrong = sum(s >= v for s in false)
        m = wrong + sum(s >= v for s in true)
        if binomial_cdfs(m, alpha)[wrong] > delta:
            return certified, v
        certified = v
    return certified, None


def three_way(true, false, alpha, score):
    """1, 0 or −1 for a score, by counting who lies on which side of it."""
    n, m = len(true), len(false)
    low_rank = recall_rank(n, alpha)
    high_rank = min((r for r in range(1, m + 1) if r >= (1 - alpha) * (m + 1)), default=None)
    if low_rank == 0 or high_rank is None:
        return -1
    can_be_true = score >= sorted(true)[low_rank - 1]
    can_be_false = score <= sorted(false)[high_rank - 1]
    if can_be_true == can_be_false:
        return -1
    return int(can_be_true)


def set_recall_rank(scores, Y, reference, alpha):
    """Largest rank in the reference for which the missed shares, plus one, are few enough."""
    m = len(reference)
    rows = [i for i in range(len(Y)) if any(Y[i])]

    def missed_share(i, rank):
        true = [k for k in range(len(Y[i])) if Y[i][k]]
        missed = sum(scores[i][k] < rank_score(reference, k, rank) for k in true)
        return Fraction(missed, len(true))

    good = [
        rank
        for rank in range(m + 1)
        if sum(missed_share(i, rank) for i in rows) + 1 <= alpha * (len(rows) + 1)
    ]
    return max(good, default=0)


def set_recall_score(scores, Y, alpha):
    """Largest score that, as a threshold for all labels, misses few enough; −inf if none does."""
    rows = [i for i in range(len(Y)) if any(Y[i])]

    def missed_share(i, at):
        true = [k for k in range(len(Y[i])) if Y[i][k]]
        return Fraction(sum(scores[i][k] < at for k in true), len(true))

    true_scores = [scores[i][k] for i in rows for k in range(len(Y[i])) if Y[i][k]]
    good = [
        at
        for at in true_scores
        if sum(missed_share(i, at) for i in rows) + 1 <= alpha * (len(rows) + 1)
    ]
    return max(good, default=-inf)


def rank_score(reference, k, rank):
    """Score of a rank among a label's reference scores; −inf for rank 0."""
    return -inf if rank == 0 else sorted(row[k] for row in reference)[rank - 1]


def selected(batch, false, n, fdr):
    """Benjamini and Hochberg's procedure on the p-values of Jin and Candès, for one label."""
    p = [Fraction(1 + sum(f >= s for f in false), n + 1) for s in batch]
    m = len(batch)
    k = max((k for k in range(1, m + 1) if sorted(p)[k - 1] <= fdr * k / m), default=0)
    return [k > 0 and one <= fdr * k / m for one in p]
