"""Processor time of the default estimator, full and fast, on the data sets of the benchmark.

Both fit the rivals' training rows of the profile `paper`, by turns and in one process, so that
their ratio holds on a busy machine too.

Run: python benchmarks/study_cost.py results/default-cost.csv [--runs N] [DATA SET ...]
     # adds data sets that are not there
"""

import time
import warnings

from lamc.benchmark.plan import PAPER_DATASETS
from lamc.benchmark.protocol import Task, task_of
from lamc.datasets import load
from lamc.learners import Blend
from studies import Findings, asked

EFFORTS = ("fast", "full")


def seconds(task: Task, effort: str, seed: int) -> float:
    """Processor time of one fit."""
    blend = Blend(effort=effort, random_state=seed)
    start = time.process_time()
    blend.fit(task.learn.X, task.learn.labels, task.validation.X, task.validation.labels)
    return time.process_time() - start


def main() -> None:
    warnings.simplefilter("ignore")
    told = asked(__doc__, PAPER_DATASETS, runs=1)
    found = Findings(told.file, ["dataset", "effort", "run", "seconds"])
    seconds(task_of(load("CAL500"), "given", 0, "training"), "fast", 0)  # imports, once
    for name in found.missing(told.datasets):
        task = task_of(load(name), "given", 0, "training")
        found.add(
            [
                [name, effort, run, f"{seconds(task, effort, run):.3f}"]
                for run in range(told.runs)
                for effort in EFFORTS
            ]
        )


if __name__ == "__main__":
    main()
