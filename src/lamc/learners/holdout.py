"""Rows to choose by: held out from the training rows, or given with labels of their own."""

import math
from typing import Any

import numpy as np

from lamc.duplicates import fingerprints, parted, things
from lamc.exceptions import LabelError, warn
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.forms import are_columns, are_in_order
from lamc.labels.known import one_or_all
from lamc.labels.names import some_of, told_of
from lamc.types import AnyArray, IntArray, Matrix


def hold_out(labels: Labels, share: float, rows: Matrix | None = None) -> tuple[IntArray, IntArray]:
    """Rows to train on and rows to choose by; the same ones whatever the random state.

    Of a label that only rows to choose by would have, one is left to train on, with its copies,
    unless no row would be left to choose by. That makes rare labels rarer among them: see
    :class:`lamc.learners.Blend` for a learner to which it matters.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.learners.holdout import hold_out
    >>> kept, held = hold_out(as_labels(np.arange(20) % 4), 0.1)
    >>> len(kept), len(held)
    (18, 2)
    """
    kept, held = drawn_parts(len(labels), share, rows, labels)
    marks = labels.positives[held].tocsc()
    only_held = (labels.counts > 0) & (np.diff(marks.indptr) == labels.counts)
    first = np.unique(marks.indices[marks.indptr[:-1][only_held]])
    if rows is not None and len(first):
        shown = fingerprints(labels.positives)
        thing = things(fingerprints(rows), shown, _count(len(labels), share))[held]
        first = np.flatnonzero(np.isin(thing, thing[first]))
    if len(first) == len(held):
        return kept, held
    return np.sort(np.append(kept, held[first])), np.delete(held, first)


def drawn_parts(
    n: int, share: float, rows: Matrix | None = None, labels: Labels | None = None
) -> tuple[IntArray, IntArray]:
    """Rows to train on, of which there is one at least, and rows to choose by.

    If the ``rows`` themselves are given, those with equal features stay together
    (:func:`lamc.duplicates.parted`): copies would reward a learner for what it remembers. Their
    ``labels`` help to tell copies from rows that many things have alike, and choose nothing else.

    Examples
    --------
    >>> from lamc.learners.holdout import drawn_parts
    >>> kept, held = drawn_parts(20, 0.1)
    >>> len(kept), len(held)
    (18, 2)
    """
    order = np.random.default_rng(0).permutation(n)
    if rows is None:
        return parted(order, _count(n, share), np.arange(n))
    shown = () if labels is None else (fingerprints(labels.positives),)
    return parted(order, _count(n, share), fingerprints(rows), *shown)


def shown_things(rows: Matrix, labels: Labels) -> IntArray:
    """The thing that each row shows (:func:`lamc.duplicates.things`): copies show the same.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.learners.holdout import shown_things
    >>> shown_things(np.array([[5.0], [6.0], [5.0]]), as_labels([0, 1, 0]))
    array([0, 1, 0])
    """
    return things(fingerprints(rows), fingerprints(labels.positives), len(labels))


def _count(n: int, share: float) -> int:
    return min(math.ceil(share * n), n - 1)


def observed_only(labels: Labels) -> Labels:
    """Labels of which no more is claimed than that they were observed.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.learners.holdout import observed_only
    >>> observed_only(as_labels([0, 1])).knowledge.value
    'some'
    """
    return labels.known_as(Knowledge.SOME)


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


def require_known_columns(Y_val: Any, y: Any) -> None:
    """Raise if nobody said which column of a matrix ``Y_val`` is which label that ``y`` names.

    Numbers of labels are numbers of columns. Names are sorted, and columns may be in another order.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.holdout import require_known_columns
    >>> require_known_columns(np.ones((4, 3)), [0, 2, 2])
    >>> require_known_columns(np.ones((4, 2)), ["oak", "elm"])
    Traceback (most recent call last):
    ...
    lamc.exceptions.LabelError: Y_val has 2 columns without names, and y calls labels ...
    """
    with told_of("Y_val"):
        if Y_val is None or not are_columns(Y_val) or are_in_order(y):
            return
        n_columns = as_labels(Y_val, knowledge=Knowledge.SOME).shape[1]
    named = as_labels(y, knowledge=Knowledge.SOME).classes
    if named.dtype.kind in "iu" and named.min() >= 0 and named.max() < n_columns:
        return
    raise LabelError(
        f"Y_val has {n_columns} columns without names, and y calls labels {some_of(named)}; which "
        "is which is not said.\nName the columns, or give the labels of y in the order of the "
        "columns: lamc.as_labels(y, classes=[…])."
    )


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
    with told_of("Y_val"):
        labels = as_labels(Y, classes=classes, knowledge=Knowledge.SOME)
    if labels.knowledge is Knowledge.SINGLE or labels.negatives is not None:
        return labels
    if len(labels) > 1 and (finding := one_or_all(labels.positives, "Y_val")):
        warn(
            f"{finding}, and these are taken for all that the rows have.\nIf they were only "
            "observed, give them as a list of one label a row, or say so: "
            "Y_val=lamc.as_labels(Y_val, knowledge='some')."
        )
    with told_of("Y_val"):
        return as_labels(Y, classes=classes, knowledge=Knowledge.ALL)


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
