"""Rows to train on and rows to calibrate on, where the user gives none of the latter."""

import math
from typing import Any

import numpy as np

from lamc.duplicates import parted
from lamc.exceptions import CalibrationError
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
