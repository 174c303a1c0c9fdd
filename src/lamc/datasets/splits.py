"""Cut the rows of a data set into the four parts of the paper's protocol."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lamc.datasets.groups import as_groups, grouped_parts, warn_of_odd_sizes
from lamc.exceptions import DatasetError, LabelError
from lamc.labels import as_labels
from lamc.types import IntArray, Seed

FEWEST_ROWS = 6  # the least n for which floor(8n/10) and floor(9n/10) leave no part empty


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on, to calibrate on, to choose by, and to report on.

    Made by :func:`split`, or by :meth:`from_parts` where a source has parts of its own. The parts
    share no row.

    Attributes
    ----------
    train : ndarray of int
        Rows that a method with a calibration set learns from, 70 %.
    calibration : ndarray of int
        Rows that set its thresholds, 10 %.
    validation : ndarray of int
        Rows by which epochs and learning rates are chosen, 10 %.
    test : ndarray of int
        Rows that are measured once, at the end, 10 %.

    Examples
    --------
    >>> from lamc.datasets import Split
    >>> parts = Split.from_parts(train=range(80), validation=range(80, 90), test=range(90, 100))
    >>> parts
    Split(70 train, 10 calibration, 10 validation, 10 test)
    >>> len(parts.training)
    80
    """

    train: IntArray
    calibration: IntArray
    validation: IntArray
    test: IntArray

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _as_rows(getattr(self, field.name), field.name))
        _refuse_shared_rows({field.name: getattr(self, field.name) for field in fields(self)})

    @property
    def training(self) -> IntArray:
        """Rows for a method that needs no calibration set: ``train`` and ``calibration``, 80 %."""
        return np.concatenate([self.train, self.calibration])

    @classmethod
    def from_parts(
        cls,
        train: npt.ArrayLike,
        validation: npt.ArrayLike,
        test: npt.ArrayLike,
        *,
        random_state: Seed = 0,
    ) -> Self:
        """Take an eighth of the given training rows for calibration; keep the other parts.

        The released files list their training rows in rising order, and some data sets are
        ordered by class. The last eighth of such a list is no random draw, and thresholds set on
        it would promise nothing about the test rows. So the rows are permuted first.

        Parameters
        ----------
        train, validation, test : array-like of int
            Rows of each part, counted from 0.
        random_state : int, RandomState or None, default=0
            Seed of the permutation.

        Returns
        -------
        Split

        Examples
        --------
        >>> from lamc.datasets import Split
        >>> parts = Split.from_parts([0, 1, 2, 3, 4, 5, 6, 7], [8], [9])
        >>> sorted(parts.training.tolist())
        [0, 1, 2, 3, 4, 5, 6, 7]
        """
        from sklearn.utils import check_random_state

        given = _as_rows(train, "train")
        if len(given) < 2:
            raise DatasetError(
                "The train part has one row, and calibration takes an eighth of it.\n"
                "Give at least two, or make all four parts yourself: "
                "Split(train, calibration, validation, test)."
            )
        rest = check_random_state(random_state).permutation(given)
        n_train = _seven_eighths(len(rest))
        others = _as_rows(validation, "validation"), _as_rows(test, "test")
        return cls(rest[:n_train], rest[n_train:], *others)

    def __repr__(self) -> str:
        sizes = (f"{len(getattr(self, field.name))} {field.name}" for field in fields(self))
        return f"Split({', '.join(sizes)})"


def split(Y: Any, *, random_state: Seed = 0, groups: npt.ArrayLike | None = None) -> Split:
    """Cut the rows that have a label by the paper's protocol: 70, 10, 10 and 10 %.

    The n rows with a label are permuted. The cuts are at ⌊8n/10⌋ and ⌊9n/10⌋: validation rows
    between them, test rows behind. Of the rows in front, the last eighth is for calibration.
    Methods without a calibration set train on all of these (:attr:`Split.training`), so every
    method meets the same validation and test rows.

    Parameters
    ----------
    Y : labels in any form that :func:`lamc.as_labels` reads
        Rows without a label are in no part.
    random_state : int, RandomState or None, default=0
        Seed of the permutation. The same seed gives the same parts.
    groups : array-like of int or str, shape (n,), optional
        Rows of one group, such as the pictures of one patient, stay in one part. A group comes
        into a part that has room for it, as likely as its rows would without groups; so one that
        is larger than the small parts is trained on. A warning names parts that are farther from
        their share than half of it.

    Returns
    -------
    Split

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, split
    >>> split(digit_scenes(200).Y, random_state=0)
    Split(140 train, 20 calibration, 20 validation, 20 test)
    """
    from sklearn.utils import check_random_state

    labels = as_labels(Y, knowledge="some")
    rows = np.flatnonzero(labels.cardinality)
    if len(rows) < FEWEST_ROWS:
        raise LabelError(
            f"{len(rows)} of the {len(labels)} rows of Y have a label; a split into train, "
            f"calibration, validation and test needs at least {FEWEST_ROWS}.\n"
            "Give more labelled rows, or make the parts yourself: "
            "Split(train, calibration, validation, test)."
        )
    rng = check_random_state(random_state)
    shares = _shares(len(rows))
    if groups is None:
        return Split(*np.split(rng.permutation(rows), np.cumsum(shares)[:-1]))
    parts = grouped_parts(rows, as_groups(groups, len(labels))[rows], shares, rng)
    names = [field.name for field in fields(Split)]
    warn_of_odd_sizes(names, [len(part) for part in parts], shares)
    return Split(*parts)


def _shares(n: int) -> list[int]:
    """Rows to train on, to calibrate on, to choose by and to report on."""
    rest, upto_validation = 8 * n // 10, 9 * n // 10
    train = _seven_eighths(rest)
    return [train, rest - train, upto_validation - rest, n - upto_validation]


def _seven_eighths(n: int) -> int:
    return 7 * n // 8


def _as_rows(rows: npt.ArrayLike, part: str) -> IntArray:
    array = np.asarray(rows)
    if array.ndim != 1 or len(array) == 0 or not np.issubdtype(array.dtype, np.integer):
        raise DatasetError(
            f"The {part} part of a split is an array of {array.dtype} of shape {array.shape}; "
            "it is a list of at least one row number."
        )
    if array.min() < 0:
        raise DatasetError(f"The {part} part names row {array.min()}; rows count from 0.")
    return array.astype(np.int64)


def _refuse_shared_rows(parts: dict[str, IntArray]) -> None:
    rows = np.concatenate(list(parts.values()))
    unique, counts = np.unique(rows, return_counts=True)
    if len(unique) == len(rows):
        return
    row = int(unique[counts > 1][0])
    holders = [name for name, part in parts.items() for _ in range(np.count_nonzero(part == row))]
    raise DatasetError(
        f"Row {row} is in {' and in '.join(holders)}; the parts of a split share no row, else "
        "what is measured on one has been seen in another."
    )
