"""A calibrator as commands show it: what is promised, and which labels are covered."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lamc.cli.output import shortened, table

if TYPE_CHECKING:
    from lamc.rules import Calibrator


_LEAST_SHOWN = 1e-3  # threshold that four decimals show well


def calibrated_table(calibrator: "Calibrator") -> list[Any]:
    """The promise in words, a table of the labels, and what becomes of those not covered."""
    from lamc.rules.rule import RULES

    rule = RULES[calibrator.rule]
    rows = [
        (
            str(label),
            f"{positives:,}",
            _threshold(threshold),
            *([_threshold(below)] if rule.two_thresholds else []),
            f"{status}: {reason}" if reason else str(status),
        )
        for label, positives, threshold, below, status, reason in _labels(calibrator)
    ]
    columns: tuple[str, ...] = ("label", "positives", "threshold", "status")
    if rule.two_thresholds:
        columns = ("label", "positives", "accepted from", "absent below", "status")
    promised = (
        f"Promised by the {calibrator.rule} rule, {rule.promised_for}:\n  {calibrator.promise_}."
    )
    if calibrator.most_labels_ is not None and calibrator.assumption_:
        promised += f"\nAssumed: {calibrator.assumption_}"
    return [promised, table("Labels", columns, shortened(rows)), *_left_open(calibrator)]


def calibrated_facts(calibrator: "Calibrator") -> dict[str, Any]:
    """The same for programs."""
    return {
        "rule": calibrator.rule,
        "alpha": calibrator.alpha,
        "delta": calibrator.settings_.delta_used,
        "promise": calibrator.promise_,
        "assumption": calibrator.assumption_,
        "labels": [
            {
                "label": str(label),
                "positives": positives,
                "threshold": threshold,
                "absent_below": below,
                "status": status,
                "reason": reason or None,
            }
            for label, positives, threshold, below, status, reason in _labels(calibrator)
        ],
    }


def _labels(calibrator: "Calibrator") -> Iterator[tuple[Any, int, float, float, str, str]]:
    """Name, positives, both thresholds, status and, where it is left open, why, of each label."""
    return zip(
        calibrator.classes_.tolist(),
        calibrator.n_positives_.tolist(),
        calibrator.thresholds_.tolist(),
        calibrator.absence_thresholds_.tolist(),
        calibrator.status_.tolist(),
        calibrator.reason_.tolist(),
        strict=True,
    )


def _left_open(calibrator: "Calibrator") -> list[str]:
    """A sentence for each reason why labels are left open."""
    from lamc.rules.summary import WHY_NOT

    n = len(calibrator.classes_)
    reasons = Counter(calibrator.reason_[calibrator.status_ == "uncalibrated"].tolist())
    return [
        f"Left open: {count:,} of {n:,} labels, as {WHY_NOT[reason]}."
        for reason, count in reasons.most_common()
    ]


def _threshold(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{value:.4f}" if value == 0 or abs(value) >= _LEAST_SHOWN else f"{value:.1e}"
