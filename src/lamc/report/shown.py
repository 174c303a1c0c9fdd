"""What the page shows at one setting, as text; its script shows the other settings alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lamc.evaluation.intervals import wilson
from lamc.report.examples import Example
from lamc.report.findings import Findings
from lamc.report.numbers import NONE, count, interval, percent, threshold
from lamc.rules.rule import RULES
from lamc.rules.thresholds import REASONS, STATUSES, UNCALIBRATED
from lamc.types import AnyArray, IntArray

_STATES = {(1, True): "right", (1, False): "wrong", (-1, True): "open-true", (-1, False): "open"}


def overall(findings: Findings, setting: int) -> dict[str, Any]:
    """What was decided and measured over all pairs at one setting, as the page shows it."""
    m = findings.measures
    accepted, absent = int(m.accepted[setting]), int(m.absent[setting])
    right, missed = int(m.right[setting]), int(m.missed[setting])
    shares = {
        name: (share[setting].item(), *(end[setting].item() for end in ends))
        for name, share, ends in (
            ("precision", m.precision, m.precision_ends),
            ("recall", m.recall, m.recall_ends),
        )
    }
    return {
        "pairs": _parts(accepted, absent, m.pairs),
        "true": _parts(right, missed, m.true),
        "shares": {
            name: {
                "share": percent(share),
                "interval": interval(low, high),
                "at": [_or_zero(100 * x) for x in (share, low, high)],
            }
            for name, (share, low, high) in shares.items()
        },
        "status": [int(n[setting]) for n in (m.calibrated, m.pooled, m.uncalibrated)],
    }


def label_row(findings: Findings, setting: int, label: int) -> dict[str, Any]:
    """One label at one setting, as a row of the table."""
    counts, grid = findings.counts, findings.grid
    rule, level = divmod(setting, len(grid.levels))
    accepted, right = int(counts.accepted[setting, label]), int(counts.right[setting, label])
    true = int(counts.true[label])
    left_open = counts.n_rows - accepted - int(counts.absent[setting, label])
    status = STATUSES[grid.status[rule, level, label]]
    present, absent = (
        float(np.float32(at[rule, level, label])) for at in (grid.present, grid.absent)
    )
    above = ">" if RULES[grid.rules[rule]].strict else "≥"
    decided = status != UNCALIBRATED
    return {
        "name": str(findings.names[label]),
        "status": status,
        "reason": REASONS[grid.reason[rule, level, label]] or _promised(findings, setting, label),
        "positives": count(int(grid.positives[rule, label])),
        "held_out": f"{count(true)} held out",
        "threshold": threshold_text(present, above) if decided else NONE,
        "absent": (
            f"absent < {threshold(absent)}" if decided and -np.inf < absent < present else ""
        ),
        "precision": percent(right / accepted if accepted else np.nan),
        "precision_ends": _ends(right, accepted),
        "recall": percent(right / true if true else np.nan),
        "recall_ends": _ends(right, true),
        "open": percent(left_open / counts.n_rows),
    }


def _promised(findings: Findings, setting: int, label: int) -> str:
    """Error rates of a label where they are promised; and whether a promise is missed."""
    counts = findings.counts
    parts = ["misses the promise"] if findings.kept.off[setting, label] else []
    rule = RULES[findings.grid.rules[setting // len(findings.grid.levels)]]
    if rule.promised == "error rates":
        true = int(counts.true[label])
        wrong = int(counts.accepted[setting, label] - counts.right[setting, label])
        missed = int(counts.missed[setting, label]) / true if true else np.nan
        false = wrong / (counts.n_rows - true) if true < counts.n_rows else np.nan
        parts.append(f"missed {percent(missed)}, false {percent(false)}")
    return "; ".join(parts)


def example_groups(
    findings: Findings, setting: int, row_names: Sequence[str] | None, row_numbers: IntArray
) -> list[list[dict[str, Any]]]:
    """The examples as cards, group by group; rows without names go by their numbers."""
    found = findings.examples

    def called(row: int) -> str:
        return f"Row {row_numbers[row]}" if row_names is None else row_names[row]

    return [
        [_card(example, findings.names, setting, called(example.row)) for example in group]
        for group in (found.doubtful, found.contradictory, found.drawn)
    ]


def threshold_text(value: float, above: str) -> str:
    """A threshold with its sign, such as ``≥ 0.312``."""
    return f"{above} {threshold(value)}" if np.isfinite(value) else threshold(value)


def state(decision: int, true: bool) -> str | None:
    """What a decision about a label means, given the truth; None where there is nothing to see."""
    if decision == 0:
        return "missed" if true else None
    return _STATES[decision, true]


def _card(example: Example, all_names: AnyArray, setting: int, called: str) -> dict[str, Any]:
    names = all_names[example.labels].tolist()
    states = [
        state(decision, true)
        for decision, true in zip(
            example.decisions[setting].tolist(), example.true.tolist(), strict=True
        )
    ]
    return {
        "called": called,
        "picture": example.picture,
        "features": example.features,
        "true": [name for name, true in zip(names, example.true, strict=True) if true],
        "chips": [(name, seen) for name, seen in zip(names, states, strict=True) if seen],
        "others": example.others[setting].tolist(),
    }


def _parts(accepted: int, absent: int, whole: int) -> list[dict[str, Any]]:
    """Accepted, open and absent: how many, their share, and where they lie on a bar of 100."""
    found, at = [], 0.0
    for name, number in (
        ("accepted", accepted),
        ("open", whole - accepted - absent),
        ("absent", absent),
    ):
        width = 100 * number / whole
        found.append(
            {
                "name": name,
                "count": count(number),
                "share": percent(number / whole),
                "at": at,
                "width": width,
            }
        )
        at += width
    return found


def _ends(part: int, whole: int) -> str:
    if whole == 0:
        return ""
    low, high = wilson(np.array([part / whole]), np.array([whole]))
    return interval(float(low[0]), float(high[0]))


def _or_zero(number: float) -> float:
    return 0.0 if number != number else number
