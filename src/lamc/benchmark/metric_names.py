"""What the metrics are called in print, and which way is better."""

from dataclasses import dataclass
from typing import Literal

Better = Literal["larger", "smaller"]


@dataclass(frozen=True)
class Metric:
    """A metric as tables and figures show it.

    Attributes
    ----------
    name : str
        As in the results.
    title : str
        As in print.
    better : {"larger", "smaller"} or None
        None where neither is: tables then have no best, no ranks and no wins.
    digits : int
        Decimals in print.
    by_run : bool
        False where all runs of a unit have the same value, measured of them together.

    Examples
    --------
    >>> from lamc.benchmark.metric_names import metric_named
    >>> metric_named("ranking_loss").heading
    'Ranking loss ↓'
    """

    name: str
    title: str
    better: Better | None
    digits: int = 3
    by_run: bool = True

    @property
    def heading(self) -> str:
        """The title with an arrow to the better side."""
        return self.title + {"larger": " ↑", "smaller": " ↓", None: ""}[self.better]


_METRICS = {
    metric.name: metric
    for metric in (
        Metric("average_precision", "Average precision", "larger"),
        Metric("coverage_error", "Coverage error", "smaller"),
        Metric("ranking_loss", "Ranking loss", "smaller"),
        Metric("one_error", "One-error", "smaller"),
        Metric("hamming_loss", "Hamming loss", "smaller"),
        Metric("macro_average_precision", "Macro average precision", "larger"),
        Metric("precision", "Precision", "larger"),
        Metric("recall", "Recall", "larger"),
        Metric("retention", "Pairs accepted", None),
        Metric("true_retention", "True labels accepted", "larger"),
        Metric("left_out", "Rows left out", "smaller"),
        Metric("risk_coverage_area", "Area under the risk–coverage curve", "smaller"),
        Metric("labels_within", "Labels that keep the promise", None),
        Metric("labels_promised", "Labels with a promise", None),
        Metric("seconds_fit", "Seconds to fit", "smaller", digits=1, by_run=False),
        Metric("seconds_total", "Seconds in all", "smaller", digits=1, by_run=False),
        Metric("peak_megabytes", "Peak memory of the process, MB", None, digits=0, by_run=False),
    )
}


def metric_named(name: str) -> Metric:
    """The metric of that name.

    One that has no entry here, as a promise or what was achieved of it, is shown under its own
    name, and neither side is called better.

    Examples
    --------
    >>> from lamc.benchmark.metric_names import metric_named
    >>> metric_named("achieved_recall")
    Metric(name='achieved_recall', title='Achieved recall', better=None, digits=3, by_run=True)
    """
    title = name.replace("_", " ").capitalize()
    return _METRICS.get(name) or Metric(name, title, better=None)
