"""What a comparison says in words, in Markdown."""

from math import log10

from lamc.benchmark.compare import Comparison, Wilcoxon
from lamc.benchmark.markup import markdown_text
from lamc.benchmark.significance import LEVEL

_WORDS = ("method", "not told apart from")  # columns of words; the others are of numbers


def compare_text(comparison: Comparison) -> str:
    """The whole comparison: what it is over, and each test with what follows from it.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.compare import compare
    >>> from lamc.benchmark.compare_text import compare_text
    >>> from lamc.benchmark.result_table import table
    >>> rows = pd.DataFrame({"dataset": ["yeast", "scene"] * 2, "method": ["AN", "AN", "ME", "ME"],
    ...                      "value": [0.5, 0.25, 0.75, 0.5]})
    >>> rows = rows.assign(profile="mine", variant="", exact=True, part="train", run=0, view="full",
    ...                    rule=None, alpha=None, calibration=None, positives=None,
    ...                    metric="one_error", settings='{"seeds": [0], "draw": "given"}',
    ...                    data_checksum="", unit="", versions="{}")
    >>> print(compare_text(compare(table(rows, "one_error"))).splitlines()[2])
    Over 2 data sets: scene, yeast. Measured: profile mine, view full. No method was fitted...
    """
    return "\n".join(
        [
            f"### {markdown_text(comparison.metric.heading)}",
            "",
            markdown_text(_over_what(comparison)),
            "",
            *_ranks(comparison),
            "",
            *_against(comparison),
            "",
        ]
    )


def p_text(p: float) -> str:
    """A p-value as printed.

    Examples
    --------
    >>> from lamc.benchmark.compare_text import p_text
    >>> p_text(0.04321), p_text(0.0000123)
    ('0.0432', '1.2e-05')
    """
    return f"{p:.4f}" if p == 0 or log10(p) > -3 else f"{p:.1e}"


def _over_what(comparison: Comparison) -> str:
    text = (
        f"Over {len(comparison.datasets)} data sets: {', '.join(comparison.datasets)}. "
        f"Measured: {comparison.described}."
        + "".join(f" {remark}" for remark in comparison.remarks)
    )
    if not comparison.reasons:
        return text
    named = (f"{dataset} ({reason})" for dataset, reason in comparison.reasons.items())
    return f"{text} Left out: {', '.join(named)}."


def _ranks(comparison: Comparison) -> list[str]:
    in_order = sorted(comparison.methods, key=comparison.average_ranks.__getitem__)
    head = ["method", "average rank"]
    rows = [[method, f"{comparison.average_ranks[method]:.2f}"] for method in in_order]
    said = []
    if comparison.friedman and comparison.nemenyi:
        p = comparison.nemenyi.p
        head.append("not told apart from")
        for row in rows:
            alike = [m for m in in_order if m != row[0] and p.loc[row[0], m] >= LEVEL]
            row.append(", ".join(alike))
        differ = comparison.friedman.p < LEVEL
        said = [
            f"Friedman: χ² = {comparison.friedman.statistic:.2f} with "
            f"{len(comparison.methods) - 1} degrees of freedom, p = "
            f"{p_text(comparison.friedman.p)}; "
            + (
                "the methods are not all alike. "
                if differ
                else "nothing shows that the methods differ, so pairs are not to be read as such. "
            )
            + "Nemenyi: average ranks that differ by more than "
            f"{comparison.nemenyi.critical_difference:.2f} are told apart at 5 %.",
            "",
        ]
    return said + _table(head, rows)


def _against(comparison: Comparison) -> list[str]:
    n = len(comparison.datasets)
    smallest = 2.0 ** (1 - n)
    against = markdown_text(comparison.against)
    said = (
        f"Wilcoxon's signed-rank test against {against}, two-sided. The differences "
        f"are of each method minus {against}."
    )
    if smallest * len(comparison.wilcoxon) >= LEVEL:
        said += (
            f" With {n} data sets no p-value is below {smallest:.3g}, "
            "so that none can be significant after correction."
        )
    head = ["method", "better", "worse", "equal", "median difference", "p", "p (Holm)"]
    return [said, "", *_table(head, [_row(test, comparison) for test in comparison.wilcoxon])]


def _row(test: Wilcoxon, comparison: Comparison) -> list[str]:
    difference = f"{test.median_difference:+z.{comparison.metric.digits}f}".replace("-", "−")
    counts = [str(n) for n in (test.better, test.worse, test.equal)]
    return [test.method, *counts, difference, p_text(test.p), p_text(test.p_holm)]


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    rule = ["---" if name in _WORDS else "---:" for name in head]
    escaped = ([markdown_text(cell) for cell in row] for row in rows)
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *escaped)]
