"""Numbers and flags that a user sets, and seeds drawn from a random state; checked."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from lamc.exceptions import SettingError

Check: TypeAlias = tuple[str, bool, str]  # a setting, whether it fits, and what is expected


def draw_seeds(random_state: Any, n_models: int) -> list[int]:
    """A seed for each of several models.

    Examples
    --------
    >>> from lamc.learners.numbers import draw_seeds
    >>> draw_seeds(0, 2) == draw_seeds(0, 3)[:2]
    True
    """
    if not is_count(n_models):
        raise SettingError(f"n_models={n_models!r}; give a whole number from 1.")
    drawn: list[int] = check_random_state(random_state).randint(2**31 - 1, size=n_models).tolist()
    return drawn


def require_seed(random_state: Any) -> None:
    """Raise unless a later fit would draw the same: a checkpoint is of no use otherwise.

    Examples
    --------
    >>> from lamc.learners.numbers import require_seed
    >>> require_seed(0)
    """
    if not isinstance(random_state, (int, np.integer)):
        raise SettingError(
            f"random_state={random_state!r} draws anew in every fit, so that no fit could go on "
            "from the checkpoint of another.\nGive a whole number, such as random_state=0."
        )


def is_within(
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    above: float = -math.inf,
    below: float = math.inf,
) -> bool:
    """Whether a value is a finite number from ``low`` to ``high``, above one and below another.

    Examples
    --------
    >>> from lamc.learners.numbers import is_within
    >>> is_within(0.5, 0, 1), is_within(1.0, 0, below=1), is_within("much", 0)
    (True, False, False)
    """
    if not isinstance(value, Real):
        return False
    number = float(value)
    return math.isfinite(number) and low <= number <= high and above < number < below


def are_rates(values: Sequence[float]) -> bool:
    """Whether these can be learning rates.

    Examples
    --------
    >>> from lamc.learners.numbers import are_rates
    >>> are_rates([1e-3]), are_rates([]), are_rates([-1.0])
    (True, False, False)
    """
    return len(values) > 0 and all(is_within(value, above=0) for value in values)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 1.

    Examples
    --------
    >>> from lamc.learners.numbers import is_count
    >>> is_count(3), is_count(0), is_count(2.0)
    (True, False, False)
    """
    return isinstance(value, (int, np.integer)) and bool(value >= 1)


def is_flag(value: Any) -> bool:
    """Whether a value is True or False, or the 1 or 0 that stand for them.

    Examples
    --------
    >>> from lamc.learners.numbers import is_flag
    >>> is_flag(True), is_flag(0), is_flag("false"), is_flag(None)
    (True, True, False, False)
    """
    return isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1)


def are_two(values: Any, *, above: float = -math.inf, high: float = math.inf) -> bool:
    """Whether these are two finite numbers, above one and at most another, in a list or an array.

    Examples
    --------
    >>> from lamc.learners.numbers import are_two
    >>> are_two((0.5, 2)), are_two([0.5, 2], high=1), are_two((1.0,)), are_two("ab")
    (True, False, False, False)
    """
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    return (
        isinstance(listed, Sequence)
        and len(listed) == 2
        and all(is_within(value, above=above, high=high) for value in listed)
    )


def counts(learner: Any, *names: str) -> list[Check]:
    """Checks of settings that are whole numbers from 1.

    Examples
    --------
    >>> from lamc.learners import Trees
    >>> from lamc.learners.numbers import counts
    >>> counts(Trees(n_trees=0), "n_trees")
    [('n_trees', False, 'a whole number from 1')]
    """
    return [(name, is_count(getattr(learner, name)), "a whole number from 1") for name in names]


def from_0(learner: Any, *names: str) -> list[Check]:
    """Checks of settings that are numbers from 0.

    Examples
    --------
    >>> from lamc.learners import MLML
    >>> from lamc.learners.numbers import from_0
    >>> from_0(MLML(sharpness=-1), "sharpness")
    [('sharpness', False, 'a number from 0')]
    """
    return [(name, is_within(getattr(learner, name), 0), "a number from 0") for name in names]


def above_0(learner: Any, *names: str) -> list[Check]:
    """Checks of settings that are numbers above 0.

    Examples
    --------
    >>> from lamc.learners import MLML
    >>> from lamc.learners.numbers import above_0
    >>> above_0(MLML(tol=0), "tol")
    [('tol', False, 'a number above 0')]
    """
    checks = ((name, is_within(getattr(learner, name), above=0)) for name in names)
    return [(name, fits, "a number above 0") for name, fits in checks]


def one_of(learner: Any, name: str, options: Sequence[str]) -> Check:
    """Check of a setting that is one of several words.

    Examples
    --------
    >>> from lamc.learners import MLML
    >>> from lamc.learners.numbers import one_of
    >>> one_of(MLML(solver="quick"), "solver", ["exact", "approx"])
    ('solver', False, "'exact' or 'approx'")
    """
    value = getattr(learner, name)
    *others, last = map(repr, options)
    return name, isinstance(value, str) and value in options, f"{', '.join(others)} or {last}"


def require_settings(learner: Any, checks: Sequence[Check]) -> None:
    """Raise, by name, if a setting of a learner does not fit.

    Examples
    --------
    >>> from lamc.learners import WAN
    >>> from lamc.learners.numbers import require_settings
    >>> require_settings(WAN(epochs=0), [("epochs", False, "a whole number from 1")])
    Traceback (most recent call last):
    lamc.exceptions.SettingError: epochs=0; give a whole number from 1.
    """
    for name, fits, expected in checks:
        if not fits:
            raise SettingError(f"{name}={getattr(learner, name)!r}; give {expected}.")


def checked_rates(learner: Any, *, chooses: bool, also: Sequence[Check] = ()) -> tuple[float, ...]:
    """Check what every learner that trains networks is told, and return its learning rates.

    Parameters
    ----------
    learner : estimator
        Its settings are looked at.
    chooses : bool
        Whether there is something to choose a rate by.
    also : sequence of Check
        Further settings.

    Examples
    --------
    >>> from lamc.learners import WAN
    >>> from lamc.learners.numbers import checked_rates
    >>> checked_rates(WAN(learning_rate=[1e-3, 1e-3]), chooses=False)
    (0.001,)
    """
    given = np.atleast_1d(np.asarray(learner.learning_rate, dtype=object)).tolist()
    rates = tuple(dict.fromkeys(map(float, given))) if are_rates(given) else ()
    count = "a whole number from 1"
    none_or_count = f"{count}, or None"
    share = "a share from 0 to below 1"
    checks = [
        *also,
        ("epochs", is_count(learner.epochs), count),
        ("batch_size", is_count(learner.batch_size), count),
        ("n_models", is_count(learner.n_models), count),
        ("learning_rate", len(rates) > 0, "numbers above 0"),
        ("weight_decay", is_within(learner.weight_decay, 0), "a number from 0"),
        ("validation_size", is_within(learner.validation_size, 0, below=1), share),
        ("patience", learner.patience is None or is_count(learner.patience), none_or_count),
        ("n_threads", learner.n_threads is None or is_count(learner.n_threads), none_or_count),
        ("verbose", is_flag(learner.verbose), "True or False"),
    ]
    require_settings(learner, checks)
    if not chooses and len(rates) > 1:
        raise SettingError(
            f"There are {len(rates)} learning rates and nothing to choose one by.\nGive one "
            "rate, a validation set, or a validation_size above 0."
        )
    return rates
