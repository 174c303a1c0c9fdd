"""Rows to train on and rows to calibrate on, where the user gives none of the latter."""

import math
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lamc.containers import traces as traces_of
from lamc.duplicates import parted
from lamc.exceptions import CalibrationError
from lamc.labels import Labels
from lamc.types import AnyArray, IntArray

NOTHING: AnyArray = np.empty(0, dtype=np.uint64)


def calibration_part(
    n: int,
    size: Any,
    rng: np.random.RandomState,
    traces: AnyArray = NOTHING,
    labels: AnyArray = NOTHING,
) -> tuple[IntArray, IntArray]:
    """Draw a share or a number of ``n`` rows to calibrate on; the others are trained on.

    Rows with equal ``traces`` stay together; traces of their ``labels`` help to tell what is a
    copy: see :func:`lamc.duplicates.parted`.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.calibration_part import calibration_part
    >>> train, held_out = calibration_part(10, 0.2, np.random.RandomState(0))
    >>> len(train), len(held_out)
    (8, 2)
    """
    share = isinstance(size, (float, np.floating)) and 0 < size < 1
    count = math.ceil(size * n) if share else size
    if not (isinstance(count, (int, np.integer)) and 0 < count < n):
        raise CalibrationError(
            f"calibration_size={size!r} with n_samples = {n}: give a share above 0 and below 1, or "
            "a number of rows that leaves some to train on."
        )
    return parted(rng.permutation(n), int(count), traces, labels)


def part_of_seed(X: Any, labels: Labels, size: Any, random_state: Any) -> tuple[IntArray, IntArray]:
    """The rows that :meth:`lamc.LAMC.fit` trains on by this seed, and those that it holds out.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.calibration_part import part_of_seed
    >>> part_of_seed(np.eye(5), as_labels(["oak", "elm", "oak", "elm", "ash"]), 0.2, 0)
    (array([0, 1, 2, 3]), array([4]))
    """
    rng = check_random_state(random_state)
    drawn_seed(rng)  # of the estimator
    return calibration_part(len(labels), size, rng, traces_of(X), traces_of(labels.positives))


def drawn_seed(rng: np.random.RandomState) -> int:
    """A seed for what draws by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.calibration_part import drawn_seed
    >>> drawn_seed(np.random.RandomState(0))
    209652396
    """
    return int(rng.randint(2**31 - 1))
