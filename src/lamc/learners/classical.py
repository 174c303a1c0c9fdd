"""The ground that GLOCAL, MLML and DM2L share: labels coded by sign, and raw scores made answers.

Their features are put on scale in :mod:`lamc.learners.scaling`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from scipy.special import expit
from sklearn.utils import gen_batches

from lamc.exceptions import LabelError
from lamc.labels import Knowledge, Labels
from lamc.labels.known import rows_in_words
from lamc.learners.base import Learner
from lamc.learners.numbers import Check, one_of
from lamc.learners.scaling import DENSE_LIMIT
from lamc.types import BoolArray, FloatArray, Matrix

Coding = Literal["negative", "missing"]
Unobserved = Literal["auto", "negative", "missing"]


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """Labels by sign, as the missing-label literature writes them.

    Attributes
    ----------
    Y : ndarray of shape (n, K)
        +1 for a label that is true, −1 for one that is false, 0 for one that is missing.
    words : str
        What was done with labels that were not observed; a result states it.

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> from lamc.learners.classical import code_labels
    >>> code_labels(as_labels([0, 1, 1]), "negative").Y.tolist()
    [[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]]
    """

    Y: FloatArray
    words: str

    @property
    def observed(self) -> BoolArray:
        """Where a label is not missing."""
        return self.Y != 0

    @property
    def complete(self) -> bool:
        """Whether no label is missing."""
        return bool(self.Y.all())


def code_labels(labels: Labels, unobserved: Coding) -> CodedLabels:
    """Write labels as +1, −1 and 0.

    Parameters
    ----------
    labels : Labels
        What is known. Where all labels are known, none is missing and ``unobserved`` has no say.
    unobserved : {"negative", "missing"}
        Whether a label that was not observed counts as false (−1) or is left out (0).

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> from lamc.learners.classical import code_labels
    >>> labels = as_labels([[1, -1, 0], [0, 1, 0]], meaning={0: "unknown", -1: "negative"})
    >>> coded = code_labels(labels, "missing")
    >>> coded.Y.tolist(), coded.words
    ([[1.0, -1.0, 0.0], [0.0, 1.0, 0.0]], 'labels not observed taken as missing')
    """
    if labels.knowledge is Knowledge.ALL or unobserved == "negative":
        Y = np.full(labels.shape, -1.0)
    else:
        Y = np.zeros(labels.shape)
        if labels.negatives is not None:
            Y[labels.negatives.nonzero()] = -1
    Y[labels.positives.nonzero()] = 1
    known = labels.knowledge is Knowledge.ALL
    words = "all labels known" if known else f"labels not observed taken as {unobserved}"
    return CodedLabels(Y, words)


def unit_from_signed(scores: FloatArray) -> FloatArray:
    """Raw scores around 0 to [0, 1], by 1 / (1 + exp(−s)): 0 becomes 0.5.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.classical import unit_from_signed
    >>> unit_from_signed(np.array([-np.inf, 0.0, np.inf])).tolist()
    [0.0, 0.5, 1.0]
    """
    return expit(scores)


def unit_from_nonnegative(scores: FloatArray) -> FloatArray:
    """Raw scores from 0 upwards to [0, 1], by 1 − exp(−s): small ones hardly change.

    Rounding below 0 counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.classical import unit_from_nonnegative
    >>> unit_from_nonnegative(np.array([0.0, 1e-9, np.inf])).round(12).tolist()
    [0.0, 1e-09, 1.0]
    """
    return -np.expm1(-np.maximum(scores, 0))


class ClassicalLearner(Learner):
    """Base of GLOCAL, MLML and DM2L, which learn from labels coded +1, −1 and 0.

    A method has the parameter ``unobserved`` and a scale ``features_`` once fitted. Its ``fit``
    calls :meth:`_read_coded` first and sets ``objective_``; it scores rows that are on scale in
    :meth:`_score`.
    """

    positives_only: ClassVar[Coding] = "negative"  # coding of the others, if none is known false
    unobserved: Unobserved
    features_: Any

    def decision_function(self, X: Any) -> FloatArray:
        """Return the raw score of each row and label; the higher, the likelier.

        Of two labels of which each row has one, it is the score of the second less that of the
        first, one number a row, as scikit-learn has it.
        """
        scores = self._raw(X)
        if self.one_class_a_row_ and len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the raw scores, put through 1 / (1 + exp(−s)), which keeps their order."""
        return unit_from_signed(self._raw(X))

    def _raw(self, X: Any) -> FloatArray:
        """Raw scores (n, K)."""
        rows = self._check_rows(X)
        n, d = rows.shape
        parts = gen_batches(n, max(1, DENSE_LIMIT // d))  # sparse rows may be made dense
        return np.vstack([self._score(self.features_.transform(rows[part])) for part in parts])

    def _score(self, rows: Matrix) -> FloatArray:
        """Raw scores of rows that are on scale."""
        raise NotImplementedError

    def _read_coded(self, X: Any, y: Any) -> tuple[Matrix, CodedLabels]:
        """Check parameters, rows and labels; set what fitted learners tell about them.

        Unlike other learners, these take rows without a positive: false labels tell something as
        well, and where labels can be missing, so does a row by its features.
        """
        self._forget()
        self.check_settings()
        rows, labels = self._read(X, y)
        coded = code_labels(labels, self._coding(labels))
        self.coding_ = coded.words
        return rows, coded

    def _checks(self) -> list[Check]:
        return [one_of(self, "unobserved", get_args(Unobserved))]

    def _check_labels(self, labels: Labels) -> None:
        """Raise if there is no positive at all; :meth:`_coding` looks at the rows."""
        if labels.positives.nnz == 0:
            raise LabelError(
                f"y holds no positive, and {type(self).__name__} learns from them.\n"
                "Give rows with a true label, or mark the labels that are true with 1."
            )

    def _coding(self, labels: Labels) -> Coding:
        """Coding of labels that were not observed, or raise if they leave nothing to learn."""
        false_known = labels.negatives is not None and labels.negatives.nnz > 0
        by_default = "missing" if false_known else self.positives_only
        coding = by_default if self.unobserved == "auto" else self.unobserved
        if coding == "negative" and labels.knowledge is not Knowledge.ALL:
            self._refuse_rows_without_labels(labels)
        return coding

    def _refuse_rows_without_labels(self, labels: Labels) -> None:
        empty = labels.cardinality == 0
        if labels.negatives is not None:
            empty &= np.diff(labels.negatives.indptr) == 0
        if empty.any():
            raise LabelError(
                f"{rows_in_words(empty)} no observed label, and where those not observed count as "
                "false it would have none that is true.\nDrop rows without a label (y.notna() in "
                f"pandas), or learn from their features alone: {type(self).__name__}("
                "unobserved='missing')."
            )
