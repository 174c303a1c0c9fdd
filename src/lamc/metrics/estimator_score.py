"""What ``score`` of an estimator returns: how well it ranks the labels that a user gives."""

from typing import Any

import numpy as np

from lamc.exceptions import warn
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.forms import are_columns, unless_told
from lamc.labels.names import are_of_two_kinds, some_of
from lamc.metrics.ranking import average_precision
from lamc.types import AnyArray, FloatArray


def estimator_score(y: Any, scores: FloatArray, classes: AnyArray) -> float:
    """Example-based average precision of scores; labels that were never met rank last.

    A fold of a cross-validation may hold the only row of a label. No estimator can score that
    label, which counts against all of them alike.

    Parameters
    ----------
    y : labels in any form of :func:`lamc.as_labels`
        What is marked or listed counts as true, all else as false.
    scores : ndarray of shape (n, K)
        Scores of the labels.
    classes : ndarray of shape (K,)
        Names of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.metrics.estimator_score import estimator_score
    >>> scores = np.array([[0.7, 0.2], [0.6, 0.3]])
    >>> estimator_score(["elm", "oak"], scores, np.array(["elm", "oak"]))
    0.75
    """
    new = labels_never_met(y, classes)
    warn_of_labels_never_met(new)
    if len(new):
        classes = np.concatenate([classes, new])
        scores = np.hstack([scores, np.zeros((len(scores), len(new)), scores.dtype)])
    labels = as_labels(y, classes=classes, knowledge=unless_told(y))
    return average_precision(labels.known_as(Knowledge.ALL), scores)


def labels_never_met(y: Any, classes: AnyArray) -> AnyArray:
    """Labels that y lists by names of the same kind, and that are not among the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.metrics.estimator_score import labels_never_met
    >>> labels_never_met(["elm", "yew"], np.array(["ash", "elm", "oak"]))
    array(['yew'], dtype='<U3')
    """
    if isinstance(y, Labels) or are_columns(y):
        return classes[:0]
    listed = as_labels(y, knowledge=unless_told(y)).classes
    return classes[:0] if are_of_two_kinds(listed, classes) else np.setdiff1d(listed, classes)


def warn_of_labels_never_met(new: AnyArray) -> None:
    """Warn of the labels that :func:`labels_never_met` found, if there are any.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.metrics.estimator_score import warn_of_labels_never_met
    >>> warn_of_labels_never_met(np.array([], dtype=str))  # there are none
    """
    if len(new):
        warn(
            f"y has labels that training never met: {some_of(new)}. They count as ranked last. If "
            "they are misspelt, correct them."
        )
