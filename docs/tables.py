"""Write the tables of the pages anew, from the files in ``results/``: ``make tables``.

A page marks the place of a table, and says which one it is:

    <!-- table: resampled, average precision -->
    | … |
    <!-- end of table -->

What stands between the marks is replaced. A test tells when pages and results differ.
"""

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from lamc.benchmark.nearness import nearness, nearness_text
from lamc.benchmark.paper import METHODS, METRICS, published
from lamc.benchmark.result_table import DECIMALS, table
from lamc.benchmark.selection import Choice
from lamc.benchmark.store import read_curves, read_measurements
from lamc.benchmark.table_formats import markdown
from lamc.benchmark.table_text import LEFT_OUT_NOTE
from lamc.files import whole_file

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
PLACE = re.compile(
    r"(?P<begin>^<!-- table: (?P<name>.+?) -->\n)(?P<filled>.*?)(?P<end>^<!-- end of table -->$)",
    flags=re.DOTALL | re.MULTILINE,
)

EXACT = ("CAL500", "scene", "yeast", "corel5k", "rcv1subset1", "Corel16k001", "delicious")
DATASETS = (*EXACT[:3], "Image", *EXACT[3:6], "tmc2007", "espgame", "iaprtc12", "mirflickr")
DATASETS += ("delicious",)
LATER = ("Blend", *METHODS)
BEHIND_RULE = ("Blend", *(method for method in METHODS if method != "WAN"))  # LAMC is WAN there
PARTS = {"training": "with", "train": "without"}  # the calibration rows

# How far apart two test parts lie by chance in the three metrics, one standard deviation: what
# benchmarks/study_split.py prints, beside the number of test rows.
SPLITS = {
    "CAL500": (51, 0.0232, 0.0306, 0.0119),
    "scene": (241, 0.0193, 0.0110, 0.0111),
    "yeast": (242, 0.0231, 0.0213, 0.0171),
    "corel5k": (500, 0.0141, 0.0159, 0.0068),
    "rcv1subset1": (600, 0.0133, 0.0092, 0.0037),
    "Corel16k001": (1377, 0.0099, 0.0092, 0.0051),
    "delicious": (1610, 0.0060, 0.0091, 0.0025),
}
# Processor seconds of a fit of Blend, fast and full, measured one after the other.
FAST_AND_FULL = {
    "CAL500": (0.22, 0.65),
    "scene": (0.70, 2.16),
    "yeast": (0.45, 1.25),
    "Image": (0.50, 2.10),
    "corel5k": (3.14, 15.92),
    "rcv1subset1": (2.02, 25.93),
    "Corel16k001": (2.76, 33.52),
    "tmc2007": (6.57, 96.89),
    "espgame": (5.06, 20.43),
    "iaprtc12": (4.96, 22.44),
    "mirflickr": (4.64, 73.83),
    "delicious": (11.73, 119.83),
}


@cache
def measured(name: str) -> pd.DataFrame:
    """The measurements of a file in ``results/``."""
    return read_measurements(RESULTS / f"{name}.csv")


def rows_of(cells: Iterable[Sequence[str]], head: Sequence[str]) -> str:
    """A table in Markdown; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *cells))


def of_metric(file: str, metric: str, *, against_paper: bool = False, **choice: object) -> str:
    """What ``lamc bench table`` prints, without its heading and notes."""
    found = table(measured(file), metric, Choice(**choice), against_paper=against_paper)
    lines = markdown([found]).splitlines()
    text = "\n".join(line for line in lines if line.startswith("|") or not line).strip()
    said = [LEFT_OUT_NOTE] if found.left_out else []
    if found.ranked and len(found.ranked) < len(found.datasets):
        said.append(
            f"Ranks and wins are over the {len(found.ranked)} of {len(found.datasets)} data sets "
            "on which every method has a number in every run."
        )
    return "\n\n".join([text, *(fill(note, 100) for note in said)]) + "\n"


def means(profile: str, method: str, metric: str, part: str = "training") -> dict[str, float]:
    """The mean over runs of a metric of full rankings, by data set."""
    found = measured("paper").query(
        "profile == @profile and method == @method and part == @part and metric == @metric "
        "and view == 'full'"
    )
    return found.groupby("dataset")["value"].mean().to_dict()


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None or np.isnan(value) else f"{value:.{digits}f}"


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


def splits() -> str:
    """How far apart test parts lie by chance."""
    cells = ((name, str(n), *(number(x) for x in spread)) for name, (n, *spread) in SPLITS.items())
    return rows_of(
        cells, ["data set", "test rows", "average precision", "coverage", "ranking loss"]
    )


def worse_than_printed() -> str:
    """Cells of neural methods that are worse than printed by more than two standard deviations."""
    cells = []
    for place, metric in enumerate(METRICS, start=1):
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
                    by_split = f"{behind / SPLITS[dataset][place]:.1f}"
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


def equal_shares_anew() -> str:
    """Blend at its own share beside the best of all others, with rows drawn anew."""
    found, cells = at_the_share_of_blend("resampled"), []
    for dataset in DATASETS:
        share, precision = found[dataset]
        precision = precision.droplevel(1)
        rivals = precision.drop("Blend").sort_values(ascending=False)
        best = (f"{number(x, 4)} {name}" for name, x in rivals.head(2).items())
        cells.append((dataset, number(share), number(precision["Blend"], 4), *best))
    return rows_of(cells, ["data set", "share accepted", "Blend", "best rival", "second"])


def printed_rivals() -> str:
    """Blend beside the best of the paper's own columns but LAMC's."""
    cells = []
    for dataset in EXACT:
        row = [dataset]
        for metric in METRICS:
            printed = published(metric)
            best = max if metric == "average_precision" else min
            rival = best(METHODS[1:], key=lambda name, of=printed, on=dataset: of[on, name].mean)
            cell = printed[dataset, rival]
            row += [number(means("paper", "Blend", metric)[dataset])]
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
    cells = []
    for dataset in DATASETS:
        of_fast, of_full = FAST_AND_FULL.get(dataset, (np.nan, 1))
        ratio = number(of_fast / of_full, 2)
        precision = number(full[dataset]), number(fast.get(dataset))
        cells.append((dataset, number(seconds.get(dataset), 1), ratio, *precision))
    head = ["data set", "seconds a fit, full", "fast / full", "average precision, full", "fast"]
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


def tables() -> dict[str, Callable[[], str]]:
    """What makes each table, by its name."""
    found: dict[str, Callable[[], str]] = {
        "units": units,
        "splits": splits,
        "worse than printed": worse_than_printed,
        "readings": readings,
        "single positives": single_positives,
        "equal shares": equal_shares,
        "equal shares, resampled": equal_shares_anew,
        "printed rivals": printed_rivals,
        "without full labels": without_full_labels,
        "parts": parts,
        "parts, labels one by one": parts_one_by_one,
        "cost": cost,
    }

    def add(name: str, file: str, metrics: Sequence[str], **choice: object) -> None:
        for metric in metrics:
            found[f"{name}, {metric.removesuffix('_error').replace('_', ' ')}"] = lambda m=metric: (
                of_metric(file, m, **choice)
            )

    paper = {"profile": "paper", "datasets": DATASETS}
    add("paper", "paper", METRICS, methods=METHODS, against_paper=True, **paper)
    add("default", "paper", [*METRICS, "risk_coverage_area"], methods=LATER, **paper)
    behind = ["average_precision", "precision", "retention"]
    add("accepted", "paper", behind, view="accepted", methods=BEHIND_RULE, **paper)
    wider = tomllib.loads((RESULTS / "wider.toml").read_text("utf-8"))
    wide = {"profile": wider["name"], "datasets": wider["datasets"]}
    add("256 units", "paper", METRICS, methods=("Blend", *wider["methods"]), **wide)
    anew = {"profile": "resampled", "datasets": DATASETS, "methods": BEHIND_RULE}
    add("resampled", "resampled", METRICS, **anew)
    add("resampled and accepted", "resampled", ["precision"], view="accepted", **anew)
    after = tuple(name for name in wider["methods"] if name not in METHODS)
    later = anew | {"methods": ("Blend", *after)}
    add("later and resampled", "resampled", METRICS, **later)
    given = paper | {"methods": ("Blend", *after)}
    add("later", "paper", METRICS, part="train", **given)
    add("later and accepted", "paper", ["precision"], view="accepted", **given)
    add("later, resampled and accepted", "resampled", ["precision"], view="accepted", **later)
    return found


def filled(text: str) -> str:
    """A page with its tables written anew."""
    by_name = tables()

    def of(place: re.Match[str]) -> str:
        if place["name"] not in by_name:
            raise SystemExit(f"There is no table {place['name']!r}; there are {sorted(by_name)}.")
        return f"{place['begin']}\n{by_name[place['name']]()}\n{place['end']}"

    return PLACE.sub(of, text)


def main() -> None:
    """Fill all pages; name those that changed."""
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = filled(text)
        if new != text:
            with whole_file(page) as file:
                file.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{page.relative_to(DOCS.parent)}\n")


if __name__ == "__main__":
    main()
