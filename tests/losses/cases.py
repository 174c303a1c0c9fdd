"""Every loss with its twin, and batches for them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lamc import losses

from . import twins


def nothing(rng, shape):
    """Most losses need logits and observed labels only."""
    return ()


def one_matrix(rng, shape):
    return (rng.random(shape),)


def pseudo_labels(rng, shape):
    return (np.where(rng.random(shape) < 0.5, rng.random(shape), np.nan),)


def more_logits(rng, shape):
    return (rng.normal(0, 2, shape),)


def one_a_label(rng, shape):
    return (rng.random(shape[:-2] + shape[-1:]),)


@dataclass(frozen=True)
class Case:
    """A loss, its twin, and what both take beside logits and observed labels.

    ``parts`` says what "none" gives: a value for each entry, row or label, or nothing at all.
    """

    name: str
    loss: Callable[..., torch.Tensor]
    twin: Callable[..., Any]
    more: Callable[..., tuple[Any, ...]] = nothing
    parts: str = "entries"
    frozen: Any = None  # the twin with what gradients must not flow through held still


def large(epoch, scheme, delta):
    def loss(s, o, **options):
        return losses.large_loss(s, o, epoch=epoch, scheme=scheme, delta=delta, **options).loss

    def twin(s, o):
        return twins.large_loss(s, o, epoch, scheme, delta)[0]

    return Case(f"large_loss {scheme} {epoch}", loss, twin)


CASES = [
    Case("an", losses.an, twins.an),
    Case("an_ls", losses.an_ls, twins.an_ls),
    Case(
        "an_ls 0.3",
        lambda s, o, **options: losses.an_ls(s, o, smoothing=0.3, **options),
        lambda s, o: twins.an_ls(s, o, 0.3),
    ),
    Case("wan", losses.wan, twins.wan),
    Case(
        "wan 0.7",
        lambda s, o, **options: losses.wan(s, o, weight=0.7, **options),
        lambda s, o: twins.wan(s, o, 0.7),
    ),
    Case("soft_target", losses.soft_target, twins.soft_target, one_matrix),
    Case(
        "soft_target 0.7",
        lambda s, o, c, **options: losses.soft_target(s, o, c, weight=0.7, **options),
        lambda s, o, c: twins.soft_target(s, o, c, 0.7),
        one_matrix,
    ),
    Case("em", losses.em, twins.em),
    Case("em_apl", losses.em_apl, twins.em_apl, pseudo_labels),
    Case(
        "epr",
        lambda s, o, **options: losses.epr(s, o, expected=1.7, **options),
        lambda s, o: twins.epr(s, o, 1.7),
        parts="nothing",
    ),
    Case(
        "role",
        lambda s, o, theta, **options: losses.role(s, o, theta, expected=1.7, **options),
        lambda s, o, theta: twins.role(s, o, theta, 1.7),
        more_logits,
        parts="nothing",
        frozen=lambda at, o, theta: lambda s: twins.role(s, o, theta, 1.7, (at, theta)),
    ),
    Case("hill", losses.hill, twins.hill),
    Case(
        "splc 1",
        lambda s, o, **options: losses.splc(s, o, epoch=1, **options),
        lambda s, o: twins.splc(s, o, 1),
    ),
    Case(
        "splc 2",
        lambda s, o, **options: losses.splc(s, o, epoch=2, **options),
        lambda s, o: twins.splc(s, o, 2),
    ),
    Case(
        "gr 1",
        lambda s, o, **options: losses.gr(s, o, epoch=1, epochs=8, **options),
        lambda s, o: twins.gr(s, o, 1, 8),
        frozen=lambda at, o: lambda s: twins.gr(s, o, 1, 8, at).mean(),
    ),
    Case(
        "gr 6",
        lambda s, o, **options: losses.gr(s, o, epoch=6, epochs=8, **options),
        lambda s, o: twins.gr(s, o, 6, 8),
        frozen=lambda at, o: lambda s: twins.gr(s, o, 6, 8, at).mean(),
    ),
    *(
        large(epoch, scheme, 0.1)
        for scheme in ("reject", "correct-temporarily", "correct-permanently")
        for epoch in (1, 3)
    ),
    Case("softmax", losses.softmax, twins.softmax, parts="rows"),
    Case("crisp", losses.crisp, twins.crisp, one_a_label, parts="labels"),
    Case(
        "crisp with shares",
        lambda s, o, priors, **options: losses.crisp(
            s, o, priors, shares=priors.clamp(min=0.1), **options
        ),
        lambda s, o, priors: twins.crisp(s, o, priors, priors.clip(min=0.1)),
        one_a_label,
        parts="labels",
    ),
]
IDS = [case.name for case in CASES]


@dataclass(frozen=True)
class Batch:
    """Logits, positives as a matrix and, where there is one a row, as an index; and the rest."""

    s: np.ndarray
    o: np.ndarray
    index: np.ndarray
    more: tuple[np.ndarray, ...]

    def tensors(self, *, by="matrix", dtype=torch.float64):
        observed = torch.as_tensor(self.index if by == "index" else self.o)
        logits = torch.tensor(self.s, dtype=dtype, requires_grad=True)
        return logits, observed, *(torch.tensor(m, dtype=dtype) for m in self.more)


def batch(case, seed=0, shape=(6, 5), spread=2.0, several=False):
    """A batch for a case; with ``several`` some rows have more than one positive."""
    rng = np.random.default_rng(seed)
    s = rng.normal(0, spread, shape)
    index = rng.integers(shape[-1], size=shape[:-1])
    o = np.arange(shape[-1]) == index[..., None]
    if several:
        o = o | (rng.random(shape) < 0.2)
    return Batch(s, o, index, case.more(rng, shape))
