"""The losses in NumPy, entry by entry from their formulas on probabilities."""

import math

import numpy as np
import torch


def sigmoid(s):
    return 1 / (1 + np.exp(-s))


def entries(s, o, positive, other):
    """A matrix with ``positive(s)`` where ``o`` is True and ``other(s)`` elsewhere."""
    return np.array(
        [
            [positive(x) if seen else other(x) for x, seen in zip(row, seen_row, strict=True)]
            for row, seen_row in zip(s, o, strict=True)
        ]
    )


def present(s):
    return -math.log(sigmoid(s))


def absent(s):
    return -math.log(sigmoid(-s))  # 1 − sigmoid(s) would lose digits


def entropy(s):
    f, rest = sigmoid(s), sigmoid(-s)
    return -f * math.log(f) - rest * math.log(rest)


def an(s, o):
    return entries(s, o, present, absent)


def an_ls(s, o, eps=0.1):
    return entries(
        s,
        o,
        lambda x: (1 - eps) * present(x) + eps * absent(x),
        lambda x: (1 - eps) * absent(x) + eps * present(x),
    )


def wan(s, o, weight=None):
    weight = 1 / (s.shape[1] - 1) if weight is None else weight
    return entries(s, o, present, lambda x: weight * absent(x))


def soft_target(s, o, targets, weight=None):
    weight = 1 / (s.shape[1] - 1) if weight is None else weight
    cost = -targets * np.log(sigmoid(s)) - (1 - targets) * np.log(sigmoid(-s))
    return np.where(o, cost, weight * cost)


def em(s, o, alpha=0.1):
    return entries(s, o, present, lambda x: -alpha * entropy(x))


def em_apl(s, o, pseudo, alpha=0.1, beta=0.2):
    found = em(s, o, alpha)
    for i, j in np.ndindex(s.shape):
        c = pseudo[i, j]
        if not o[i, j] and not math.isnan(c):
            found[i, j] = beta * (c * present(s[i, j]) + (1 - c) * absent(s[i, j]))
    return found


def count_penalty(p, expected):
    n, k = p.shape
    return (p.sum() / n - expected) ** 2 / k**2


def epr(s, o, expected):
    return entries(s, o, present, lambda x: 0.0).mean() + count_penalty(sigmoid(s), expected)


def role(s, o, theta, expected, teachers=None):
    """With ``teachers``, the pair of logits whose probabilities teach stays what it was."""
    teacher_f, teacher_g = (s, theta) if teachers is None else teachers

    def side(learner, teacher):
        p, q = sigmoid(learner), sigmoid(teacher)
        lesson = (-q * np.log(p) - (1 - q) * np.log(1 - p)).mean()
        return epr(learner, o, expected) + lesson

    return (side(s, teacher_g) + side(theta, teacher_f)) / 2


def hill(s, o, margin=1.0, gamma=2.0, lam=1.5):
    def positive(x):
        p = sigmoid(x - margin)
        return -((1 - p) ** gamma) * math.log(p)

    return entries(s, o, positive, lambda x: (lam - sigmoid(x)) * sigmoid(x) ** 2)


def splc(s, o, epoch, start=2, threshold=0.6, margin=1.0, gamma=2.0):
    def focal(p):
        return -((1 - p) ** gamma) * math.log(p)

    def other(x):
        corrected = epoch >= start and sigmoid(x) > threshold
        return focal(sigmoid(x)) if corrected else focal(1 - sigmoid(x))

    return entries(s, o, lambda x: focal(sigmoid(x - margin)), other)


def gr(s, o, epoch, epochs, frozen=None):
    """With ``frozen``, the pseudo-labels and weights are those of other logits."""
    w = 0 + (2 - 0) * (epoch - 1) / epochs
    b = -2
    mu = 0.5 + (0.8 - 0.5) * epoch / epochs
    sigma = 2 + (0.5 - 2) * epoch / epochs
    q, q_ = 0.01, 1
    f = sigmoid(s)
    judged = sigmoid(s if frozen is None else frozen)
    k = sigmoid(w * judged + b)
    v = np.exp(-((judged - mu) ** 2) / (2 * sigma**2))
    other = v * (k * (1 - f**q) / q + (1 - k) * (1 - (1 - f) ** q_) / q_)
    return np.where(o, -np.log(f), other)


def large_loss(s, o, epoch, scheme, delta):
    """Sort all losses of entries not observed, and treat the largest as the scheme says."""
    found = an(s, o)
    share = delta if scheme == "correct-permanently" and epoch > 1 else (epoch - 1) * delta
    wanted = math.ceil(round(s.size * share, 9))
    others = sorted((-found[i, j], i, j) for i, j in np.ndindex(s.shape) if not o[i, j])
    large = np.zeros(s.shape, dtype=bool)
    for _, i, j in others[:wanted]:
        large[i, j] = True
        found[i, j] = 0 if scheme == "reject" else present(s[i, j])
    return found, large


def softmax(s, o):
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    return np.array([-np.log(p[i][o[i]]).mean() for i in range(len(s))])


def crisp(s, o, priors, shares=None):
    f = sigmoid(s)
    found = []
    for j, prior in enumerate(priors):
        seen = f[o[:, j], j]
        rows = len(seen) if shares is None else shares[j] * len(s)
        missed = (1 - seen).sum() / rows if len(seen) else 0
        found.append(2 * prior * missed + abs(f[:, j].mean() - prior))
    return np.array(found)


def crisp_priors(scores, o, delta=0.01, tau=0.01):
    """Try every score of a label as its threshold, the lowest first."""
    found = []
    for column, seen in zip(scores.T, o.T, strict=True):
        n, m = len(column), seen.sum()
        best, prior = math.inf, 0.0
        for z in sorted(column):
            q, p = (column >= z).mean(), (column[seen] >= z).mean() if m else 0
            if p == 0:
                break
            ln = math.log(4 / delta)
            bound = q / p + (1 + tau) / p * (math.sqrt(ln / (2 * n)) + math.sqrt(ln / (2 * m)))
            if bound < best * (1 - 1e-12):
                best, prior = bound, q / p
        found.append(prior)
    return np.array(found)


def crisp_priors_by_levels(scores, o, delta=0.01, tau=0.01):
    """Look up each row among the sorted scores of observed rows, one label after the other."""
    priors = []
    for column, seen in zip(scores.T.contiguous(), o.T, strict=True):
        levels = column[seen].sort().values
        n, m = len(column), len(levels)
        if m == 0:
            priors.append(0.0)
            continue
        passed = torch.searchsorted(levels, column, right=True)  # levels that a row reaches
        q = (n - passed.bincount(minlength=m + 1).cumsum(0)[:m]).double() / n
        p = (m - torch.searchsorted(levels, levels)).double() / m
        doubt = (1 + tau) * (math.sqrt(math.log(4 / delta) / 2) * (n**-0.5 + m**-0.5))
        best = ((q + doubt) / p).argmin()
        priors.append(float(q[best] / p[best]))
    return scores.new_tensor(priors)


def gaussian_kl(mean, log_std):
    std = np.exp(log_std)
    return -(1 + 2 * np.log(std) - mean**2 - std**2) / 2
