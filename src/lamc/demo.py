"""The demonstration: embedded data, one observed label a row, and what can be made of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lamc.classifier import LAMC
from lamc.datasets import Dataset, digit_scenes, observe
from lamc.exceptions import DatasetError
from lamc.learners import WAN
from lamc.metrics import RankingMetrics, precision, ranking_metrics, recall, retention
from lamc.types import BoolArray


@dataclass(frozen=True)
class Promise:
    """What one rule promised, and what was measured on rows that nothing was chosen on."""

    rule: str
    alpha: float
    promise: str
    retention: float
    precision: float
    recall: float


@dataclass(frozen=True)
class Demo:
    """All that the demonstration found out."""

    data: Dataset
    ranking: RankingMetrics
    prior: RankingMetrics
    promises: tuple[Promise, ...]


def run_demo(seed: int = 0, *, n: int = 4000) -> Demo:
    """Train on single positives of the digit scenes, calibrate by each rule, and measure.

    Examples
    --------
    >>> from lamc.demo import run_demo
    >>> demo = run_demo(n=600)
    >>> demo.ranking.average_precision > demo.prior.average_precision
    True
    """
    data = digit_scenes(n, random_state=seed)
    parts = data.split
    if parts is None:
        raise DatasetError(f"{data.name} has no split.")
    X, Y, test = data.X, data.Y, parts.test
    y = observe(Y[parts.train], random_state=seed)
    clf = LAMC(WAN(random_state=seed), random_state=seed)
    clf.fit(X[parts.train], y, X_cal=X[parts.calibration], Y_cal=Y[parts.calibration])
    frequency = np.broadcast_to(y.counts / len(y), Y[test].shape)
    promises = []
    for rule, alpha in (
        ("recall", 0.1),
        ("three-way", 0.1),
        ("precision", 0.3),
        ("selective", 0.5),
    ):
        clf.set_params(rule=rule, alpha=alpha).calibrate(X[parts.calibration], Y[parts.calibration])
        accepted: BoolArray = clf.predict(X[test]).astype(bool)
        promises.append(
            Promise(
                rule,
                alpha,
                clf.calibrator_.promise_,
                retention(accepted),
                precision(Y[test], accepted),
                recall(Y[test], accepted),
            )
        )
    return Demo(
        data,
        ranking=ranking_metrics(Y[test], clf.predict_proba(X[test])),
        prior=ranking_metrics(Y[test], frequency),
        promises=tuple(promises),
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
