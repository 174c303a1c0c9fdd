"""What all learners share: scikit-learn's contract, on labels of which only some are observed."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lamc.exceptions import LabelError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import require_same_rows
from lamc.labels.forms import unless_told
from lamc.learners.features import read_features
from lamc.learners.numbers import Check, require_settings
from lamc.metrics.estimator_score import (
    estimator_score,
    labels_never_met,
    warn_of_labels_never_met,
)
from lamc.types import AnyArray, FloatArray, Matrix


class Learner(ClassifierMixin, BaseEstimator):
    """Base of the learners: reads rows and observed labels, and turns scores into answers.

    A learner implements ``fit``, which calls :meth:`_read` first, and ``predict_proba``, which
    gives a score in [0, 1] for each row and label. Scores of different labels need not add up
    to 1: several labels can be true.
    """

    takes_labels: ClassVar[bool] = True  # Labels, with labels that were never observed

    def _read(self, X: Any, y: Any) -> tuple[Matrix, Labels]:
        """Check the training rows; set what fitted learners tell about them."""
        if y is None:
            raise LabelError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give "
                "the observed labels."
            )
        require_same_rows(y, X, names=("y", "X"))
        rows = read_features(self, X, reset=True)
        labels = as_labels(y, knowledge=unless_told(y))
        labels.require_rows(rows.shape[0], of="X")
        self._check_labels(labels)
        if labels.shape[1] < 2:
            raise LabelError(
                f"{type(self).__name__} needs at least two labels, but y holds one class only: "
                f"{labels.classes[0].item()!r}."
            )
        self.classes_ = labels.classes
        self.one_class_a_row_ = labels.knowledge is Knowledge.SINGLE
        return rows, labels

    def check_settings(self) -> None:
        """Raise if a setting cannot be used, before there are rows to train on."""
        require_settings(self, self._checks())

    def _checks(self) -> list[Check]:
        """Settings of the learner's own: the name of each, whether it fits, what is expected."""
        return []

    def _forget(self) -> None:
        """Drop what an earlier fit found, so that one that fails leaves nothing half old."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _check_labels(self, labels: Labels) -> None:
        """Raise unless the labels tell what the learner needs: by default, a positive a row."""
        labels.require(Knowledge.SOME, by=type(self).__name__)

    def _check_rows(self, X: Any) -> Matrix:
        """Check rows to be scored."""
        check_is_fitted(self)
        return read_features(self, X, reset=False)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return a score in [0, 1] for each row and label."""
        raise NotImplementedError

    def predict(self, X: Any) -> AnyArray:
        """Return the label with the highest score, or all that score at least 0.5.

        One label a row if the learner was given one a row, else a 0/1 matrix. Learners rank
        labels; a score of 0.5 means something else for each method, and many rows may reach it
        with no label or with nearly all. To decide which labels can be relied on, put the learner
        into :class:`lamc.LAMC`.
        """
        scores = self.predict_proba(X)
        if self.one_class_a_row_:
            return self.classes_[scores.argmax(axis=1)]
        return (scores >= 0.5).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return how well labels are ranked: the share of rows whose label is first, or more.

        If the learner was given one label a row, it is the accuracy of :meth:`predict`. Else it is
        the example-based average precision, which for rows with one observed label is the mean
        reciprocal of its rank.
        """
        labels = as_labels(y, knowledge=unless_told(y))
        if self.one_class_a_row_ and labels.knowledge is Knowledge.SINGLE:
            warn_of_labels_never_met(labels_never_met(y, self.classes_))
            return float(super().score(X, labels.to_array(), sample_weight))
        if sample_weight is not None:
            raise LabelError("The average precision of several labels a row takes no weights.")
        return estimator_score(y, self.predict_proba(X), self.classes_)

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and the labels observed on them."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
