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
from collections.abc import Callable, Sequence

from lamc.benchmark.paper import METHODS, METRICS
from lamc.files import whole_file
from tables import default, paper
from tables.cells import DATASETS, DOCS, RESULTS, of_metric

PLACE = re.compile(
    r"(?P<begin>^<!-- table: (?P<name>.+?) -->\n)(?P<filled>.*?)(?P<end>^<!-- end of table -->$)",
    flags=re.DOTALL | re.MULTILINE,
)
BEHIND_RULE = ("Blend", *(method for method in METHODS if method != "WAN"))  # LAMC is WAN there


def tables() -> dict[str, Callable[[], str]]:
    """What makes each table, by its name."""
    found: dict[str, Callable[[], str]] = {
        "units": paper.units,
        "splits": paper.splits,
        "worse than printed": paper.worse_than_printed,
        "told all labels": paper.told_all_labels,
        "readings": paper.readings,
        "single positives": paper.single_positives,
        "cells won": default.cells_won,
        "best rivals": default.best_rivals,
        "equal shares": default.equal_shares,
        "equal shares, resampled": default.equal_shares_anew,
        "printed rivals": default.printed_rivals,
        "without full labels": default.without_full_labels,
        "parts": default.parts,
        "parts, labels one by one": default.parts_one_by_one,
        "cost": default.cost,
    }

    def add(name: str, file: str, metrics: Sequence[str], **choice: object) -> None:
        for metric in metrics:
            found[f"{name}, {metric.removesuffix('_error').replace('_', ' ')}"] = lambda m=metric: (
                of_metric(file, m, **choice)
            )

    given = {"profile": "paper", "datasets": DATASETS}
    add("paper", "paper", METRICS, methods=METHODS, against_paper=True, **given)
    printed = ("Blend", *METHODS)
    add("default", "paper", [*METRICS, "risk_coverage_area"], methods=printed, **given)
    behind = ["average_precision", "precision", "retention"]
    add("accepted", "paper", behind, view="accepted", methods=BEHIND_RULE, **given)
    wider = tomllib.loads((RESULTS / "wider.toml").read_text("utf-8"))
    wide = {"profile": wider["name"], "datasets": wider["datasets"]}
    add("256 units", "paper", METRICS, methods=("Blend", *wider["methods"]), **wide)
    anew = {"profile": "resampled", "datasets": DATASETS, "methods": BEHIND_RULE}
    add("resampled", "resampled", METRICS, **anew)
    add("resampled and accepted", "resampled", ["precision"], view="accepted", **anew)
    after = tuple(name for name in wider["methods"] if name not in METHODS)
    later = anew | {"methods": ("Blend", *after)}
    add("later and resampled", "resampled", METRICS, **later)
    given |= {"methods": ("Blend", *after)}
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
