"""Measure a calibrator on held-out scores and labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lamc.evaluation.claims import Claim, claims
from lamc.evaluation.intervals import Estimate, mean_of_rows, share_of_pairs, wilson
from lamc.exceptions import LabelError
from lamc.labels import Labels, as_labels
from lamc.labels.columns import require_same_rows
from lamc.metrics.inputs import check_scores, check_truth
from lamc.metrics.ranks import row_ranks
from lamc.rules import Calibrator
from lamc.rules.columns import as_beside
from lamc.rules.rule import RULES
from lamc.rules.thresholds import for_tables
from lamc.types import AnyArray, BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What held-out rows show of a calibrator; made by :func:`evaluate`.

    Attributes
    ----------
    n_rows, n_labels : int
        Size of what was measured on.
    promise, promised_for : str
        What holds, and for what.
    assumption : str or None
        What the promise rests on besides rows that are drawn alike.
    claims : tuple of Claim
        What was promised, with its measurement.
    ranking : mapping from str to Estimate
        How well the labels of a row are ranked by their scores, all labels counted.
    decided : mapping from str to Estimate
        What was accepted and left open, and how right it is.
    labels : mapping from str to ndarray of shape (K,)
        The columns of a table with a row for each label.
    """

    n_rows: int
    n_labels: int
    promise: str
    promised_for: str
    assumption: str | None
    claims: tuple[Claim, ...]
    ranking: Mapping[str, Estimate]
    decided: Mapping[str, Estimate]
    labels: Mapping[str, AnyArray]


def evaluate(calibrator: Calibrator, scores: Any, Y: Any) -> Evaluation:
    """Measure what a calibrator decides on rows that nothing was chosen on.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted on other rows.
    scores : array-like of shape (n, K)
        Scores in [0, 1].
    Y : labels in any form of :func:`lamc.as_labels`
        All labels of the rows.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.evaluation import evaluate
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((400, 3)) < 0.4
    >>> scores = 0.5 * rng.random(Y.shape) + 0.4 * Y
    >>> calibrator = Calibrator("recall", alpha=0.1).fit(scores[:200], Y[:200])
    >>> found = evaluate(calibrator, scores[200:], Y[200:])
    >>> print(found.decided["precision"])
    83.2 % (78.3 to 87.2 %)
    """
    require_same_rows(Y, scores, names=("Y", "scores"))
    Y = as_beside(Y, scores, calibrator.classes_)
    truth = check_truth(
        Y if isinstance(Y, Labels) else as_labels(Y, classes=calibrator.classes_, knowledge="all"),
        by="An evaluation",
        beside=scores,
    ).align(calibrator.classes_)
    refuse_unlabelled(truth)
    checked = check_scores(scores, truth)
    if sparse.issparse(scores):
        calibrator.accept(scores)  # refused where what is not stored is accepted
    # Dense ones in the type they came in, which says how they are compared with thresholds.
    decisions = calibrator.decide(checked if sparse.issparse(scores) else scores)
    dense = truth.positives.toarray()
    return Evaluation(
        n_rows=len(truth),
        n_labels=truth.shape[1],
        promise=calibrator.promise_,
        promised_for=RULES[calibrator.settings_.rule].promised_for,
        assumption=calibrator.assumption_,
        claims=claims(calibrator, dense, decisions),
        ranking=_ranking(truth, checked),
        decided=_decided(dense, decisions),
        labels=_label_table(calibrator, dense, decisions),
    )


def refuse_unlabelled(truth: Labels) -> None:
    """Raise if no row has a label: the labels are likely missing.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import as_labels
    >>> from lamc.evaluation.evaluate import refuse_unlabelled
    >>> refuse_unlabelled(as_labels(np.zeros((7, 3)), knowledge="all"))
    Traceback (most recent call last):
    lamc.exceptions.LabelError: None of the 7 held-out rows has a label, so nothing can be measured.
    Give rows with all their labels.
    """
    if truth.positives.nnz == 0:
        raise LabelError(
            f"None of the {len(truth)} held-out rows has a label, so nothing can be measured.\n"
            "Give rows with all their labels."
        )


def _ranking(truth: Labels, scores: FloatArray) -> dict[str, Estimate]:
    """Ranking metrics as means over rows: those of :func:`lamc.metrics.ranking_metrics`."""
    ranks = row_ranks(truth.positives, scores)
    return {
        "average precision": mean_of_rows(ranks.average_precision),
        "coverage": mean_of_rows(ranks.beyond_first / truth.shape[1]),
        "ranking loss": mean_of_rows(ranks.ranking_loss),
        "one-error": mean_of_rows(ranks.topped.astype(float)),
    }


def _decided(truth: BoolArray, decisions: AnyArray) -> dict[str, Estimate]:
    accepted = decisions == 1
    right = (accepted & truth).sum(axis=1)
    n_accepted, n_true = accepted.sum(axis=1), truth.sum(axis=1)
    return {
        "precision": share_of_pairs(right, n_accepted),
        "recall": share_of_pairs(right, n_true),
        "F1": share_of_pairs(2 * right, n_accepted + n_true),
        "Hamming loss": mean_of_rows((accepted != truth).mean(axis=1)),
        "accepted": mean_of_rows(accepted.mean(axis=1)),
        "left open": mean_of_rows((decisions == -1).mean(axis=1)),
    }


def _label_table(
    calibrator: Calibrator, truth: BoolArray, decisions: AnyArray
) -> dict[str, AnyArray]:
    accepted = decisions == 1
    n_true, n_accepted = truth.sum(axis=0), accepted.sum(axis=0)
    n_right = (truth & accepted).sum(axis=0)
    table: dict[str, AnyArray] = {
        "label": calibrator.classes_.astype(str),
        "status": calibrator.status_,
        "reason": calibrator.reason_,
        "calibration_positives": calibrator.n_positives_,
        "threshold": for_tables(calibrator.thresholds_),
        "true_rows": n_true,
        "accepted_rows": n_accepted,
        "open_rows": (decisions == -1).sum(axis=0),
    }
    for name, whole in (("precision", n_accepted), ("recall", n_true)):
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, and meant
            shares = n_right / whole
        low, high = wilson(shares, whole)
        table |= {name: shares, f"{name}_low": low, f"{name}_high": high}
    return table
