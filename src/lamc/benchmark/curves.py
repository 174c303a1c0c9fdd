"""The curves behind the figures: risk and coverage, thresholds, promised and achieved levels."""

from collections.abc import Iterator

import numpy as np

from lamc import metrics
from lamc.benchmark.measure import achieved_levels
from lamc.benchmark.protocol import Task
from lamc.benchmark.records import Point
from lamc.benchmark.views import PROMISES, View
from lamc.labels import Labels
from lamc.types import FloatArray, IntArray

RISK_COVERAGE, THRESHOLD, PROMISED_ACHIEVED = "risk-coverage", "threshold", "promised-achieved"

FEW_LABELS = 5  # with fewer, a mean over labels says little

_POINTS = 100  # of a risk–coverage curve, evenly spread over the logarithm of the coverage
_THRESHOLDS = (View("selective", 0.5), View("recall", 0.1))


def risk_coverage(run: int, Y: Labels, scores: FloatArray) -> Iterator[Point]:
    """Error share among the highest scores, against the share of pairs kept.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.benchmark.curves import risk_coverage
    >>> from lamc.labels import as_labels
    >>> Y = as_labels([[1, 0, 1], [0, 1, 1]], knowledge="all")
    >>> scores = np.array([[0.9, 0.1, 0.8], [0.2, 0.7, 0.3]])
    >>> [round(point.y, 2) for point in risk_coverage(0, Y, scores)]
    [0.0, 0.0, 0.0, 0.0, 0.33]
    """
    curve = metrics.risk_coverage(Y, scores)
    for i in _spread(len(curve.coverage)):
        x, y = float(curve.coverage[i]), float(curve.risk[i])
        yield Point(run, None, None, None, RISK_COVERAGE, None, x, y)


def thresholds(run: int, task: Task, calibration: FloatArray) -> Iterator[Point]:
    """Threshold of each label, against the number of its calibration positives."""
    for view in _THRESHOLDS:
        (calibrator,) = view.calibrators(task, calibration)
        for label, n, at in zip(
            calibrator.classes_, calibrator.n_positives_, calibrator.thresholds_, strict=True
        ):
            if np.isfinite(at):
                yield _point(run, view, THRESHOLD, str(label), n, at)


def promised_achieved(
    run: int, task: Task, test: FloatArray, calibration: FloatArray
) -> Iterator[Point]:
    """Achieved recall or precision against the promised one.

    At each level the mean over the labels that something is promised for; also each label by
    itself at the levels that are measured, and where there are so few that they are to be seen.
    """
    for view in PROMISES:
        (calibrator,) = view.calibrators(task, calibration)
        achieved, judged = achieved_levels(task.test.labels, test, calibrator)
        counted = np.flatnonzero(judged)
        promised = 1 - view.alpha
        if len(counted):
            mean = achieved[counted].mean()
            yield _point(run, view, PROMISED_ACHIEVED, None, promised, mean)
        if view.alpha == 0.1 or len(counted) < FEW_LABELS:
            for k in counted:
                label = str(calibrator.classes_[k])
                yield _point(run, view, PROMISED_ACHIEVED, label, promised, achieved[k])


def _point(run: int, view: View, curve: str, label: str | None, x: float, y: float) -> Point:
    return Point(run, view.rule, view.alpha, view.calibration, curve, label, float(x), float(y))


def _spread(n: int) -> IntArray:
    """Places of a curve of n points, denser at its start, where the coverage is small."""
    return np.unique(np.geomspace(1, n, num=min(n, _POINTS)).round().astype(np.int64)) - 1
