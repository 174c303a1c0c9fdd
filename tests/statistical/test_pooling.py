"""Pooled thresholds on known truth: of a row's labels of a group, the share that is missed.

Every label is rare, with three positives on average where nine are needed. A row has one label, or
six that score lower, or none. The labels are drawn alike, so for a group of g of the K labels the
share is a closed form in g and the group's threshold.
"""

import numpy as np
import pytest
from scipy import special

from lamc import Calibrator
from lamc.types import BoolArray, FloatArray, IntArray

from .judging import mean_at_most, mean_between
from .truth import below, scores_around

CALIBRATIONS = 2000
ONE, SIX = 1.0, -0.5  # centres of the scores in rows with one label and with six
P_ONE, P_SIX = 0.3, 0.1


def draw(rng: np.random.Generator, n: int, k: int) -> tuple[FloatArray, BoolArray]:
    count = rng.choice([0, 1, 6], p=[1 - P_ONE - P_SIX, P_ONE, P_SIX], size=n)
    Y = rng.random((n, k)).argsort(axis=1).argsort(axis=1) < count[:, None]
    centre = np.where(count == 1, ONE, SIX)[:, None]
    return scores_around(np.broadcast_to(centre, Y.shape), rng), Y


def missed(threshold: FloatArray, size: IntArray, k: int) -> FloatArray:
    """Expected share of missed labels of the group, in a row that has any of them."""
    has_one = P_ONE * size / k
    has_six = P_SIX * (1 - special.comb(k - size, 6) / special.comb(k, 6))
    share = has_one * below(threshold, ONE) + has_six * below(threshold, SIX)
    return share / (has_one + has_six)


def missed_of_pooled(cal: Calibrator) -> float:
    """Average over the labels without a threshold of their own; one with none misses nothing."""
    rare = cal.status_ != "calibrated"
    thresholds, sizes = np.unique(cal.thresholds_[rare], return_counts=True)
    return float(np.average(missed(thresholds, sizes, len(rare)), weights=sizes))


@pytest.mark.parametrize(("n", "k", "several"), [(67, 20, False), (160, 48, True)])
def test_of_the_labels_of_a_group_that_a_row_has_alpha_is_missed(
    n: int, k: int, several: bool
) -> None:
    """Other rows tell the group of a label than tell its threshold, so risk control applies.

    That the share is not far below alpha either shows that the thresholds are of use.
    """
    shares, found = [], []
    for rng in np.random.default_rng(1).spawn(CALIBRATIONS):
        seed = int(rng.integers(2**31))
        cal = Calibrator("recall", alpha=0.1, few_positives="pool", random_state=seed)
        cal.fit(*draw(rng, n, k))
        shares.append(missed_of_pooled(cal))
        found.append(len(np.unique(cal.thresholds_[cal.status_ == "pooled"])))
    assert (np.mean(np.array(found) > 1) > 0.5) == several
    mean_between(shares, 0.06, 0.1)


def test_the_promise_is_the_group_s_and_not_each_label_s() -> None:
    """Half of the labels are hard. They are missed more often than alpha, the easy ones less."""
    hard = np.arange(20) < 10
    centre = np.where(hard, 0.0, 2.0)
    of_hard, of_group = [], []
    for rng in np.random.default_rng(2).spawn(500):
        Y = rng.random((60, 20)) < 0.05
        scores = scores_around(np.broadcast_to(centre, Y.shape), rng)
        seed = int(rng.integers(2**31))
        cal = Calibrator("recall", alpha=0.1, few_positives="pool", random_state=seed)
        pooled = cal.fit(scores, Y).status_ != "calibrated"
        share = below(cal.thresholds_, centre)
        of_hard.append(share[hard & pooled].mean())
        of_group.append(share[pooled].mean())  # labels are independent and equally frequent
    mean_at_most(of_group, 0.1)
    assert np.mean(of_hard) > 0.14


@pytest.mark.parametrize("levels", [(0.1, 0.12), (0.3, 0.15)])
def test_labels_of_several_levels_keep_the_promise_of_each(levels: tuple[float, float]) -> None:
    """Those of one level score lower than the others, from which no threshold of theirs comes."""
    low = np.arange(40) < 20
    alpha, centre = np.where(low, *levels), np.where(low, 0.0, 2.0)
    missed: dict[float, list[float]] = {level: [] for level in levels}
    for rng in np.random.default_rng(4).spawn(500):
        Y = rng.random((200, 40)) < 0.01
        scores = scores_around(np.broadcast_to(centre, Y.shape), rng)
        seed = int(rng.integers(2**31))
        cal = Calibrator("recall", alpha=alpha, few_positives="pool", random_state=seed)
        share = below(cal.fit(scores, Y).thresholds_, centre)
        for level in levels:
            pooled = (cal.status_ == "pooled") & (alpha == level)
            if pooled.any():
                missed[level].append(share[pooled].mean())  # labels are equally frequent
    for level in levels:
        mean_at_most(missed[level], level)
        assert np.mean(missed[level]) > level / 2


def test_labels_that_have_few_positives_by_chance_do_not_break_the_promise() -> None:
    """Hard labels have as many positives as they need on average, easy ones a quarter of that.

    Hard ones are pooled where they came out with few, and so are rarer among the rows that set the
    threshold than among new ones. Labels are independent and rare, so that a row has one at most.
    """
    hard = np.arange(52) < 16
    frequency, centre = np.where(hard, 4, 1) / 200, np.where(hard, -1.0, 1.0)
    missed = []
    for rng in np.random.default_rng(3).spawn(1000):
        Y = rng.random((200, 52)) < frequency
        scores = scores_around(np.broadcast_to(centre, Y.shape), rng)
        seed = int(rng.integers(2**31))
        cal = Calibrator("recall", alpha=0.2, few_positives="pool", random_state=seed)
        pooled = cal.fit(scores, Y).status_ == "pooled"
        weight = frequency * pooled
        missed.append((weight * below(cal.thresholds_, centre)).sum() / weight.sum())
    mean_at_most(missed, 0.2)
    assert np.mean(missed) > 0.12  # the thresholds are of use
