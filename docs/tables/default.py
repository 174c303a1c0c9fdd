"""Tables of the default estimator beside its rivals, and of what it is made of."""

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from lamc.benchmark.paper import METHODS, METRICS
from lamc.benchmark.result_table import DECIMALS, table
from lamc.benchmark.selection import Choice
from lamc.benchmark.store import read_curves
from tables.cells import DATASETS, DOCS, EXACT, RESULTS, means, measured, number, rows_of
from tables.paper import best_printed

LATER = ("Blend", *METHODS)
PROFILES = {"paper": "the paper's split", "resampled": "rows drawn anew"}
RUNS = 5
WON = {
    "average precision": ("average_precision", "full"),
    "coverage": ("coverage_error", "full"),
    "ranking loss": ("ranking_loss", "full"),
    "precision of the accepted": ("precision", "accepted"),
}


def of_all(profile: str, metric: str, view: str = "full") -> pd.DataFrame:
    """Means over runs, data sets by all methods that were run, fitted without calibration rows.

    Behind the rule it is the paper's: selective at 0.5, with ten positives a label.
    """
    found = measured(profile).query(
        "profile == @profile and part == 'train' and metric == @metric and view == @view"
    )
    if view == "accepted":
        found = found.query(
            "rule == 'selective' and alpha == 0.5 and positives == 10 "
            "and calibration == 'all labels'"
        )
    runs = found.pivot_table(
        index=["dataset", "run"], columns="method", values="value", dropna=False
    ).groupby("dataset")
    return runs.mean().where(runs.count() == RUNS).loc[list(DATASETS)]


def best_of_others(profile: str, metric: str, view: str = "full") -> pd.DataFrame:
    """Blend, and the best other method with its name, for each data set."""
    found = of_all(profile, metric, view)
    rivals = found.drop(columns="Blend")
    pick = rivals.idxmin if metric in ("coverage_error", "ranking_loss") else rivals.idxmax
    names = pick(axis=1)
    values = [rivals.loc[dataset, name] for dataset, name in names.items()]
    return pd.DataFrame({"Blend": found["Blend"], "rival": names, "value": values})


def best_rivals() -> str:
    """Average precision of Blend and of the best other method, in both profiles."""
    cells = [[dataset] for dataset in DATASETS]
    for profile in PROFILES:
        found = best_of_others(profile, "average_precision")
        for row, (blend, name, value) in zip(cells, found.to_numpy(), strict=True):
            row += [number(blend), f"{number(value)}\N{NO-BREAK SPACE}{name}"]
    head = [each for when in PROFILES.values() for each in (f"{when}: Blend", "best rival")]
    return rows_of(cells, ["data set", *head])


def cells_won() -> str:
    """On how many data sets Blend is ahead of all others, and where it is not."""
    cells = []
    for name, (metric, view) in WON.items():
        row = [name]
        for profile in PROFILES:
            found = best_of_others(profile, metric, view)
            sign = -1 if metric in ("coverage_error", "ranking_loss") else 1
            row.append(_won(found, sign * (found["Blend"] - found["value"]) > 0))
        cells.append(row)
    row = ["precision at equal shares"]
    for profile in PROFILES:
        found = equal_shares_of_all(profile).set_index("dataset")
        row.append(_won(found, found["Blend"] > found["value"]))
    cells.append(row)
    return rows_of(cells, ["ahead of all others", *PROFILES.values()])


def _won(found: pd.DataFrame, ahead: pd.Series) -> str:
    """How many are won, and each that is not with both numbers."""
    lost = [
        f"{dataset} {row.Blend:.3f}, {row.rival} {row.value:.3f}"
        for dataset, row in found[~ahead].iterrows()
    ]
    count = f"{int(ahead.sum())} of {len(ahead)}"
    return f"{count} (not {'; '.join(lost)})" if lost else count


def at_the_share_of_blend(profile: str) -> dict[str, tuple[float, pd.Series]]:
    """For each data set the share that Blend accepts, and each method's precision at it.

    By method and part: each accepts the pairs it is surest of, in the first run.
    """
    behind = table(measured(profile), "retention", Choice(profile=profile, view="accepted"))
    curves = read_curves(RESULTS / f"{profile}.csv").query(
        "profile == @profile and curve == 'risk-coverage' and run == 0"
    )
    found = {}
    for dataset, of_dataset in curves.groupby("dataset"):
        share = behind.cells[dataset, "Blend"].mean
        risks = {
            place: np.interp(share, *curve.sort_values("x")[["x", "y"]].to_numpy().T)
            for place, curve in of_dataset.groupby(["method", "part"])
        }
        found[dataset] = share, 1 - pd.Series(risks)
    return found


def equal_shares() -> str:
    """Precision of every method when it accepts as many pairs as Blend does behind the rule."""
    found, cells = at_the_share_of_blend("paper"), []
    for dataset in DATASETS:
        share, precision = found[dataset]
        parts = ((method, "train" if method == "LAMC" else "training") for method in LATER)
        rounded = [round(precision[place], DECIMALS) for place in parts]
        bold = (f"**{number(x)}**" if x == max(rounded) else number(x) for x in rounded)
        cells.append((dataset, number(share), *bold))
    return rows_of(cells, ["data set", "share accepted", *LATER])


def equal_shares_of_all(profile: str) -> pd.DataFrame:
    """Blend at its own share beside the best two of all other methods, fitted on the same rows."""
    found, rows = at_the_share_of_blend(profile), []
    for dataset in DATASETS:
        share, precision = found[dataset]
        precision = precision.xs("train", level=1)
        rivals = precision.drop("Blend").sort_values(ascending=False)
        (rival, value), (second, next_value) = rivals.head(2).items()
        of_blend = precision["Blend"]
        rows.append((dataset, share, of_blend, rival, value, second, next_value))
    names = ["dataset", "share", "Blend", "rival", "value", "second", "next_value"]
    return pd.DataFrame(rows, columns=names)


def equal_shares_anew() -> str:
    """Blend at its own share beside the best of all others, with rows drawn anew."""
    cells = (
        (
            row.dataset,
            number(row.share),
            number(row.Blend, 4),
            f"{number(row.value, 4)} {row.rival}",
            f"{number(row.next_value, 4)} {row.second}",
        )
        for row in equal_shares_of_all("resampled").itertuples()
    )
    return rows_of(cells, ["data set", "share accepted", "Blend", "best rival", "second"])


def printed_rivals() -> str:
    """Blend beside the best printed rival, and where it is worse by more than that one's spread."""
    cells = []
    for dataset in EXACT:
        row = [dataset]
        for metric in METRICS:
            rival, cell = best_printed(dataset, metric)
            of_blend = means("paper", "Blend", metric)[dataset]
            sign = 1 if metric == "average_precision" else -1
            behind = sign * (cell.mean - round(of_blend, DECIMALS)) > cell.std
            row += [number(of_blend) + (" (worse)" if behind else "")]
            row += [f"{cell.mean:.3f} ± {cell.std:.3f} {rival}"]
        cells.append(row)
    pairs = ("average precision", "coverage", "ranking loss")
    head = [
        "data set",
        *(each for name in pairs for each in (f"{name}: Blend", "best printed rival")),
    ]
    return rows_of(cells, head)


def without_full_labels() -> str:
    """Average precision when validation rows show one label each, beside that when all.

    And the best of the paper's methods, which choose by all labels.
    """
    methods, blind = ("Blend", "WAN", "AN"), "paper, single positives of validation rows"
    found = [
        means(profile, method, "average_precision")
        for method in methods
        for profile in ("paper", blind)
    ]
    rivals = pd.DataFrame(
        {method: means("paper", method, "average_precision") for method in METHODS[1:]}
    )
    cells = []
    for dataset in DATASETS:
        full, without, *others = (number(column.get(dataset)) for column in found)
        best = rivals.loc[dataset].idxmax()
        rival = f"{number(rivals.loc[dataset, best])} {best}"
        cells.append((dataset, full, without, rival, *others))
    of_others = (each for method in methods[1:] for each in (method, "without"))
    return rows_of(cells, ["data set", "Blend", "without", "best rival, with", *of_others])


def cost() -> str:
    """Time and average precision of Blend, full and fast."""
    seconds = means("paper", "Blend", "seconds_fit")
    full = means("paper", "Blend", "average_precision")
    fast = means("paper, effort=fast", "Blend", "average_precision")
    spent = pd.read_csv(RESULTS / "default-cost.csv").pivot_table(
        index="dataset", columns="effort", values="seconds"
    )
    cells = []
    for dataset in DATASETS:
        ratio = number(spent.loc[dataset, "fast"] / spent.loc[dataset, "full"], 2)
        lost = f"{100 * (fast[dataset] / full[dataset] - 1):+.1f}"
        precision = number(full[dataset]), number(fast[dataset]), lost
        cells.append((dataset, number(seconds[dataset], 1), ratio, *precision))
    total = spent.sum()
    gains = [fast[dataset] / full[dataset] - 1 for dataset in DATASETS]
    whole = number(total["fast"] / total["full"], 2), "", "", f"{100 * np.mean(gains):+.1f}"
    cells.append(("all", number(sum(seconds[name] for name in DATASETS), 1), *whole))
    head = ["data set", "seconds a fit, full", "fast / full", "average precision, full", "fast"]
    head.append("fast, %")
    return rows_of(cells, head)


def parts(file: str = "default-study.csv", only: Sequence[str] = ()) -> str:
    """What each part of Blend is worth, as the study of its parts prints it."""
    sys.path.insert(0, str(DOCS.parent / "benchmarks"))
    from study_default import table as of_study

    head, rule, blend, *lines = of_study(RESULTS / file).splitlines(keepends=True)
    shown = [line for line in lines if not only or line.split(" | ")[0][2:] in only]
    return "".join([head, rule, blend, *shown])


def parts_one_by_one() -> str:
    """The same of parts that matter more where nothing is learnt of labels together."""
    only = (
        "without networks",
        "without trees",
        "without frequencies",
        "one network",
        "epochs by plain likelihood",
        "all standardised",
        "none standardised",
        "scores as shares",
        "a mixture, not a pool",
    )
    return parts("default-study-one-by-one.csv", only)
