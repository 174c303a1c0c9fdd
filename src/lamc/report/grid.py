"""Every setting that the page can show: rules, levels, and the thresholds that they give."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from lamc.rules import Calibrator
from lamc.rules.certainty import cases_behind
from lamc.rules.gather import is_bound
from lamc.rules.levels import as_fraction
from lamc.rules.pooling import rows_behind
from lamc.rules.rule import RULES
from lamc.rules.thresholds import POOLED, REASONS, STATUSES
from lamc.types import AnyArray, FloatArray, IntArray

# Half a percent apart where a level is small and a step matters, one percent above.
LEVELS: Final = (
    *(Fraction(step, 200) for step in range(1, 20)),
    *(Fraction(step, 100) for step in range(10, 100)),
)
_OFFERED: Final = ("recall", "three-way", "precision", "selective")


@dataclass(frozen=True, eq=False)
class Grid:
    """Thresholds of R rules at A levels.

    Attributes
    ----------
    rules : tuple of str
        The rules that the evidence is enough for.
    levels : tuple
        The levels, ascending. If each label has a level of its own, these come first, as an array.
    deltas : tuple
        Delta of each rule; None if its promise needs none.
    own : (int, int)
        Places of the calibrator's own rule and level.
    present, absent : ndarrays of shape (R, A, K)
        Thresholds, as in :class:`lamc.rules.thresholds.Thresholds`.
    status : ndarray of uint8, shape (R, A, K)
        Place of the status among ``STATUSES``.
    reason : ndarray of uint8, shape (R, A, K)
        Place of what keeps a label from being calibrated among ``REASONS``.
    positives, negatives : ndarrays of int, shape (R, K)
        Calibration rows that have the label, as many as the rule uses, and those that do not.
    cases : ndarray of shape (R, A, K)
        As many of the former as would be as sure if rows had neither weights nor a bound.
    n_labelled : int
        Calibration rows that have a label.
    n_pooled : ndarray of int, shape (R, A)
        Calibration rows that the thresholds of pooled labels come from.
    candidates_only : bool
        Whether calibration scores were sparse, which a promise on average has to say.
    """

    rules: tuple[str, ...]
    levels: tuple[Any, ...]
    deltas: tuple[float | None, ...]
    own: tuple[int, int]
    present: FloatArray
    absent: FloatArray
    status: AnyArray
    reason: AnyArray
    positives: IntArray
    negatives: IntArray
    cases: FloatArray
    n_labelled: int
    n_pooled: IntArray
    candidates_only: bool = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of rules, of levels and of labels."""
        return self.present.shape

    @property
    def alphas(self) -> FloatArray:
        """The levels of each label: shape (A, K)."""
        n_labels = self.present.shape[2]
        return np.stack(
            [np.broadcast_to(np.asarray(a, dtype=float), n_labels) for a in self.levels]
        )

    @property
    def level_values(self) -> list[float | None]:
        """The levels as numbers; None where each label has its own."""
        return [float(value) if isinstance(value, Fraction) else None for value in self.levels]

    def level_text(self, level: int) -> str:
        """A level as a person writes it.

        Examples
        --------
        >>> import numpy as np
        >>> from lamc import Calibrator
        >>> from lamc.report.grid import grid_of
        >>> scores = np.linspace(0, 1, 40).reshape(20, 2)
        >>> grid = grid_of(Calibrator(alpha=0.15).fit(scores, np.ones((20, 2), dtype=int)))
        >>> grid.rules[grid.own[0]], grid.level_text(grid.own[1])
        ('recall', '0.15')
        """
        value = self.levels[level]
        return f"{float(value):.9g}" if isinstance(value, Fraction) else "own"


def grid_of(calibrator: Calibrator) -> Grid:
    """Apply each rule that a calibrator's evidence is enough for, at each level.

    A rule that is not the calibrator's own is applied as a calibrator of that rule, with the same
    settings where it has a use for them, would apply it to the same rows.
    """
    levels, own_level = _levels(calibrator.settings_.alpha)
    rules = rules_for(calibrator)
    settings = [calibrator.settings_.under(rule) for rule in rules]
    known, seed = calibrator.evidence_, calibrator.seed_
    # Drawn once, as it takes long: what every level draws from a draw is all of it.
    evidence = [each.drawn(known, seed) for each in settings]
    others = (
        calibrator.n_rows_ - known.positives.counts
        if known.negatives is None
        else known.negatives.counts
    )
    found = [
        [each.thresholds(drawn, seed, calibrator.most_labels_, alpha=level) for level in levels]
        for each, drawn in zip(settings, evidence, strict=True)
    ]
    alphas = [np.broadcast_to(np.asarray(level, dtype=float), others.shape) for level in levels]
    bound = calibrator.most_labels_
    return Grid(
        rules=rules,
        levels=levels,
        deltas=tuple(each.delta_used for each in settings),
        own=(rules.index(calibrator.settings_.rule), own_level),
        present=np.stack([[at.present for at in row] for row in found]),
        absent=np.stack([[at.absent for at in row] for row in found]),
        status=_places(STATUSES, [[at.status for at in row] for row in found]),
        reason=_places(REASONS, [[at.reason for at in row] for row in found]),
        positives=np.stack([drawn.positives.counts for drawn in evidence]),
        negatives=np.stack([others for _ in rules]),
        cases=np.stack(
            [
                [
                    cases_behind(drawn, at.present, alpha, bound)
                    for at, alpha in zip(row, alphas, strict=True)
                ]
                for drawn, row in zip(evidence, found, strict=True)
            ]
        ),
        n_labelled=known.n_labelled,
        n_pooled=np.array(
            [
                [
                    rows_behind(known, at.status == POOLED, alpha, bound)
                    for at, alpha in zip(row, alphas, strict=True)
                ]
                for row in found
            ]
        ),
        candidates_only=known.candidates_only,
    )


def rules_for(calibrator: Calibrator) -> tuple[str, ...]:
    """Rules whose thresholds follow from what a calibrator was fitted on.

    How many labels a row has at most does not tell which share of the true rows is kept.
    """
    negatives = calibrator.evidence_.negatives is not None
    bounded = is_bound(calibrator.most_labels_)
    offered = tuple(
        rule
        for rule in _OFFERED
        if (negatives or not RULES[rule].needs_negatives)
        and (RULES[rule].takes_bound or not bounded)
    )
    own = calibrator.settings_.rule
    return offered if own in offered else (*offered, own)


def _places(known: tuple[str, ...], words: Any) -> AnyArray:
    code = {word: place for place, word in enumerate(known)}
    return np.vectorize(code.get, otypes=[np.uint8])(words)


def _levels(alpha: Any) -> tuple[tuple[Any, ...], int]:
    """All levels, the calibrator's own among them, and the place of that."""
    if np.ndim(alpha):
        return (np.asarray(alpha), *LEVELS), 0
    own = as_fraction(alpha, "alpha")
    levels = tuple(sorted({*LEVELS, own}))
    return levels, levels.index(own)
