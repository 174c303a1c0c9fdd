"""Draw the labels that were observed: single positives, or a few, out of the full truth."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lamc.exceptions import LabelError, SettingError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import as_numbers, entries_in_order_of, in_order_of
from lamc.labels.known import rows_in_words
from lamc.types import AnyArray, FloatArray, IntArray, Matrix, Seed

How = Literal["uniform", "frequency", "score", "top", "weights"]


def observe(
    Y: Any,
    *,
    how: How = "uniform",
    n_observed: int = 1,
    scores: Matrix | None = None,
    weights: npt.ArrayLike | Mapping[Any, float] | None = None,
    random_state: Seed = None,
) -> Labels:
    """Draw observed positives from the true labels of each row.

    =============  ===============================================================================
    ``how``        a true label of a row is drawn
    =============  ===============================================================================
    "uniform"      with the same probability as each other; the paper's protocol
    "frequency"    in proportion to how often the label is true in ``Y``: what is common is named
    "score"        in proportion to ``scores``: what is plain to see in this row is named
    "top"          if its score is highest; no chance involved
    "weights"      in proportion to ``weights``
    =============  ===============================================================================

    Scores and weights that have names, be it columns, keys or an index, are matched to the labels
    by name. Others are in the order of the columns of ``Y``; where ``Y`` lists labels, in that of
    their sorted names.

    Parameters
    ----------
    Y : labels in any form that :func:`lamc.as_labels` reads
        The truth. Every row has at least one label.
    how : {"uniform", "frequency", "score", "top", "weights"}, default="uniform"
        How the observed labels come about.
    n_observed : int, default=1
        Labels observed in each row: drawn one after the other without putting back, and all of
        them where a row has fewer.
    scores : array-like, sparse matrix or DataFrame of shape (n, K), optional
        For "score" and "top": how clearly each row shows each label, such as the probabilities
        of a classifier trained on the truth. What a sparse matrix does not store is 0.
    weights : array-like or DataFrame of shape (K,) or (n, K), dict or Series, optional
        For "weights": of each label, or of each label in each row. A label of weight 0 is never
        observed.
    random_state : int, RandomState or None, default=None
        Seed of the draw. The same seed gives the same labels.

    Returns
    -------
    Labels
        With knowledge "single" when ``n_observed`` is 1, else "some"; the classes are those of
        ``Y``.

    Examples
    --------
    >>> from lamc.datasets import observe
    >>> truth = [{"oak", "elm"}, {"elm"}, {"ash", "elm", "oak"}]
    >>> observed = observe(truth, random_state=0)
    >>> observed
    Labels(3 rows, 3 labels, one positive a row)
    >>> all(set(seen) <= true for seen, true in zip(observed.names(), truth))
    True
    >>> observe(truth, how="weights", weights={"oak": 0, "elm": 1, "ash": 0}).names()
    [['elm'], ['elm'], ['elm']]
    """
    from sklearn.utils import check_random_state

    _check_request(how, n_observed, scores, weights)
    labels = as_labels(Y, knowledge="some")
    unlabelled = labels.cardinality == 0
    if unlabelled.any():
        raise LabelError(
            f"{rows_in_words(unlabelled)} no true label, so none can be observed.\n"
            "Leave such rows out: Y[Y.sum(axis=1) > 0]. The parts that lamc.datasets.split makes "
            "hold none."
        )
    true = labels.positives.sorted_indices()
    row = np.repeat(np.arange(len(labels)), labels.cardinality)
    if how == "top":
        keys = _at_true_labels(scores, row, true.indices, labels, "scores")
    else:
        weight = _entry_weights(labels, row, true.indices, how, scores, weights)
        keys = _draw_keys(weight, check_random_state(random_state))
    chosen = _largest_of_each_row(keys, row, true.indptr, n_observed)
    return _select(labels, row[chosen], true.indices[chosen], n_observed)


def _draw_keys(weight: FloatArray, rng: np.random.RandomState) -> FloatArray:
    """Random keys whose order is that of draws in proportion to ``weight`` without putting back.

    The largest of log w + G with standard Gumbel G is entry i with probability w_i / Σ w, and the
    order of the others is that of the draws that follow. So all rows are drawn at once by sorting.
    """
    with np.errstate(divide="ignore"):
        return np.log(weight) + rng.gumbel(size=len(weight))


def _largest_of_each_row(
    keys: FloatArray, row: IntArray, row_starts: IntArray, n_observed: int
) -> IntArray:
    """Positions of the ``n_observed`` largest keys above −∞ of each row, in rising order."""
    order = np.lexsort((-keys, row))
    rank = np.arange(len(keys)) - row_starts[row]
    chosen = order[rank < n_observed]
    return np.sort(chosen[keys[chosen] > -np.inf])


def _select(labels: Labels, row: IntArray, column: IntArray, n_observed: int) -> Labels:
    counts = np.bincount(row, minlength=len(labels))
    if (counts == 0).any():
        raise LabelError(
            f"{rows_in_words(counts == 0)} true labels of weight 0 only, so none can be observed."
            "\nGive at least one true label of each row a weight above 0."
        )
    indptr = np.concatenate([[0], np.cumsum(counts)])
    positives = sparse.csr_array((np.ones(len(row), dtype=bool), column, indptr), labels.shape)
    return Labels(
        positives, labels.classes, Knowledge.SINGLE if n_observed == 1 else Knowledge.SOME
    )


def _entry_weights(
    labels: Labels,
    row: IntArray,
    column: IntArray,
    how: How,
    scores: Matrix | None,
    weights: Any,
) -> FloatArray:
    """Weight of each true entry, row by row."""
    if how == "uniform":
        return np.ones(len(row))
    if how == "frequency":
        return labels.counts[column].astype(np.float64)
    name, values = ("scores", scores) if how == "score" else ("weights", weights)
    weight = _at_true_labels(values, row, column, labels, name)
    if (weight < 0).any():
        at = np.argmin(weight)
        raise LabelError(
            f"{name} holds {weight[at]} at row {row[at]}, column {column[at]}; labels are drawn in "
            f"proportion to {name}, which are 0 or more."
        )
    return weight


def _at_true_labels(
    values: Any, row: IntArray, column: IntArray, labels: Labels, name: str
) -> FloatArray:
    """Values of the true entries out of one for each label or one for each entry."""
    matrix, shape = _in_order(values, labels.classes, name), labels.shape
    if matrix.shape == shape:
        at_entries = np.asarray(matrix[row, column], dtype=np.float64)
    elif name == "weights" and matrix.shape == shape[1:]:
        at_entries = matrix[column]
    else:
        expected = f"{shape} or {shape[1:]}" if name == "weights" else f"{shape}"
        raise LabelError(
            f"{name} has shape {matrix.shape}; for Y of shape {shape} give {expected}."
        )
    if not np.isfinite(at_entries).all():
        at = np.argmin(np.isfinite(at_entries))
        raise LabelError(
            f"{name} holds {at_entries[at]} at row {row[at]}, column {column[at]}, which is a true "
            "label; give a finite number there."
        )
    return at_entries


def _in_order(values: Any, classes: AnyArray, name: str) -> Matrix:
    """Numbers in the order of the labels, which only those of true labels need have."""
    if sparse.issparse(values):
        return sparse.csr_array(values)
    if name == "weights":
        values = entries_in_order_of(values, classes, name=name, others=True)
    array = as_numbers(in_order_of(values, classes, name=name, others=True))
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise LabelError(
            f"{name} holds values of type {array.dtype}; labels are drawn by numbers."
        ) from None


def _check_request(how: How, n_observed: int, scores: Matrix | None, weights: Any) -> None:
    if how not in get_args(How):
        raise SettingError(f"how={how!r} is not known; choose one of {', '.join(get_args(How))}.")
    if not isinstance(n_observed, (int, np.integer)) or n_observed < 1:
        raise SettingError(f"n_observed={n_observed!r}; give a whole number of labels, 1 or more.")
    needed = {"score": "scores", "top": "scores", "weights": "weights"}.get(how)
    for name, values in (("scores", scores), ("weights", weights)):
        if values is None and name == needed:
            raise SettingError(f"how={how!r} draws by {name}: pass {name}=….")
        if values is not None and name != needed:
            raise SettingError(f"{name} was given, but how={how!r} does not draw by {name}.")
