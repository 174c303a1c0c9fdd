"""Numbers that a user sets: counts, rates, and seeds drawn from a random state."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lamc.exceptions import TrainingError


def draw_seeds(random_state: Any, n_models: int) -> list[int]:
    """A seed for each of several models.

    Examples
    --------
    >>> from lamc.learners.numbers import draw_seeds
    >>> draw_seeds(0, 2) == draw_seeds(0, 3)[:2]
    True
    """
    if not is_count(n_models):
        raise TrainingError(f"n_models={n_models!r}; give a whole number from 1.")
    drawn: list[int] = check_random_state(random_state).randint(2**31 - 1, size=n_models).tolist()
    return drawn


def are_rates(values: Sequence[float]) -> bool:
    """Whether these can be learning rates.

    Examples
    --------
    >>> from lamc.learners.numbers import are_rates
    >>> are_rates([1e-3]), are_rates([]), are_rates([-1.0])
    (True, False, False)
    """
    return len(values) > 0 and all(0 < value < math.inf for value in values)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 1.

    Examples
    --------
    >>> from lamc.learners.numbers import is_count
    >>> is_count(3), is_count(0), is_count(2.0)
    (True, False, False)
    """
    return isinstance(value, (int, np.integer)) and bool(value >= 1)
