"""What LAMC warns of, where it goes on all the same."""

from typing import Any

import numpy as np

from lamc.duplicates import are_common, are_copies, fingerprints
from lamc.exceptions import warn
from lamc.labels import Labels
from lamc.labels.forms import are_in_order
from lamc.labels.known import rows_in_words
from lamc.labels.names import are_of_two_kinds, some_of
from lamc.rules import Calibrator
from lamc.rules.thresholds import UNCALIBRATED
from lamc.types import AnyArray, BoolArray

_FEW_COPIES = 0.05  # share of the labels to calibrate on that may be copies without a word
_HARMLESS_SHARE = 0.05  # of rows to measure on that look like calibration rows


def warn_of_shared_rows(
    calibration_rows: AnyArray, training_rows: AnyArray, common: BoolArray
) -> None:
    """Warn of calibration rows that have the fingerprint of a training row.

    Those that are ``common`` (:func:`lamc.duplicates.are_common`), such as rows of zeros, tell
    nothing, unless there are no others.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.cautions import warn_of_shared_rows
    >>> from lamc.containers import traces
    >>> none = np.zeros(2, dtype=bool)
    >>> warn_of_shared_rows(traces(np.eye(2)), traces(np.ones((1, 2))), common=none)  # none shared
    """
    shared = np.isin(calibration_rows, training_rows)
    if not shared.all():
        shared &= ~common
    if shared.any():
        warn(
            f"{rows_in_words(shared, of='the calibration set')} the same features as a row that "
            "the estimator was trained on or chosen by. If they are the same rows, scores there "
            "are too good, and what is promised does not hold: calibrate on rows that were not "
            "trained on."
        )


def known_rows_in_words(
    rows: AnyArray, training_rows: AnyArray, calibration_rows: AnyArray
) -> list[str]:
    """Say how many rows to measure a model on have the traces of those it was made from.

    A calibration row or two with equal features are often mere copies, and do no harm.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.cautions import known_rows_in_words
    >>> known_rows_in_words(np.arange(9), np.array([20, 30]), np.array([40]))  # all are new
    []
    """
    told = []
    for known, use, harmless in (
        (training_rows, "trained on", 0.0),
        (calibration_rows, "calibrated on", _HARMLESS_SHARE),
    ):
        shared = int(np.isin(rows, known).sum())
        if shared > harmless * len(rows):
            told.append(
                f"{shared:,} of {len(rows):,} rows have the same features as a row that the model "
                f"was {use}. If they are the same rows, they make the model look better than it "
                f"is: measure on rows that were not {use}."
            )
    return told


def warn_of_copies(rows: AnyArray, labels: Labels, others: AnyArray) -> None:
    """Warn of calibration rows with equal features and an equal label, if they are many.

    The ``others``, which were trained on, help to tell copies from features of few values.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.cautions import warn_of_copies
    >>> from lamc.containers import traces
    >>> warn_of_copies(traces(np.eye(2)), as_labels(["oak", "oak"]), traces(np.eye(3)))  # none
    """
    if len(rows) == 0:  # it is not known what they hold
        return
    both = np.concatenate([rows, others])
    if not are_copies(len(np.unique(both)), len(both)):
        return
    _, of_row = np.unique(rows, return_inverse=True)
    row, label = labels.positives.tocoo().coords
    told = ~are_common(rows, fingerprints(labels.positives), len(rows))[row]
    copies = np.count_nonzero(told)
    copies -= len(np.unique((of_row[row] * labels.shape[1] + label)[told]))
    if copies > _FEW_COPIES * len(row):
        warn(
            f"{copies} of the {len(row)} labels to calibrate on are copies: another row has the "
            "same features and the label too. Each counts as a case of its own. If they are the "
            "same thing, less is sure than promised: keep each once."
        )


def warn_of_labels_accepted_everywhere(calibrator: Calibrator) -> None:
    """Warn of uncalibrated labels whose threshold every score reaches.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.cautions import warn_of_labels_accepted_everywhere
    >>> Y = np.ones((20, 2), dtype=bool)
    >>> warn_of_labels_accepted_everywhere(Calibrator(alpha=0.1).fit(0.5 * Y, Y))  # there are none
    """
    everywhere = (calibrator.status_ == UNCALIBRATED) & (calibrator.thresholds_ == -np.inf)
    if everywhere.any():
        count = np.count_nonzero(everywhere)
        warn(
            f"{count} label{'s are' if count > 1 else ' is'} uncalibrated, and accepted in every "
            f"row: {some_of(calibrator.classes_[everywhere])}. decide() leaves "
            f"{'them' if count > 1 else 'it'} open."
        )


def warn_of_names_alike(classes: AnyArray) -> None:
    """Warn of labels whose names differ only in case, spaces or underscores.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.cautions import warn_of_names_alike
    >>> warn_of_names_alike(np.array(["oak", "elm"]))  # there are none
    """
    if classes.dtype.kind != "U":
        return
    first: dict[str, str] = {}
    for name in classes.tolist():
        alike = first.setdefault("".join(name.casefold().replace("_", " ").split()), name)
        if alike != name:
            warn(
                f"The labels {alike!r} and {name!r} are taken for two, and their names are nearly "
                "the same. If they are one label, spell it alike everywhere."
            )


def warn_of_labels_never_trained(classes: AnyArray, others: AnyArray, Y: Any) -> None:
    """Warn of labels that lists of other rows hold and no training row does.

    A matrix or frame has a column for every label there is, observed in training or not.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.cautions import warn_of_labels_never_trained
    >>> warn_of_labels_never_trained(np.arange(3), np.arange(2), [[0], [0, 1]])  # there are none
    """
    if are_of_two_kinds(classes, others):
        return  # they are numbers of columns, or else refused
    new = np.setdiff1d(others, classes)
    if len(new) and not are_in_order(Y):
        warn(
            f"Rows to calibrate on or to choose by have labels that no row of y has: "
            f"{some_of(new)}. If they are misspelt, correct them; of a label that was never "
            "observed nothing is learnt."
        )
