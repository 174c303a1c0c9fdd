"""How the paper's network ranks when it learns from all true labels, not from one of each row.

Its protocol but for the labels learnt from, with binary cross-entropy. Where a number printed for
single positives is not reached even so, no way to train on single positives can explain it.

Run: python benchmarks/study_full_labels.py [--runs N] [DATA SET ...]
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np

from lamc.benchmark.plan import EXACT_DATASETS, profile
from lamc.benchmark.protocol import task_of
from lamc.datasets import load
from lamc.learners import AN
from lamc.metrics import ranking_metrics


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=EXACT_DATASETS, metavar="DATA SET")
    parser.add_argument("--runs", type=int, default=5, help="networks, with seeds 0, 1, 2, …")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    network = profile("paper").defaults
    print("| data set | average precision | coverage | ranking loss |")
    print("| --- | ---: | ---: | ---: |")
    for name in given.datasets:
        data = load(name)
        task = task_of(replace(data, observed=data.Y), "given", 0, "training")
        found = []
        for seed in range(given.runs):
            scorer = AN(random_state=seed).set_params(**network)
            scorer.fit(task.learn.X, task.learn.labels, task.validation.X, task.validation.labels)
            all_three = ranking_metrics(task.test.labels, scorer.predict_proba(task.test.X))
            found.append(
                (all_three.average_precision, all_three.coverage_error, all_three.ranking_loss)
            )
        spread = np.std(found, axis=0, ddof=1) if given.runs > 1 else np.full(3, np.nan)
        cells = [
            f"{mean:.3f} ± {std:.3f}"
            for mean, std in zip(np.mean(found, axis=0), spread, strict=True)
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
