"""SMILE: an epoch, against the way of running the encoder over the whole graph at every batch.

Both take the same steps from the same start, and must come to the same numbers. The slow way is
run for a few steps only, in turns with the fast one, and scaled up to an epoch. Rounds of both last
about as long, and their medians count. It is measured with one thread, by the processor's time so
that other work does not count, and with as many threads as torch takes by itself: the products of
the slow way are large and gain by threads, those of a batch hardly do. That needs an idle machine.
The search for neighbours, which both need once, is not part of the epoch and timed by itself.

Run: python benchmarks/bench_smile.py
"""

import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lamc.learners.beta import draw
from lamc.learners.enhancement import start
from lamc.learners.method import Group, Method, Step
from lamc.learners.neighbours import nearest_others
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import DenseRows
from lamc.learners.smile import SMILE
from lamc.learners.stack import Shape, Stack
from lamc.learners.stack_adam import StackAdam
from lamc.learners.trainer import row_order
from ratios import print_table

ROWS, FEATURES, LABELS, BATCH = 11_012, 500, 153, 16  # Corel16k001
RATE, SEED = 1e-3, 0
ROUNDS = 24  # one step of the slow way each; the fast one ends the epoch
AT_LEAST, NEAR = 20, 1e-5  # budget, and how equal the two ways must be
P, MU = 0.001, 0.01  # the paper's settings for Corel16k001


def make_rows() -> Tensor:
    """Rows near a surface of twenty dimensions, as real features are."""
    rng = np.random.default_rng(0)
    found = rng.normal(size=(ROWS, 20)) @ rng.normal(size=(20, FEATURES))
    return torch.from_numpy((found / 5 + 0.3 * rng.normal(size=found.shape)).astype(np.float32))


def batches(rows: Tensor) -> Iterator[Tensor]:
    return iter(torch.from_numpy(row_order(SEED, 1, len(rows))).split(BATCH))


class Fast:
    """The encoder where a batch needs it: what the package does."""

    def __init__(self, rows: Tensor, observed: Tensor) -> None:
        shape = Shape(FEATURES, LABELS, LABELS)
        labels = OneLabelEach(observed, LABELS)
        self.group = Group([SEED], [RATE], shape, DenseRows(rows), labels, epochs=1)
        learner = SMILE.published("Corel16k001")
        learner.estimates_ = []
        self.method: Method = learner._method(self.group)
        self.stack = self.method.stack(self.group)
        self.adam = StackAdam(self.stack.held_weights, self.stack.held_gradients, [RATE])
        self.method.before_epoch(1)

    def step(self, batch: Tensor) -> None:
        """Train on a batch."""
        rows = batch[None]
        step = Step(rows, self.group.observed.take(rows), epoch=1)
        logits = self.stack.logits(self.group.rows.take(step.rows))
        self.stack.backward(self.method.gradient(logits, step))
        self.adam.step()

    def weights(self) -> list[Tensor]:
        """Weights of the classifier."""
        return [weight[0] for weight in self.stack.weights]


class Side(nn.Module):
    """Encoder, encoder of z and decoder, with the encoder over the whole graph."""

    def __init__(self, hears: Tensor) -> None:
        super().__init__()
        self.hears = hears
        drawn = start(Shape(FEATURES, LABELS, LABELS), SEED)
        self.w = nn.ParameterList([nn.Parameter(torch.from_numpy(each)) for each in drawn])

    def estimates(self, rows: Tensor) -> Tensor:
        """Estimates of the labels of all rows."""
        w = self.w
        hidden = (self.hears @ (rows @ w[0]) + w[1]).relu()
        return ((self.hears @ (hidden @ w[2]) + w[3]) @ w[4] + w[5]).sigmoid()

    def rebuild(self, x: Tensor, d: Tensor) -> Tensor:
        """Rows, made again."""
        w = self.w
        z = (torch.cat([x, d], 1) @ w[6] + w[7]).relu() @ w[8] + w[9]
        return (torch.cat([d, z], 1) @ w[10] + w[11]).relu() @ w[12] + w[13]


def drawn_labels(d: Tensor, chances: np.ndarray) -> Tensor:
    """Draws from Beta(d, 1 − d), through which autograd reaches d."""
    logits, slopes = (torch.from_numpy(each) for each in draw(d.detach().numpy(), chances))
    y = logits.sigmoid()
    return y + y * (1 - y) * slopes * (d - d.detach())


class Slow:
    """The plain way: modules, autograd, the whole graph in compressed rows at every batch."""

    def __init__(self, rows: Tensor, observed: Tensor, chosen: np.ndarray) -> None:
        n, k = chosen.shape
        self.rows, self.observed = rows, functional.one_hot(observed, LABELS).float()
        self.chosen = torch.from_numpy(chosen)
        to, share = self.chosen.reshape(-1), np.bincount(chosen.ravel(), minlength=n)
        values = torch.from_numpy(1 / np.sqrt(k * share.clip(1))).float()[to]
        place = torch.stack([to, torch.arange(n).repeat_interleave(k)])
        hears = torch.sparse_coo_tensor(place, values, (n, n), check_invariants=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # compressed rows are in beta, torch says
            self.side = Side(hears.coalesce().to_sparse_csr())
        shape = Shape(FEATURES, LABELS, LABELS)
        first = [weight[0].clone() for weight in Stack(shape, [SEED]).weights]
        self.net = nn.ParameterList([nn.Parameter(weight) for weight in first])
        self.adams = [torch.optim.Adam(m.parameters(), lr=RATE) for m in (self.net, self.side)]
        self.draws = np.random.default_rng([SEED, 5, 1])

    def step(self, batch: Tensor) -> None:
        """Train on a batch."""
        x, o = self.rows[batch], self.observed[batch]
        d = self.side.estimates(self.rows)[batch]
        y = drawn_labels(d, self.draws.random(d.shape, dtype=np.float32))
        W1, b1, W2, b2 = self.net
        logits = (x @ W1 + b1).relu() @ W2 + b2
        target = (MU * d + (1 - MU) * (o + (1 - o) * P)).detach()
        weight = o + (1 - o) / (LABELS - 1)
        entries = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        a, b = d, 1 - d
        kl = a.lgamma() + b.lgamma() + (a - 1) * a.digamma() + (b - 1) * b.digamma()
        linked = (self.chosen[batch][:, None] == batch[:, None]).any(2).float()
        shown = -(o * (y + 1e-5).log() + (1 - o) * (1 - y + 1e-5).log()).mean()
        fitted = functional.mse_loss(self.side.rebuild(x, d), x) + shown
        fitted = fitted + functional.mse_loss(y @ y.T, linked)
        seen = functional.binary_cross_entropy(d, o)
        sides = [(weight * entries).mean(), seen + 1e-3 * fitted + kl.mean()]
        for adam, loss in zip(self.adams, sides, strict=True):
            adam.zero_grad()
            loss.backward()
            adam.step()

    def weights(self) -> list[Tensor]:
        """Weights of the classifier."""
        return [weight.detach() for weight in self.net]


def seconds(way: Fast | Slow, steps: list[Tensor], clock: Callable[[], float]) -> float:
    """Seconds a step."""
    begin = clock()
    for batch in steps:
        way.step(batch)
    return (clock() - begin) / len(steps)


def compare(rows: Tensor, observed: Tensor, chosen: np.ndarray, threads: int) -> None:
    """Print what an epoch takes both ways."""
    torch.set_num_threads(threads)
    clock = time.thread_time if threads == 1 else time.perf_counter
    steps = list(batches(rows))
    fast, slow = Fast(rows, observed), Slow(rows, observed, chosen)
    both = steps[:ROUNDS]
    for batch in both:
        fast.step(batch)
    rest = np.array_split(np.arange(len(both), len(steps)), ROUNDS)
    early = [weight.clone() for weight in fast.weights()]
    rounds = [
        (seconds(slow, [batch], clock), seconds(fast, [steps[at] for at in part], clock))
        for batch, part in zip(both, rest, strict=True)
    ]
    by_slow, by_fast = np.median(rounds, axis=0)
    ratio = np.median([of_slow / of_fast for of_slow, of_fast in rounds])
    pairs = zip(early, slow.weights(), strict=True)
    apart = max(float((ours - theirs).abs().max()) for ours, theirs in pairs)
    print_table(
        f"SMILE, one epoch of {ROWS:,} × {FEATURES}, {LABELS} labels, {threads} threads",
        ["way", "ms a step", "epoch, s", "slower by"],
        [
            [name, f"{1e3 * each:.1f}", f"{each * len(steps):.1f}", f"{times:.0f}"]
            for name, each, times in [
                ("two steps around the batch", by_fast, 1),
                (f"whole graph ({len(both)} steps, scaled up)", by_slow, ratio),
            ]
        ],
    )
    print(f"  budget: {AT_LEAST}× {'met' if ratio >= AT_LEAST else 'MISSED'}")
    same = "yes" if apart < NEAR else "NO"
    print(f"  same numbers to {NEAR}: {same}, weights apart by at most {apart:.1e}")


def main() -> None:
    rows = make_rows()
    observed = torch.from_numpy(np.random.default_rng(1).integers(LABELS, size=ROWS))
    begin = time.perf_counter()
    chosen = nearest_others(rows.numpy(), 3).rows
    print(f"neighbours, once: {time.perf_counter() - begin:.1f} s")
    for threads in dict.fromkeys([1, torch.get_num_threads()]):
        compare(rows, observed, chosen, threads)


if __name__ == "__main__":
    main()
