"""The rules by name: what each needs, computes, and promises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.precision import USUAL_DELTA, precision_thresholds
from lamc.rules.recall import recall_thresholds
from lamc.rules.selective import selective_thresholds
from lamc.rules.set_recall import set_recall_thresholds
from lamc.rules.three_way import three_way_thresholds
from lamc.rules.thresholds import Thresholds

RuleName = Literal["selective", "recall", "precision", "three-way", "set-recall"]


@dataclass(frozen=True)
class Rule:
    """One way from scores to thresholds.

    Attributes
    ----------
    thresholds : callable
        Makes the thresholds from evidence, levels and delta.
    promise : str
        What holds, with places for the percentages of 1 − alpha, alpha and 1 − delta.
    promised_for : str
        What it holds for.
    sure_promise : str or None
        What holds if delta is given; None if the rule has no use for delta.
    without : str
        What becomes of a label that cannot be calibrated.
    needs_all_labels : bool
        Whether all labels of the rows must be known.
    needs_negatives : bool
        Whether the scores of false labels enter.
    two_thresholds : bool
        Whether a label is called absent below another threshold than it is accepted from.
    strict : bool
        Whether a score must exceed the threshold, not only reach it.
    weighs : bool
        Whether rows can have weights.
    draws : bool
        Whether a draw of the positives alone is as good as all of them.
    uses_reference : bool
        Whether scores of other rows are of use.
    default_delta : float or None
        Delta of a rule that must have one.
    """

    thresholds: Callable[[Evidence, Levels, float | None], Thresholds]
    promise: str
    promised_for: str = "for each calibrated label"
    sure_promise: str | None = None
    without: str = "left open"
    needs_all_labels: bool = False
    needs_negatives: bool = False
    two_thresholds: bool = False
    strict: bool = False
    weighs: bool = False
    draws: bool = False
    uses_reference: bool = False
    default_delta: float | None = None


RULES: dict[str, Rule] = {
    "selective": Rule(
        selective_thresholds,
        promise="keeps about the top {alpha} of the rows that have the label; nothing is promised "
        "about precision",
        without="never accepted",
        strict=True,
        weighs=True,
        draws=True,
    ),
    "recall": Rule(
        recall_thresholds,
        promise="accepts at least {rest} of the rows that have the label, on average over "
        "calibration sets",
        sure_promise="accepts at least {rest} of the rows that have the label, with probability "
        "{sure} over the calibration set",
        weighs=True,
        draws=True,
    ),
    "precision": Rule(
        precision_thresholds,
        promise="",
        sure_promise="is right in at least {rest} of the rows where it is accepted, with "
        "probability {sure} over the calibration set",
        without="never accepted",
        needs_all_labels=True,
        needs_negatives=True,
        uses_reference=True,
        default_delta=USUAL_DELTA,
    ),
    "three-way": Rule(
        three_way_thresholds,
        promise="called absent in at most {alpha} of the rows that have it, and present in at most "
        "{alpha} of those that do not, on average over calibration sets",
        needs_all_labels=True,
        needs_negatives=True,
        two_thresholds=True,
        draws=True,
    ),
    "set-recall": Rule(
        set_recall_thresholds,
        promise="of all labels that a row has, a share of at most {alpha} is missed, on average "
        "over rows and calibration sets",
        promised_for="for the labels of a row together",
        needs_all_labels=True,
        uses_reference=True,
    ),
}
