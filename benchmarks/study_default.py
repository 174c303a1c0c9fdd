"""What each part of the default estimator is worth: Blend with one thing changed at a time.

Members are fitted once for a draw of split and observed labels, and put together in every way that
is asked about. All are chosen by the validation rows and judged on the calibration rows. The rows
that the profile `paper` tests on are left out before anything is drawn, so that what is decided
here can still be tested on them.

Run: python benchmarks/study_default.py RESULTS.csv [DATA SET ...]    # goes on where it stopped
     python benchmarks/study_default.py RESULTS.csv espgame --only "Blend,one network"
     python benchmarks/study_default.py RESULTS.csv --table
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lamc.benchmark.protocol import Task, task_of
from lamc.datasets import Dataset, load, split
from lamc.labels import Labels
from lamc.learners import AN, ANLS, EM, WAN, Blend, Softmax, Trees, label_regression, selection
from lamc.learners.holdout import drawn_parts, observed_only
from lamc.learners.label_regression import LabelRegression
from lamc.learners.outliers import Fences
from lamc.learners.pool import (
    as_shares,
    pool_weights,
    pooled,
    reveal_factors,
    shares_of_odds,
)
from lamc.learners.scaling import in_units, units_of
from lamc.learners.trees import observed_shares
from lamc.metrics import ranking_metrics
from lamc.scoring import scores_of

SMALL = ["CAL500", "scene", "yeast", "Image"]
LARGER = ["corel5k", "rcv1subset1", "Corel16k001"]
DRAWS = {**dict.fromkeys(SMALL, 4), **dict.fromkeys(LARGER, 1)}
NETWORK = {
    "n_models": 5,
    "epochs": 40,
    "batch_size": 64,
    "learning_rate": 1e-3,
    "patience": 6,
    "n_threads": 1,
    "random_state": 0,
}
LEAST_UNITS = 256  # of Blend's networks, which have more where there are more labels
FEW_LABELS = 20  # boosting grows as many trees a round as there are labels

Member = tuple[np.ndarray, np.ndarray]  # shares of validation and calibration rows


class Known(NamedTuple):
    """What is known of labels besides the shares that members give."""

    labels: Labels  # of validation rows
    observed: np.ndarray  # training rows of each label


class Study:
    """Members of one draw, fitted when they are first asked for."""

    def __init__(self, given: Task) -> None:
        self.given = given
        self.task = task = within_fences(given)
        self.kept: dict[str, Member] = {}
        self.known = Known(task.validation.labels, task.learn.labels.counts)

    def member(self, name: str) -> Member:
        """Shares that a member gives."""
        if name not in self.kept:
            plain = name.removesuffix(AS_GIVEN)
            self.kept[name] = MEMBERS[plain](self.task if plain == name else self.given)
        return self.kept[name]

    def judged(
        self, names: list[str], correction: str = "as Blend", way: str = "pool"
    ) -> tuple[float, ...]:
        """Average precision, coverage and ranking loss of members together.

        The first of them fills in for trees, which give nothing to many labels.
        """
        first = self.member(names[0])
        members = [
            filled_in(self.member(name), first)
            if name.removesuffix(AS_GIVEN) in TREES
            else self.member(name)
            for name in names
        ]
        chosen, judged = WAYS[way](
            [each[0] for each in members], [each[1] for each in members], self.known.labels
        )
        scores = CORRECTIONS[correction](judged, chosen, self.known)
        found = ranking_metrics(self.task.calibration.labels, scores)
        return found.average_precision, found.coverage_error, found.ranking_loss


def within_fences(task: Task) -> Task:
    """Rows of which values far from the others are brought nearer, as Blend does before all."""
    fences = Fences.of(task.learn.X)
    parts = {
        name: replace(getattr(task, name), X=fences.transform(getattr(task, name).X))
        for name in ("learn", "validation", "calibration")
    }
    return replace(task, **parts)


def filled_in(trees: Member, first: Member) -> Member:
    """Trees that leave a tenth to another member."""
    chosen, judged = (0.9 * each + 0.1 * other for each, other in zip(trees, first, strict=True))
    return chosen, judged


def by_pool(chosen: list[np.ndarray], judged: list[np.ndarray], known: Labels) -> Member:
    """Products of powers."""
    weights = pool_weights(chosen, known)
    return pooled(chosen, weights), pooled(judged, weights)


def by_mixture(chosen: list[np.ndarray], judged: list[np.ndarray], known: Labels) -> Member:
    """Weighted means, with the weights under which held-out labels are most likely."""
    shares = observed_shares(known).tocoo()
    given = np.stack([each[shares.coords] for each in chosen])
    weights = np.full(len(chosen), 1 / len(chosen))
    for _ in range(200):
        credit = weights[:, None] * given
        weights = (credit / credit.sum(axis=0)) @ shares.data / shares.data.sum()
    return np.tensordot(weights, chosen, axes=1), np.tensordot(weights, judged, axes=1)


WAYS = {"pool": by_pool, "mixture": by_mixture}


def network(
    learner: type = WAN, scale: str = "as Blend", shares: object = shares_of_odds, **changes: object
) -> Callable[[Task], Member]:
    """Networks, as shares."""

    def fit(task: Task) -> Member:
        scaled, standardise = SCALES[scale](task.learn.X)
        width = int(np.clip(len(task.learn.labels.classes), 256, 1024))
        settings = NETWORK | {"standardise": standardise, "hidden": width} | changes
        fitted = learner(**settings).fit(
            scaled(task.learn.X),
            task.learn.labels,
            scaled(task.validation.X),
            observed_only(task.validation.labels),
        )
        return both(task, lambda X: shares(fitted.predict_proba(scaled(X))))

    return fit


def told_all(task: Task) -> Member:
    """Networks that learn from the validation rows alone, with all their labels."""
    rows, labels = task.validation.X, task.validation.labels
    kept, held = drawn_parts(len(labels), 0.2, rows, labels)
    scaled, standardise = SCALES["as Blend"](task.learn.X)
    width = int(np.clip(len(labels.classes), 256, 1024))
    fitted = AN(**NETWORK | {"standardise": standardise, "hidden": width}).fit(
        scaled(rows[kept]), observed_only(labels[kept]), scaled(rows[held]), labels[held]
    )
    return both(task, lambda X: as_shares(fitted.predict_proba(scaled(X))))


def by_plain_likelihood(task: Task) -> Member:
    """Networks whose epoch is the one under which held-out labels are most likely as they are."""
    with patch.object(selection, "_best_likelihood", selection._likelihood):
        return network()(task)


def as_blend(X: object) -> tuple[Callable[[object], object], bool]:
    """Standardised, or each feature in a unit of its own if nine in ten values are 0."""
    if not mostly_zero(X):
        return lambda rows: rows, True
    units = units_of(X)
    return lambda rows: in_units(rows, *units), False


def by_one_number(X: object) -> tuple[Callable[[object], object], bool]:
    """Standardised, or all features divided by one number."""
    if not mostly_zero(X):
        return lambda rows: rows, True
    values = X.data if sparse.issparse(X) else X
    unit = np.sqrt((values[values != 0] ** 2).mean())
    return lambda rows: rows / unit, False


def mostly_zero(X: object) -> bool:
    filled = X.count_nonzero() if sparse.issparse(X) else np.count_nonzero(X)
    return filled < 0.1 * np.prod(X.shape)


def as_tfidf(X: object) -> tuple[Callable[[object], object], bool]:
    """Weighted by how rare features are, if they are counts."""
    if not are_counts(X):
        return as_blend(X)
    return TfidfTransformer(sublinear_tf=True).fit(X).transform, False


SCALES = {
    "as Blend": as_blend,
    "standardised": lambda X: (lambda rows: rows, True),
    "raw": lambda X: (lambda rows: rows, False),
    "tf-idf": as_tfidf,
    "one number": by_one_number,
}


def trees(**changes: object) -> Callable[[Task], Member]:
    """Trees."""

    def fit(task: Task) -> Member:
        fitted = Trees(**({"n_trees": 100, "n_jobs": 1, "random_state": 0} | changes))
        fitted.fit(task.learn.X, task.learn.labels)
        return both(task, fitted.predict_proba)

    return fit


def frequencies(task: Task) -> Member:
    """How often each label was observed."""
    counts = task.learn.labels.counts + 0.5
    return both(task, lambda X: np.broadcast_to(counts / counts.sum(), (X.shape[0], len(counts))))


def classifier(make: Callable[[], object]) -> Callable[[Task], Member]:
    """A classifier of scikit-learn on the observed label."""

    def fit(task: Task) -> Member:
        fitted = make().fit(dense(task.learn.X), task.learn.labels.index())
        names = np.arange(len(task.learn.labels.classes))
        return both(
            task, lambda X: as_shares(scores_of(fitted, dense(X), names, by_position=False))
        )

    return fit


def neighbours(task: Task) -> Member:
    """Labels observed on the 30 nearest training rows."""
    scale = StandardScaler().fit(dense(task.learn.X))
    found = NearestNeighbors(n_neighbors=30).fit(scale.transform(dense(task.learn.X)))
    shares = observed_shares(task.learn.labels)

    def of(X: object) -> np.ndarray:
        near = found.kneighbors(scale.transform(dense(X)), return_distance=False)
        marks = sparse.csr_array(
            (np.ones(near.size), near.ravel(), np.arange(len(near) + 1) * near.shape[1]),
            shape=(len(near), shares.shape[0]),
        )
        return (marks @ shares).toarray() / near.shape[1]

    return both(task, of)


def both(task: Task, shares: Callable[[object], np.ndarray]) -> Member:
    return shares(task.validation.X), shares(task.calibration.X)


def dense(X: object) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def are_counts(X: object) -> bool:
    values = X.data if sparse.issparse(X) else np.asarray(X)
    return bool((values >= 0).all() and (values == np.rint(values)).all())


MEMBERS: dict[str, Callable[[Task], Member]] = {
    "network": network(),
    "trees": trees(),
    "frequencies": frequencies,
    "one network": network(n_models=1),
    "epochs by plain likelihood": by_plain_likelihood,
    "validation rows alone": told_all,
    "dropout": network(dropout=0.5),
    "128 units": network(hidden=128),
    "256 units": network(hidden=256),
    "1024 units": network(hidden=1024),
    "weight decay": network(weight_decay=1e-4),
    "all standardised": network(scale="standardised"),
    "none standardised": network(scale="raw"),
    "tf-idf": network(scale="tf-idf"),
    "one scale for all features": network(scale="one number"),
    "scores as shares": network(shares=as_shares),
    "AN": network(AN, shares=as_shares),
    "label smoothing": network(ANLS, shares=as_shares),
    "EM": network(EM, shares=as_shares),
    "softmax": network(Softmax, shares=as_shares),
    "batches of 16": network(batch_size=16),
    "rate .0003": network(learning_rate=3e-4),
    "logistic": classifier(
        lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=200))
    ),
    "boosting": classifier(
        lambda: HistGradientBoostingClassifier(
            max_iter=60, learning_rate=0.1, max_leaf_nodes=15, random_state=0
        )
    ),
    "neighbours": neighbours,
    "20 trees": trees(n_trees=20),
    "300 trees": trees(n_trees=300),
    "leaves of 1": trees(min_leaf=1),
    "leaves of 10": trees(min_leaf=10),
}


def corrected(judged: np.ndarray, chosen: np.ndarray, known: Known) -> np.ndarray:
    """Multiply by what validation rows tell of how often each label is true."""
    return reveal_factors(chosen, known.labels, known.observed) * judged


def regressed(judged: np.ndarray, chosen: np.ndarray, known: Known) -> np.ndarray:
    """And by what they tell of labels that come together."""
    things = np.arange(len(chosen))
    found = LabelRegression.of(chosen, known.labels, known.observed, chosen, things)
    return corrected(found.multiplied(judged.copy()), chosen, known)


def in_directions(count: int) -> "Correction":
    """The same with another number of directions."""

    def of(judged: np.ndarray, chosen: np.ndarray, known: Known) -> np.ndarray:
        with patch.object(label_regression, "_DIRECTIONS", count):
            return regressed(judged, chosen, known)

    return of


def by_count(judged: np.ndarray, chosen: np.ndarray, known: Known) -> np.ndarray:
    """Multiply by the mean number of labels of validation rows that have the label."""
    positives, cardinality = known.labels.positives, known.labels.cardinality
    of_label = positives.T @ cardinality
    return judged * (of_label + 5 * cardinality.mean()) / (known.labels.counts + 5)


def by_logistic(judged: np.ndarray, chosen: np.ndarray, known: Known) -> np.ndarray:
    """A logistic curve for each label with 5 true validation rows or more, else the common one."""
    from scipy.special import expit

    truth = known.labels.positives.toarray().astype(float)
    factors = reveal_factors(chosen, known.labels, known.observed)
    x, x_judged = (np.log(np.maximum(factors * each, 1e-9)) for each in (chosen, judged))
    common = LogisticRegression(C=1e3).fit(x.reshape(-1, 1), truth.ravel())
    scores = expit(common.coef_[0, 0] * x_judged + common.intercept_[0])
    counts = known.labels.counts
    for label in np.flatnonzero((counts >= 5) & (counts <= len(truth) - 5)):
        own = LogisticRegression(C=1.0).fit(x[:, [label]], truth[:, label])
        scores[:, label] = own.predict_proba(x_judged[:, [label]])[:, 1]
    return scores


Correction = Callable[[np.ndarray, np.ndarray, Known], np.ndarray]
CORRECTIONS: dict[str, Correction] = {
    "as Blend": regressed,
    "factors": corrected,
    "none": lambda judged, chosen, known: judged,
    "count": by_count,
    "logistic": by_logistic,
    "16 directions": in_directions(16),
    "256 directions": in_directions(256),
}

BASE = ["network", "trees", "frequencies"]
AS_GIVEN = ", far values as given"
TREES = {"trees", "20 trees", "300 trees", "leaves of 1", "leaves of 10"}


def variants(n_labels: int) -> Iterator[tuple[str, ...]]:
    """Name, members, correction and way of all that is compared."""
    yield "Blend", BASE
    yield "without networks", ["frequencies", "trees"]
    yield "without trees", ["network", "frequencies"]
    yield "without frequencies", ["network", "trees"]
    for name in (
        "one network",
        "epochs by plain likelihood",
        "dropout",
        "128 units",
        "1024 units",
        "weight decay",
        "all standardised",
        "none standardised",
        "tf-idf",
        "one scale for all features",
        "scores as shares",
        "AN",
        "label smoothing",
        "EM",
        "softmax",
        "batches of 16",
        "rate .0003",
    ):
        yield name, [name, "trees", "frequencies"]
    yield (
        "far values as given",
        [f"network{AS_GIVEN}", f"trees{AS_GIVEN}", "frequencies"],
    )
    yield "trees filled in by frequencies", ["frequencies", "network", "trees"]
    for name in ("20 trees", "300 trees", "leaves of 1", "leaves of 10"):
        yield name, ["network", name, "frequencies"]
    for name in ("softmax", "logistic", "neighbours"):
        yield f"and {name}", [*BASE, name]
    if n_labels > LEAST_UNITS:
        yield "256 units", ["256 units", "trees", "frequencies"]
    if n_labels <= FEW_LABELS:
        yield "and boosting", [*BASE, "boosting"]
    yield "a mixture, not a pool", BASE, "as Blend", "mixture"
    yield "labels one by one", BASE, "factors"
    yield "labels one by one, by count", BASE, "count"
    yield "labels one by one, by a logistic curve", BASE, "logistic"
    yield "labels as they are", BASE, "none"
    yield "regression in 16 directions", BASE, "16 directions"
    yield "regression in 256 directions", BASE, "256 directions"
    yield "validation rows alone", ["validation rows alone"], "none"


def without_validation_rows(task: Task) -> tuple[float, ...]:
    """Blend as it is fitted where only rows with an observed label are given."""
    blend = Blend(random_state=0).fit(task.learn.X, task.learn.labels)  # has fences of its own
    scores = blend.predict_proba(task.calibration.X)
    found = ranking_metrics(task.calibration.labels, scores)
    return found.average_precision, found.coverage_error, found.ranking_loss


def without_test(data: Dataset) -> Dataset:
    """The rows that the profile `paper` does not test on."""
    parts = data.split if data.split is not None else split(data.Y, random_state=0)
    rows = np.setdiff1d(np.arange(data.X.shape[0]), parts.test)
    return replace(data, X=data.X[rows], Y=data.Y[rows], split=None, observed=None, pictures=None)


def run(file: Path, datasets: list[str], only: list[str]) -> None:
    done = set()
    if file.exists():
        done = {tuple(row[:3]) for row in csv.reader(file.open())}
    for dataset in datasets:
        for draw in range(DRAWS.get(dataset, 1)):
            task = task_of(without_test(load(dataset)), "anew", draw, "train")
            study = Study(task)
            compared = list(variants(len(task.learn.labels.classes)))
            compared.append(("no validation rows",))
            for name, *how in compared:
                if (dataset, str(draw), name) in done or (only and name not in only):
                    continue
                start = time.process_time()
                found = study.judged(*how) if how else without_validation_rows(task)
                spent = time.process_time() - start
                numbers = [*(f"{x:.5f}" for x in found), f"{spent:.1f}"]
                with file.open("a", newline="") as out:
                    csv.writer(out).writerow([dataset, draw, name, *numbers])


def table(file: Path) -> str:
    """Average precision of Blend, and what each change adds to it, in hundredths.

    The last two columns say what the change adds to coverage and ranking loss, in per cent.
    """
    names = ["dataset", "draw", "variant", "average_precision", "coverage", "ranking", "seconds"]
    found = pd.read_csv(file, names=names)
    precision, coverage, ranking = (
        found.pivot_table(index=["dataset", "draw"], columns="variant", values=metric)
        for metric in names[3:6]
    )
    order = list(dict.fromkeys(found["dataset"]))
    base = precision["Blend"].groupby("dataset").mean()[order]
    columns = [*order, "mean", "coverage, %", "ranking loss, %"]
    lines = [
        "| | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns),
        "| Blend | " + " | ".join(f"{x:.3f}" for x in base) + " | | | |",
    ]
    listed = [name for name in found["variant"].unique() if name != "Blend"]
    for name in listed:
        gain = (100 * (precision[name] - precision["Blend"])).groupby("dataset").mean()[order]
        shares = [
            (100 * (losses[name] / losses["Blend"] - 1)).groupby("dataset").mean().mean()
            for losses in (coverage, ranking)
        ]
        cells = ["" if np.isnan(x) else f"{x:+.1f}" for x in [*gain, *shares]]
        cells.insert(len(order), f"{gain.mean():+.2f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    warnings.simplefilter("ignore")
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("file", type=Path)
    asked.add_argument("datasets", nargs="*", default=[*SMALL, *LARGER])
    asked.add_argument("--only", default="", help="variants, separated by commas")
    asked.add_argument("--table", action="store_true", help="print what the file holds")
    told = asked.parse_args()
    if told.table:
        print(table(told.file), end="")
    else:
        run(told.file, told.datasets, [name for name in told.only.split(",") if name])


if __name__ == "__main__":
    main()
