"""The networks of the `paper` profile, data set by data set, against the plain PyTorch way.

AN, WAN and LAMC's WAN train the same network with other weights of the loss: five units of work a
data set (LAMC's is one of WAN's two), each of 5 seeds × 3 rates × 25 epochs in batches of 16. The
time of a batch is measured as in bench_trainer.py, for the shape of each data set, both ways in
turns with one thread. Time for a whole data set is that of a batch times their number; reading,
choosing and measuring are left out, for they are the same.

Run: python benchmarks/bench_paper.py
"""

from statistics import median

import torch

from bench_trainer import BATCH, RATES, SEEDS, STEPS, Case, Ours, Plain, measure
from lamc.benchmark.plan import PAPER_DATASETS
from lamc.datasets import catalogue
from ratios import print_table

EPOCHS, ROUNDS = 25, 5
PARTS = (0.8, 0.7)  # of the rows that a unit trains on: with the calibration rows, and without
METHODS = 2


def seconds_of_a_batch(case: Case) -> tuple[float, float]:
    """Of one network: the plain way, and ours in its group."""
    draws = torch.Generator().manual_seed(0)
    n = min(case.rows, STEPS * BATCH)
    X = torch.randn(n, case.features, generator=draws)
    observed = torch.randint(case.labels, (n,), generator=draws)
    ours = Ours(case, X, observed)
    plain = Plain(case, X, observed, ours.weights())
    by_plain, by_ours = [], []
    for epoch in range(1, ROUNDS + 2):
        by_plain.append(measure(plain.train, epoch).work)
        by_ours.append(measure(ours.train, epoch).work)
    steps = -(-n // BATCH)
    return median(by_plain[1:]) / steps, median(by_ours[1:]) / steps / len(ours.group)


def main() -> None:
    torch.set_num_threads(1)
    rows, sums = [], [0.0, 0.0]
    for name in PAPER_DATASETS:
        about = catalogue[name].variants[0]  # the shape in the paper
        case = Case(about.rows, about.features, about.labels, at_least=1)
        batches = METHODS * len(SEEDS) * len(RATES) * EPOCHS * sum(PARTS) * about.rows / BATCH
        plain, ours = (batches * seconds / 60 for seconds in seconds_of_a_batch(case))
        sums = [sums[0] + plain, sums[1] + ours]
        rows.append([name, f"{plain:.0f}", f"{ours:.1f}", f"{plain / ours:.1f}"])
    rows.append(["all", f"{sums[0]:.0f}", f"{sums[1]:.0f}", f"{sums[0] / sums[1]:.1f}"])
    columns = ["data set", "plain, minutes", "ours, minutes", "plain / ours"]
    print_table("Networks of AN, WAN and LAMC, one core", columns, rows)


if __name__ == "__main__":
    main()
