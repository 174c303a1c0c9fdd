"""What the script of the page needs to show any setting: small facts, and arrays."""

from typing import Any, Final

import numpy as np

from lamc.report import words
from lamc.report.findings import Findings
from lamc.report.histograms import BINS, heights
from lamc.rules.rule import RULES
from lamc.rules.thresholds import REASONS, STATUSES, UNCALIBRATED
from lamc.types import AnyArray, FloatArray, IntArray

LABELS_SHOWN: Final = 1000  # one by one; with more, the page would be too large to be mailed
LABELS_A_PAGE: Final = 50


def labels_shown(true: IntArray) -> IntArray:
    """Labels that are shown one by one: all, or those with the most true rows, in order."""
    return np.sort(np.argsort(-true, kind="stable")[:LABELS_SHOWN])


def facts(findings: Findings, shown: IntArray) -> dict[str, Any]:
    """Names, counts and sentences; numbers of one label are among the arrays."""
    grid, m, counts = findings.grid, findings.measures, findings.counts
    n_rules, n_levels, _ = grid.shape
    settings = [divmod(setting, n_levels) for setting in range(n_rules * n_levels)]
    return {
        "rules": [
            {
                "name": rule,
                "above": ">" if RULES[rule].strict else "≥",
                "absent": kind,
                "positives": positives[shown].tolist(),
            }
            for rule, kind, positives in zip(
                grid.rules, _kinds(findings), grid.positives, strict=True
            )
        ],
        "levels": grid.level_values,
        "own": list(grid.own),
        "rows": counts.n_rows,
        "pairs": m.pairs,
        "true": m.true,
        "bins": BINS,
        "page": LABELS_A_PAGE,
        "reasons": list(REASONS),
        "names": findings.names[shown].tolist(),
        "trueOf": counts.true[shown].tolist(),
        "accepted": m.accepted.tolist(),
        "right": m.right.tolist(),
        "absent": m.absent.tolist(),
        "missed": m.missed.tolist(),
        "precisionEnds": [_no_nan(end) for end in m.precision_ends],
        "recallEnds": [_no_nan(end) for end in m.recall_ends],
        "calibrated": m.calibrated.tolist(),
        "pooled": m.pooled.tolist(),
        "uncalibrated": m.uncalibrated.tolist(),
        "promises": [words.promise_at(grid, *at) for at in settings],
        "kept": [words.kept_at(findings, *at) for at in settings],
        "examples": [
            {
                "names": findings.names[example.labels].tolist(),
                "true": example.true.tolist(),
            }
            for example in findings.examples.all
        ],
    }


def arrays(findings: Findings, shown: IntArray) -> dict[str, AnyArray]:
    """Arrays by label and level for each rule, histograms, and decisions about examples."""
    grid, counts = findings.grid, findings.counts
    n_levels = len(grid.levels)
    found: dict[str, AnyArray] = {
        "tops": findings.tops[shown].astype(np.float32),
        "trueScores": heights(findings.true_scores[shown]),
        "otherScores": heights(findings.other_scores[shown]),
    }
    for rule, kind in enumerate(_kinds(findings)):
        own = slice(rule * n_levels, (rule + 1) * n_levels)
        found[f"status{rule}"] = grid.status[rule][:, shown]
        found[f"reason{rule}"] = grid.reason[rule][:, shown]
        found[f"present{rule}"] = grid.present[rule][:, shown].astype(np.float32)
        found[f"accepted{rule}"] = counts.accepted[own, shown].astype(np.uint32)
        found[f"right{rule}"] = counts.right[own, shown].astype(np.uint32)
        found[f"off{rule}"] = findings.kept.off[own, shown].astype(np.uint8)
        if RULES[grid.rules[rule]].promised == "error rates":
            found[f"missed{rule}"] = counts.missed[own, shown].astype(np.uint32)
        if kind == "own":
            found[f"below{rule}"] = grid.absent[rule][:, shown].astype(np.float32)
            found[f"absent{rule}"] = counts.absent[own, shown].astype(np.uint32)
    examples = findings.examples.all
    if examples:
        decisions = np.concatenate([example.decisions for example in examples], axis=1)
        found["decisions"] = (decisions + 1).astype(np.uint8)
        found["others"] = np.concatenate([e.others for e in examples], axis=1).astype(np.uint32)
    return found


def _kinds(findings: Findings) -> list[str]:
    """What each rule calls absent: all it does not accept, nothing, or what it says itself."""
    grid, counts = findings.grid, findings.counts
    n_rules, n_levels, n_labels = grid.shape
    decided = grid.status.reshape(-1, n_labels) != STATUSES.index(UNCALIBRATED)
    kinds = []
    for rule in range(n_rules):
        own = slice(rule * n_levels, (rule + 1) * n_levels)
        rest = np.where(decided[own], counts.n_rows - counts.accepted[own], 0)
        if np.array_equal(counts.absent[own], rest):
            kinds.append("rest")
        else:
            kinds.append("own" if counts.absent[own].any() else "nothing")
    return kinds


def _no_nan(numbers: FloatArray) -> list[float | None]:
    return [None if x != x else x for x in numbers.tolist()]
