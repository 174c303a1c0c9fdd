"""Rows to train on and rows to choose by, and labels that fit the outputs of a module."""

from typing import Any

import numpy as np

from lamc.exceptions import LabelError, TrainingError
from lamc.labels import Knowledge, Labels
from lamc.labels.names import some_of
from lamc.learners.holdout import drawn_parts, require_positives, validation_labels
from lamc.learners.holdout import hold_out as rows_held_out
from lamc.learners.module.examples import Examples, read_labels
from lamc.learners.module.inputs import InMemory, Inputs, require_order
from lamc.learners.module.training import Judge
from lamc.types import AnyArray


def align_labels(labels: Labels, n_outputs: int) -> Labels:
    """Labels with a column for each output of a module.

    Numbers of one label a row, fewer than there are outputs, are numbers of outputs.

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> from lamc.learners.module.validation import align_labels
    >>> align_labels(as_labels([3, 0, 3]), n_outputs=5).index()
    array([3, 0, 3])
    """
    if labels.shape[1] == n_outputs:
        return labels
    numbers = labels.classes.dtype.kind in "iu" and labels.knowledge is Knowledge.SINGLE
    if numbers and labels.classes.min() >= 0 and labels.classes.max() < n_outputs:
        return labels.align(np.arange(n_outputs))
    raise LabelError(
        f"The module gives {n_outputs} logits a row, but y has {labels.shape[1]} labels: "
        f"{some_of(labels.classes)}.\nGive the module an output for each label, or name all labels "
        "in the order of the outputs: y=lamc.as_labels(y, classes=[…])."
    )


def judge_by(validation: Inputs, Y_val: Any, classes: AnyArray, size: int) -> Judge:
    """Choose by rows that were given for it, with labels given apart or beside them."""
    require_order(validation)
    n_labels = len(classes)
    if Y_val is not None:
        known = validation_labels(Y_val, classes)
    elif isinstance(validation, InMemory):
        raise LabelError("Give both X_val and Y_val, or neither.")
    else:
        known = read_labels(validation, None, n_labels, size)
        require_positives(known)
    if validation.count is not None:
        known.require_rows(validation.count, of="X_val")
    return Judge(Examples(validation, None, None, n_labels), known, "X_val")


def hold_out(examples: Examples, share: float, size: int) -> tuple[Examples, Judge | None]:
    """Rows to train on and rows to choose by; the same ones whatever the random state.

    Rows in memory with equal features stay together.
    """
    inputs, labels, n_labels = examples.inputs, examples.labels, examples.n_labels
    if share == 0:
        return examples, None
    if inputs.count is None:
        raise TrainingError(
            "A DataLoader cannot be split, so no rows can be held out to choose an epoch by.\n"
            "Give X_val and Y_val, or validation_size=0 to keep the last epoch; or give the "
            "Dataset instead, X=loader.dataset."
        )
    if inputs.count == 1:
        return examples, None
    if labels is None:
        kept, held = drawn_parts(inputs.count, share)
    else:
        rows = inputs.traces()[:, None] if isinstance(inputs, InMemory) else None
        kept, held = rows_held_out(labels, share, rows)
    known = read_labels(inputs, held, n_labels, size) if labels is None else labels[held]
    judge = Judge(Examples(inputs, held, None, n_labels), known.known_as(Knowledge.SOME), "X")
    return Examples(inputs, kept, labels, n_labels), judge
