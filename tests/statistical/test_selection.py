"""Selection from a batch on known truth: of the pairs picked, the share that is wrong."""

import numpy as np
import pytest

from lamc import Calibrator
from lamc.types import BoolArray, FloatArray

from .judging import mean_at_least, mean_at_most
from .truth import Banded, Binary, Honest, Label, Mixture

CALIBRATIONS = 4000
LABELS: dict[str, Label] = {
    "binary": Binary(0.3, true=Mixture((1.5,)), false=Mixture((0.0,))),
    "rare": Binary(0.05, true=Mixture((3.0,)), false=Mixture((0.0,))),
    "loud": Binary(0.3, true=Mixture((1.5,)), false=Mixture((0.0, 3.0), (0.97, 0.03))),
    "honest": Honest(),
    "waves": Banded.with_precision((0.1, 0.2, 0.4, 0.7), (0.9, 0.6, 0.9, 0.6)),
    "worthless": Binary(0.3, true=Mixture((0.0,)), false=Mixture((0.0,))),
}


def false_shares(chosen: BoolArray, Y: BoolArray) -> FloatArray:
    """Share of wrong ones among those chosen, by column; 0 where none is."""
    return (chosen & ~Y).sum(axis=0) / np.maximum(chosen.sum(axis=0), 1)


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize(("n", "batch", "fdr"), [(100, 40, 0.1), (200, 10, 0.2), (300, 1, 0.3)])
def test_the_false_discovery_rate_is_held(name: str, n: int, batch: int, fdr: float) -> None:
    rng = np.random.default_rng(1)
    scores, Y = LABELS[name].draw(rng, n, CALIBRATIONS)
    new, truth = LABELS[name].draw(rng, batch, CALIBRATIONS)
    cal = Calibrator("recall", alpha=0.1, keep_negatives=True).fit(scores, Y)
    mean_at_most(false_shares(cal.select(new, fdr=fdr), truth), fdr)


def test_the_rate_is_made_use_of() -> None:
    """With rows enough on either side, the rate comes close to the level."""
    rng = np.random.default_rng(2)
    scores, Y = LABELS["binary"].draw(rng, 400, CALIBRATIONS)
    new, truth = LABELS["binary"].draw(rng, 100, CALIBRATIONS)
    cal = Calibrator("three-way", alpha=0.1).fit(scores, Y)
    chosen = cal.select(new, fdr=0.2)
    mean_at_most(false_shares(chosen, truth), 0.2)
    mean_at_least(false_shares(chosen, truth), 0.18)
    mean_at_least((chosen & truth).sum(axis=0) / truth.sum(axis=0), 0.4)


def test_accepting_by_recall_holds_no_such_rate() -> None:
    """What selection is for: nine in ten true rows accepted, and more than half of all wrong."""
    rng = np.random.default_rng(3)
    scores, Y = LABELS["binary"].draw(rng, 400, CALIBRATIONS)
    new, truth = LABELS["binary"].draw(rng, 100, CALIBRATIONS)
    cal = Calibrator("recall", alpha=0.1).fit(scores, Y)
    mean_at_least(false_shares(cal.accept(new), truth), 0.45)
