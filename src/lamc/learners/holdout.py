"""Rows to choose by: held out from the training rows, or given with labels of their own."""

import math
from typing import Any

import numpy as np

from lamc.exceptions import LabelError, warn
from lamc.labels import Knowledge, Labels, as_labels
from lamc.types import AnyArray, IntArray


def hold_out(n: int, share: float) -> tuple[IntArray, IntArray]:
    """Rows to train on and rows to choose by; the same ones whatever the random state.

    Examples
    --------
    >>> from lamc.learners.holdout import hold_out
    >>> kept, held = hold_out(20, 0.1)
    >>> len(kept), len(held)
    (18, 2)
    """
    count = min(math.ceil(share * n), n - 1)
    order = np.random.default_rng(0).permutation(n)
    return np.sort(order[count:]), np.sort(order[:count])


def observed_only(labels: Labels) -> Labels:
    """Labels of which no more is claimed than that they were observed.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.learners.holdout import observed_only
    >>> observed_only(as_labels([0, 1])).knowledge.value
    'some'
    """
    return Labels(labels.positives, labels.classes, Knowledge.SOME)


def validation_labels(Y: Any, classes: AnyArray) -> Labels:
    """Labels of validation rows; a matrix or lists are taken to name all that are true.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.holdout import validation_labels
    >>> validation_labels([[1, 0], [1, 1]], np.arange(2)).knowledge.value
    'all'
    """
    labels = _read(Y, classes)
    require_positives(labels)
    return labels


def require_positives(labels: Labels) -> None:
    """Raise if no validation row has a label: every choice would look equally good.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.learners.holdout import require_positives
    >>> require_positives(as_labels([0, 1]))
    """
    if labels.positives.nnz == 0:
        raise LabelError("No row of the validation set has a label, so it tells nothing apart.")


def _read(Y: Any, classes: AnyArray) -> Labels:
    if isinstance(Y, Labels):
        return Y.align(classes)
    labels = as_labels(Y, classes=classes, knowledge=Knowledge.SOME)
    if labels.knowledge is Knowledge.SINGLE or labels.negatives is not None:
        return labels
    return Labels(labels.positives, labels.classes, Knowledge.ALL)


def tell_of_negatives(labels: Labels, *, by: str) -> None:
    """Warn that known negatives are not used, if there are any.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.learners.holdout import tell_of_negatives
    >>> tell_of_negatives(as_labels([0, 1]), by="WAN")  # there are none
    """
    count = 0 if labels.negatives is None else labels.negatives.nnz
    if count:
        warn(
            f"y marks {count} labels as absent, which {by} does not use: it takes them for "
            "unknown.\nGLOCAL, MLML and DM2L use them."
        )
