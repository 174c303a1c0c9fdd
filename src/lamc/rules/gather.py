"""From calibration rows to evidence: what is counted, what it weighs, what is kept."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from lamc.exceptions import CalibrationError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.known import rows_in_words
from lamc.rules.evidence import Evidence, negative_scores
from lamc.types import AnyArray, BoolArray, FloatArray, Matrix, SparseMatrix


def gather(
    scores: Matrix,
    labels: Labels,
    *,
    weights: AnyArray | None,
    picked_for: Any,
    rows_before: int,
    keep_negatives: bool,
) -> Evidence:
    """Gather the evidence of a batch of rows, of which ``rows_before`` came before."""
    counted = labels.positives if picked_for is None else picks(labels, picked_for)
    evidence = Evidence.of(scores, counted, first_row=rows_before, weights=weights)
    random_rows = picked_for is None and weights is None
    if keep_negatives and random_rows and labels.knowledge is Knowledge.ALL:
        evidence = replace(evidence, negatives=negative_scores(scores, labels.positives))
    return evidence


def picks(labels: Labels, picked_for: Any) -> SparseMatrix:
    """Positives that their row was chosen for; the others would be a biased sample.

    A row chosen because it has label j is no random row of label k, even if it has k too.
    """
    chosen = as_labels(picked_for, classes=labels.classes)
    chosen.require_rows(len(labels), of="Y")
    chosen.require(Knowledge.SINGLE, by="picked_for")
    false = chosen.positives - chosen.positives.multiply(labels.positives)
    wrong: BoolArray = np.asarray(false.sum(axis=1)).ravel() > 0
    if wrong.any():
        raise CalibrationError(
            f"{rows_in_words(wrong)} not the label that picked_for says it was chosen for."
        )
    return sparse.csr_array(chosen.positives)


def row_weights(labels: Labels, sample_weight: Any, cardinality: Any) -> AnyArray | None:
    """Weight of each row, the product of the two ways to give one; None if all weigh the same.

    A row of |Y| labels of which m were revealed at random shows each with probability m/|Y|; so
    its positives count |Y|/m times.
    """
    if cardinality is not None and labels.knowledge is Knowledge.ALL:
        raise CalibrationError(
            "cardinality tells how many labels a row has besides those observed, but all labels "
            "of these rows are known.\nLeave it out, or pass a vector of one label a row."
        )
    weights = None
    if sample_weight is not None:
        weights = _positive_numbers(sample_weight, len(labels), "sample_weight")
    if cardinality is None or np.ndim(cardinality) == 0:
        return None if weights is None else _whole(weights)
    counts = _positive_numbers(cardinality, len(labels), "cardinality")
    if counts.max(initial=1) > labels.shape[1]:
        row = int(np.argmax(counts))
        raise CalibrationError(
            f"cardinality holds {counts[row]:g} in row {row}, but there are only "
            f"{labels.shape[1]} labels."
        )
    few = counts < labels.cardinality
    if few.any():
        raise CalibrationError(
            f"{rows_in_words(few)} more observed labels than cardinality says there are."
        )
    shown = counts / np.maximum(labels.cardinality, 1)
    return _whole(shown if weights is None else weights * shown)


def most_labels(cardinality: Any, labels: Labels) -> int | None:
    """Bound on the number of labels a row has, if that is what cardinality gives."""
    if cardinality is None or np.ndim(cardinality) > 0:
        return None
    n_labels = labels.shape[1]
    if not (isinstance(cardinality, (int, np.integer)) and 1 <= cardinality <= n_labels):
        raise CalibrationError(
            f"cardinality={cardinality!r}: give the number of labels of each row, or the largest "
            f"number that a row can have, from 1 to {n_labels}."
        )
    more = labels.cardinality > cardinality
    if more.any():
        raise CalibrationError(
            f"{rows_in_words(more)} more observed labels than cardinality={cardinality} says a row "
            "can have."
        )
    return int(cardinality)


def _positive_numbers(values: Any, n: int, name: str) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (n,):
        raise CalibrationError(f"{name} has shape {numbers.shape}, but there are {n} rows.")
    odd = ~((numbers > 0) & np.isfinite(numbers))
    if odd.any():
        row = int(np.argmax(odd))
        raise CalibrationError(f"{name} holds {numbers[row]} in row {row}; it must be above 0.")
    return numbers


def _whole(weights: FloatArray) -> AnyArray:
    """Weights as integers where they are whole, so that they add up exactly."""
    if (weights == np.floor(weights)).all() and weights.max(initial=0) < 2**31:
        return weights.astype(np.int64)
    return weights


def is_bound(most: int | None) -> bool:
    """Whether the most labels that a row may have leaves it open which other ones it has.

    Where a row has one label at most, the observed one is all of them.

    Examples
    --------
    >>> from lamc.rules.gather import is_bound
    >>> is_bound(3), is_bound(1), is_bound(None)
    (True, False, False)
    """
    return most is not None and most > 1
