"""How far two test parts of the same size lie apart by chance, for the paper's three metrics.

The paper's standard deviations are over starts of networks on one split. Where its split is not
known, means also differ by which rows were tested: by √2 standard errors of a mean over test rows.

Run: python benchmarks/study_split.py results/splits.csv [DATA SET ...]    # adds what is not there
"""

import warnings

import numpy as np

from lamc.benchmark.paper import METRICS
from lamc.benchmark.plan import EXACT_DATASETS
from lamc.benchmark.protocol import task_of
from lamc.datasets import load
from lamc.learners import Blend
from lamc.metrics import ranking_metrics
from studies import Findings, asked


def main() -> None:
    warnings.simplefilter("ignore")
    told = asked(__doc__, EXACT_DATASETS)
    found = Findings(told.file, ["dataset", "test_rows", *METRICS])
    for name in found.missing(told.datasets):
        task = task_of(load(name), "given", 0, "training")
        validation = task.validation
        blend = Blend(effort="fast", random_state=0)
        blend.fit(task.learn.X, task.learn.labels, validation.X, validation.labels)
        scores, truth = blend.predict_proba(task.test.X), task.test.labels
        n = len(truth)
        rows = [ranking_metrics(truth[[i]], scores[[i]]) for i in range(n)]
        values = [[getattr(each, metric) for metric in METRICS] for each in rows]
        apart = np.sqrt(2 / n) * np.std(values, axis=0, ddof=1)
        found.add([[name, n, *(f"{each:.5f}" for each in apart)]])


if __name__ == "__main__":
    main()
