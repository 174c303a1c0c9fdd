"""How the paper may have scored LAMC: it does not say what becomes of excluded predictions.

A reading is a way to set the threshold and a way to score what is left. Each is plausible by
some sentence of the paper; none is confirmed.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Final

import numpy as np
from scipy import sparse

from lamc import metrics
from lamc.benchmark.measure import mean_of
from lamc.benchmark.protocol import Task
from lamc.benchmark.views import PAPER_VIEW
from lamc.labels import Knowledge, Labels
from lamc.rules import Calibrator
from lamc.types import BoolArray, FloatArray

_BELOW_ANY_COUNT = 1e-9  # at this alpha the rank is the last, for fewer than 10⁹ positives

PREFIX: Final = "reading: "  # of views that are readings
Reading = Callable[[Labels, FloatArray, BoolArray], dict[str, float]]


def readings(
    task: Task, test: FloatArray, calibration: FloatArray
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each reading's name and metrics, averaged over the draws of calibration positives.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.protocol import task_of
    >>> from lamc.benchmark.readings import readings
    >>> from lamc.datasets import digit_scenes
    >>> task = task_of(digit_scenes(200), "given", 0, "train")
    >>> right = task.test.labels.positives.toarray() * 0.9
    >>> nearly = task.calibration.labels.positives.toarray() * 0.8
    >>> name, found = next(readings(task, right, nearly))
    >>> name
    'reading: rows restricted to accepted labels; quantile as meant'
    >>> found["average_precision"]
    1.0
    """
    calibrators = PAPER_VIEW.calibrators(task, calibration)
    for how, thresholds_of in THRESHOLDS.items():
        accepted = [test > thresholds_of(calibrator) for calibrator in calibrators]
        for scored, reading in READINGS.items():
            found = [reading(task.test.labels, test, each) for each in accepted]
            yield f"{PREFIX}{scored}; {how}", mean_of(found)


def as_meant(calibrator: Calibrator) -> FloatArray:
    """Thresholds S_(⌈(n+1)(1−α)⌉); labels without calibration positives are never accepted."""
    return calibrator.thresholds_


def as_typeset(calibrator: Calibrator) -> FloatArray:
    """The largest score of each label's positives: the ceiling, as typeset, is 1."""
    return calibrator.thresholds_at(_BELOW_ANY_COUNT)


def as_meant_others_kept(calibrator: Calibrator) -> FloatArray:
    """As meant; labels without calibration positives, which have no threshold, keep all rows."""
    return np.where(np.isposinf(calibrator.thresholds_), -np.inf, calibrator.thresholds_)


def restricted_rows(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """Each row ranks its accepted labels; rows without an accepted true label are left out."""
    return asdict(metrics.ranking_metrics(Y, scores, accepted))


def zeroed_full_truth(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """Excluded scores become 0; all true labels are looked for."""
    return asdict(metrics.ranking_metrics(Y, np.where(accepted, scores, 0)))


def zeroed_masked_truth(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """Excluded scores become 0, and excluded labels false; rows left without true labels count.

    As in scikit-learn, such a row counts as perfect.
    """
    return asdict(metrics.ranking_metrics(_masked(Y, accepted), np.where(accepted, scores, 0)))


def zeroed_masked_left_out(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """As before, but rows without an accepted true label are left out."""
    masked = _masked(Y, accepted)
    rows = np.flatnonzero(masked.cardinality)
    if len(rows) == 0:
        return _nothing()
    found = metrics.ranking_metrics(masked[rows], np.where(accepted, scores, 0)[rows])
    return {**asdict(found), "left_out": 1 - len(rows) / len(masked)}


def rows_with_any(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """Rows with an accepted label rank all their labels; the others are left out."""
    rows = np.flatnonzero(accepted.any(axis=1))
    if len(rows) == 0:
        return _nothing()
    found = metrics.ranking_metrics(Y[rows], scores[rows])
    return {**asdict(found), "left_out": 1 - len(rows) / len(scores)}


def per_label(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """Each label ranks the rows that it is accepted in; labels without a true one are left out."""
    turned = Labels(sparse.csr_array(Y.positives.T), np.arange(len(Y)), Knowledge.ALL)
    return asdict(metrics.ranking_metrics(turned, scores.T.copy(), accepted.T.copy()))


def pooled_pairs(Y: Labels, scores: FloatArray, accepted: BoolArray) -> dict[str, float]:
    """All accepted pairs of a row and a label are ranked together."""
    truth = np.zeros(scores.shape, dtype=bool)
    truth[Y.positives.nonzero()] = True
    true, kept = truth[accepted], scores[accepted]
    if not true.any():
        return _nothing()
    found = metrics.ranking_metrics(true[None], kept[None])
    return {**asdict(found), "left_out": metrics.left_out_share(Y, accepted)}


THRESHOLDS = {
    "quantile as meant": as_meant,
    "quantile as typeset": as_typeset,
    "quantile as meant, labels without calibration rows kept": as_meant_others_kept,
}

READINGS: dict[str, Reading] = {
    "rows restricted to accepted labels": restricted_rows,
    "excluded scores 0, full truth": zeroed_full_truth,
    "excluded scores 0, truth masked": zeroed_masked_truth,
    "excluded scores 0, truth masked, empty rows left out": zeroed_masked_left_out,
    "rows with an accepted label, all labels ranked": rows_with_any,
    "per label over accepted rows": per_label,
    "accepted pairs pooled": pooled_pairs,
}


def _masked(Y: Labels, accepted: BoolArray) -> Labels:
    rows, columns = Y.positives.nonzero()
    kept = accepted[rows, columns]
    where = (np.ones(int(kept.sum()), dtype=bool), (rows[kept], columns[kept]))
    return Labels(sparse.csr_array(where, shape=Y.shape), Y.classes, Knowledge.ALL)


def _nothing() -> dict[str, float]:
    """Metrics where nothing is left to rank."""
    return asdict(metrics.RankingMetrics(np.nan, np.nan, np.nan, np.nan, left_out=1.0))
