"""A calibrator as commands show it: what is promised, and which labels are covered."""

import math
from typing import TYPE_CHECKING, Any

from lamc.cli.output import shortened, table

if TYPE_CHECKING:
    from lamc.rules import Calibrator


def calibrated_table(calibrator: "Calibrator") -> list[Any]:
    """The promise in words, a table of the labels, and what becomes of those not covered."""
    covered = int((calibrator.status_ != "uncalibrated").sum())
    n = len(calibrator.classes_)
    rows = [
        (str(label), f"{positives:,}", _threshold(threshold), str(status))
        for label, positives, threshold, status in zip(
            calibrator.classes_,
            calibrator.n_positives_,
            calibrator.thresholds_,
            calibrator.status_,
            strict=True,
        )
    ]
    shown = [
        f"Promised by the {calibrator.rule} rule, for each calibrated label:\n"
        f"  {calibrator.promise_}.",
        table("Labels", ("label", "positives", "threshold", "status"), shortened(rows)),
    ]
    if covered < n:
        shown.append(
            f"{n - covered:,} of {n:,} labels have too few calibration positives and are left open."
        )
    return shown


def calibrated_facts(calibrator: "Calibrator") -> dict[str, Any]:
    """The same for programs."""
    return {
        "rule": calibrator.rule,
        "alpha": calibrator.alpha,
        "delta": calibrator.delta,
        "promise": calibrator.promise_,
        "assumption": calibrator.assumption_,
        "labels": [
            {"label": str(label), "positives": positives, "threshold": threshold, "status": status}
            for label, positives, threshold, status in zip(
                calibrator.classes_,
                calibrator.n_positives_.tolist(),
                calibrator.thresholds_.tolist(),
                calibrator.status_.tolist(),
                strict=True,
            )
        ],
    }


def _threshold(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "–"
