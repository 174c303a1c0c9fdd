"""What a promise for every true label rests on, besides rows that are drawn alike."""

from typing import Any, Final

import numpy as np

from lamc.labels import Knowledge, Labels

_SINGLE_POSITIVES: Final = (
    "Calibrated on observed labels only, without knowing how many labels a row has. What is "
    "promised holds for an observed label. For every true label it holds if the observed one was "
    "drawn at random from the row's labels, and a label's score does not depend on how many these "
    "are. Calibrating with the largest number of labels that a row may have{argument} does without "
    "the second assumption."
)
SINGLE_POSITIVES: Final = _SINGLE_POSITIVES.format(argument=", cardinality=…,")
RANDOM_LABEL: Final = (
    "Calibrated on observed labels only. What is promised holds for every true label if the "
    "observed one was drawn at random from the row's labels. Where it is the most striking one, "
    "the others are missed more often."
)
_FOR_READERS: Final = {SINGLE_POSITIVES: _SINGLE_POSITIVES.format(argument="")}


def assumption_of(labels: Labels, cardinality: Any) -> str | None:
    """Return the assumption in words, or None where all labels of the rows are known.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.rules.assumptions import assumption_of
    >>> assumption_of(as_labels([0, 1]), cardinality=3)[:36]
    'Calibrated on observed labels only. '
    >>> assumption_of(as_labels([{0, 1}, {1}]), cardinality=None) is None
    True
    """
    if labels.knowledge is Knowledge.ALL:
        return None
    if cardinality is None:
        return SINGLE_POSITIVES
    return RANDOM_LABEL if np.any(np.asarray(cardinality) != 1) else None


def for_readers(assumption: str) -> str:
    """The same without the name of an argument, for whoever reads a page.

    Examples
    --------
    >>> from lamc.rules.assumptions import SINGLE_POSITIVES, for_readers
    >>> for_readers(SINGLE_POSITIVES)[-80:]
    'largest number of labels that a row may have does without the second assumption.'
    """
    return _FOR_READERS.get(assumption, assumption)
