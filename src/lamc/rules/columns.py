"""Which column of the scores is which label."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lamc.exceptions import CalibrationError, LabelError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import places_of, require_same_rows, unwrapped
from lamc.labels.forms import are_columns
from lamc.rules.scores import score_matrix


def labels_of_columns(
    Y: Any,
    scores: Any,
    *,
    classes: npt.ArrayLike | None = None,
    knowledge: Knowledge | None = None,
) -> Labels:
    """Read labels so that they stand in the order of ``classes``, or else of the scores' columns.

    The columns are named by ``classes``, by the columns of ``scores`` if that is a DataFrame, or
    by ``Y`` if it has a column for each. Else they are numbered, and so must the labels be.
    Columns of ``Y`` without names stand as those of ``scores`` do.
    ``knowledge`` says what a label that is not marked means, if that is known already.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.columns import labels_of_columns
    >>> labels_of_columns(["elm", "oak"], np.zeros((2, 3)), classes=["ash", "elm", "oak"]).index()
    array([1, 2])
    """
    n, k = score_matrix(scores).shape
    require_same_rows(Y, scores, names=("Y", "scores"))
    if classes is None and hasattr(scores, "columns"):
        classes = scores.columns
    if classes is not None:
        Y = as_beside(Y, scores, classes)
        labels = as_labels(Y, classes=classes, knowledge=knowledge)
    elif isinstance(Y, Labels) or hasattr(Y, "columns"):
        labels = as_labels(Y)
    else:
        labels = _numbered(Y, k)
    if labels.shape[1] != k:
        raise CalibrationError(
            f"The scores have {k} columns, but there are {labels.shape[1]} labels."
        )
    labels.require_rows(n, of="the matrix of scores")
    return labels


def as_beside(Y: Any, scores: Any, classes: npt.ArrayLike) -> Any:
    """Labels whose columns, if they have no names and the scores' have, stand as ``classes`` do.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from lamc.rules.columns import as_beside
    >>> scores = pd.DataFrame({"oak": [0.2], "elm": [0.7]})
    >>> as_beside(np.array([[0, 1]]), scores, ["elm", "oak"])
    array([[1, 0]])
    """
    scores = unwrapped(scores)
    if not (hasattr(scores, "columns") and are_columns(Y)):
        return Y
    places = places_of(scores.columns, classes)
    matrix = sparse.csr_array(Y) if sparse.issparse(Y) else np.asarray(unwrapped(Y))
    return Y if places is None or matrix.shape[1] != len(places) else matrix[:, places]


def _numbered(Y: Any, k: int) -> Labels:
    try:
        return as_labels(Y, classes=np.arange(max(k, 1)))
    except LabelError:
        own = as_labels(Y)  # what is wrong with Y itself is said first
        if own.classes.dtype.kind == "U":
            raise CalibrationError(
                "The labels have names, but which column of the scores is which is not said.\n"
                "Pass the scores as a DataFrame with the names as columns, or classes=[…]."
            ) from None
        raise
