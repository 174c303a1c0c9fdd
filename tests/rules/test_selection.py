"""Selection from a batch is Benjamini and Hochberg's on the p-values of Jin and Candès."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from lamc import Calibrator, as_labels
from lamc.exceptions import CalibrationError
from lamc.rules.evidence import negative_scores
from lamc.rules.selection import select_pairs

from . import twins
from .cases import calibration_sets, few, labelled, random_set, unit_floats

FDRS = [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2), Fraction(9, 10)]


@few
@given(calibration_sets(), st.data(), st.sampled_from(FDRS))
def test_the_pairs_picked_are_the_twins(case, data, fdr):
    scores, Y = case
    shape = (data.draw(st.integers(0, 12)), Y.shape[1])
    batch = data.draw(hnp.arrays(scores.dtype, shape, elements=unit_floats(32)))
    cal = Calibrator(keep_negatives=True).fit(scores, labelled(Y))
    picked = cal.select(batch, fdr=float(fdr))
    for k in range(Y.shape[1]):
        false = scores[~Y[:, k], k].tolist()
        assert picked[:, k].tolist() == twins.selected(batch[:, k].tolist(), false, len(Y), fdr)


@pytest.mark.parametrize("n", [9, 19, 49, 99])
def test_p_values_that_equal_their_step_pass(n):
    """fdr · k/m in floats misses some of these: 0.1 · 3/10 is above 0.03, 0.1 · 6/20 is not."""
    for m in range(1, 21):
        for fdr in FDRS:
            batch = np.linspace(0.5, 1, m)
            false = np.linspace(0, 0.9, n)
            Y = np.zeros((n, 1), dtype=bool)
            negatives = negative_scores(false[:, None], sparse.csr_array(Y))
            picked = select_pairs(batch[:, None], negatives, n, fdr).ravel().tolist()
            assert picked == twins.selected(batch.tolist(), false.tolist(), n, fdr)


@pytest.mark.parametrize("rule", ["recall", "selective", "precision", "three-way", "set-recall"])
def test_every_rule_can_select_where_negatives_are_kept(rule):
    scores, Y = random_set(200, 3)
    cal = Calibrator(rule, alpha=0.3, keep_negatives=True, random_state=0).fit(scores, Y)
    reference = Calibrator("three-way").fit(scores, Y).select(scores[:50], fdr=0.2)
    assert reference.any()
    np.testing.assert_array_equal(cal.select(scores[:50], fdr=0.2), reference)


def test_sparse_calibration_scores_count_the_zeros_too():
    scores, Y = random_set(100, 3, ties=1)
    scores[scores < 0.3] = 0
    batch = np.vstack([scores[:20], np.zeros((1, 3))])
    dense = Calibrator(keep_negatives=True).fit(scores, Y)
    stored = Calibrator(keep_negatives=True).fit(sparse.csr_array(scores), Y)
    for fdr in (0.1, 0.9, 0.99):
        np.testing.assert_array_equal(dense.select(batch, fdr=fdr), stored.select(batch, fdr=fdr))


def test_selection_needs_the_negatives():
    scores, Y = random_set(50, 2)
    with pytest.raises(CalibrationError, match=r"not kept.\n.*keep_negatives=True"):
        Calibrator().fit(scores, Y).select(scores, fdr=0.1)


def test_unknown_labels_and_chosen_or_weighted_rows_give_no_negatives():
    scores, Y = random_set(50, 2)
    Y[:, 0] = True
    keeping = Calibrator(keep_negatives=True)
    some = as_labels(Y.astype(int), knowledge="some")
    fits = [
        keeping.fit(scores, some, cardinality=2),
        Calibrator(keep_negatives=True).fit(scores, Y, picked_for=np.zeros(50, int)),
        Calibrator(keep_negatives=True).fit(scores, Y, sample_weight=np.arange(1, 51)),
    ]
    for cal in fits:
        with pytest.raises(CalibrationError, match="fully labelled rows that were drawn at random"):
            cal.select(scores, fdr=0.1)


def test_chosen_rows_put_to_random_ones_end_selection():
    scores, Y = random_set(50, 2)
    cal = Calibrator(keep_negatives=True).fit(scores, Y)
    cal.update(scores, Y | [True, False], picked_for=np.zeros(50, int))
    with pytest.raises(CalibrationError, match="not kept"):
        cal.select(scores, fdr=0.1)


def test_sparse_batches_and_odd_rates_are_refused():
    scores, Y = random_set(50, 2)
    cal = Calibrator("three-way").fit(scores, Y)
    with pytest.raises(CalibrationError, match="score for every pair"):
        cal.select(sparse.csr_array(scores), fdr=0.1)
    with pytest.raises(CalibrationError, match="fdr=2 is not a level"):
        cal.select(scores, fdr=2)


def test_what_scores_0_is_not_selected_whatever_the_form_of_the_scores():
    rng = np.random.default_rng(0)
    truth = rng.random((200, 1)) < 0.3
    scores = np.where(truth, 0.5 + 0.5 * rng.random(truth.shape), 0.0)
    batch = np.r_[np.full((5, 1), 0.9), np.zeros((5, 1))]
    for form in (scores, sparse.csr_array(scores)):
        cal = Calibrator(alpha=0.2, keep_negatives=True).fit(
            form, as_labels(truth, knowledge="all")
        )
        assert cal.select(batch, fdr=0.3).ravel().tolist() == [True] * 5 + [False] * 5
