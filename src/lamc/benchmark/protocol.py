"""The paper's protocol: which rows a method learns from, is chosen by, calibrated and tested on."""

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer

from lamc.datasets import Dataset, Split, digit_scenes, observe, split
from lamc.duplicates import fingerprints, things
from lamc.labels import Knowledge, Labels
from lamc.types import IntArray, Matrix

PROTOCOL: Final = 1  # to be raised when the same settings come to mean other numbers

Draw = Literal["given", "anew"]
Part = Literal["training", "train"]
Validation = Literal["all labels", "single positives"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one purpose, with their labels."""

    X: Matrix
    labels: Labels


@dataclass(frozen=True, eq=False)
class Task:
    """What one training run meets.

    Attributes
    ----------
    learn : Rows
        Rows to learn from, with the labels observed.
    validation : Rows
        Rows to choose by, with all labels or one observed label each.
    test : Rows
        Rows to measure on, with all labels.
    calibration : Rows or None
        Rows to set thresholds on, with all labels; None if they are learnt from.
    observed : Labels or None
        The labels that were observed on the calibration rows.
    """

    learn: Rows
    validation: Rows
    test: Rows
    calibration: Rows | None
    observed: Labels | None


def task_of(
    data: Dataset,
    draw: Draw,
    seed: int,
    part: Part,
    validation: Validation = "all labels",
    *,
    scenes: bool = False,
    copies: bool = False,
) -> Task:
    """Cut a data set into the rows of one run.

    ``"given"`` takes the split and the observed labels that the data set carries, and draws what
    it lacks with seed 0, whatever the run. ``"anew"`` draws both with the seed of the run; if the
    data are the embedded digit ``scenes``, these are made anew, for their parts do not share
    pictures. Rows of which there are ``copies`` are drawn into one part.

    Part ``"training"`` learns from the 80 % that are neither validation nor test rows. Part
    ``"train"`` leaves the calibration rows out of these, so that thresholds can be set on them.

    A number that is missing becomes the median of the rows learnt from, as in ``lamc train``.

    Validation rows have all their labels, as in the paper, or ``"single positives"``, as one has
    them who has no fully labelled rows to choose by.

    Examples
    --------
    >>> from lamc.benchmark.protocol import task_of
    >>> from lamc.datasets import digit_scenes
    >>> task = task_of(digit_scenes(100), "given", 0, "train")
    >>> task.learn.X.shape, task.calibration.X.shape
    ((70, 256), (10, 256))
    >>> task_of(digit_scenes(100), "given", 0, "training").learn.X.shape
    (80, 256)
    """
    groups = things_of(data) if copies else None
    if draw == "given":
        parts = data.split
        if parts is None:
            parts = split(data.Y, random_state=0, groups=groups)
        observed = _given_labels(data, parts)
    elif scenes:
        data = digit_scenes(data.X.shape[0], random_state=seed)
        return task_of(data, "given", seed, part, validation)
    else:
        parts = split(data.Y, random_state=seed, groups=groups)
        observed = observe(_all_labels(data, parts.training), random_state=seed)
    n_train = len(parts.train)
    calibrates = part == "train"
    learnt_from = parts.train if calibrates else parts.training
    if n_missing(data.X):
        fill = SimpleImputer(strategy="median", keep_empty_features=True)
        data = replace(data, X=fill.fit(data.X[learnt_from]).transform(data.X))
    return Task(
        learn=Rows(data.X[learnt_from], observed[:n_train] if calibrates else observed),
        validation=_with_all_labels(data, parts.validation)
        if validation == "all labels"
        else _with_one_label(data, parts.validation, 0 if draw == "given" else seed),
        test=_with_all_labels(data, parts.test),
        calibration=_with_all_labels(data, parts.calibration) if calibrates else None,
        observed=observed[n_train:] if calibrates else None,
    )


def n_missing(X: Matrix) -> int:
    """Numbers that are missing.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.protocol import n_missing
    >>> n_missing(np.array([[1.0, np.nan]]))
    1
    """
    return int(np.isnan(X.data if sparse.issparse(X) else X).sum())


def things_of(data: Dataset) -> IntArray:
    """The thing that each row shows, by the number of a row: what belongs into one part.

    Examples
    --------
    >>> from lamc.benchmark.protocol import things_of
    >>> from lamc.datasets import digit_scenes
    >>> things_of(digit_scenes(6))
    array([0, 1, 2, 3, 4, 5])
    """
    return things(fingerprints(data.X), fingerprints(data.Y), data.X.shape[0] // 10)


def _given_labels(data: Dataset, parts: Split) -> Labels:
    """Observed labels of the training rows, calibration rows last."""
    if data.observed is None:
        return observe(_all_labels(data, parts.training), random_state=0)
    positives = data.observed[parts.training]
    single = (positives.sum(axis=1) == 1).all()
    return Labels(positives, data.label_names, Knowledge.SINGLE if single else Knowledge.SOME)


def _with_all_labels(data: Dataset, rows: IntArray) -> Rows:
    return Rows(data.X[rows], _all_labels(data, rows))


def _with_one_label(data: Dataset, rows: IntArray, seed: int) -> Rows:
    return Rows(data.X[rows], observe(_all_labels(data, rows), random_state=seed))


def _all_labels(data: Dataset, rows: IntArray) -> Labels:
    return Labels(data.Y[rows], data.label_names, Knowledge.ALL)
