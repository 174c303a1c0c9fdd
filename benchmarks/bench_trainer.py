"""The trainer: 5 seeds × 3 rates of the paper's network, against the plain PyTorch way.

The plain way is a Dataset, a DataLoader, ``nn.Sequential``, ``torch.optim.Adam`` and autograd, one
network after another. One of its networks is timed, and one group of ours, on the same rows; what
is compared is the time a network takes for a batch. Rounds of both alternate, and the median of
the rounds' ratios counts: by the clock, and beside it by the processor's work, which other
programs disturb less. Both begin with the same weights and orders of rows, and must come to
the same numbers. Choice of epoch and rate is left out: it is the same for both.

Beside it stands the limit: the matrix products of a step at the speed of one large product, plus
Adam's kernel alone over as many parameters, both measured in the same rounds.

Run: python benchmarks/bench_trainer.py (where other programs run too, with OMP_WAIT_POLICY=passive,
or two threads wait for each other most of the time)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from lamc import losses
from lamc.learners.an import AssumeNegative
from lamc.learners.method import Group
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import DenseRows
from lamc.learners.stack import Shape
from lamc.learners.stack_adam import StackAdam
from lamc.learners.trainer import Plan, group_size, row_order, train_epoch
from ratios import print_table

SEEDS, RATES, BATCH = range(5), (1e-4, 1e-3, 1e-2), 16
ROUNDS, STEPS = 15, 120  # rounds that count, and batches a round has at most
SIDE = 1024  # of the large product
NEAR = 1e-5  # how equal weights must be after a round; a step is up to ten times as long


@dataclass(frozen=True)
class Case:
    """Rows, features and labels of a data set, and how many times faster we have to be."""

    rows: int
    features: int
    labels: int
    at_least: float

    @property
    def shape(self) -> Shape:
        """The paper's network, which has as many hidden units as labels."""
        return Shape(self.features, self.labels, self.labels)


CASES = {
    "yeast": Case(1933, 103, 14, at_least=20),
    "Corel16k001": Case(11_012, 500, 153, at_least=4),
    "corel5k": Case(4000, 499, 374, at_least=3),
    "delicious": Case(12_872, 500, 983, at_least=1.7),
}


class Ours:
    """The first group of the fifteen networks, as the trainer forms it."""

    def __init__(self, case: Case, X: Tensor, observed: Tensor) -> None:
        tasks = [(seed, rate) for rate in RATES for seed in SEEDS]
        tasks = tasks[: group_size(case.shape, len(tasks))]
        seeds, rates = [seed for seed, _ in tasks], [rate for _, rate in tasks]
        labels = OneLabelEach(observed, case.labels)
        self.group = Group(seeds, rates, case.shape, DenseRows(X), labels, epochs=1)
        self.method = AssumeNegative(losses.wan, weight=1 / (case.labels - 1))
        self.stack = self.method.stack(self.group)
        self.adam = StackAdam(self.stack.held_weights, self.stack.held_gradients, rates)

    def train(self, epoch: int) -> None:
        """Train all networks of the group on all rows."""
        plan = Plan(epochs=1, batch_size=BATCH, learning_rates=RATES)
        train_epoch(self.stack, self.adam, self.group, plan, self.method, epoch)

    def weights(self) -> list[Tensor]:
        """Weights of the first network."""
        return [weight[0] for weight in self.stack.weights]


class Plain:
    """One network, the plain way."""

    def __init__(self, case: Case, X: Tensor, observed: Tensor, start: list[Tensor]) -> None:
        d, h, k = case.shape.features, case.shape.hidden, case.shape.labels
        self.net = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, k))
        for parameter, weight in zip(self.net.parameters(), start, strict=True):
            parameter.data.copy_(weight.T.reshape(parameter.shape))
        self.adam = torch.optim.Adam(self.net.parameters(), lr=RATES[0])
        self.rows = TensorDataset(X, functional.one_hot(observed, k).float())

    def train(self, epoch: int) -> None:
        """Train the network on all rows."""
        order = row_order(SEEDS[0], epoch, len(self.rows)).tolist()
        for x, target in DataLoader(self.rows, batch_size=BATCH, sampler=order):
            self.adam.zero_grad()
            weight = target + (1 - target) / (target.shape[1] - 1)
            loss = functional.binary_cross_entropy_with_logits(self.net(x), target, weight)
            torch.autograd.backward(loss)
            self.adam.step()

    def weights(self) -> list[Tensor]:
        """Weights, as ours are laid out."""
        return [each.detach().reshape(len(each), -1).T for each in self.net.parameters()]


def multiplications(shape: Shape) -> int:
    """Multiplications and additions of a step: each layer, its gradient, and that at the hidden."""
    first, second = shape.features * shape.hidden, shape.hidden * shape.labels
    return 2 * BATCH * (2 * first + 3 * second)


class Taken(NamedTuple):
    """Seconds by the clock, and those that the processor worked for us."""

    clock: float
    work: float


def measure(run: Callable[..., object], *given: object) -> Taken:
    begin = Taken(time.perf_counter(), time.process_time())
    run(*given)
    return Taken(time.perf_counter() - begin.clock, time.process_time() - begin.work)


def least(run: Callable[..., object], *given: object) -> float:
    """Seconds of the fastest of three runs."""
    return min(measure(run, *given).clock for _ in range(3))


def compare(name: str, case: Case) -> list[str]:
    """A line of the table."""
    draws = torch.Generator().manual_seed(0)
    n = min(case.rows, STEPS * BATCH)
    X = torch.randn(n, case.features, generator=draws)
    observed = torch.randint(case.labels, (n,), generator=draws)
    ours = Ours(case, X, observed)
    plain = Plain(case, X, observed, ours.weights())
    ours.train(epoch=1)
    plain.train(epoch=1)
    pairs = zip(ours.weights(), plain.weights(), strict=True)
    apart = max(float((a - b).abs().max()) for a, b in pairs)
    networks, steps = len(ours.group), -(-n // BATCH)
    square = torch.rand(SIDE, SIDE, generator=draws)
    by_plain, by_ours, limits = [], [], []
    for epoch in range(2, ROUNDS + 2):
        by_plain.append(measure(plain.train, epoch))
        by_ours.append(measure(ours.train, epoch))
        product = least(torch.mm, square, square) / (2 * SIDE**3)
        limits.append(multiplications(case.shape) * product + least(ours.adam.step) / networks)
    each = [own.clock / networks / steps for own in by_ours]
    rounds = list(zip(by_plain, by_ours, strict=True))
    ratio = median(networks * theirs.clock / own.clock for theirs, own in rounds)
    worked = median(networks * theirs.work / own.work for theirs, own in rounds)
    distance = median(own / limit for own, limit in zip(each, limits, strict=True))
    return [
        name,
        str(networks),
        f"{1e6 * median(theirs.clock for theirs in by_plain) / steps:.0f}",
        f"{1e6 * median(each):.0f}",
        f"{1e6 * median(limits):.0f}",
        f"{distance:.1f}",
        f"{worked:.1f}",
        f"{ratio:.1f}",
        f"{case.at_least:g} {'met' if ratio >= case.at_least else 'MISSED'}",
        "yes" if apart < NEAR else f"NO, {apart:.0e}",
    ]


def main() -> None:
    columns = ["shape of", "together", "plain, µs", "ours, µs", "limit, µs"]
    columns += ["ours / limit", "plain / ours: work", "clock", "at least", "same"]
    for threads in (1, 2):
        torch.set_num_threads(threads)
        table = [compare(name, case) for name, case in CASES.items()]
        print_table(
            f"A network's batch of {BATCH}, both ways with {threads} threads", columns, table
        )


if __name__ == "__main__":
    main()
