"""LAMC: an estimator that scores labels, and a calibrator that says which to accept."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from lamc.calibration_part import drawn_seed
from lamc.cautions import warn_of_copies, warn_of_labels_accepted_everywhere, warn_of_shared_rows
from lamc.containers import traces
from lamc.duplicates import are_common
from lamc.exceptions import ScorerError
from lamc.fitting import (
    check_calibration,
    check_columns,
    columns_learnt,
    read_task,
    rows_to_calibrate_on,
    task_of_calibration,
    task_of_training,
    train,
)
from lamc.labels import as_labels
from lamc.labels.columns import require_same_rows
from lamc.metrics.estimator_score import estimator_score
from lamc.rules import Calibrator
from lamc.rules.rule import RuleName
from lamc.scoring import has_checkpoint, is_function, needs_training, scores_of, seeded
from lamc.types import AnyArray, FloatArray, IntArray


class LAMC(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Accept the labels that can be relied on, and leave the others open.

    An estimator learns from one observed label a row and scores all labels; a
    :class:`Calibrator` sets one threshold for each. ``LAMC(WAN(), rule="selective", alpha=0.5)``
    is the method of the paper.

    Parameters
    ----------
    estimator : estimator or function, optional
        What scores the labels: a learner of this package; any scikit-learn classifier, which then
        learns the observed label as a class; a fitted one in
        :class:`sklearn.frozen.FrozenEstimator`; a multi-output classifier; or a function that
        takes X and returns scores in [0, 1]. By default :class:`lamc.learners.Blend`.
    rule, alpha, delta, few_positives, per_label
        What is promised; see :class:`Calibrator`.
    keep_negatives : bool
        Keep the scores of false labels for :meth:`select`. Without them a model is smaller: it
        grows with the true labels of the calibration set, not with its rows times labels.
    calibration_size : float or int
        Share or number of the rows that ``fit`` holds out to calibrate on, when it is given no
        calibration set. A fitted estimator or a function needs none to train on, and all rows
        serve to calibrate.
    random_state : int, RandomState or None
        Seed of what is drawn.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels, in the order of the columns of everything that is returned.
    thresholds_, n_positives_, status_, reason_ : ndarrays of shape (K,)
        See :class:`Calibrator`.
    estimator_ : estimator or function
        The fitted scorer.
    calibrator_ : Calibrator
        The thresholds and what they come from.
    in_order_ : bool
        Whether ``fit`` was given the labels in an order, in which columns without names stand for
        them; names by themselves are only sorted.

    References
    ----------
    M. T. Hagos and C. Lundström, "Least-Ambiguous Multi-Label Classifier", 2025.

    Examples
    --------
    >>> from lamc import LAMC
    >>> from lamc.datasets import digit_scenes, observe
    >>> data = digit_scenes(600, random_state=0)
    >>> train, cal, test = data.split.train, data.split.calibration, data.split.test
    >>> y = observe(data.Y[train], random_state=0)
    >>> clf = LAMC(rule="recall", alpha=0.2).fit(
    ...     data.X[train], y, X_cal=data.X[cal], Y_cal=data.Y[cal])
    >>> clf.decide(data.X[test]).shape
    (60, 10)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        rule: RuleName = "recall",
        alpha: Any = 0.1,
        delta: float | None = None,
        few_positives: Literal["abstain", "pool"] = "abstain",
        per_label: int | None = None,
        keep_negatives: bool = True,
        calibration_size: float = 0.2,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.alpha = alpha
        self.delta = delta
        self.few_positives = few_positives
        self.per_label = per_label
        self.keep_negatives = keep_negatives
        self.calibration_size = calibration_size
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        X_cal: Any = None,
        Y_cal: Any = None,
        *,
        X_val: Any = None,
        Y_val: Any = None,
        cardinality: Any = None,
        **params: Any,
    ) -> Self:
        """Train the estimator and set the thresholds.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame, or whatever the estimator takes
            Rows to learn from.
        y : labels in any form of :func:`lamc.as_labels`
            Observed labels, one a row; what is not observed counts as unknown. If nothing is
            trained, these are read as ``Y_cal``.
        X_cal, Y_cal : optional
            Rows to calibrate on, with all their labels or with one observed label each. Without
            them a part of ``X`` is held out, and calibrated on its observed labels. They go to
            the estimator as ``X`` does: steps of a pipeline around LAMC do not transform them, so
            put the pipeline inside, ``LAMC(make_pipeline(…))``, or name them in the pipeline's
            ``transform_input``.
        X_val, Y_val : optional
            Rows for the estimator to choose by, with all their labels or with one observed label
            each. Learners of this package that train networks take them; without them they hold
            out training rows. The default also learns from fully labelled ones how often each label
            is true, and from 40 or more which labels come together: draw them as the rows to be
            scored come. They must not be calibrated on as well.
        cardinality : array-like or int, optional
            With observed labels only: how many labels each calibration row has, or the most that
            any row has; see :meth:`Calibrator.fit`. Where a part of ``X`` is held out, it has a
            value for each row of ``X``.
        **params
            Passed on to the estimator's ``fit``, as scikit-learn routes metadata: after
            ``sklearn.set_config(enable_metadata_routing=True)`` and a request, such as
            ``estimator.set_fit_request(sample_weight=True)``. What has a value for each row of
            ``X`` is parted as ``X`` is.
        """
        task = read_task(X, y, X_cal, Y_cal, X_val, Y_val, cardinality)
        rng = check_random_state(self.random_state)
        estimator = self._new_estimator(random_state=drawn_seed(rng))
        trained_on: AnyArray = np.empty(0, dtype=np.uint64)
        if needs_training(estimator):
            seed = self.random_state
            task = task_of_training(task, estimator, self.calibration_size, seed, rng)
            calibrator = self._new_calibrator(rng)
            check_calibration(task, calibrator)
            routed = process_routing(self, "fit", **params).estimator.fit if params else {}
            trained_on = train(task, estimator, routed)
        else:
            task = task_of_calibration(task, y)
            calibrator = self._new_calibrator(rng)
        classes, by_position = columns_learnt(task, estimator)
        rows = rows_to_calibrate_on(task, classes)
        warn_of_shared_rows(rows.traces, trained_on, rows.common)
        warn_of_copies(rows.traces, rows.labels, trained_on)
        scores = rows.scores(estimator, classes, by_position=by_position)
        calibrator.fit(scores, rows.labels, cardinality=rows.cardinality)
        self.estimator_, self.calibrator_ = estimator, calibrator
        self.by_position_, self.classes_, self.in_order_ = by_position, classes, task.in_order
        self.training_rows_, self.calibration_rows_ = trained_on, rows.traces
        return self

    def calibrate(
        self,
        X: Any,
        Y: Any,
        *,
        sample_weight: npt.ArrayLike | None = None,
        picked_for: Any = None,
        cardinality: Any = None,
        X_reference: Any = None,
    ) -> Self:
        """Set the thresholds again on other rows, without training again.

        ``X_reference`` are rows whose labels nobody needs to know; see
        :meth:`Calibrator.fit` for their use and for the other arguments.
        """
        check_is_fitted(self)
        check_columns(Y, self.classes_, in_order=self.in_order_)
        require_same_rows(Y, X, names=("Y", "X"))
        calibrated_on = traces(X)
        labels = as_labels(Y, classes=self.classes_)
        scores = self.predict_proba(X)
        labels.require_rows(len(scores), of="X")
        common = are_common(calibrated_on, traces(labels.positives), len(calibrated_on))
        warn_of_shared_rows(calibrated_on, self.training_rows_, common)
        warn_of_copies(calibrated_on, labels, self.training_rows_)
        calibrator = self._new_calibrator(check_random_state(self.random_state))
        calibrator.fit(
            scores,
            labels,
            sample_weight=sample_weight,
            picked_for=picked_for,
            cardinality=cardinality,
            reference=None if X_reference is None else self.predict_proba(X_reference),
        )
        self.calibrator_, self.calibration_rows_ = calibrator, calibrated_on
        return self

    def predict(self, X: Any, *, as_frame: bool = False) -> Any:
        """Return 1 for each label that is accepted, else 0, in a column for each label.

        Under the rules ``"recall"`` and ``"set-recall"`` an uncalibrated label is accepted in every
        row, for less could miss true ones. :meth:`decide` leaves it open.
        """
        calibrator = self._fitted_calibrator()
        accepted = calibrator.accept(self.predict_proba(X))
        warn_of_labels_accepted_everywhere(calibrator)
        return self._framed(accepted.astype(np.int64), X, as_frame)

    def decide(self, X: Any, *, as_frame: bool = False) -> Any:
        """Return 1 where a label is present, 0 where it is absent, −1 where that is left open."""
        return self._framed(self._fitted_calibrator().decide(self.predict_proba(X)), X, as_frame)

    def predict_proba(self, X: Any, *, as_frame: bool = False) -> Any:
        """Return the scores of all labels, in [0, 1]."""
        check_is_fitted(self)
        scores = scores_of(self.estimator_, X, self.classes_, by_position=self.by_position_)
        return self._framed(scores, X, as_frame)

    def predict_p(self, X: Any, *, as_frame: bool = False) -> Any:
        """Return conformal p-values of "the label is present"."""
        return self._framed(self._fitted_calibrator().p_values(self.predict_proba(X)), X, as_frame)

    def select(self, X: Any, *, fdr: float, as_frame: bool = False) -> Any:
        """Return 1 for pairs picked from this batch so that few of them are wrong.

        For each label, the share of wrong ones among those picked is at most ``fdr`` on average.
        Needs a calibration set with all labels.
        """
        chosen = self._fitted_calibrator().select(self.predict_proba(X), fdr=fdr)
        return self._framed(chosen.astype(np.int64), X, as_frame)

    def score(self, X: Any, y: Any) -> float:
        """Return the example-based average precision of the scores.

        With one observed label a row, that is the mean reciprocal rank of the observed label.
        """
        check_is_fitted(self)
        check_columns(y, self.classes_, in_order=self.in_order_)
        return estimator_score(y, self.predict_proba(X), self.classes_)

    def save(self, path: str | Path) -> None:
        """Write the model to one file, from which :func:`lamc.load` gives it back."""
        from lamc.storage import save

        save(self, path)

    @property
    def thresholds_(self) -> FloatArray:
        """Threshold of each label."""
        return self.calibrator_.thresholds_

    @property
    def n_positives_(self) -> IntArray:
        """Positives that each threshold comes from."""
        return self.calibrator_.n_positives_

    @property
    def status_(self) -> AnyArray:
        """Status of each label."""
        return self.calibrator_.status_

    @property
    def reason_(self) -> AnyArray:
        """Why a label is uncalibrated; empty where it is not."""
        return self.calibrator_.reason_

    @property
    def n_features_in_(self) -> int:
        """Number of features the estimator was trained on."""
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the features the estimator was trained on."""
        return self.estimator_.feature_names_in_

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which arguments of ``fit`` go where."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(
            estimator=self._new_estimator(),
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        scorer = self._new_estimator()
        if not is_function(scorer):
            of_scorer = get_tags(scorer)
            tags.input_tags = of_scorer.input_tags
            tags.classifier_tags = of_scorer.classifier_tags or tags.classifier_tags
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "calibrator_")

    def _new_estimator(self, random_state: int | None = None) -> Any:
        if self.estimator is None:
            from lamc.learners import Blend

            return Blend(random_state=random_state)
        if is_function(self.estimator):
            if hasattr(self.estimator, "state_dict"):
                raise ScorerError(
                    "The estimator is a torch module, which takes tensors and cannot train itself."
                    "\nGive LAMC(lamc.learners.Network(module)); or, if it is trained, a function "
                    "from X to an array of scores."
                )
            return self.estimator
        if not hasattr(self.estimator, "fit"):
            raise ScorerError(
                f"The estimator is {self.estimator!r:.60}, which is neither an estimator nor a "
                "function that gives scores.\nA rule is given by its name: LAMC(rule='recall')."
            )
        estimator = clone(self.estimator)
        own_seed = isinstance(self.random_state, (int, np.integer))
        if not needs_training(estimator) or (has_checkpoint(estimator) and not own_seed):
            return estimator  # one that is to go on another time says that it needs a seed
        return seeded(estimator, random_state)

    def _new_calibrator(self, rng: np.random.RandomState) -> Calibrator:
        return Calibrator(
            rule=self.rule,
            alpha=self.alpha,
            delta=self.delta,
            few_positives=self.few_positives,
            per_label=self.per_label,
            keep_negatives=self.keep_negatives,
            random_state=drawn_seed(rng),
        )

    def _fitted_calibrator(self) -> Calibrator:
        check_is_fitted(self)
        return self.calibrator_

    def _framed(self, values: AnyArray, X: Any, as_frame: bool) -> Any:
        if not as_frame:
            return values
        import pandas as pd

        index = X.index if hasattr(X, "iloc") else None
        return pd.DataFrame(values, columns=self.classes_, index=index)
