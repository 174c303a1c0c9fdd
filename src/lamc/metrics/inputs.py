"""What a metric is given, checked once: the truth, the scores, the labels accepted."""

from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import LabelError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import as_numbers, in_order_of, require_same_rows
from lamc.labels.forms import are_in_order
from lamc.types import AnyArray, BoolArray, FloatArray


def check_truth(Y: Any, *, by: str, beside: Any) -> Labels:
    """Read ``Y`` as all true labels of every row, in the order of the columns ``beside`` it.

    Labels that say of themselves that only some positives are known are refused: a label that was
    not observed would count as false. So are lists of names beside columns without names.
    """
    require_same_rows(Y, beside, names=("Y", "scores"))
    if are_in_order(Y):
        labels = Y if isinstance(Y, Labels) else as_labels(Y, knowledge=Knowledge.ALL)
    else:
        labels = _in_order_of_columns(Y, beside)
    labels.require(Knowledge.ALL, by=by)
    return labels


def _in_order_of_columns(Y: Any, beside: Any) -> Labels:
    """Lists of names, or of numbers, of which the columns beside them say the order."""
    if hasattr(beside, "columns"):
        return as_labels(Y, classes=beside.columns, knowledge=Knowledge.ALL)
    labels = as_labels(Y, knowledge=Knowledge.ALL)
    shape = beside.shape if sparse.issparse(beside) else np.shape(beside)
    if labels.classes.dtype.kind == "U":
        raise LabelError(
            "Y lists labels by name, and which column of the scores is which is not said.\nPass "
            "the scores as a DataFrame with the names as columns, or say it: "
            "as_labels(Y, classes=[…], knowledge='all')."
        )
    return labels if len(shape) < 2 else as_labels(Y, classes=np.arange(shape[1]), knowledge="all")


def check_scores(scores: Any, truth: Labels) -> FloatArray:
    """Read one number, not NaN, for each row and label; float32 and float64 stay what they are."""
    array = _as_matrix(in_order_of(scores, truth.classes), name="scores")
    if array.dtype.kind not in "biuf":
        raise LabelError(f"scores holds {array.dtype} values; scores are float32 or float64.")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    _refuse_other_shape(array, truth, name="scores")
    if np.isnan(array.min()):
        row, column = np.argwhere(np.isnan(array))[0]
        raise LabelError(
            f"scores holds NaN at row {row}, column {column} (label "
            f"{truth.classes[column].item()!r}), and NaN has no rank.\n"
            "Look for the cause in the model, or leave the row out of Y and of scores."
        )
    return array


def check_accepted(accepted: Any, truth: Labels | None = None) -> BoolArray:
    """Read for each row and label whether it is accepted."""
    if truth is not None:
        accepted = in_order_of(accepted, truth.classes, name="accepted")
    array = _as_matrix(accepted, name="accepted")
    if truth is not None:
        _refuse_other_shape(array, truth, name="accepted")
    if array.dtype == bool:
        return array
    if array.dtype.kind not in "iuf":
        raise LabelError(
            f"accepted holds {array.dtype} values; it holds True and False, or 1 and 0."
        )
    odd = (array != 0) & (array != 1)
    if odd.any():
        row, column = np.argwhere(odd)[0]
        value = array[row, column].item()
        advice = (
            "Of decisions −1, 0 and 1, the accepted labels are: decisions == 1."
            if value == -1
            else "Scores become accepted labels by a threshold: scores >= thresholds."
        )
        raise LabelError(
            f"accepted holds {value} at row {row}, column {column}; it holds True and False, or 1 "
            f"and 0.\n{advice}"
        )
    return array.astype(bool)


def _as_matrix(given: Any, *, name: str) -> AnyArray:
    array = given.toarray() if sparse.issparse(given) else as_numbers(given)
    if array.ndim != 2 or array.size == 0:
        raise LabelError(
            f"{name} has shape {array.shape}; expected is a matrix with a row for each example and "
            "a column for each label, and at least one of each."
        )
    return array


def _refuse_other_shape(array: AnyArray, truth: Labels, *, name: str) -> None:
    if array.shape != truth.shape:
        raise LabelError(
            f"{name} has shape {array.shape}, but Y has shape {truth.shape}: one value is expected "
            "for each row and label of Y.\nIf Y lists labels by name and not every label occurs, "
            "say which there are: as_labels(Y, classes=…, knowledge='all')."
        )
