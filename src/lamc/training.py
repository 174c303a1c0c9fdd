"""Train on labelled rows: a method by name, its settings as text, and rows to calibrate on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lamc.calibration_part import part_of_seed
from lamc.classifier import LAMC
from lamc.exceptions import LabelError, SettingError
from lamc.labels import Knowledge, Labels
from lamc.settings_text import parse_setting
from lamc.tables.features import learner_of, with_columns
from lamc.tables.labelled import LabelledRows
from lamc.wording import did_you_mean


@dataclass(frozen=True)
class Fitted:
    """A model, and what it was trained and calibrated on.

    Attributes
    ----------
    model : LAMC
        The fitted model.
    n_trained, n_calibrated : int
        Rows used for each.
    notes : tuple of str
        What was done with rows that could not be used.
    """

    model: LAMC
    n_trained: int
    n_calibrated: int
    notes: tuple[str, ...]


def learner_named(name: str, settings: Sequence[str], *, seed: int | None) -> Any:
    """Make a learner from its name and settings such as ``"hidden=128"``.

    A value is read as :func:`lamc.settings_text.parse_setting` reads it.

    Examples
    --------
    >>> from lamc.training import learner_named
    >>> learner_named("wan", ["hidden=128", "learning_rate=0.001,0.01"], seed=0)
    WAN(hidden=128, learning_rate=(0.001, 0.01), random_state=0)
    >>> learner_named("wan", ["hiden=128"], seed=0)
    Traceback (most recent call last):
    ...
    lamc.exceptions.SettingError: WAN has no setting 'hiden'. Did you mean 'hidden'? ...
    """
    from lamc import learners

    known = {method.lower(): method for method in learners.__all__}
    if name.lower() not in known:
        raise SettingError(
            f"There is no method {name!r}.{did_you_mean(name.lower(), list(known))} The methods "
            f"are {', '.join(known)}."
        )
    method = known[name.lower()]
    try:
        learner = getattr(learners, method)()
    except TypeError as error:
        raise SettingError(
            f"{method} is made in Python, from what no text can say: {error}."
        ) from error
    given = _settings(learner, settings)
    if "random_state" in learner.get_params():
        given = {"random_state": seed} | given
    learner.set_params(**given).check_settings()
    return learner


def fit_rows(
    clf: LAMC,
    train: LabelledRows,
    calibration: LabelledRows | None = None,
    *,
    validation: LabelledRows | None = None,
    most_labels: int | None = None,
) -> Fitted:
    """Train a model on rows and calibrate it on others, or on a part that is held out.

    That part is the one that :meth:`lamc.LAMC.fit` holds out by the same seed. It keeps all that is
    known of its labels. Rows without a label teach nothing and are left out of training.

    Parameters
    ----------
    clf : LAMC
        With its estimator bare: what makes numbers of columns is put in front of it here.
    train, calibration : LabelledRows
        Rows to train and to calibrate on.
    validation : LabelledRows, optional
        Rows for the estimator to choose by; see :meth:`lamc.LAMC.fit`.
    most_labels : int, optional
        The most labels that any row has, where only observed ones are known; see
        :meth:`lamc.Calibrator.fit`.

    Examples
    --------
    >>> from lamc import LAMC
    >>> from lamc.tables.labelled import DataFile, training_rows
    >>> from lamc.training import fit_rows, learner_named
    >>> rows = training_rows(DataFile("digit scenes"), calibrated_elsewhere=False)
    >>> learner = learner_named("wan", ["epochs=1", "hidden=8"], seed=0)
    >>> fitted = fit_rows(LAMC(learner, random_state=0), *rows)
    >>> fitted.n_trained, fitted.n_calibrated
    (2800, 400)
    """
    notes: tuple[str, ...] = ()
    if calibration is None:
        size, seed = clf.calibration_size, clf.random_state
        trained, calibrated = part_of_seed(train.X, train.labels, size, seed)
        train, calibration = train[trained], train[calibrated]
    labelled = train.labels.cardinality > 0
    if not labelled.any():
        raise LabelError("No row to train on has a label, so there is nothing to learn.")
    if not labelled.all():
        n = int(np.count_nonzero(~labelled))
        notes = (f"Left out of training: {n:,} row{'s' * (n > 1)} without a label.",)
        train = train[np.flatnonzero(labelled)]
    clf.set_params(estimator=with_columns(clf.estimator, train.inputs))
    clf.fit(
        train.X,
        _as_observed(train.labels),
        X_cal=calibration.X,
        Y_cal=calibration.labels,
        X_val=None if validation is None else validation.X,
        Y_val=None if validation is None else validation.labels,
        cardinality=most_labels,
    )
    return Fitted(clf, len(train), len(calibration), notes)


def set_verbose(clf: LAMC, verbose: bool) -> None:
    """Let the learner inside a model show its progress, or not, where it can."""
    for estimator in (clf.estimator, getattr(clf, "estimator_", None)):
        learner = learner_of(estimator)
        if learner is not None and "verbose" in learner.get_params():
            learner.set_params(verbose=verbose)


def _settings(learner: Any, settings: Sequence[str]) -> dict[str, Any]:
    """Values by name, of settings that the learner has."""
    possible = list(learner.get_params())
    given = {}
    for key, value in map(parse_setting, settings):
        if key not in possible:
            raise SettingError(
                f"{type(learner).__name__} has no setting {key!r}.{did_you_mean(key, possible)} "
                f"Its settings are {', '.join(possible)}."
            )
        given[key] = value
    return given


def _as_observed(labels: Labels) -> Labels:
    """Labels of training rows: what is not marked counts as unknown, and single stays single."""
    return labels if labels.knowledge is Knowledge.SINGLE else labels.known_as(Knowledge.SOME)
