"""The steps of ``LAMC.fit``: read what is given, part it, train, and find what to calibrate on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_method_params

from lamc.calibration_part import calibration_part
from lamc.cautions import warn_of_labels_never_trained, warn_of_names_alike
from lamc.containers import count_rows, take_rows, traces, with_rows
from lamc.duplicates import are_common
from lamc.exceptions import CalibrationError, LabelError, ScorerError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import require_same_rows
from lamc.labels.forms import are_columns, are_in_order, unless_told
from lamc.rules import Calibrator
from lamc.rules.gather import is_bound, most_labels, row_weights
from lamc.scoring import (
    columns_of,
    fit_with_validation,
    has_checkpoint,
    join_classes,
    learns_columns,
    needs_training,
    said_of_rows,
    scores_of,
    target_for,
)
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Task:
    """What a scorer is to learn from and to choose by, and what it is to be calibrated on.

    Attributes
    ----------
    X : any container of rows
        The rows that ``fit`` was given.
    labels : Labels
        Their labels, with a column for each label that any rows have.
    in_order : bool
        Whether the user chose the order of the labels.
    calibration, validation : tuple or None
        Other rows and their labels, as the user gave them.
    cardinality : array-like, int or None
        See :meth:`lamc.LAMC.fit`.
    train, held_out : ndarrays of int
        Which rows of ``X`` to train on, and which to calibrate on.
    common : ndarray of bool
        Which of those held out are common in ``X``: see :func:`lamc.duplicates.are_common`.
    """

    X: Any
    labels: Labels
    in_order: bool
    calibration: tuple[Any, Any] | None
    validation: tuple[Any, Any] | None
    cardinality: Any
    train: IntArray
    held_out: IntArray
    common: BoolArray


@dataclass(frozen=True, eq=False)
class CalibrationRows:
    """Rows to calibrate on, and the name and numbers under which the user gave them.

    Attributes
    ----------
    X : any container of rows
        The rows.
    labels : Labels
        Their labels.
    cardinality : array-like, int or None
        How many these are; see :meth:`lamc.LAMC.fit`.
    called : str
        The argument that they came in.
    numbers : ndarray of int, or None
        Their numbers there; None if they are all of it.
    traces : ndarray
        A number for each row; see :func:`lamc.containers.traces`.
    common : ndarray of bool
        Which are common; see :func:`lamc.duplicates.are_common`.
    """

    X: Any
    labels: Labels
    cardinality: Any
    called: str
    numbers: IntArray | None
    traces: AnyArray
    common: BoolArray

    def scores(self, estimator: Any, classes: AnyArray, *, by_position: bool) -> FloatArray:
        """Scores of the rows; see :func:`lamc.scoring.scores_of`."""
        with said_of_rows(self.called, self.numbers):
            return scores_of(estimator, self.X, classes, by_position=by_position)


def read_task(
    X: Any, y: Any, X_cal: Any, Y_cal: Any, X_val: Any, Y_val: Any, cardinality: Any
) -> Task:
    """Read the arguments of ``fit``, or refuse those that do not go together.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.fitting import read_task
    >>> task = read_task(np.eye(2), ["oak", "elm"], None, None, None, None, None)
    >>> task.labels
    Labels(2 rows, 2 labels, one positive a row)
    """
    if y is None:
        raise CalibrationError(
            "LAMC requires y to be passed, but the target y is None: give the observed labels."
        )
    X = with_rows(X)
    labels = as_labels(y, knowledge=unless_told(y))
    n = count_rows(X)
    labels.require_rows(len(labels) if n is None else n, of="X")
    if (X_cal is None) != (Y_cal is None):
        raise CalibrationError("Give both X_cal and Y_cal, or neither.")
    if (X_val is None) != (Y_val is None):
        raise LabelError("Give both X_val and Y_val, or neither.")
    require_same_rows(y, X, names=("y", "X"))
    require_same_rows(Y_cal, X_cal, names=("Y_cal", "X_cal"))
    require_same_rows(Y_val, X_val, names=("Y_val", "X_val"))
    return Task(
        X,
        labels,
        are_in_order(y),
        None if X_cal is None else (X_cal, Y_cal),
        None if X_val is None else (X_val, Y_val),
        cardinality,
        train=np.arange(len(labels)),
        held_out=np.arange(0),
        common=np.zeros(0, dtype=bool),
    )


def task_of_training(
    task: Task, estimator: Any, size: Any, random_state: Any, rng: np.random.RandomState
) -> Task:
    """The task of an estimator that is trained: without calibration rows, some are held out.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from lamc.fitting import read_task, task_of_training
    >>> task = read_task(np.eye(4), ["oak", "elm"] * 2, None, None, None, None, None)
    >>> rng = np.random.RandomState(0)
    >>> task_of_training(task, LogisticRegression(), 0.5, 0, rng).train
    array([0, 1])
    """
    task.labels.require(Knowledge.SOME, by="LAMC")
    if task.calibration is None and has_checkpoint(estimator):
        from lamc.learners.numbers import require_seed

        require_seed(random_state)  # of the rows that are held out
    task = _with_all_labels(task)
    if task.calibration is not None:
        return task
    shown = traces(task.X), traces(task.labels.positives)
    train, held_out = calibration_part(len(task.labels), size, rng, *shown)
    common = are_common(*shown, len(held_out))[held_out]
    return replace(task, train=train, held_out=held_out, common=common)


def task_of_calibration(task: Task, y: Any) -> Task:
    """The task of a scorer that is ready: without calibration rows, all rows are calibrated on.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.fitting import read_task, task_of_calibration
    >>> X, y = np.eye(2), ["oak", "elm"]
    >>> task = read_task(X, y, None, None, None, None, None)
    >>> task_of_calibration(task, y).calibration[0] is X
    True
    """
    if task.validation is not None:
        raise ScorerError(
            "X_val and Y_val are rows to choose by, and nothing is trained here.\nLeave them "
            "out, or give rows to calibrate on as X_cal and Y_cal."
        )
    task = _with_all_labels(task)
    return task if task.calibration is not None else replace(task, calibration=(task.X, y))


def check_calibration(task: Task, calibrator: Calibrator) -> None:
    """Raise if a calibrator cannot use what it will get: it need not be trained for.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.fitting import check_calibration, read_task
    >>> task = read_task(np.eye(2), ["oak", "elm"], None, None, None, None, 2)
    >>> check_calibration(task, Calibrator("selective"))
    Traceback (most recent call last):
    ...
    lamc.exceptions.CalibrationError: The selective rule keeps a share of the true rows, which ...
    """
    labels = task.labels
    settings = calibrator.settings(labels.classes)
    settings.check(labels.shape[1])
    if task.calibration is not None:
        labels = as_labels(task.calibration[1], classes=labels.classes)
    settings.check_rows(
        labels,
        weighted=row_weights(labels, None, task.cardinality) is not None,
        picked=False,
        referenced=False,
        bounded=is_bound(most_labels(task.cardinality, labels)),
    )


def train(task: Task, estimator: Any, params: Mapping[str, Any]) -> AnyArray:
    """Train an estimator, and tell the traces of the rows that it was trained on or chosen by.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from lamc.fitting import read_task, train
    >>> estimator = LogisticRegression()
    >>> task = read_task(np.eye(2), ["oak", "elm"], None, None, None, None, None)
    >>> len(train(task, estimator, {})), estimator.classes_.tolist()
    (2, ['elm', 'oak'])
    """
    X = task.X
    if len(task.held_out):
        X = take_rows(X, task.train)
        params = _check_method_params(task.X, params, indices=task.train)
    target = target_for(estimator, task.labels[task.train])
    with said_of_rows("X", task.train):
        if task.validation is None:
            estimator.fit(X, target, **params)
        else:
            fit_with_validation(estimator, X, target, *task.validation, **params)
    chosen_by = () if task.validation is None else (traces(task.validation[0]),)
    return np.concatenate([traces(X), *chosen_by])


def columns_learnt(task: Task, estimator: Any) -> tuple[AnyArray, bool]:
    """All labels there are, and whether the scorer's columns stand for them by position.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.fitting import columns_learnt, read_task
    >>> task = read_task(np.eye(2), [0, 2], None, None, None, None, None)
    >>> columns_learnt(task, lambda X: np.zeros((len(X), 3)))
    (array([0, 1, 2]), True)
    """
    classes, trained = task.labels.classes, needs_training(estimator)
    if trained and learns_columns(estimator, task.labels[task.train]):
        return classes, True
    known, named = columns_of(estimator, task.X)
    if named or not trained:
        classes = join_classes(classes, known, named=named, in_order=task.in_order)
    return classes, not named


def rows_to_calibrate_on(task: Task, classes: AnyArray) -> CalibrationRows:
    """The rows held out, or those that were given, with their labels among all there are.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.fitting import read_task, rows_to_calibrate_on
    >>> task = read_task(np.eye(2), [0, 1], np.ones((1, 2)), [1], None, None, None)
    >>> rows_to_calibrate_on(task, np.arange(3)).labels
    Labels(1 rows, 3 labels, one positive a row)
    """
    if task.calibration is None:
        X, labels = take_rows(task.X, task.held_out), task.labels[task.held_out].align(classes)
        counts = task.cardinality
        if np.ndim(counts) > 0:
            counts = np.asarray(counts)[task.held_out]
        return CalibrationRows(X, labels, counts, "X", task.held_out, traces(X), task.common)
    X, Y = task.calibration
    called, shown = "X" if X is task.X else "X_cal", traces(X)
    labels = as_labels(Y, classes=classes)
    if len(shown):
        labels.require_rows(len(shown), of=called)
    common = _common_in_all(shown, labels, task)
    return CalibrationRows(X, labels, task.cardinality, called, None, shown, common)


def check_columns(Y: Any, classes: AnyArray, *, in_order: bool) -> None:
    """Raise if ``Y`` is a matrix of which nobody said which column is which label.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.fitting import check_columns
    >>> check_columns([[1, 0], [1, 1]], np.array(["elm", "oak"]), in_order=True)
    >>> check_columns([[1, 0], [1, 1]], np.array(["elm", "oak"]), in_order=False)
    Traceback (most recent call last):
    ...
    lamc.exceptions.LabelError: Labels are called 'elm', 'oak' in one place, and are 2 columns ...
    """
    if are_columns(Y):
        columns = as_labels(Y, knowledge=unless_told(Y)).classes
        join_classes(classes, columns, named=False, in_order=in_order)


def _common_in_all(shown: AnyArray, labels: Labels, task: Task) -> BoolArray:
    """Which calibration rows are common among these and the rows that were trained on."""
    trained = traces(task.X)
    known = traces(labels.positives)[: len(shown)], traces(task.labels.positives)[: len(trained)]
    both = np.concatenate([shown, trained]), np.concatenate(known)
    return are_common(*both, len(shown))[: len(shown)]


def _with_all_labels(task: Task) -> Task:
    """A task whose labels have a column for each label that any of its rows have."""
    classes = task.labels.classes
    for _, Y in filter(None, (task.calibration, task.validation)):
        others = as_labels(Y, knowledge=unless_told(Y)).classes
        warn_of_labels_never_trained(classes, others, Y)
        classes = join_classes(classes, others, named=not are_columns(Y), in_order=task.in_order)
    warn_of_names_alike(classes)
    return replace(task, labels=task.labels.align(classes))
