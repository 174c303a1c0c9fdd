"""What is measured of scores: the full ranking, and what a rule accepts of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from lamc import metrics
from lamc.benchmark.protocol import Task
from lamc.benchmark.views import View
from lamc.labels import Labels
from lamc.metrics.labelwise import mean_of_defined
from lamc.rules import Calibrator
from lamc.rules.rule import RULES
from lamc.rules.thresholds import UNCALIBRATED
from lamc.types import BoolArray, FloatArray

FEWEST_ROWS = 10  # that a label needs in the test rows for its share to be called the worst


def full_metrics(Y: Labels, scores: FloatArray) -> dict[str, float]:
    """Metrics of the ranking of all labels; Hamming loss of those that score at least 0.5.

    Examples
    --------
    >>> from lamc.benchmark.measure import full_metrics
    >>> from lamc.labels import as_labels
    >>> Y = as_labels([[1, 0, 1], [0, 1, 1]], knowledge="all")
    >>> full_metrics(Y, [[0.9, 0.1, 0.8], [0.2, 0.9, 0.1]])["one_error"]
    0.0
    """
    scores = np.asarray(scores)
    ranking = asdict(metrics.ranking_metrics(Y, scores))
    del ranking["left_out"]
    return {
        **ranking,
        "hamming_loss": metrics.hamming_loss(Y, scores >= 0.5),
        "macro_average_precision": metrics.macro_average_precision(Y, scores),
        "risk_coverage_area": metrics.risk_coverage(Y, scores).area,
    }


def accepted_metrics(
    task: Task, scores: FloatArray, view: View, calibration: FloatArray
) -> dict[str, float]:
    """Metrics of what a rule accepts, averaged over the draws of its calibration positives.

    Examples
    --------
    >>> from lamc.benchmark.measure import accepted_metrics
    >>> from lamc.benchmark.protocol import task_of
    >>> from lamc.benchmark.views import View
    >>> from lamc.datasets import digit_scenes
    >>> task = task_of(digit_scenes(400), "given", 0, "train")
    >>> right = task.test.labels.positives.toarray() * 0.9
    >>> nearly = task.calibration.labels.positives.toarray() * 0.8
    >>> found = accepted_metrics(task, right, View("recall", 0.5), nearly)
    >>> found["promised_recall"], found["achieved_recall"], found["precision"]
    (0.5, 1.0, 1.0)
    """
    return mean_of(
        [
            {
                **set_metrics(task.test.labels, scores, calibrator.accept(scores)),
                **promise_metrics(task.test.labels, scores, calibrator),
            }
            for calibrator in view.calibrators(task, calibration)
        ]
    )


def set_metrics(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """Metrics of the accepted labels as sets, and of their order.

    Ranking metrics leave out rows without an accepted true label; ``left_out`` is their share.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.measure import set_metrics
    >>> from lamc.labels import as_labels
    >>> Y = as_labels([[1, 0, 1], [0, 1, 1]], knowledge="all")
    >>> scores = np.array([[0.9, 0.1, 0.8], [0.2, 0.9, 0.1]])
    >>> found = set_metrics(Y, scores, scores > 0.5)
    >>> found["precision"], found["recall"]
    (1.0, 0.75)
    """
    return {
        **asdict(metrics.ranking_metrics(Y, scores, accepted)),
        "hamming_loss": metrics.hamming_loss(Y, accepted),
        "macro_average_precision": macro_average_precision_of_accepted(Y, scores, accepted),
        "retention": metrics.retention(accepted),
        "true_retention": metrics.true_retention(Y, accepted),
        "precision": metrics.precision(Y, accepted),
        "recall": metrics.recall(Y, accepted),
    }


def macro_average_precision_of_accepted(
    Y: Labels, scores: FloatArray, accepted: BoolArray
) -> float:
    """Mean over labels of their average precision among the rows that they are accepted in.

    A label without an accepted true row has none and is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.measure import macro_average_precision_of_accepted
    >>> from lamc.labels import as_labels
    >>> Y = as_labels([[1, 0], [0, 1], [1, 1]], knowledge="all")
    >>> scores = np.array([[0.9, 0.1], [0.95, 0.2], [0.3, 0.8]])
    >>> macro_average_precision_of_accepted(Y, scores, scores > 0.5)
    0.75
    """
    rows, columns = Y.positives.nonzero()
    kept = accepted[rows, columns]
    true = np.zeros(accepted.shape, dtype=bool)
    true[rows[kept], columns[kept]] = True
    return metrics.macro_average_precision(true, np.where(accepted, scores, -np.inf))


def promise_metrics(Y: Labels, scores: FloatArray, calibrator: Calibrator) -> dict[str, float]:
    """What a rule promised, and what was achieved, over the labels that it is promised for.

    ``achieved_recall`` and ``achieved_precision`` are means over labels, the worst ones those of
    labels with at least ten rows to judge by. A label with none is not counted.
    """
    rule = RULES[calibrator.rule]
    if rule.side != "at least":
        return {}
    share = rule.promised
    achieved, judged = achieved_levels(Y, scores, calibrator)
    counted = achieved[judged > 0]
    firm = achieved[judged >= FEWEST_ROWS]
    promised = 1 - calibrator.alpha
    return {
        f"promised_{share}": promised,
        f"achieved_{share}": float(counted.mean()) if len(counted) else np.nan,
        f"worst_{share}": float(firm.min()) if len(firm) else np.nan,
        "labels_within": float(np.mean(counted >= promised)) if len(counted) else np.nan,
        "labels_promised": float(np.mean(calibrator.status_ != UNCALIBRATED)),
    }


def achieved_levels(
    Y: Labels, scores: FloatArray, calibrator: Calibrator
) -> tuple[FloatArray, FloatArray]:
    """Recall or precision of each label, as the rule promises it, and the rows it is judged by.

    A label that the rule promises nothing for has none.
    """
    found = metrics.label_metrics(Y, calibrator.accept(scores))
    recall = RULES[calibrator.rule].promised == "recall"
    achieved = found.recall if recall else found.precision
    rows = found.true if recall else found.accepted
    return achieved, np.where(calibrator.status_ == UNCALIBRATED, 0, rows)


def mean_of(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean of each metric over draws; of those where it is defined.

    Examples
    --------
    >>> from lamc.benchmark.measure import mean_of
    >>> mean_of([{"recall": 0.5}, {"recall": float("nan")}, {"recall": 1.0}])
    {'recall': 0.75}
    """
    return {
        metric: mean_of_defined(np.array([each[metric] for each in found])) for metric in found[0]
    }
