"""The labels of a calibrator in a table, with what is promised in words."""

from typing import TYPE_CHECKING, Any

import numpy as np

from lamc.rules.levels import as_fraction
from lamc.rules.rule import OF_A_ROW, RULES, Rule
from lamc.rules.thresholds import (
    FEW_NEGATIVES,
    FEW_POSITIVES,
    FEW_ROWS,
    NO_POSITIVES,
    NOT_CERTIFIED,
    POOLED,
    TOO_LOW,
    UNCALIBRATED,
    UNEVEN,
    for_tables,
)

if TYPE_CHECKING:
    from lamc.rules.calibrator import Calibrator

WHY_NOT = {
    "": "nothing can be promised",  # of a file that does not tell why
    NO_POSITIVES: "there are no positives",
    FEW_POSITIVES: "nothing can be promised with so few positives",
    FEW_NEGATIVES: "nothing can be promised with so few rows without the label",
    FEW_ROWS: "nothing can be promised with so few rows",
    NOT_CERTIFIED: "no threshold could be shown to be precise enough",
    TOO_LOW: "too many rows with the label score too low for any threshold",
    UNEVEN: "nothing can be promised, for a new row may weigh as much as the heaviest",
}


def promise_in_words(
    rule: Rule, alpha: Any, delta: float | None, *, candidates_only: bool = False
) -> str:
    """Say what a rule promises at a level; with a level a label, at "its alpha".

    Of sparse scores a promise on average counts calibration sets that leave a label open.

    Examples
    --------
    >>> from lamc.rules.rule import RULES
    >>> from lamc.rules.summary import promise_in_words
    >>> promise_in_words(RULES["recall"], 0.1, delta=None)
    'accepts at least 90 % of the rows that have the label, on average over calibration sets'
    """
    text = rule.promise if delta is None or rule.sure_promise is None else rule.sure_promise
    if candidates_only and rule.counts_open(delta):
        text += ", those counted as kept that leave labels open for want of candidates"
    return _filled(text, alpha, delta)


def shared_promise_in_words(alpha: Any) -> str:
    """Say what is promised of the labels of a row that share a threshold.

    Examples
    --------
    >>> from lamc.rules.summary import shared_promise_in_words
    >>> shared_promise_in_words(0.1)
    'a share of at most 10 % is missed, on average over rows and calibration sets'
    """
    return _filled(OF_A_ROW, alpha, None)


def _filled(text: str, alpha: Any, delta: float | None) -> str:
    """A promise with its percentages."""
    level = None if np.ndim(alpha) else float(alpha)
    if level is not None and 0 < level < 1:  # as it is meant, which short floats only come near to
        level = float(as_fraction(alpha, "alpha"))
    return text.format(
        alpha="its alpha" if level is None else _percent(level),
        rest="1 − its alpha" if level is None else _percent(1 - level),
        sure="" if delta is None else _percent(1 - delta),
    )


def summary_table(calibrator: "Calibrator") -> Any:
    """Return a DataFrame with a row for each label of a fitted calibrator."""
    import pandas as pd

    rule = RULES[calibrator.settings_.rule]
    given = calibrator.settings_.alpha
    each = list(given) if np.ndim(given) else [given] * len(calibrator.classes_)
    if rule.strict:  # above the highest of n scores lies about one row in n + 1, and no less
        each = [max(a, 1 / (n + 1)) for a, n in zip(each, calibrator.n_positives_, strict=True)]
    delta, candidates_only = calibrator.settings_.delta_used, calibrator.evidence_.candidates_only
    promises = np.asarray(
        [promise_in_words(rule, alpha, delta, candidates_only=candidates_only) for alpha in each],
        dtype=object,
    )
    pooled = calibrator.status_ == POOLED
    promises[pooled] = "together with its group: " + promises[pooled]
    lacking = calibrator.status_ == UNCALIBRATED
    promises[lacking] = [f"{WHY_NOT[why]}: {rule.without}" for why in calibrator.reason_[lacking]]
    columns = {
        "label": calibrator.classes_,
        "positives": calibrator.n_positives_,
        "threshold": for_tables(calibrator.thresholds_),
        "absent_below": for_tables(calibrator.absence_thresholds_),
        "status": calibrator.status_,
        "promise": promises,
    }
    if not rule.two_thresholds:
        del columns["absent_below"]
    return pd.DataFrame(columns)


def _percent(share: float) -> str:
    return f"{round(100 * share, 6):g} %"
