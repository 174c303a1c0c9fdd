"""A calibrator as commands show it: what is promised, and which labels are covered."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lamc.cli.output import shortened, table

if TYPE_CHECKING:
    from lamc.rules import Calibrator


def calibrated_table(calibrator: "Calibrator") -> list[Any]:
    """The promise in words, a table of the labels, and what becomes of those not covered."""
    rows = [
        (
            str(label),
            f"{positives:,}",
            _threshold(threshold),
            f"{status}: {reason}" if reason else str(status),
        )
        for label, positives, threshold, status, reason in _labels(calibrator)
    ]
    return [
        f"Promised by the {calibrator.rule} rule, for each calibrated label:\n"
        f"  {calibrator.promise_}.",
        table("Labels", ("label", "positives", "threshold", "status"), shortened(rows)),
        *_left_open(calibrator),
    ]


def calibrated_facts(calibrator: "Calibrator") -> dict[str, Any]:
    """The same for programs."""
    return {
        "rule": calibrator.rule,
        "alpha": calibrator.alpha,
        "delta": calibrator.delta,
        "promise": calibrator.promise_,
        "assumption": calibrator.assumption_,
        "labels": [
            {
                "label": str(label),
                "positives": positives,
                "threshold": threshold,
                "status": status,
                "reason": reason or None,
            }
            for label, positives, threshold, status, reason in _labels(calibrator)
        ],
    }


def _labels(calibrator: "Calibrator") -> Iterator[tuple[Any, int, float, str, str]]:
    """Name, positives, threshold, status and, where it is left open, the reason of each label."""
    return zip(
        calibrator.classes_.tolist(),
        calibrator.n_positives_.tolist(),
        calibrator.thresholds_.tolist(),
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
    return f"{value:.4f}" if math.isfinite(value) else "–"
