"""The rules by name: what each needs, computes, and promises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.precision import precision_thresholds
from lamc.rules.recall import recall_thresholds
from lamc.rules.selective import selective_thresholds
from lamc.rules.set_recall import set_recall_thresholds
from lamc.rules.three_way import three_way_thresholds
from lamc.rules.thresholds import Thresholds

RuleName = Literal["selective", "recall", "precision", "three-way", "set-recall"]
Side = Literal["at least", "at most", "about"]
Promised = Literal["recall", "precision", "error rates", "misses of a row"]

# What is promised of labels of a row together: all of them, or those that share a threshold.
OF_A_ROW: Final = "a share of at most {alpha} is missed, on average over rows and calibration sets"


@dataclass(frozen=True)
class Rule:
    """One way from scores to thresholds.

    Attributes
    ----------
    thresholds : callable
        Makes the thresholds from evidence, levels and delta, which is None where it is not used.
    promise : str
        What holds, with places for the percentages of 1 − alpha, alpha and 1 − delta.
    promised : {"recall", "precision", "error rates", "misses of a row"}
        The share that is promised: of a label's true rows, those accepted; of the rows where it is
        accepted, those that are right; of its true rows those called absent, and of the others
        those accepted; of all labels of a row, those missed.
    side : {"at least", "at most", "about"}
        On which side of its level the share is to be. What is about its level is not promised.
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
    pools : bool
        Whether labels with too few positives can share a threshold.
    takes_bound : bool
        Whether it is enough to know how many labels a row has at most.
    uses_reference : bool
        Whether scores of other rows are of use.
    decides_all : bool
        Whether a calibrated label that is not accepted is called absent.
    default_delta : float or None
        Delta of a rule that must have one.
    """

    thresholds: Callable[[Evidence, Levels, Any], Thresholds]
    promise: str
    promised: Promised
    side: Side
    sure_promise: str | None = None
    without: str = "left open"
    needs_all_labels: bool = False
    needs_negatives: bool = False
    two_thresholds: bool = False
    strict: bool = False
    weighs: bool = False
    draws: bool = False
    pools: bool = False
    takes_bound: bool = False
    uses_reference: bool = False
    decides_all: bool = False
    default_delta: float | None = None

    @property
    def promised_for(self) -> str:
        """What the promise holds for."""
        if self.promised == "misses of a row":
            return "for the labels of a row together"
        return "for each calibrated label"

    def counts_open(self, delta: float | None) -> bool:
        """Whether labels count as kept that sparse scores leave open for want of candidates.

        They do under a promise on average, and where it is about what is missed: a label that is
        wrongly accepted was a candidate.

        Examples
        --------
        >>> from lamc.rules.rule import RULES
        >>> RULES["recall"].counts_open(None), RULES["recall"].counts_open(0.1)
        (True, False)
        """
        return delta is None and self.side != "about" and not self.needs_negatives


RULES: dict[str, Rule] = {
    "selective": Rule(
        selective_thresholds,
        promise="keeps about the top {alpha} of the rows that have the label; nothing is promised "
        "about precision",
        promised="recall",
        side="about",
        without="never accepted",
        strict=True,
        weighs=True,
        draws=True,
    ),
    "recall": Rule(
        recall_thresholds,
        promise="accepts at least {rest} of the rows that have the label, on average over "
        "calibration sets",
        promised="recall",
        side="at least",
        sure_promise="accepts at least {rest} of the rows that have the label, with probability "
        "{sure} over the calibration set",
        weighs=True,
        draws=True,
        pools=True,
        takes_bound=True,
        decides_all=True,
    ),
    "precision": Rule(
        precision_thresholds,
        promise="",
        promised="precision",
        side="at least",
        sure_promise="is right in at least {rest} of the rows where it is accepted, with "
        "probability {sure} over the calibration set",
        without="never accepted",
        needs_all_labels=True,
        needs_negatives=True,
        uses_reference=True,
        default_delta=0.1,
    ),
    "three-way": Rule(
        three_way_thresholds,
        promise="called absent in at most {alpha} of the rows that have it, and present in at most "
        "{alpha} of those that do not, on average over calibration sets",
        promised="error rates",
        side="at most",
        needs_all_labels=True,
        needs_negatives=True,
        two_thresholds=True,
        draws=True,
    ),
    "set-recall": Rule(
        set_recall_thresholds,
        promise=f"of all labels that a row has, {OF_A_ROW}",
        promised="misses of a row",
        side="at most",
        needs_all_labels=True,
        uses_reference=True,
        decides_all=True,
    ),
}
