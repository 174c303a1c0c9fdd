"""Tables that hold this code against the paper."""

from functools import cache
from textwrap import fill

import numpy as np
import pandas as pd

from lamc.benchmark.nearness import nearness, nearness_text
from lamc.benchmark.paper import METHODS, METRICS, Published, published
from lamc.benchmark.result_table import table
from lamc.benchmark.selection import Choice
from tables.cells import DATASETS, EXACT, RESULTS, measured, number, rows_of

PARTS = {"training": "with", "train": "without"}  # the calibration rows


def units() -> str:
    """How many units of the profile ``paper`` are finished, and which are not."""
    places = measured("paper").query("profile == 'paper'")[["dataset", "method", "part"]]
    there = set(places.drop_duplicates().itertuples(index=False, name=None))
    there |= {(dataset, "WAN", part) for dataset, method, part in there if method == "LAMC"}
    rivals = METHODS[1:]
    n_all = len(DATASETS) * len(rivals) * len(PARTS)
    missing, n_missing = [], 0
    for dataset in DATASETS:
        by_parts: dict[tuple[str, ...], list[str]] = {}
        for rival in rivals:
            parts = tuple(part for part in PARTS if (dataset, rival, part) not in there)
            by_parts.setdefault(parts, []).append(rival)
            n_missing += len(parts)
        said = [
            ", ".join(rivals)
            + (f" {PARTS[parts[0]]} the calibration rows" if len(parts) == 1 else "")
            for parts, rivals in by_parts.items()
            if parts
        ]
        missing += [f"on {dataset} {' and '.join(said)}"] if said else []
    what = f"{n_all} units of the profile `paper` (data set × method × training rows)"
    text = f"All {what} are finished."
    if missing:
        text = (
            f"Of the {what}, {n_all - n_missing} are finished. The rest is missing, and shown as "
            f"such: {'; '.join(missing)}."
        )
    return fill(text, 100) + "\n"


@cache
def apart_by_chance() -> pd.DataFrame:
    """What ``benchmarks/study_split.py`` found: by data set, test rows and a number a metric."""
    return pd.read_csv(RESULTS / "splits.csv", index_col="dataset")


def splits() -> str:
    """How far apart test parts lie by chance."""
    found = apart_by_chance()
    cells = (
        (name, str(found.loc[name, "test_rows"]), *(number(found.loc[name, m]) for m in METRICS))
        for name in EXACT
    )
    return rows_of(
        cells, ["data set", "test rows", "average precision", "coverage", "ranking loss"]
    )


def told_all_labels() -> str:
    """Who learns from all true labels, beside the best printed rival."""
    found = pd.read_csv(RESULTS / "all-labels.csv")
    head = ["told all labels", "average precision", "coverage", "ranking loss"]
    cells = []
    for dataset, of_dataset in found.groupby("dataset", sort=False):
        for scorer, runs in of_dataset.groupby("scorer", sort=False):
            spread = runs[list(METRICS)].std()
            numbers = (
                number(runs[metric].mean())
                + (f" ± {number(spread[metric])}" if len(runs) > 1 else " (one run)")
                for metric in METRICS
            )
            cells.append((f"{dataset}, {scorer}", *numbers))
        best = (best_printed(dataset, metric) for metric in METRICS)
        printed = (f"{cell.mean:.3f} ± {cell.std:.3f} {rival}" for rival, cell in best)
        cells.append((f"{dataset}, best printed rival", *printed))
    return rows_of(cells, head)


def best_printed(dataset: str, metric: str) -> tuple[str, Published]:
    """The best of the paper's own columns but LAMC's, whatever method it is."""
    printed = published(metric)
    best = max if metric == "average_precision" else min
    rival = best(METHODS[1:], key=lambda name: printed[dataset, name].mean)
    return rival, printed[dataset, rival]


def worse_than_printed() -> str:
    """Cells of neural methods that are worse than printed by more than two standard deviations."""
    cells = []
    for metric in METRICS:
        found = table(measured("paper"), metric, Choice(profile="paper"), against_paper=True)
        sign = 1 if found.metric.better == "larger" else -1
        for dataset in EXACT:
            for method in ("SMILE", "AN", "WAN", "ROLE"):
                cell = found.cells.get((dataset, method))
                if cell is None or cell.paper is None:
                    continue
                behind = -sign * cell.difference
                if behind > 2 * cell.paper.std:
                    printed = f"{cell.paper.mean:.3f} ± {cell.paper.std:.3f}"
                    name = f"{dataset}, {method}, {metric.removesuffix('_error').replace('_', ' ')}"
                    by_split = f"{behind / apart_by_chance().loc[dataset, metric]:.1f}"
                    cells.append((name, number(cell.mean), printed, by_split))
    return rows_of(cells, ["cell", "here", "paper", "standard deviations of a split"])


def readings() -> str:
    """The eight readings of the paper that come nearest."""
    return "\n".join(nearness_text(nearness(measured("paper"))).splitlines()[:10]) + "\n"


def single_positives() -> str:
    """What calibration with one label a row costs."""
    found = measured("resampled").query(
        "method == 'LAMC' and view == 'accepted' and rule == 'recall'"
    )
    means = found.groupby(["dataset", "calibration", "metric"])["value"].mean()
    columns = [
        (calibration, metric)
        for metric in ("labels_promised", "achieved_recall", "retention")
        for calibration in ("all labels", "single positives")
    ]
    cells = []
    for dataset in DATASETS:
        if (dataset, "all labels", "retention") not in means.index:
            continue
        shares = [means.get((dataset, *column), np.nan) for column in columns]
        cells.append((dataset, *("–" if np.isnan(x) else f"{100 * x:.1f} %" for x in shares)))
    head = [
        *("data set", "labels with a promise: full labels", "single positives"),
        *("their recall: full labels", "single positives"),
        *("accepted pairs: full labels", "single positives"),
    ]
    return rows_of(cells, head)
