"""What a rule promised, and what became of it on rows that nothing was chosen on.

A promise may hold on average over calibration sets. Then the set that was drawn is as much a matter
of chance as the rows measured on, and a shortfall counts as one only if both cannot explain it.
With n calibration cases of a label, the share of its new cases below the threshold is a on average.
Given the set it varies like a Beta(a(n + 1), (1 − a)(n + 1)), whose variance a(1 − a)/(n + 2) is
that of a share measured on n + 2 cases (:mod:`lamc.rules.certainty` counts them where rows have
weights). Variances add up, and so m measured cases and n + 2 calibrating ones are together as sure
as 1 / (1/m + 1/(n + 2)).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias, assert_never

import numpy as np

from lamc.evaluation.intervals import (
    UNLIKELY,
    Estimate,
    chance_of_larger_mean,
    chance_of_more,
    independent_pairs,
    mean_with,
    share_of_pairs,
)
from lamc.rules import Calibrator
from lamc.rules.certainty import cases_behind
from lamc.rules.pooling import groups_of, rows_behind
from lamc.rules.rule import RULES, Side
from lamc.rules.thresholds import CALIBRATED, POOLED, TOO_LOW, UNCALIBRATED
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray
from lamc.wording import some

Verdict = Literal["kept", "within chance", "not kept"]
Numbers: TypeAlias = float | FloatArray


@dataclass(frozen=True, eq=False)
class Claim:
    """One thing that a rule promises, and its measurement.

    Attributes
    ----------
    among, happens : str
        The share that is promised, in words: of what, and which part.
    side : {"at least", "at most", "about"}
        On which side of the level it is to be.
    level : float or None
        The level; None if each label has its own.
    measured : Estimate
        The share over all labels that have a promise, with the interval of these rows.
    mean_level : float
        What is promised of that share: the mean of the levels, by the cases of each label.
    chance : float
        Chance of a share that is off as far or farther, where the promise holds.
    labels : ndarray of str
        Labels with a promise of their own that rows were found for.
    shares, chances, levels : ndarrays of float
        Their shares, such chances and levels.
    unlikely : float
        A chance that is no explanation any more. Where a rule makes two claims, each has half.
    promised : bool
        Whether any label has a promise.
    delta : float or None
        Share of calibration sets that the promise leaves out; None if it is one on average.
    assumption : str or None
        What the promise rests on besides.
    """

    among: str
    happens: str
    side: Side
    level: float | None
    measured: Estimate
    mean_level: float
    chance: float
    labels: AnyArray
    shares: FloatArray
    chances: FloatArray
    levels: FloatArray
    unlikely: float = UNLIKELY
    delta: float | None = None
    assumption: str | None = None
    promised: bool = True

    @property
    def verdict(self) -> Verdict | None:
        """Whether what was measured is on the right side, or could be; None without a promise."""
        found, level = self.measured.value, self.mean_level
        if self.side == "about" or np.isnan(found) or np.isnan(level):
            return None
        if _is_kept(self.side, np.array([found]), np.array([level])).all():
            return "kept"
        return "not kept" if self.chance <= self.unlikely else "within chance"

    @property
    def n_kept(self) -> int:
        """Labels whose share is on the right side."""
        return int(np.count_nonzero(_is_kept(self.side, self.shares, self.levels)))

    @property
    def off(self) -> AnyArray:
        """Labels that are off by more than chance explains."""
        if self.side == "about":
            return self.labels[:0]
        return self.labels[self.chances <= self.unlikely]

    def in_words(self) -> str:
        """Say what was measured and what was promised, in a sentence or two."""
        if not self.promised:
            return "Nothing is promised, for no label could be calibrated."
        if np.isnan(self.measured.value):
            return f"{self.among}, there are none here to measure on."
        level = f"{100 * self.mean_level:.1f} % (the mean of the labels' own levels)"
        if self.level is not None:
            level = f"{100 * self.level:g} %"
        shortfall = "shortfall" if self.side == "at least" else "excess"
        outcome = {
            "kept": "was promised, and is kept",
            "within chance": f"was promised; the {shortfall} is within chance",
            "not kept": (
                f"was promised, and is NOT kept: the {shortfall} is more than chance. "
                f"{self._where_to_look()}"
            ),
            None: "is meant",
        }[self.verdict]
        first = f"{self.among}, {self.measured} {self.happens}: {self.side} {level} {outcome}."
        if self.verdict is None or not len(self.labels):
            return first
        others = "none misses it by more than chance"
        if len(self.off):
            others = f"these miss it by more than chance: {some(self.off.tolist())}"
        return f"{first} {self.n_kept} of {len(self.labels)} labels keep it here; {others}."

    def _where_to_look(self) -> str:
        """What may be behind a promise that is not kept."""
        advice = "Check that these rows are drawn like the calibration rows"
        if self.delta is not None:
            sets = f"{100 * (1 - self.delta):g} % of calibration sets"
            advice = f"It was promised for {sets}, and this may be one of the others. {advice}"
        if self.assumption is not None:
            advice += f", and what was assumed: {self.assumption.rstrip('.')}"
        return advice


def _is_kept(side: Side, shares: FloatArray, levels: FloatArray) -> BoolArray:
    """Whether shares are on the right side of levels, or at them but for rounding."""
    right = shares >= levels if side == "at least" else shares <= levels
    return right | np.isclose(shares, levels, rtol=0, atol=1e-12)


def claims(calibrator: Calibrator, truth: BoolArray, decisions: AnyArray) -> tuple[Claim, ...]:
    """Measure what the rule of a calibrator promises.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted.
    truth : ndarray of bool, shape (n, K)
        All labels of the rows.
    decisions : ndarray of int8, shape (n, K)
        What the calibrator decided: 1 accepted, 0 absent, −1 open.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.evaluation.claims import claims
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((400, 3)) < 0.4
    >>> scores = 0.5 * rng.random(Y.shape) + 0.4 * Y
    >>> calibrator = Calibrator("recall", alpha=0.1).fit(scores[:200], Y[:200])
    >>> claims(calibrator, Y[200:], calibrator.decide(scores[200:]))[0].verdict
    'kept'
    """
    delta = calibrator.settings_.delta_used
    assumption, promised = calibrator.assumption_, (calibrator.status_ != UNCALIBRATED).any()
    return tuple(
        replace(claim, delta=delta, assumption=assumption, promised=bool(promised))
        for claim in _measured(calibrator, truth, decisions)
    )


def _measured(calibrator: Calibrator, truth: BoolArray, decisions: AnyArray) -> tuple[Claim, ...]:
    accepted = decisions == 1
    settings, rule = calibrator.settings_, RULES[calibrator.settings_.rule]
    alpha = np.broadcast_to(np.asarray(settings.alpha, dtype=float), len(calibrator.classes_))
    n_true = calibrator.n_positives_
    own, other = "Of the labels that rows have", "Of the labels that rows do not have"
    measure = partial(_share, calibrator)
    if rule.promised == "recall" and rule.side == "about":
        return (measure((own, "are accepted"), rule.side, alpha, accepted, truth, n_true),)
    if rule.promised == "recall":
        return _recalled(calibrator, alpha, truth, accepted)
    if rule.promised == "precision":
        words = ("Of the labels that are accepted", "are true")
        return (measure(words, rule.side, 1 - alpha, truth, accepted, None),)
    if rule.promised == "error rates":
        missed, alarm = (own, "are called absent"), (other, "are accepted")
        n_false = calibrator.evidence_.known_negatives.counts
        return (
            measure(missed, rule.side, alpha, decisions == 0, truth, n_true, UNLIKELY / 2),
            measure(alarm, rule.side, alpha, accepted, ~truth, n_false, UNLIKELY / 2),
        )
    if rule.promised == "misses of a row":
        one_group = np.zeros(len(alpha), dtype=np.int64)
        among = truth & (calibrator.status_ != UNCALIBRATED)
        words = ("Of the labels of a row", "are missed on average")
        calibrating = calibrator.evidence_.n_labelled
        return (_missed_of_rows(words, alpha, among, accepted, one_group, calibrating),)
    assert_never(rule.promised)


def _recalled(
    calibrator: Calibrator, alpha: FloatArray, truth: BoolArray, accepted: BoolArray
) -> tuple[Claim, ...]:
    """What the recall rule promises: of the rows of a label, and of rows where labels are pooled.

    Of sparse scores a promise on average counts a label as kept that stays open for want of
    candidates (:func:`lamc.rules.recall.recall_thresholds`).
    """
    settings, pooled = calibrator.settings_, calibrator.status_ == POOLED
    rule, delta = RULES[settings.rule], settings.delta_used
    left_open: BoolArray = np.zeros(len(alpha), dtype=bool)
    happens = "are accepted"
    if calibrator.evidence_.candidates_only and rule.counts_open(delta):
        left_open = calibrator.reason_ == TOO_LOW
        happens = "are accepted, or left open for want of candidates"
    words = ("Of the labels that rows have", happens)
    drawn = settings.drawn(calibrator.evidence_, calibrator.seed_)
    cases = cases_behind(drawn, calibrator.thresholds_, alpha, calibrator.most_labels_)
    of_labels = _share(
        calibrator,
        words,
        rule.side,
        1 - alpha,
        accepted | left_open,
        truth,
        cases if delta is None else None,
        also=left_open,
    )
    if not pooled.any():
        return (of_labels,)
    together = _recalled_together(calibrator, alpha, truth & pooled, accepted)
    if not (calibrator.status_ == CALIBRATED).any():
        return (together,)
    return tuple(replace(claim, unlikely=UNLIKELY / 2) for claim in (of_labels, together))


def _recalled_together(
    calibrator: Calibrator, alpha: FloatArray, truth: BoolArray, accepted: BoolArray
) -> Claim:
    """What is promised of a row's labels in a group; a group has one threshold and one level."""
    evidence, pooled = calibrator.evidence_, calibrator.status_ == POOLED
    groups = groups_of(calibrator.thresholds_, alpha)
    words = ("Of the labels of a row that share a threshold", "are missed on average")
    calibrating = rows_behind(evidence, pooled, alpha, calibrator.most_labels_)
    return _missed_of_rows(words, alpha, truth, accepted, groups, calibrating)


def _share(
    calibrator: Calibrator,
    words: tuple[str, str],
    side: Side,
    levels: FloatArray,
    counted: BoolArray,
    among: BoolArray,
    cases: AnyArray | None,
    unlikely: float = UNLIKELY,
    also: BoolArray | Literal[False] = False,
) -> Claim:
    """A share among pairs of a row and a label, over all calibrated labels and for each.

    ``cases`` are the calibration cases of each label, if the promise is one on average over such.
    Some labels may count in the share ``also``, though they have no promise of their own.
    """
    calibrated = calibrator.status_ == CALIBRATED
    wholes = among & (calibrated | also)
    parts = wholes & counted
    n_whole, n_part = wholes.sum(axis=0), parts.sum(axis=0)
    own = calibrated & (n_whole > 0)
    shares = n_part[own] / n_whole[own]
    unsure = np.zeros(len(own)) if cases is None else 1 / (cases + 2)
    in_rows = parts.sum(axis=1), wholes.sum(axis=1)
    measured = share_of_pairs(*in_rows)
    n_pairs = int(n_whole.sum())
    mean_level = float(n_whole @ levels) / n_pairs if n_pairs else np.nan
    chance = partial(_chance, side)
    return Claim(
        *words,
        side,
        float(levels[0]) if (levels == levels[0]).all() else None,
        measured,
        mean_level,
        chance(measured.value, _as_sure_as(*in_rows, n_whole, unsure), mean_level).item(),
        calibrator.classes_[own].astype(str),
        shares,
        chance(shares, 1 / (1 / n_whole[own] + unsure[own]), levels[own]),
        levels[own],
        unlikely,
    )


def _chance(side: Side, shares: Numbers, sizes: Numbers, levels: Numbers) -> FloatArray:
    """Chance of shares that are off as far to the wrong side."""
    if side == "at least":
        return chance_of_more(1 - shares, sizes, 1 - levels)
    return chance_of_more(shares, sizes, levels)


def _as_sure_as(parts: IntArray, wholes: IntArray, n_whole: IntArray, unsure: FloatArray) -> float:
    """Independent pairs that are as sure of a share over labels, the calibration set counted in.

    Labels weigh as many pairs as each has. They share their calibration rows as they share the rows
    measured on, and so the dependence within the latter is taken for that within the former too.
    """
    n_pairs = int(wholes.sum())
    if n_pairs == 0:
        return 0.0
    size = independent_pairs(parts, wholes)
    of_calibration = float(np.sum((n_whole / n_pairs) ** 2 * unsure)) * n_pairs / size
    return 1 / (1 / size + of_calibration)


def _missed_of_rows(
    words: tuple[str, str],
    alpha: FloatArray,
    truth: BoolArray,
    accepted: BoolArray,
    groups: IntArray,
    calibrating: int,
) -> Claim:
    """Share of a row's labels that is missed, on average over rows; of each group by itself.

    Shares of one row are not independent, and a row counts once in how sure the mean is.
    """
    of_group = groups[:, None] == np.unique(groups)
    has = truth.astype(np.int64) @ of_group
    missed = (truth & ~accepted).astype(np.int64) @ of_group
    shares = missed[has > 0] / has[has > 0]
    levels = np.broadcast_to(alpha[of_group.argmax(axis=0)], has.shape)[has > 0]
    n, none = int(np.count_nonzero(has.any(axis=1))), np.empty(0)
    found = float(np.mean(shares)) if n else np.nan
    of_all = float(levels[0]) if n and (levels == levels[0]).all() else None
    level = of_all if of_all is not None else float(np.mean(levels)) if n else np.nan
    spread = float(np.std(shares, ddof=1)) if n > 1 else np.nan
    return Claim(
        *words,
        "at most",
        of_all,
        mean_with(found, spread, n),
        level,
        chance_of_larger_mean(found, spread, n, level=level, calibrating=calibrating),
        none.astype(str),
        *(none,) * 3,
    )
