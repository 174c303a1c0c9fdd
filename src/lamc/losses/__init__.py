"""Losses for labels of which only some positives are observed, as plain functions on logits.

Each is ``loss(logits, observed, …, reduction="mean")`` on torch tensors, for any training loop::

    loss = losses.wan(network(x), observed)
    loss.backward()

``logits``
    Floats of shape (B, K): a row for each example, a column for each label.
``observed``
    The positives: integers of shape (B,), the index of one a row; or 0 and 1 of shape (B, K), any
    number a row. A bool matrix is read fastest, and an index is cheaper than a matrix.
``reduction``
    "mean" over all B · K entries as in the reference codes, "sum", or "none" for the matrix of
    entries. A loss that is not a sum over entries says what these mean for it.

Several models at once: with logits of shape (M, B, K) and observed labels of shape (M, B) or
(M, B, K), "mean" and "sum" have shape (M,) and hold what each model would have given alone. More
leading dimensions work likewise.

The formulas write s for a logit, f = σ(s) for its probability, P for the observed entries and U
for the others. Logarithms of f and 1 − f are computed from s, without an ε inside, and stay finite
for every finite logit; the reference codes add 1e-5 or 1e-7 to f first. Epochs count from 1.
"""

from lamc.losses.bottleneck import gaussian_kl
from lamc.losses.categorical import softmax
from lamc.losses.count import epr, role
from lamc.losses.large import LargeLoss, large_loss
from lamc.losses.negative import an, an_ls, soft_target, wan
from lamc.losses.prior import crisp, crisp_priors
from lamc.losses.robust import gr, hill, splc
from lamc.losses.unknown import em, em_apl

__all__ = [
    "LargeLoss",
    "an",
    "an_ls",
    "crisp",
    "crisp_priors",
    "em",
    "em_apl",
    "epr",
    "gaussian_kl",
    "gr",
    "hill",
    "large_loss",
    "role",
    "soft_target",
    "softmax",
    "splc",
    "wan",
]
