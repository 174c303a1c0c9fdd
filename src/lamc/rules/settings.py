"""The parameters of a calibrator: whether a rule can do what they ask, and what comes of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lamc.exceptions import CalibrationError, warn
from lamc.labels import Knowledge, Labels
from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels, as_fraction
from lamc.rules.pooling import pool
from lamc.rules.precision import luck_among
from lamc.rules.rule import RULES
from lamc.rules.thresholds import Thresholds


@dataclass(frozen=True)
class Settings:
    """The parameters of a calibrator, as they were given."""

    rule: str
    alpha: Any
    delta: float | None
    few_positives: str
    per_label: int | None

    @property
    def delta_used(self) -> float | None:
        """The delta that was given, or that of a rule that must have one.

        Examples
        --------
        >>> from lamc.rules.settings import Settings
        >>> Settings("precision", 0.1, None, "abstain", None).delta_used
        0.1
        """
        return RULES[self.rule].default_delta if self.delta is None else self.delta

    def under(self, rule: str) -> "Settings":
        """The same parameters for another rule, but for those that it has no use for.

        Examples
        --------
        >>> from lamc.rules.settings import Settings
        >>> Settings("recall", 0.1, 0.2, "abstain", None).under("three-way")
        Settings(rule='three-way', alpha=0.1, delta=None, few_positives='abstain', per_label=None)
        """
        other = RULES[rule]
        return Settings(
            rule,
            self.alpha,
            None if other.sure_promise is None else self.delta,
            self.few_positives if other.pools else "abstain",
            self.per_label if other.draws else None,
        )

    def check(self, n_labels: int) -> None:
        """Raise unless the parameters are possible ones."""
        if not isinstance(self.rule, str) or self.rule not in RULES:
            raise CalibrationError(f"rule={self.rule!r} is none of {', '.join(RULES)}.")
        rule = RULES[self.rule]
        Levels.of(self.alpha, n_labels=n_labels)
        if self.delta is not None:
            as_fraction(self.delta, "delta")
        if self.few_positives not in ("abstain", "pool"):
            raise CalibrationError(
                f"few_positives={self.few_positives!r} is neither 'abstain' nor 'pool'."
            )
        whole = isinstance(self.per_label, (int, np.integer)) and self.per_label >= 1
        if self.per_label is not None and not whole:
            raise CalibrationError(f"per_label={self.per_label!r} is not a count of at least 1.")
        self._refuse(
            (self.delta is not None and rule.sure_promise is None, "has no use for delta"),
            (
                self.per_label is not None and not rule.draws,
                "needs all positives, not a draw of them (per_label)",
            ),
            (self.few_positives == "pool" and not rule.pools, "cannot pool labels"),
            (
                self.few_positives == "pool" and self.delta is not None,
                "cannot pool labels and hold with a delta",
            ),
            (
                self.few_positives == "pool" and self.per_label is not None,
                "cannot pool labels that are drawn alike (per_label): a frequent label would count "
                "as little as a rare one",
            ),
        )

    def check_rows(
        self,
        labels: Labels,
        *,
        weighted: bool,
        picked: bool,
        referenced: bool,
        bounded: bool = False,
    ) -> None:
        """Raise unless the rule can use calibration rows of this kind."""
        rule = RULES[self.rule]
        if rule.needs_all_labels:
            labels.require(Knowledge.ALL, by=f"The {self.rule} rule")
        self._refuse(
            (weighted and not rule.weighs, "cannot weigh rows"),
            (weighted and self.delta is not None, "cannot weigh rows and hold with a delta"),
            (weighted and self.few_positives == "pool", "cannot weigh rows and pool labels"),
            (
                picked and self.few_positives == "pool",
                "cannot pool labels whose rows were picked for them: a frequent label would count "
                "as little as a rare one",
            ),
            (
                picked and rule.needs_all_labels,
                "needs rows drawn at random: rows chosen for a label do not show how often others "
                "are right",
            ),
            (
                bounded and not rule.takes_bound,
                "keeps a share of the true rows, which a bound on their labels does not tell; give "
                "the cardinality of each row",
            ),
            (referenced and not rule.uses_reference, "has no use for reference scores"),
        )

    def thresholds(
        self, evidence: Evidence, seed: int, most_labels: int | None, *, alpha: Any = None
    ) -> Thresholds:
        """Apply the rule, at its own level or at another."""
        level = self.alpha if alpha is None else alpha
        levels = Levels.of(level, n_labels=len(evidence.positives.zeros))
        if most_labels is not None:
            levels = levels.for_at_most(most_labels)
        drawn = self.drawn(evidence, seed)
        thresholds = RULES[self.rule].thresholds(drawn, levels, self.delta_used)
        if self.few_positives == "pool":
            thresholds = pool(thresholds, drawn, levels, seed=seed)
        return thresholds

    def warn_of_luck(self, thresholds: Thresholds) -> None:
        """Warn if some labels of many have likely passed the test of their precision by luck."""
        if RULES[self.rule].promised == "precision" and self.delta_used is not None:
            luck = luck_among(thresholds.reason, self.delta_used)
            if luck is not None:
                warn(luck)

    def drawn(self, evidence: Evidence, seed: int) -> Evidence:
        """The evidence, or the draw of it that ``per_label`` asks for."""
        return evidence if self.per_label is None else evidence.drawn(self.per_label, seed=seed)

    def _refuse(self, *demands: tuple[bool, str]) -> None:
        for refused, why in demands:
            if refused:
                raise CalibrationError(f"The {self.rule} rule {why}.")
