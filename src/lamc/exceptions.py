"""What goes wrong, by name: every error a user can meet is a ``LAMCError``."""

import sys
import warnings

_BETWEEN = {"lamc", "sklearn", "joblib"}  # packages that stand between a user and a warning


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
    warnings.warn(message, LAMCWarning, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
