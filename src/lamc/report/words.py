"""The sentences of the report: what is promised, what was measured, what to do about the rest."""

from collections import Counter
from fractions import Fraction
from typing import assert_never

from lamc.labels import Knowledge
from lamc.report.findings import Findings
from lamc.report.grid import Grid
from lamc.report.measures import Measures
from lamc.report.numbers import NBSP, NONE, count, interval, percent
from lamc.rules import Calibrator
from lamc.rules.assumptions import for_readers
from lamc.rules.precision import luck_among
from lamc.rules.rule import RULES
from lamc.rules.summary import promise_in_words, shared_promise_in_words
from lamc.rules.thresholds import (
    FEW_NEGATIVES,
    FEW_POSITIVES,
    FEW_ROWS,
    NO_POSITIVES,
    NOT_CERTIFIED,
    POOLED,
    STATUSES,
    TOO_LOW,
    UNCALIBRATED,
    UNEVEN,
)
from lamc.types import AnyArray

_NAMES_LISTED = 5

WHAT_TO_DO = {
    "recall": "This rule decides about every calibrated label: accepted or absent. It lets few "
    "true labels slip, and accepts false ones for it; check what is accepted where a wrong label "
    "costs much.",
    "three-way": "Between the two thresholds a score speaks neither for the label nor against it. "
    "Let a person decide there, or measure something else; take it neither for present nor for "
    "absent.",
    "precision": "A label that is not accepted is not thereby absent: it was only not shown to be "
    "right often enough. Treat it as unknown, or let a person decide.",
    "selective": "A label that is not accepted is not thereby absent: its score is lower than "
    "those of the true rows that are kept. Treat it as unknown, or let a person decide.",
    "set-recall": "This rule decides about every label: accepted or absent. It lets few of a row's "
    "labels slip, and accepts false ones for it; check what is accepted where a wrong label costs "
    "much.",
}
_LACKING = {
    NO_POSITIVES: "{labels} there are no calibration positives: never accepted. Calibration rows "
    "with {them} can change that.",
    FEW_POSITIVES: "{labels} there are too few calibration positives for this level: left open "
    "everywhere. More calibration rows with {them}, or a larger α, can change that.",
    FEW_NEGATIVES: "{labels} there are too few calibration rows without {them} for this level: "
    "left open everywhere. More of these, or a larger α, can change that.",
    FEW_ROWS: "{labels} there are too few calibration rows for this level: left open everywhere. "
    "More of these, or a larger α, can change that.",
    NOT_CERTIFIED: "{labels} no threshold could be shown to be precise enough: never accepted. "
    "More calibration rows, a better scorer, or a larger α may change that.",
    TOO_LOW: "{labels} too many rows with {them} score too low for any threshold: left open "
    "everywhere. Scores for more pairs of a row and a label can change that.",
    UNEVEN: "{labels} a new row may weigh as much as the heaviest, too much for this level: left "
    "open everywhere. More calibration rows with {them}, or a larger α, can change that.",
}
_ANSWERS = (
    "Answers that a person gives on rows drawn at random can be added to the calibration rows; "
    "answers on rows picked because they were open cannot, for these are a biased sample."
)


def promise_at(grid: Grid, rule: int, level: int) -> str:
    """What a setting promises, and for what."""
    value = grid.levels[level]
    alpha = float(value) if isinstance(value, Fraction) else value
    named = RULES[grid.rules[rule]]
    promise = promise_in_words(
        named, alpha, grid.deltas[rule], candidates_only=grid.candidates_only
    )
    promise = f"{named.promised_for}: {promise}"
    if (grid.status[rule, level] == STATUSES.index(POOLED)).any():
        promise += "; for the labels of a row that share a threshold, together: "
        promise += shared_promise_in_words(alpha)
    return promise.replace(" %", f"{NBSP}%")


def kept_at(findings: Findings, rule: int, level: int) -> str:
    """What was measured of what a setting promises."""
    grid, measures, found = findings.grid, findings.measures, findings.kept
    named, setting = RULES[grid.rules[rule]], rule * len(grid.levels) + level
    if measures.calibrated[setting] + measures.pooled[setting] == 0:
        return "No label could be calibrated at this level."
    of_rows = _kept_of_rows(findings, setting)
    if named.promised == "misses of a row":
        return of_rows or "There is nothing to measure: no row has a calibrated label."
    one, two = (percent(share) for share in found.shares[setting].tolist())
    if one == NONE:
        rows = (
            "no calibrated label is accepted"
            if named.promised == "precision"
            else "no row has a calibrated label"
        )
        return of_rows or f"There is nothing to measure: {rows}."
    if named.promised == "recall":
        shares = f"{one} of the rows that have the label are accepted"
        if grid.candidates_only and named.counts_open(grid.deltas[rule]):
            shares += ", or left open for want of candidates"
    elif named.promised == "precision":
        shares = f"{one} of what is accepted is right"
    elif named.promised == "error rates":
        shares = (
            f"called absent in {one} of the rows that have the label, and present in {two} of "
            "those that do not"
        )
    else:
        assert_never(named.promised)
    sentences = [f"{shares[0].upper()}{shares[1:]}, all calibrated labels taken together."]
    judged, off = int(found.judged[setting]), findings.names[found.off[setting]]
    if judged and len(off) == 0:
        sentences.append("No label misses the promise by more than chance.")
    elif judged:
        sentences.append(
            f"{count(len(off))} of {count(judged)} {_plural(judged, 'label')} "
            f"{'misses' if len(off) == 1 else 'miss'} the promise by more than chance: "
            f"{_listed(off)}."
        )
    return " ".join([*sentences, of_rows]).strip()


def _kept_of_rows(findings: Findings, setting: int) -> str:
    """What was measured of a promise about the labels of a row together; nothing without one."""
    found = findings.kept
    share, level = float(found.row_shares[setting]), float(found.row_levels[setting])
    if share != share:
        return ""
    low, high = found.row_ends[setting].tolist()
    ends = "" if low != low else f" (95{NBSP}% interval {interval(low, high)})"
    if share <= level + 1e-12:  # a sum may be off by rounding
        outcome = "the promise is kept"
    elif found.row_chance[setting] > found.unlikely[setting]:
        outcome = "more than was promised, but within chance"
    else:
        outcome = "the promise is missed by more than chance"
    rule = RULES[findings.grid.rules[setting // len(findings.grid.levels)]]
    shared = "" if rule.promised == "misses of a row" else " and that share a threshold"
    return (
        f"Of the labels that a row has{shared}, {percent(share)} are missed on average{ends}: "
        f"{outcome}."
    )


def calibrated_on(calibrator: Calibrator, names: AnyArray) -> str:
    """How many labels could be calibrated, on how many rows and positives."""
    n_labels = len(calibrator.classes_)
    lacking = names[calibrator.status_ == UNCALIBRATED]
    positives = calibrator.evidence_.positives.counts
    drawn = calibrator.settings_.per_label
    text = (
        f"{count(n_labels - len(lacking))} of {count(n_labels)} {_plural(n_labels, 'label')} "
        f"could be calibrated, on {count(calibrator.n_rows_)} "
        f"{_plural(calibrator.n_rows_, 'row')} with {count(int(positives.min()))} to "
        f"{count(int(positives.max()))} positives a label"
    )
    text += "." if drawn is None else f", of which at most {count(drawn)} were drawn."
    return text if len(lacking) == 0 else f"{text} Not calibrated: {_listed(lacking)}."


def measured(measures: Measures, setting: int, n_rows: int) -> list[str]:
    """What was measured on held-out rows, over all pairs."""
    accepted, absent = int(measures.accepted[setting]), int(measures.absent[setting])
    left_open = measures.pairs - accepted - absent
    low, high = (float(end[setting]) for end in measures.precision_ends)
    below, above = (float(end[setting]) for end in measures.recall_ends)
    decided = (
        f"{count(n_rows)} rows make {count(measures.pairs)} pairs of a row and a label. "
        f"{percent(accepted / measures.pairs)} are accepted, "
        f"{percent(left_open / measures.pairs)} left open and "
        f"{percent(absent / measures.pairs)} called absent."
    )
    if accepted == 0:
        return [decided, "As nothing is accepted, there is no precision to measure."]
    shares = (
        f"Of the accepted, {percent(float(measures.precision[setting]))} are right "
        f"(95{NBSP}% interval {interval(low, high)}). "
    )
    if measures.true:
        shares += (
            f"Of the {count(measures.true)} true labels, "
            f"{percent(float(measures.recall[setting]))} are accepted ({interval(below, above)})."
        )
    return [decided, shares.strip()]


def left_open(calibrator: Calibrator) -> list[str]:
    """What to do with what is left open."""
    lacking = calibrator.status_ == UNCALIBRATED
    decides_all = RULES[calibrator.settings_.rule].decides_all
    sentences = [WHAT_TO_DO[calibrator.settings_.rule]]
    for reason, number in Counter(calibrator.reason_[lacking].tolist()).most_common():
        if reason in _LACKING:
            labels = f"For {count(number)} {_plural(number, 'label')}"
            them = "the label" if number == 1 else "these labels"
            sentences.append(_LACKING[reason].format(labels=labels, them=them))
    return sentences if decides_all and not lacking.any() else [*sentences, _ANSWERS]


def assumed(calibrator: Calibrator) -> str | None:
    """What was assumed, without the name of an argument, for whoever reads a page."""
    told = calibrator.assumption_
    return None if told is None else for_readers(told)


def luck(calibrator: Calibrator) -> list[str]:
    """A caution where labels may have passed a test of precision by luck."""
    settings = calibrator.settings_
    found = None
    if RULES[settings.rule].promised == "precision" and settings.delta_used is not None:
        found = luck_among(calibrator.reason_, settings.delta_used, symbol="δ = ")
    return [] if found is None else [found]


def unavailable(grid: Grid, calibrator: Calibrator) -> str:
    """Why rules cannot be chosen."""
    sentences = []
    if "precision" not in grid.rules:
        kept = calibrator.keep_negatives and calibrator.knowledge_ is Knowledge.ALL
        need = (
            "rows drawn at random, without weights"
            if kept
            else "the scores of false labels too: a calibration set with all labels of its rows, "
            "and with the scores of its false labels kept"
        )
        sentences.append(f"The rules precision and three-way need {need}.")
    if "selective" not in grid.rules:
        sentences.append(
            "The rule selective needs the number of labels of each row: a largest number of them "
            "does not tell which share of the true rows it keeps."
        )
    if "set-recall" not in grid.rules:
        sentences.append(
            "The rule set-recall promises something else, of rows and not of labels; calibrate by "
            "it to see it here."
        )
    return " ".join(sentences)


def _listed(names: AnyArray) -> str:
    listed = ", ".join(str(name) for name in names[:_NAMES_LISTED].tolist())
    more = len(names) - _NAMES_LISTED
    return listed if more <= 0 else f"{listed} and {count(more)} more"


def _plural(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"
