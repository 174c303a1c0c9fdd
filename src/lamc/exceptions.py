"""What goes wrong, by name: every error a user can meet is a ``LAMCError``."""

import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_BETWEEN = {"lamc", "sklearn", "joblib"}  # packages that stand between a user and a warning
_FILTERS = threading.RLock()  # held by who changes Python's filters of warnings, and who warns


class LAMCError(Exception):
    """Base of all errors that LAMC raises on purpose.

    Examples
    --------
    >>> from lamc.exceptions import LabelError, LAMCError
    >>> issubclass(LabelError, LAMCError) and issubclass(LabelError, ValueError)
    True
    """


class LabelError(LAMCError, ValueError):
    """The labels given cannot be read, or are not what a method needs."""


class FeatureError(LAMCError, ValueError):
    """The rows given hold features that a learner cannot use."""


class DatasetError(LAMCError, ValueError):
    """A data file is missing, cannot be read, or does not hold what it should."""


class PartError(DatasetError):
    """A part is asked for of a data set that carries no split."""


class CalibrationError(LAMCError, ValueError):
    """Scores, levels or a calibration set cannot give what was asked of them."""


class ScorerError(LAMCError, ValueError):
    """An estimator or function does not give a score for every row and label."""


class SettingError(LAMCError, ValueError):
    """A parameter cannot have the value given, or there is no method or setting of that name."""


class TrainingError(LAMCError, RuntimeError):
    """Training cannot go on."""


class StorageError(LAMCError, ValueError):
    """A model cannot be saved, or a file holds no model that can be loaded."""


class LAMCWarning(UserWarning):
    """Category of every warning that LAMC gives."""


def warn(message: str) -> None:
    """Warn at the line of the user's own code, however deep inside LAMC the reason was found.

    Examples
    --------
    >>> import warnings
    >>> from lamc.exceptions import warn
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     warn("Look here.")
    >>> told[0].category.__name__
    'LAMCWarning'
    """
    level, frame = 2, sys._getframe(1)
    while _package(frame.f_globals) in _BETWEEN and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    with _FILTERS:
        warnings.warn(message, LAMCWarning, stacklevel=level)


@contextmanager
def held_back(
    message: str = "", category: type[Warning] = Warning
) -> Iterator[list[warnings.WarningMessage]]:
    """Keep warnings of others from being shown, for one thread at a time, and list them.

    Python has one list of filters for all threads. Two that leave such a block in another order
    than they came in would leave it as it was within one of them, and warnings silent for good.

    Parameters
    ----------
    message : str
        A pattern for the beginning of the warnings meant.
    category : type of Warning
        Their category.

    Examples
    --------
    >>> import warnings
    >>> from lamc.exceptions import held_back
    >>> with held_back("mind") as said:
    ...     warnings.warn("mind the step")
    >>> len(said)
    1
    """
    with _FILTERS:
        with warnings.catch_warnings(record=True) as said:
            warnings.filterwarnings("always", message, category)
            yield (meant := [])
        pattern = re.compile(message, re.IGNORECASE)
        for each in said:
            if issubclass(each.category, category) and pattern.match(str(each.message)):
                meant.append(each)
            else:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
