"""The default estimator on data of unusual shapes: time, memory, and what it learns.

Rows lie near a few directions that their labels share, so that a good scorer can be told from how
often labels are observed. Beside it runs scikit-learn's logistic regression on the observed label
where that ends in reasonable time, and the frequencies of the labels as the floor.

Run: python benchmarks/bench_default.py [wide|tall|many ...]
"""

import sys
import time
import warnings
from multiprocessing import get_context

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from lamc.datasets import observe
from lamc.learners import Blend
from lamc.metrics import average_precision
from ratios import print_table

SHAPES = {
    "wide": {"rows": 10_000, "features": 30_000, "labels": 100},
    "tall": {"rows": 200_000, "features": 50, "labels": 20},
    "many": {"rows": 20_000, "features": 200, "labels": 5000},
}
TEST_ROWS = 2000
PER_ROW = 3  # labels of a row


def make_data(rows: int, features: int, labels: int) -> tuple[object, sparse.csr_array]:
    """Rows and their labels; sparse counts if there are many features."""
    rng = np.random.default_rng(0)
    themes = 20
    weight = rng.dirichlet(np.full(themes, 0.1), size=rows)
    of_label = rng.dirichlet(np.full(labels, 10 / labels), size=themes)
    chance = np.log(weight @ of_label + 1e-6) + rng.gumbel(size=(rows, labels))
    chosen = np.argpartition(-chance, PER_ROW, axis=1)[:, :PER_ROW]
    where = (np.ones(chosen.size, np.int8), chosen.ravel(), np.arange(rows + 1) * PER_ROW)
    Y = sparse.csr_array(where, shape=(rows, labels))
    if features > 5000:
        of_feature = rng.dirichlet(np.full(features, 0.01), size=themes)
        counts = np.array([rng.multinomial(100, each) for each in weight])  # words of each theme
        words, of_row = [], []
        for theme, share in enumerate(of_feature):
            words.append(rng.choice(features, size=counts[:, theme].sum(), p=share))
            of_row.append(np.repeat(np.arange(rows), counts[:, theme]))
        at = (np.ones(100 * rows, np.float32), (np.concatenate(of_row), np.concatenate(words)))
        return sparse.csr_array(at, shape=(rows, features)), Y
    return weight @ rng.normal(size=(themes, features)) + 0.3 * rng.normal(size=(rows, features)), Y


def measure(shape: str, name: str) -> tuple[float, float, float]:
    """Seconds, peak megabytes and average precision, in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(fit, (shape, name))


def fit(shape: str, name: str) -> tuple[float, float, float]:
    import resource

    warnings.simplefilter("ignore")
    rows, Y = make_data(**SHAPES[shape])
    learn, test = slice(TEST_ROWS, None), slice(0, TEST_ROWS)
    y = observe(Y[learn], random_state=0)
    start = time.perf_counter()
    if name == "frequencies":
        counts = y.counts.astype(float)
        scores = np.tile(counts, (TEST_ROWS, 1))
    elif name == "logistic":
        fitted = LogisticRegression(max_iter=50).fit(rows[learn], y.index())
        scores = np.zeros((TEST_ROWS, Y.shape[1]))
        scores[:, fitted.classes_] = fitted.predict_proba(rows[test])
    else:
        scores = Blend(effort=name, random_state=0).fit(rows[learn], y).predict_proba(rows[test])
    spent = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return spent, peak, average_precision(Y[test], scores)


def main() -> None:
    for shape in sys.argv[1:] or SHAPES:
        size = SHAPES[shape]
        rivals = ["full", "fast", "frequencies"]
        if shape != "many":
            rivals.insert(2, "logistic")
        found = {name: measure(shape, name) for name in rivals}
        print_table(
            f"{shape}: {size['rows']:,} rows, {size['features']:,} features, "
            f"{size['labels']:,} labels",
            ["scorer", "average precision", "time, as a share of full", "peak, MB"],
            [
                [name, f"{ap:.3f}", f"{spent / found['full'][0]:.3f}", f"{peak:,.0f}"]
                for name, (spent, peak, ap) in found.items()
            ],
        )


if __name__ == "__main__":
    main()
