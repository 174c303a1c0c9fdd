"""The demonstration: embedded data, one observed label a row, and what can be made of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lamc.classifier import LAMC
from lamc.datasets import Dataset, digit_scenes, observe
from lamc.evaluation import Evaluation, evaluate
from lamc.exceptions import DatasetError
from lamc.metrics import RankingMetrics, ranking_metrics
from lamc.rules import Calibrator
from lamc.rules.rule import RuleName
from lamc.types import FloatArray, IntArray

RULES: tuple[tuple[RuleName, float], ...] = (
    ("recall", 0.1),
    ("three-way", 0.1),
    ("precision", 0.3),
    ("selective", 0.5),
)


@dataclass(frozen=True, eq=False)
class Shown:
    """One rule, and what rows that nothing was chosen on say of it.

    Attributes
    ----------
    calibrator : Calibrator
        The rule, fitted.
    evaluation : Evaluation
        What was promised and measured.
    """

    calibrator: Calibrator
    evaluation: Evaluation


@dataclass(frozen=True, eq=False)
class Demo:
    """All that the demonstration found out.

    Attributes
    ----------
    data : Dataset
        The scenes.
    test : ndarray of int
        The scenes measured on.
    scores : ndarray of shape (len(test), 10)
        Their scores.
    ranking, prior : RankingMetrics
        How well the estimator ranks the labels, and how well their frequency does.
    rules : tuple of Shown
        The rules, the first being that of the report.
    """

    data: Dataset
    test: IntArray
    scores: FloatArray
    ranking: RankingMetrics
    prior: RankingMetrics
    rules: tuple[Shown, ...]


def run_demo(seed: int = 0, *, n: int = 4000) -> Demo:
    """Train on single positives of the digit scenes, calibrate by each rule, and measure.

    Examples
    --------
    >>> from lamc.demo import run_demo
    >>> demo = run_demo(n=800)
    >>> demo.ranking.average_precision > demo.prior.average_precision
    True
    """
    data = digit_scenes(n, random_state=seed)
    parts = data.split
    if parts is None:
        raise DatasetError(f"{data.name} has no split.")
    X, Y, test = data.X, data.Y, parts.test
    y = observe(Y[parts.train], random_state=seed)
    clf = LAMC(random_state=seed)
    clf.fit(X[parts.train], y, X_cal=X[parts.calibration], Y_cal=Y[parts.calibration])
    scores = clf.predict_proba(X[test])
    frequency = np.broadcast_to(y.counts / len(y), Y[test].shape)
    shown = []
    for rule, alpha in RULES:
        clf.set_params(rule=rule, alpha=alpha).calibrate(X[parts.calibration], Y[parts.calibration])
        shown.append(Shown(clf.calibrator_, evaluate(clf.calibrator_, scores, Y[test])))
    return Demo(
        data,
        test,
        scores,
        ranking=ranking_metrics(Y[test], scores),
        prior=ranking_metrics(Y[test], frequency),
        rules=tuple(shown),
    )


def write_demo_report(demo: Demo, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the report on the first rule of the demonstration."""
    from lamc.report import write_report

    return write_report(
        path,
        demo.scores,
        demo.data.Y[demo.test],
        demo.rules[0].calibrator,
        title="Handwritten digits from single positives",
        data=demo.data,
        rows=demo.test,
        model="Blend, networks and trees that were trained on one observed label a scene.",
        overwrite=overwrite,
    )


def draw_scenes(data: Dataset, rows: Sequence[int]) -> str:
    """Pictures of some rows in characters, side by side, with their labels below.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes
    >>> from lamc.demo import draw_scenes
    >>> draw_scenes(digit_scenes(50, random_state=0), rows=(0,)).splitlines()[-1].strip()
    'labels: 0, 4, 8'
    """
    if data.pictures is None:
        raise DatasetError(f"{data.name} has no pictures to draw.")
    shades = np.asarray(list(" .:-=+*#%@"))
    levels = (data.pictures[list(rows)] * len(shades)).astype(int).clip(max=len(shades) - 1)
    drawn = [["".join(np.repeat(line, 2)) for line in picture] for picture in shades[levels]]
    captions = ["labels: " + ", ".join(data.label_names[data.Y[[row]].indices]) for row in rows]
    width = len(drawn[0][0])
    lines = [*zip(*drawn, strict=True), tuple(caption.ljust(width) for caption in captions)]
    return "\n".join("   ".join(line) for line in lines) + "\n"
