"""From thresholds to answers: which pairs of a row and a label are accepted, absent, or open."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import CalibrationError
from lamc.labels.names import some_of
from lamc.rules.rule import Rule
from lamc.rules.scores import checked_rows
from lamc.rules.thresholds import UNCALIBRATED, in_one_type
from lamc.types import AnyArray, BoolArray, FloatArray, Matrix, SparseMatrix


@dataclass(frozen=True, eq=False)
class Decider:
    """Thresholds that were set, and the rule they are read by.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.deciding import Decider
    >>> from lamc.rules.rule import RULES
    >>> at, status = np.array([0.5, 0.2]), np.array(["calibrated", "uncalibrated"])
    >>> decider = Decider(RULES["recall"], np.array(["oak", "elm"]), at, at, status)
    >>> decider.decided(np.array([[0.4, 0.4], [0.6, 0.1]]))
    array([[ 0, -1],
           [ 1, -1]], dtype=int8)
    """

    rule: Rule
    classes: AnyArray
    present: FloatArray
    absent: FloatArray
    status: AnyArray

    def accepted(self, scores: Matrix) -> BoolArray | SparseMatrix:
        """Pairs that are accepted; of sparse scores, only stored ones can be."""
        if sparse.issparse(scores):
            self._refuse_to_leave_out()
        return _of_pairs(scores, self._accept, np.bool_)

    def decided(self, scores: Matrix) -> AnyArray | SparseMatrix:
        """1 where a label is present, 0 where it is absent, −1 where that is left open."""
        return _of_pairs(scores, self._decide, np.int8)

    def _accept(self, scores: FloatArray, out: AnyArray, *, labels: Any = slice(None)) -> None:
        reaches = np.greater if self.rule.strict else np.greater_equal
        at = self.present[labels]
        reaches(*in_one_type(scores, at, cautious=self.rule.needs_negatives), out=out)

    def _decide(self, scores: FloatArray, out: AnyArray, *, labels: Any = slice(None)) -> None:
        accepted = np.empty(scores.shape, dtype=bool)
        self._accept(scores, accepted, labels=labels)
        out[...] = np.where(accepted, 1, -1)
        out[np.less(*in_one_type(scores, self.absent[labels]))] = 0
        out[..., (self.status == UNCALIBRATED)[labels]] = -1

    def _refuse_to_leave_out(self) -> None:
        """Raise if a score of 0 is accepted and has to be: sparse scores leave such pairs out."""
        if self.rule.needs_negatives:
            return  # it promises of what is accepted, which may be less
        reached = self.present < 0 if self.rule.strict else self.present <= 0
        refuse_to_leave_out(self.classes, reached & (self.status != UNCALIBRATED))


def refuse_to_leave_out(classes: AnyArray, reached: BoolArray) -> None:
    """Raise if a score of 0 reaches the threshold of a label, and scores are sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.deciding import refuse_to_leave_out
    >>> refuse_to_leave_out(np.array(["oak", "elm"]), np.array([False, True]))
    Traceback (most recent call last):
    ...
    lamc.exceptions.CalibrationError: A score of 0 is accepted for 'elm', and sparse scores ...
    """
    if reached.any():
        raise CalibrationError(
            f"A score of 0 is accepted for {some_of(classes[reached])}, and sparse scores leave "
            "such pairs out.\nPass scores.toarray(), or calibrate on sparse scores too."
        )


def _of_pairs(
    scores: Matrix, answer: Callable[..., None], dtype: type[np.generic]
) -> AnyArray | SparseMatrix:
    """Answer for every pair of dense scores, and for the stored pairs of sparse ones.

    Dense scores are looked at while they are answered; sparse ones were before.
    """
    if sparse.issparse(scores):
        stored = np.empty(scores.nnz, dtype=dtype)
        answer(scores.data, stored, labels=scores.indices)
        # A copy, for to drop what is not accepted would change the user's matrix with it.
        where = (stored, scores.indices, scores.indptr)
        answered = sparse.csr_array(where, scores.shape, copy=True)
        if dtype is np.bool_:
            answered.eliminate_zeros()
        return answered
    answers = np.empty(scores.shape, dtype=dtype)
    for rows in checked_rows(scores):
        answer(scores[rows], answers[rows])
    return answers
