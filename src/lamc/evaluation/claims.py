"""What a rule promised, and what became of it on rows that nothing was chosen on.

A promise may hold on average over calibration sets. Then the set that was drawn is as much a matter
of chance as the rows measured on, and a shortfall counts as one only if both cannot explain it.
With n calibration cases of a label, the share of its new cases below the threshold is a on average.
Given the set it varies like a Beta(a(n + 1), (1 − a)(n + 1)), whose variance a(1 − a)/(n + 2) is
that of a share measured on n + 2 cases. Variances add up, and so m measured cases and n + 2
calibrating ones are together as sure as 1 / (1/m + 1/(n + 2)).
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from lamc.datasets.readers.columns import some
from lamc.evaluation.intervals import (
    Estimate,
    independent_pairs,
    mean_of_rows,
    share_of_pairs,
    wilson,
)
from lamc.rules import Calibrator
from lamc.rules.thresholds import CALIBRATED, UNCALIBRATED
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray

Side = Literal["at least", "at most", "about"]
Verdict = Literal["kept", "within chance", "not kept"]


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
    reach : tuple of float
        The ends of the interval that has room for the calibration set's chance as well.
    labels : ndarray of str
        Labels with a promise of their own that rows were found for.
    shares, low, high : ndarrays of float
        Their shares and the ends of such intervals.
    levels : ndarray of float
        Their levels.
    """

    among: str
    happens: str
    side: Side
    level: float | None
    measured: Estimate
    reach: tuple[float, float]
    labels: AnyArray
    shares: FloatArray
    low: FloatArray
    high: FloatArray
    levels: FloatArray

    @property
    def verdict(self) -> Verdict | None:
        """Whether what was measured is on the right side, or could be; None without a promise."""
        level = float(np.mean(self.levels)) if self.level is None else self.level
        found = self.measured
        if self.side == "about" or np.isnan(found.value) or np.isnan(level):
            return None
        if self.side == "at least":
            kept, possible = found.value >= level, self.reach[1] >= level
        else:
            kept, possible = found.value <= level, self.reach[0] <= level
        return "kept" if kept else "within chance" if possible else "not kept"

    @property
    def n_kept(self) -> int:
        """Labels whose share is on the right side."""
        right = (
            self.shares >= self.levels if self.side == "at least" else self.shares <= self.levels
        )
        return int(np.count_nonzero(right))

    @property
    def off(self) -> AnyArray:
        """Labels whose whole interval is on the wrong side."""
        if self.side == "about":
            return self.labels[:0]
        wrong = self.high < self.levels if self.side == "at least" else self.low > self.levels
        return self.labels[wrong]

    def in_words(self) -> str:
        """Say what was measured and what was promised, in a sentence or two."""
        if np.isnan(self.measured.value):
            return f"{self.among}, there are none here to measure on."
        level = "the level of each label" if self.level is None else f"{100 * self.level:g} %"
        shortfall = "shortfall" if self.side == "at least" else "excess"
        outcome = {
            "kept": "was promised, and is kept",
            "within chance": f"was promised; the {shortfall} is within chance",
            "not kept": (
                f"was promised, and is NOT kept: the {shortfall} is more than chance. Check that "
                "these rows are drawn like the calibration rows"
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
    accepted = decisions == 1
    settings = calibrator.settings_
    alpha = np.broadcast_to(np.asarray(settings.alpha, dtype=float), len(calibrator.classes_))
    n_true, n_rows = calibrator.n_positives_, calibrator.n_rows_
    own, other = "Of the labels that rows have", "Of the labels that rows do not have"
    measure = partial(_share, calibrator)
    if settings.rule == "recall":
        cases = n_true if settings.delta is None else None
        words = (own, "are accepted")
        return (measure(words, "at least", 1 - alpha, accepted, truth, cases),)
    if settings.rule == "selective":
        return (measure((own, "are accepted"), "about", alpha, accepted, truth, n_true),)
    if settings.rule == "precision":
        words = ("Of the labels that are accepted", "are true")
        return (measure(words, "at least", 1 - alpha, truth, accepted, None),)
    if settings.rule == "three-way":
        missed, alarm = (own, "are called absent"), (other, "are accepted")
        return (
            measure(missed, "at most", alpha, decisions == 0, truth, n_true),
            measure(alarm, "at most", alpha, accepted, ~truth, n_rows - n_true),
        )
    return (_missed_of_a_row(calibrator, float(alpha.mean()), truth, accepted),)


def _share(
    calibrator: Calibrator,
    words: tuple[str, str],
    side: Side,
    levels: FloatArray,
    counted: BoolArray,
    among: BoolArray,
    cases: IntArray | None,
) -> Claim:
    """A share among pairs of a row and a label, over all labels and for each.

    ``cases`` are the calibration cases of each label, if the promise is one on average over such.
    A pooled label has a promise together with its group only.
    """
    wholes = among & (calibrator.status_ != UNCALIBRATED)
    parts = wholes & counted
    n_whole, n_part = wholes.sum(axis=0), parts.sum(axis=0)
    own = (calibrator.status_ == CALIBRATED) & (n_whole > 0)
    shares = n_part[own] / n_whole[own]
    unsure = np.zeros(len(own)) if cases is None else 1 / (cases + 2)
    low, high = wilson(shares, 1 / (1 / n_whole[own] + unsure[own]))
    in_rows = parts.sum(axis=1), wholes.sum(axis=1)
    return Claim(
        *words,
        side,
        float(levels[0]) if (levels == levels[0]).all() else None,
        share_of_pairs(*in_rows),
        _reach(*in_rows, n_whole, unsure),
        calibrator.classes_[own].astype(str),
        shares,
        low,
        high,
        levels[own],
    )


def _reach(
    parts: IntArray, wholes: IntArray, n_whole: IntArray, unsure: FloatArray
) -> tuple[float, float]:
    """Ends of the interval of a share over labels, which weigh as many pairs as each has.

    Labels share their calibration rows as they share the rows measured on, and so the dependence
    within the latter is taken for that within the former too.
    """
    n_pairs = int(wholes.sum())
    if n_pairs == 0:
        return np.nan, np.nan
    size = independent_pairs(parts, wholes)
    of_calibration = float(np.sum((n_whole / n_pairs) ** 2 * unsure)) * n_pairs / size
    ends = wilson(np.array([parts.sum() / n_pairs]), np.array([1 / (1 / size + of_calibration)]))
    return float(ends[0][0]), float(ends[1][0])


def _missed_of_a_row(
    calibrator: Calibrator, alpha: float, truth: BoolArray, accepted: BoolArray
) -> Claim:
    has_labels = truth.any(axis=1)
    missed = (truth & ~accepted)[has_labels].sum(axis=1) / truth[has_labels].sum(axis=1)
    found = mean_of_rows(missed)
    wider = np.sqrt(1 + len(missed) / calibrator.n_rows_)
    none = np.empty(0)
    return Claim(
        "Of the labels of a row",
        "are missed on average",
        "at most",
        alpha,
        found,
        (
            found.value - wider * (found.value - found.low),
            found.value + wider * (found.high - found.value),
        ),
        none.astype(str),
        *(none,) * 4,
    )
