"""Any scorer, one matrix of scores: what estimators learn from, and what they answer."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import get_tags

from lamc.containers import count_rows, take_rows
from lamc.exceptions import FeatureError, LabelError, ScorerError, warn
from lamc.labels import Labels
from lamc.labels.columns import in_order_of, unwrapped
from lamc.labels.known import rows_in_words
from lamc.labels.names import are_of_two_kinds, check_classes, find_labels, some_of
from lamc.types import AnyArray, FloatArray, IntArray

_EXACT = 36  # above it, 1 / (1 + exp(−x)) is 1 in double precision
_PLACE = re.compile(r"^Row (\d+) of X ")


def is_function(scorer: Any) -> bool:
    """Whether a scorer is a plain function from X to scores, with nothing to fit."""
    return callable(scorer) and not hasattr(scorer, "fit")


def needs_training(scorer: Any) -> bool:
    """Whether a scorer has to be trained, or is ready: a function, or a frozen estimator."""
    return not (is_function(scorer) or isinstance(scorer, FrozenEstimator))


def target_for(estimator: Any, labels: Labels) -> Any:
    """Observed labels in the form that an estimator learns from.

    Learners of this package take them as they are. One with several outputs takes a 0/1 matrix, in
    which a label that was not observed counts as false. Any other takes one class a row.
    """
    if getattr(_last_step(estimator), "takes_labels", False):
        return labels
    if learns_columns(estimator, labels):
        return labels.positives.toarray().astype(np.int64)
    if (labels.cardinality == 1).all():
        return labels.classes[labels.index()]
    raise LabelError(
        f"{rows_in_words(labels.cardinality != 1)} not exactly one observed label, and "
        f"{type(estimator).__name__} learns one class a row.\nDraw one with "
        "lamc.datasets.observe(Y), or wrap the estimator in "
        "sklearn.multioutput.MultiOutputClassifier, which learns each label by itself."
    )


def learns_columns(estimator: Any, labels: Labels) -> bool:
    """Whether an estimator learns such labels as columns of a matrix, and so never sees names.

    Examples
    --------
    >>> from sklearn.neural_network import MLPClassifier
    >>> from lamc import as_labels
    >>> from lamc.scoring import learns_columns
    >>> learns_columns(MLPClassifier(), as_labels(["oak", "elm"]))
    False
    >>> learns_columns(MLPClassifier(), as_labels([["oak"], ["elm", "oak"]]))
    True
    """
    if getattr(_last_step(estimator), "takes_labels", False):
        return False
    learner = _learner(estimator)
    tags = get_tags(learner)
    if not tags.target_tags.single_output:
        return True
    if (labels.cardinality == 1).all():
        return False
    if isinstance(learner, OneVsRestClassifier):
        return True  # its tags are silent on it
    return tags.classifier_tags is not None and tags.classifier_tags.multi_label


def seeded(estimator: Any, random_state: int | None) -> Any:
    """Give a seed to what an estimator draws, where the user has set none.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from lamc.scoring import seeded
    >>> seeded(make_pipeline(RandomForestClassifier()), 5)[-1].random_state
    5
    >>> seeded(RandomForestClassifier(random_state=7), 5).random_state
    7
    """
    unset = {
        name: random_state
        for name, value in estimator.get_params().items()
        if value is None and name.rpartition("__")[2] == "random_state"
    }
    return estimator.set_params(**unset) if unset and random_state is not None else estimator


def has_checkpoint(estimator: Any) -> bool:
    """Whether an estimator, or a step of it, writes down how far it has come, to go on from there.

    Examples
    --------
    >>> from lamc.learners import WAN
    >>> from lamc.scoring import has_checkpoint
    >>> has_checkpoint(WAN()), has_checkpoint(WAN(checkpoint="states"))
    (False, True)
    """
    return any(
        value is not None and name.rpartition("__")[2] == "checkpoint"
        for name, value in estimator.get_params().items()
    )


def fit_with_validation(
    estimator: Any, X: Any, y: Any, X_val: Any, Y_val: Any, **params: Any
) -> None:
    """Fit an estimator that takes validation rows, which the steps in front of it transform.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from lamc.learners import WAN
    >>> from lamc.scoring import fit_with_validation
    >>> X, Y_val = np.eye(6), [[1, 0], [1, 1]]
    >>> estimator = make_pipeline(StandardScaler(), WAN(epochs=1, random_state=0))
    >>> fit_with_validation(estimator, X, [0, 1, 0, 1, 0, 1], X[:2], Y_val)
    >>> estimator[-1].selection_[0]["criterion"]
    'average precision on fully labelled validation rows'
    """
    last = _last_step(estimator)
    if not {"X_val", "Y_val"} <= {*signature(last.fit).parameters}:
        raise ScorerError(
            f"{type(last).__name__} takes no validation rows.\nLeave X_val and Y_val out, or use a "
            "learner of lamc.learners that trains networks."
        )
    if last is not estimator and len(estimator.steps) > 1:
        in_front = estimator[:-1]
        X, X_val = in_front.fit_transform(X, y), in_front.transform(X_val)
        estimator.steps[:-1] = in_front.steps  # with a memory, steps are fitted as copies
    last.fit(X, y, X_val=X_val, Y_val=Y_val, **params)


def scores_of(scorer: Any, X: Any, classes: AnyArray, *, by_position: bool) -> FloatArray:
    """Scores in [0, 1] for each row and each of ``classes``.

    The columns of a scorer's answer stand for the classes in their order, if it is ``by_position``,
    and else for those that it names. A class that it never saw scores 0. An estimator that has no
    probabilities answers with its decision function, put through 1 / (1 + exp(−x)).
    """
    scores = _answers(scorer, X, classes, by_position=by_position)
    rows = count_rows(X)
    if rows not in (None, len(scores)):
        raise ScorerError(
            f"The scorer gave {len(scores)} rows of scores for {rows} rows; which row they are of "
            "is not said.\nIt must answer each row, also those that it would leave out."
        )
    return scores


def _answers(scorer: Any, X: Any, classes: AnyArray, *, by_position: bool) -> FloatArray:
    if is_function(scorer):
        answer = in_order_of(scorer(X), classes, name="scores of the function")
        return _matrix(answer, len(classes), "The scoring function")
    name = type(scorer).__name__
    answer = _method(scorer)(X)
    seen = getattr(scorer, "classes_", None)
    if isinstance(answer, list):
        return _from_outputs(answer, seen, len(classes), name)
    scores = _matrix(answer, None, name)
    if by_position or seen is None or isinstance(seen, list):
        return _matrix(scores, len(classes), name)
    spread = np.zeros((len(scores), len(classes)), dtype=scores.dtype)
    at = find_labels(np.asarray(seen), classes, at=f"What {name} learnt")
    spread[:, at] = _matrix(scores, len(seen), name)
    return spread


@contextmanager
def said_of_rows(called: str, numbers: IntArray | None = None) -> Iterator[None]:
    """Say what is wrong with rows by the name and the numbers under which the user gave them.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.exceptions import FeatureError
    >>> from lamc.scoring import said_of_rows
    >>> with said_of_rows("X_cal", np.array([5, 8])):
    ...     raise FeatureError("Row 1 of X has NaN in column 0.")
    Traceback (most recent call last):
    ...
    lamc.exceptions.FeatureError: Row 8 of X_cal has NaN in column 0.
    """

    def place(found: re.Match[str]) -> str:
        row = int(found[1])
        return f"Row {row if numbers is None else numbers[row]} of {called} "

    try:
        yield
    except FeatureError as error:
        raise FeatureError(_PLACE.sub(place, str(error), count=1)) from error


def columns_of(scorer: Any, X: Any) -> tuple[AnyArray, bool]:
    """Labels that a scorer which is not trained here knows, and whether it names them.

    A function that gives no names, or an estimator with several outputs, has numbered columns.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.scoring import columns_of
    >>> columns_of(lambda X: np.zeros((len(X), 3)), np.eye(2))
    (array([0, 1, 2]), False)
    """
    known = getattr(scorer, "classes_", None)
    if not is_function(scorer) and known is not None and not isinstance(known, list):
        return np.asarray(known), True
    one = take_rows(X, np.arange(1))
    answer = scorer(one) if is_function(scorer) else _method(scorer)(one)
    if is_function(scorer) and hasattr(answer, "columns"):
        return check_classes(answer.columns), True
    n = len(answer) if isinstance(answer, list) else _matrix(answer, None, "The scorer").shape[1]
    return np.arange(n), False


def join_classes(own: AnyArray, other: AnyArray, *, named: bool, in_order: bool) -> AnyArray:
    """All labels of two sets, in the order of the larger one if it holds the smaller.

    If the others are columns without names (``named`` is false), they are numbered. They can only
    stand for names if these are as many, and are ``in_order``, the order that the user gave them.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.scoring import join_classes
    >>> join_classes(np.array([2, 3]), np.arange(4), named=False, in_order=False)
    array([0, 1, 2, 3])
    """
    of_two_kinds = are_of_two_kinds(own, other)
    if not of_two_kinds and np.isin(other, own).all():
        return own
    if not of_two_kinds and np.isin(own, other).all():
        return other
    numbered = not named or np.array_equal(other, np.arange(len(other)))
    if numbered and (of_two_kinds or not named):
        if in_order and len(own) == len(other):
            return own
        others = f"{len(other)} columns without names"
        advice = "Name the columns"
        if named:
            others, advice = f"numbered from 0 to {len(other) - 1}", "Call them alike"
        raise LabelError(
            f"Labels are called {some_of(own)} in one place, and are {others} in another; which is "
            f"which is not said.\n{advice}, or give the labels in their order: "
            "as_labels(y, classes=[…])."
        )
    if of_two_kinds:
        raise LabelError(
            f"Labels are called {some_of(own)} in one place and {some_of(other)} in another.\n"
            "Call them alike."
        )
    return np.union1d(own, other)


def _method(scorer: Any) -> Callable[[Any], Any]:
    if hasattr(scorer, "predict_proba"):
        return scorer.predict_proba
    if hasattr(scorer, "decision_function"):
        _refuse_pairs(scorer)
        return lambda X: _two_columns(_squeezed(scorer.decision_function(X), scorer))
    raise ScorerError(
        f"{type(scorer).__name__} has neither predict_proba nor decision_function, so it gives no "
        "scores.\nUse a classifier that does, or pass a function from X to scores."
    )


def _refuse_pairs(scorer: Any) -> None:
    """Raise if a decision function compares classes by twos, and so has no value for a class."""
    learner = _learner(scorer)
    pairs = getattr(learner, "decision_function_shape", None) == "ovo"
    if pairs and len(getattr(scorer, "classes_", ())) > 2:
        raise ScorerError(
            f"{type(learner).__name__}(decision_function_shape='ovo') compares labels by twos, and "
            "has no value for a label.\nUse decision_function_shape='ovr'."
        )


def _squeezed(decisions: Any, scorer: Any) -> FloatArray:
    """Decision values as scores in [0, 1]; a warning where different ones become equal."""
    values = np.asarray(decisions)
    farthest = float(np.max(np.abs(values), initial=0))
    if farthest > _EXACT:
        inner = scorer.estimator if isinstance(scorer, FrozenEstimator) else scorer
        warn(
            f"{type(inner).__name__} has decision values up to {farthest:.3g} in size. Scores are "
            f"1 / (1 + exp(−x)) of them, which is 1 for all above {_EXACT}: rows that are told "
            "apart there are not any more. Scale the features, or pass a function from X to scores."
        )
    return expit(values)


def _two_columns(scores: FloatArray) -> FloatArray:
    """Scores of both classes, where a decision function speaks of the second only."""
    return np.column_stack([1 - scores, scores]) if scores.ndim == 1 else scores


def _from_outputs(outputs: list[AnyArray], classes: Any, n_labels: int, name: str) -> FloatArray:
    """Probability of 1 in each output of a multi-output classifier."""
    if len(outputs) != n_labels:
        raise ScorerError(f"{name} has {len(outputs)} outputs, but there are {n_labels} labels.")
    columns = []
    for label, output in enumerate(outputs):
        known = np.asarray(classes[label] if isinstance(classes, list) else [0, 1])
        if not any(set(known.tolist()) <= two for two in ({0, 1}, {-1, 1})):
            raise ScorerError(
                f"Output {label} of {name} has the classes {some_of(known)}; which of them says "
                "that the label is there is not known.\nTrain it on 0 and 1."
            )
        of_one = np.flatnonzero(known == 1)
        columns.append(output[:, of_one[0]] if len(of_one) else np.zeros(len(output)))
    return np.column_stack(columns)


def _matrix(scores: Any, n_labels: int | None, name: str) -> FloatArray:
    if sparse.issparse(scores):
        raise ScorerError(
            f"{name} gave a sparse matrix of scores.\nReturn an array, or calibrate such scores by "
            "lamc.Calibrator, which takes them."
        )
    matrix = np.asarray(unwrapped(scores))
    if matrix.ndim != 2 or (n_labels is not None and matrix.shape[1] != n_labels):
        wanted = "a column for each label" if n_labels is None else f"{n_labels} columns"
        raise ScorerError(
            f"{name} gave scores of shape {matrix.shape}; they need a row for each example and "
            f"{wanted}."
        )
    return matrix


def _learner(estimator: Any) -> Any:
    """What learns inside pipelines, searches over settings, and frozen estimators."""
    if hasattr(estimator, "steps") and hasattr(_last_step(estimator), "fit"):
        return _learner(_last_step(estimator))
    if isinstance(estimator, (BaseSearchCV, FrozenEstimator)):
        return _learner(estimator.estimator)
    return estimator


def _last_step(estimator: Any) -> Any:
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
