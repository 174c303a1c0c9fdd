"""The calibrator: scores and labels in, one threshold a label out."""

import threading
from copy import copy
from pathlib import Path
from typing import Any, Literal, Self

import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from lamc.exceptions import CalibrationError, warn
from lamc.labels import Labels
from lamc.labels.columns import in_order_of
from lamc.rules.assumptions import SINGLE_POSITIVES, assumption_of
from lamc.rules.columns import labels_of_columns
from lamc.rules.deciding import Decider
from lamc.rules.evidence import Evidence, all_scores, seed_of
from lamc.rules.gather import gather, is_bound, most_labels, row_weights
from lamc.rules.levels import as_fraction, in_order_of_labels
from lamc.rules.pvalues import p_values
from lamc.rules.rule import RULES, RuleName
from lamc.rules.scores import check_scores, score_matrix
from lamc.rules.selection import select_pairs
from lamc.rules.settings import Settings
from lamc.rules.summary import promise_in_words, summary_table
from lamc.rules.thresholds import Thresholds
from lamc.types import AnyArray, BoolArray, FloatArray, Matrix, SparseMatrix

_UPDATES = threading.RLock()  # one update at a time, or rows of another would be lost


class Calibrator(BaseEstimator):
    """One threshold for each label, from the scores of a calibration set.

    The scores may come from anywhere: a model of this package, of another, or a file. The
    calibration rows must not have been used to train or choose the scorer, and must be drawn like
    the rows to come.

    Parameters
    ----------
    rule : {"recall", "selective", "precision", "three-way", "set-recall"}
        What the thresholds promise; see :attr:`promise_` after fitting.
    alpha : float, array-like of shape (K,), dict or Series
        The level of error allowed, for all labels or for each. A dict or a pandas Series gives
        levels by the names of the labels.
    delta : float, optional
        Let the promise hold with probability ``1 - delta`` over the calibration set, instead of
        on average over such sets. For the rules ``"recall"`` and ``"precision"``, whose default
        is 0.1. Each label has its promise by itself: divide by the number of labels for one that
        holds for all of them at once.
    few_positives : {"abstain", "pool"}
        What to do with a label that has too few positives for its level. ``"abstain"`` decides
        nothing about it. ``"pool"`` (recall rule) gives groups of such labels a threshold
        together; the promise then holds on average over the group.
    per_label : int, optional
        Draw this many positives of each label and leave the others out.
    keep_negatives : bool
        Keep the scores of false labels for :meth:`select`. Rules that need them always do.
    random_state : int, RandomState or None
        Seed of what is drawn.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels.
    thresholds_ : ndarray of shape (K,)
        A label is accepted from this score on (above it, for the rule ``"selective"``).
    absence_thresholds_ : ndarray of shape (K,)
        A label is called absent below this score; −inf where it never is.
    n_positives_ : ndarray of int, shape (K,)
        Positives that the threshold comes from.
    status_ : ndarray of str, shape (K,)
        ``"calibrated"``, ``"pooled"`` or ``"uncalibrated"``.
    reason_ : ndarray of str, shape (K,)
        Why a label is uncalibrated: ``"no positives"``, ``"too few positives"``, ``"too few
        negatives"`` or ``"too few rows"`` for what is to be promised; ``"not certified"`` if there
        are enough, and they do not show the precision at any threshold; ``"scores too low"`` if too
        many true rows have no score; ``"uneven weights"`` if there would be enough positives, did
        no row weigh so much more than others. Empty for the other labels.
    promise_ : str
        What holds, for each calibrated label or, of the rule ``"set-recall"``, for a row's labels.
    assumption_ : str or None
        What the promise rests on besides exchangeable rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((200, 3)) < [0.5, 0.3, 0.01]
    >>> scores = np.clip(0.3 * rng.random(Y.shape) + 0.4 * Y, 0, 1)
    >>> cal = Calibrator(rule="recall", alpha=0.1).fit(scores, Y)
    >>> cal.status_.tolist()
    ['calibrated', 'calibrated', 'uncalibrated']
    >>> cal.decide(scores[:2])
    array([[ 0,  1, -1],
           [ 1,  0, -1]], dtype=int8)
    """

    def __init__(
        self,
        rule: RuleName = "recall",
        *,
        alpha: Any = 0.1,
        delta: float | None = None,
        few_positives: Literal["abstain", "pool"] = "abstain",
        per_label: int | None = None,
        keep_negatives: bool = False,
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.alpha = alpha
        self.delta = delta
        self.few_positives = few_positives
        self.per_label = per_label
        self.keep_negatives = keep_negatives
        self.random_state = random_state

    def fit(
        self,
        scores: Any,
        Y: Any,
        *,
        sample_weight: npt.ArrayLike | None = None,
        picked_for: Any = None,
        cardinality: Any = None,
        reference: Any = None,
        classes: npt.ArrayLike | None = None,
    ) -> Self:
        """Set the thresholds.

        Parameters
        ----------
        scores : array-like, DataFrame or sparse matrix of shape (n, K)
            Scores in [0, 1]. A pair that a sparse matrix does not store scores 0. Scores of two
            float types are compared in the shorter: new ones are rounded as these are, and these
            as new ones are.
        Y : labels in any form of :func:`lamc.as_labels`
            All labels of the rows; or one observed label a row, for the rules ``"recall"`` and
            ``"selective"``.
        sample_weight : array-like of shape (n,), optional
            Inverse of the probability with which a row was chosen, up to a factor. A new row is
            taken to weigh no more than the heaviest of these.
        picked_for : array-like of shape (n,), optional
            The label for which each row was chosen, if rows were chosen for labels. A row then
            counts for that label only.
        cardinality : array-like of shape (n,) or int, optional
            With observed labels only: how many labels each row has, or the most that any row has.
        reference : array-like or sparse matrix of shape (m, K), optional
            Scores of other rows, such as unlabelled ones. The rule ``"precision"`` starts its
            tests where they say, and the rule ``"set-recall"`` ranks scores among them.
        classes : array-like of shape (K,), optional
            Names of the columns of ``scores``.

        Returns
        -------
        Calibrator
        """
        seed = seed_of(self.random_state)
        given, scores = scores, scores if classes is None else in_order_of(scores, classes)
        labels = labels_of_columns(Y, given, classes=classes)
        settings = self.settings(labels.classes)
        settings.check(labels.shape[1])
        if labels.positives.nnz == 0:
            raise CalibrationError(
                f"None of the {len(labels)} calibration rows has a label; there is nothing to "
                "calibrate on."
            )
        evidence = self._gather(
            settings,
            labels,
            scores,
            (sample_weight, picked_for, cardinality),
            referenced=reference is not None,
        )
        if reference is not None:
            reference = in_order_of(reference, labels.classes)
            other = check_scores(reference, n_labels=labels.shape[1], name="reference")
            if other.shape[0] == 0:
                raise CalibrationError("The reference has no rows; leave it out, or give some.")
            evidence = evidence.beside(all_scores(other))
        bound = most_labels(cardinality, labels)
        thresholds = settings.thresholds(evidence, seed, bound)
        assumption = assumption_of(labels, cardinality)
        if assumption == SINGLE_POSITIVES:
            warn(assumption)
        settings.warn_of_luck(thresholds)
        self.classes_ = labels.classes
        self.knowledge_ = labels.knowledge
        self.settings_ = settings
        self.seed_ = seed
        self.most_labels_ = bound
        self.assumption_ = assumption
        self._keep(evidence, thresholds)
        return self

    def update(
        self,
        scores: Any,
        Y: Any,
        *,
        sample_weight: npt.ArrayLike | None = None,
        picked_for: Any = None,
        cardinality: Any = None,
    ) -> Self:
        """Add calibration rows; the result is that of fitting on all of them at once.

        Threads may update one calibrator: each waits for the others.
        """
        with _UPDATES:
            return self._updated(scores, Y, (sample_weight, picked_for, cardinality))

    def _updated(self, scores: Any, Y: Any, told: tuple[Any, Any, Any]) -> Self:
        check_is_fitted(self)
        cardinality = told[2]
        given, scores = scores, in_order_of(scores, self.classes_)
        like_before = None if isinstance(Y, Labels) else self.knowledge_
        labels = labels_of_columns(Y, given, classes=self.classes_, knowledge=like_before)
        if labels.knowledge is not self.knowledge_:
            raise CalibrationError(
                f"These rows tell {labels.knowledge.value!r} of their labels, those before told "
                f"{self.knowledge_.value!r}; they cannot be put together."
            )
        later = self._gather(
            self.settings_,
            labels,
            scores,
            told,
            before=self.evidence_,
        )
        bound = most_labels(cardinality, labels)
        weighted = {each.weights is not None for each in (self.evidence_, later)}
        if bound != self.most_labels_ or len(weighted) > 1:
            raise CalibrationError(
                "Give sample_weight or cardinality as they were given to fit, or not at all."
            )
        evidence = self.evidence_.joined(later)
        thresholds = self.settings_.thresholds(evidence, self.seed_, bound)
        self.settings_.warn_of_luck(thresholds)  # before anything changes: it may be an error
        self.assumption_ = self.assumption_ or assumption_of(labels, cardinality)
        self._keep(evidence, thresholds)
        return self

    def accept(self, scores: Any) -> BoolArray | SparseMatrix:
        """Return the pairs of a row and a label that are accepted.

        For sparse scores the result is sparse, and only stored pairs can be accepted. Under the
        rules ``"recall"`` and ``"set-recall"`` an uncalibrated label is accepted in every row, for
        less could miss true ones; :meth:`decide` leaves it open.
        """
        return self._decider().accepted(self._to_answer(scores))

    def decide(self, scores: Any) -> AnyArray | SparseMatrix:
        """Return 1 where a label is present, 0 where it is absent, −1 where that is left open.

        Nothing is decided about an uncalibrated label. For sparse scores the stored pairs are
        decided, with the zeros stored, and nothing is said of the others.
        """
        return self._decider().decided(self._to_answer(scores))

    def p_values(self, scores: Any) -> Matrix:
        """Return conformal p-values of "the label is present".

        They come from a label's own positives. Under the rule ``"recall"`` without ``delta``, a
        calibrated label is accepted exactly where its p-value exceeds alpha.
        """
        checked = self._check_new(scores)
        evidence = self.settings_.drawn(self.evidence_, self.seed_)
        return p_values(
            checked,
            evidence.positives,
            evidence.weights,
            heaviest=evidence.heaviest,
            most_labels=self.most_labels_ or 1,
        )

    def select(self, scores: Any, *, fdr: float) -> BoolArray:
        """Pick pairs from a batch so that, for each label, a share of at most ``fdr`` is wrong.

        The share is meant on average over calibration sets and batches. Needs the scores of false
        labels: a rule that keeps them, or ``keep_negatives=True``.
        """
        checked = self._check_new(scores)
        if sparse.issparse(checked):
            raise CalibrationError("select() needs a score for every pair; these are sparse.")
        level = as_fraction(fdr, "fdr")
        return select_pairs(checked, self.evidence_.known_negatives, self.n_rows_, level)

    def thresholds_at(self, alpha: Any) -> FloatArray:
        """Return the thresholds at another level, without fitting again."""
        check_is_fitted(self)
        level = in_order_of_labels(alpha, self.classes_)
        settings, bound = self.settings_, self.most_labels_
        return settings.thresholds(self.evidence_, self.seed_, bound, alpha=level).present

    def summary(self) -> Any:
        """Return a table of the labels: positives, threshold, status, and what is promised.

        Returns
        -------
        pandas.DataFrame
        """
        check_is_fitted(self)
        return summary_table(self)

    def save(self, path: str | Path) -> None:
        """Write the calibrator to one file, from which :func:`lamc.load` gives it back."""
        from lamc.storage import save

        save(self, path)

    def settings(self, classes: npt.ArrayLike | None = None) -> Settings:
        """Return the parameters as one object, which can tell whether they are possible ones.

        A fitted calibrator goes by those it was fitted with, ``settings_``.
        """
        alpha = self.alpha if classes is None else in_order_of_labels(self.alpha, classes)
        own = copy(alpha)  # an array may be changed by who gave it
        return Settings(self.rule, own, self.delta, self.few_positives, self.per_label)

    @property
    def n_rows_(self) -> int:
        """Number of calibration rows, those of updates too."""
        return self.evidence_.n_rows

    # -- how it works ----------------------------------------------------------------------------

    def _gather(
        self,
        settings: Settings,
        labels: Labels,
        scores: Any,
        given: tuple[Any, Any, Any],
        *,
        referenced: bool = False,
        before: Evidence | None = None,
    ) -> Evidence:
        """Check a batch of calibration rows and gather what it tells."""
        sample_weight, picked_for, cardinality = given
        weights = row_weights(labels, sample_weight, cardinality)
        settings.check_rows(
            labels,
            weighted=weights is not None,
            picked=picked_for is not None,
            referenced=referenced,
            bounded=is_bound(most_labels(cardinality, labels)),
        )
        return gather(
            check_scores(scores, n_labels=labels.shape[1]),
            labels,
            weights=weights,
            picked_for=picked_for,
            rows_before=0 if before is None else before.n_rows,
            keep_negatives=(
                self.keep_negatives or RULES[settings.rule].needs_negatives
                if before is None
                else before.negatives is not None
            ),
        )

    def _keep(self, evidence: Evidence, thresholds: Thresholds) -> None:
        self.evidence_ = evidence
        settings, rule = self.settings_, RULES[self.settings_.rule]
        self.n_positives_ = settings.drawn(evidence, self.seed_).positives.counts
        self.thresholds_ = thresholds.present
        self.absence_thresholds_ = thresholds.absent
        self.status_ = thresholds.status
        self.reason_ = thresholds.reason
        self.promise_ = promise_in_words(
            rule,
            settings.alpha,
            settings.delta_used,
            candidates_only=evidence.candidates_only,
        )

    def _decider(self) -> Decider:
        check_is_fitted(self)
        rule, absent = RULES[self.settings_.rule], self.absence_thresholds_
        return Decider(rule, self.classes_, self.thresholds_, absent, self.status_)

    def _to_answer(self, scores: Any) -> Matrix:
        """Scores of new rows; dense ones are only looked at while they are answered."""
        if sparse.issparse(scores):
            return self._check_new(scores)
        ordered = in_order_of(scores, self.classes_)
        return score_matrix(ordered, n_labels=len(self.classes_))

    def _check_new(self, scores: Any) -> Matrix:
        check_is_fitted(self)
        return check_scores(in_order_of(scores, self.classes_), n_labels=len(self.classes_))
