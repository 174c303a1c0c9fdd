"""Fit a method for all runs that share their rows, and score the other rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from lamc.benchmark.methods import Settings, grid_of, is_random, make, trains_runs_at_once
from lamc.benchmark.protocol import Task
from lamc.labels import Knowledge
from lamc.metrics import average_precision
from lamc.scoring import learns_columns, scores_of, seeded, target_for
from lamc.types import FloatArray


@dataclass(frozen=True, eq=False)
class Scored:
    """What one fitted method says of the rows it has not seen.

    Attributes
    ----------
    test, calibration : ndarray
        Scores; ``calibration`` is None where these rows were learnt from.
    chosen : dict of float
        What was chosen by the validation rows, and their average precision.
    """

    test: FloatArray
    calibration: FloatArray | None
    chosen: dict[str, float]


def fit_and_score(
    method: str,
    dataset: str,
    settings: Settings,
    task: Task,
    seeds: Sequence[int],
    checkpoint: Path | None = None,
) -> list[Scored]:
    """Fit a method once for each seed on the same rows.

    Neural learners train all seeds and rates at once, and choose epoch and rate by the validation
    rows. Other estimators whose ``fit`` has parameters X_val and Y_val (or y_val) are given them,
    the labels as a 0/1 matrix unless it takes :class:`lamc.Labels`. Methods with a grid are fitted
    at each of its points with the first seed; the point with the best average precision on the
    validation rows serves all seeds. Where only an observed label of these is known, it is
    taken for their only one. A fit of which it is known that it has no randomness serves all
    seeds as it is; a user's own estimator is fitted anew for each, whether or not it has a
    ``random_state``. What an estimator is made of gets the seed too, where it has none set.

    After each epoch neural learners keep what they have in the folder ``checkpoint``, and go on
    from what is there.

    Examples
    --------
    >>> from lamc.benchmark.fit import fit_and_score
    >>> from lamc.benchmark.protocol import task_of
    >>> from lamc.datasets import digit_scenes
    >>> task = task_of(digit_scenes(200), "given", 0, "train")
    >>> for scored in fit_and_score("MLML", "digit scenes", {"n_neighbors": 5}, task, [0]):
    ...     print(scored.test.shape, scored.calibration.shape, sorted(scored.chosen))
    (20, 10) (20, 10) ['label_smoothness', 'row_smoothness', 'validation_average_precision']
    """
    estimator = make(method, dataset, settings)
    if trains_runs_at_once(type(estimator)):
        estimator.set_params(checkpoint=checkpoint)
        fitted = estimator.fit_runs(
            task.learn.X,
            task.learn.labels,
            task.validation.X,
            task.validation.labels,
            seeds=seeds,
        )
        return [_scored(each, task, _chosen_in_training(each, task)) for each in fitted]
    estimator, chosen, first = _best_of_grid(estimator, grid_of(method, settings), task, seeds[0])
    if not is_random(method, estimator):
        return [_scored(first, task, chosen)] * len(seeds)
    others = [_fitted(_seeded(estimator, seed), task) for seed in seeds[1:]]
    return [_scored(each, task, chosen) for each in (first, *others)]


def _best_of_grid(
    estimator: Any, grid: Sequence[Settings], task: Task, seed: int
) -> tuple[Any, dict[str, float], Any]:
    """The estimator at the best point, that point with its value, and its fit."""
    labels = task.validation.labels.known_as(Knowledge.ALL)

    def tried(point: Settings) -> tuple[float, Settings, Any]:
        fit = _fitted(_seeded(estimator, seed).set_params(**point), task)
        scores = _scores(fit, task, task.validation.X)
        return average_precision(labels, scores), point, fit

    # One after the other: of a large fit, only the best so far is kept.
    value, point, fit = reduce(_better, map(tried, grid))
    chosen = {**{name: float(each) for name, each in point.items()}, _value_name(task): value}
    return clone(estimator).set_params(**point), chosen, fit


def _value_name(task: Task, of_observed: str = "observed_average_precision") -> str:
    """What validation rows chose by, which depends on what is known of them."""
    knows_all = task.validation.labels.knowledge is Knowledge.ALL
    return f"validation_{'average_precision' if knows_all else of_observed}"


def _better(
    one: tuple[float, Settings, Any], other: tuple[float, Settings, Any]
) -> tuple[float, Settings, Any]:
    return other if other[0] > one[0] else one


def _chosen_in_training(learner: Any, task: Task) -> dict[str, float]:
    first = learner.selection_[0]
    return {
        "learning_rate": first["learning_rate"],
        "epoch": float(first["epoch"]),
        _value_name(task, "observed_log_likelihood"): first["value"],
    }


def _seeded(estimator: Any, seed: int) -> Any:
    fresh = clone(estimator)
    if "random_state" in fresh.get_params(deep=False):
        fresh.set_params(random_state=seed)
    return seeded(fresh, seed)


def _fitted(estimator: Any, task: Task) -> Any:
    """Fit; an estimator that can choose by validation rows of its own accord is given them."""
    target = target_for(estimator, task.learn.labels)
    taken = signature(estimator.fit).parameters
    names = [name for name in ("Y_val", "y_val") if name in taken]
    if "X_val" not in taken or not names:
        return estimator.fit(task.learn.X, target)
    known = task.validation.labels
    if not getattr(estimator, "takes_labels", False):
        known = known.positives.toarray().astype(np.int64)
    return estimator.fit(task.learn.X, target, **{"X_val": task.validation.X, names[0]: known})


def _scored(fitted: Any, task: Task, chosen: dict[str, float]) -> Scored:
    calibration = task.calibration
    return Scored(
        _scores(fitted, task, task.test.X),
        None if calibration is None else _scores(fitted, task, calibration.X),
        chosen,
    )


def _scores(fitted: Any, task: Task, X: Any) -> FloatArray:
    by_position = learns_columns(fitted, task.learn.labels)
    return scores_of(fitted, X, task.learn.labels.classes, by_position=by_position)
