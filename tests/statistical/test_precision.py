"""The precision rule on known truth: how often a certified threshold is less precise than it says.

With scores of other rows to start from, that is at most delta for any label whatever. Without,
it is so for labels whose precision does not fall as the score rises.
"""

import numpy as np
import pytest

from lamc import Calibrator
from lamc.types import BoolArray, FloatArray

from .judging import mean_at_least, rate_at_most
from .truth import Banded, Binary, Honest, Label, Mixture

# Each calibration set is a column, so many columns pass their test that are not precise.
pytestmark = pytest.mark.filterwarnings("ignore:.*pass it by luck")

CALIBRATIONS = 4000
RARE = Binary(0.1, true=Mixture((1.5,)), false=Mixture((-1.5,)))
# Right in every row of the upper part and in none below it: from the edge on, errors come at once.
CLIFF = Banded(edges=(0.0, 0.6, 1.0), rates=(0.0, 1.0))
RISING: dict[str, Label] = {"honest": Honest(), "rare": RARE, "cliff": CLIFF}

# Just too low everywhere, so that whatever is claimed is false.
FLAT = Banded(edges=(0.0, 1.0), rates=(0.799,))
# Wrong at the top, where a scorer is surest; right below; then wrong again.
LOUD = Banded.with_precision((0.02, 0.1, 0.4, 0.5, 1.0), (0.3, 0.85, 0.85, 0.79, 0.6))
# Above and below the target by turns.
WAVES = Banded.with_precision(
    (0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6), (0.83, 0.77, 0.83, 0.77, 0.83, 0.77, 0.83, 0.77)
)
FALLING: dict[str, Label] = {"flat": FLAT, "loud": LOUD, "waves": WAVES}


def broken(label: Label, thresholds: FloatArray, target: float) -> BoolArray:
    """Which calibrations claim a precision that their threshold does not have."""
    claimed = thresholds < np.inf
    false = np.zeros(len(thresholds), dtype=bool)
    false[claimed] = label.precision(thresholds[claimed]) < target
    return false


@pytest.mark.parametrize("name", RISING)
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [100, 400])
def test_where_precision_rises_with_the_score_the_claim_holds(
    name: str, n: int, delta: float
) -> None:
    label = RISING[name]
    scores, Y = label.draw(np.random.default_rng(1), n, CALIBRATIONS)
    cal = Calibrator("precision", alpha=0.2, delta=delta).fit(scores, Y)
    rate_at_most(broken(label, cal.thresholds_, 0.8), delta)


@pytest.mark.parametrize("name", [*RISING, *FALLING])
@pytest.mark.parametrize("n", [100, 400])
def test_with_reference_scores_the_claim_holds_for_any_label(name: str, n: int) -> None:
    label = (RISING | FALLING)[name]
    rng = np.random.default_rng(2)
    scores, Y = label.draw(rng, n, CALIBRATIONS)
    other, _ = label.draw(rng, 200, CALIBRATIONS)
    cal = Calibrator("precision", alpha=0.2, delta=0.1).fit(scores, Y, reference=other)
    rate_at_most(broken(label, cal.thresholds_, 0.8), 0.1)


def test_the_start_need_not_come_from_rows_of_the_same_kind() -> None:
    """Training rows score higher than new ones; the claim holds from wherever it starts."""
    rng = np.random.default_rng(3)
    scores, Y = WAVES.draw(rng, 400, CALIBRATIONS)
    other = rng.random((200, CALIBRATIONS)) ** rng.uniform(0.2, 5, CALIBRATIONS)
    cal = Calibrator("precision", alpha=0.2, delta=0.1).fit(scores, Y, reference=other)
    rate_at_most(broken(WAVES, cal.thresholds_, 0.8), 0.1)


@pytest.mark.parametrize(("n", "least"), [(100, 0.1), (300, 0.25), (1000, 0.42)])
def test_the_claims_are_not_kept_by_silence(n: int, least: float) -> None:
    """Of the .64 of true rows that lie above the best threshold, a good part is accepted."""
    scores, Y = Honest().draw(np.random.default_rng(4), n, CALIBRATIONS)
    cal = Calibrator("precision", alpha=0.2, delta=0.1).fit(scores, Y)
    mean_at_least(Honest().recall(cal.thresholds_), least)


def test_the_chance_of_a_false_claim_is_made_use_of() -> None:
    """Where errors begin at an edge, false claims come close to their share delta."""
    scores, Y = CLIFF.draw(np.random.default_rng(5), 400, CALIBRATIONS)
    cal = Calibrator("precision", alpha=0.2, delta=0.1).fit(scores, Y)
    assert broken(CLIFF, cal.thresholds_, 0.8).mean() > 0.06


@pytest.mark.parametrize("n", [100, 300, 1000])
def test_a_threshold_tuned_on_the_calibration_set_is_too_low_half_the_time(n: int) -> None:
    """What the rule is for: the lowest score above which the precision seen is high enough."""
    scores, Y = Honest().draw(np.random.default_rng(6), n, 2000)
    order = np.argsort(-scores, axis=0)
    seen = np.cumsum(np.take_along_axis(Y, order, axis=0), axis=0) / np.arange(1, n + 1)[:, None]
    enough = seen >= 0.8
    last = n - 1 - np.argmax(enough[::-1], axis=0)
    tuned = np.sort(scores, axis=0)[::-1][last, np.arange(2000)]
    tuned[~enough.any(axis=0)] = np.inf
    assert broken(Honest(), tuned, 0.8).mean() > 0.45
