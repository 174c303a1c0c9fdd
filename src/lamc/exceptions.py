"""What goes wrong, by name: every error a user can meet is a ``LAMCError``."""


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


class CalibrationError(LAMCError, ValueError):
    """Scores, levels or a calibration set cannot give what was asked of them."""


class ScorerError(LAMCError, ValueError):
    """An estimator or function does not give a score for every row and label."""


class TrainingError(LAMCError, RuntimeError):
    """Training cannot go on."""


class StorageError(LAMCError, ValueError):
    """A model cannot be saved, or a file holds no model that can be loaded."""


class LAMCWarning(UserWarning):
    """Category of every warning that LAMC gives."""
