"""How well labels can be ranked by who learns from all true labels, not from one of each row.

The paper's network under its protocol but for the labels learnt from, with binary cross-entropy,
and a forest of scikit-learn's that sees training and validation rows. Where a number printed for
single positives is not reached even so, no way to train on single positives can explain it.

Run: python benchmarks/study_full_labels.py results/all-labels.csv [--runs N] [DATA SET ...]
     # adds data sets that are not there
"""

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor

from lamc.benchmark.paper import METRICS
from lamc.benchmark.plan import EXACT_DATASETS, profile
from lamc.benchmark.protocol import Task, task_of
from lamc.datasets import load
from lamc.learners import AN
from lamc.metrics import ranking_metrics
from studies import Findings, asked


def network(task: Task, seed: int) -> np.ndarray:
    """Scores of the paper's network."""
    learn, validation = task.learn, task.validation
    scorer = AN(random_state=seed).set_params(**profile("paper").defaults)
    return scorer.fit(learn.X, learn.labels, validation.X, validation.labels).predict_proba(
        task.test.X
    )


def forest(task: Task, seed: int) -> np.ndarray:
    """Scores of a forest: the shares of a label in the leaves that a row falls into."""
    parts = task.learn, task.validation
    X = np.concatenate([dense(part.X) for part in parts])
    Y = np.concatenate([part.labels.positives.toarray() for part in parts])
    trees = RandomForestRegressor(300, min_samples_leaf=3, max_features="sqrt", random_state=seed)
    return np.clip(trees.fit(X, Y.astype(float)).predict(dense(task.test.X)), 0, 1)


def dense(X: object) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


MOST_LABELS = 500  # of a forest, which takes hours with more
SCORERS: dict[str, Callable[[Task, int], np.ndarray]] = {"network": network, "forest": forest}


def main() -> None:
    warnings.simplefilter("ignore")
    told = asked(__doc__, EXACT_DATASETS, runs=5)
    found = Findings(told.file, ["dataset", "scorer", "run", *METRICS])
    for name in found.missing(told.datasets):
        data = load(name)
        task = task_of(replace(data, observed=data.Y), "given", 0, "training")
        rows = []
        for scorer, scores_of in SCORERS.items():
            if scorer == "forest" and len(task.learn.labels.classes) > MOST_LABELS:
                continue
            for seed in range(told.runs):
                ranked = ranking_metrics(task.test.labels, scores_of(task, seed))
                numbers = (f"{getattr(ranked, metric):.5f}" for metric in METRICS)
                rows.append([name, scorer, seed, *numbers])
        found.add(rows)


if __name__ == "__main__":
    main()
