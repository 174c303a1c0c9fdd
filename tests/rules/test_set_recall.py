"""The set-recall rule: one rank for all labels, as large as conformal risk control allows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lamc import Calibrator
from lamc.exceptions import CalibrationError
from lamc.rules.ranks import SortedScores
from lamc.rules.set_recall import inverse_counts, reference_ranks

from . import twins
from .cases import LEVELS, calibration_sets, few, labelled, random_set


def reference_for(scores, seed, m=17):
    """Scores of other rows, many of them the same as those of these rows."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(column, m) for column in scores.T], axis=1)


@few
@given(calibration_sets(max_rows=15), st.integers(0, 9), st.sampled_from(LEVELS))
def test_the_rank_is_the_largest_that_misses_few_enough(case, seed, alpha):
    scores, Y = case
    reference = reference_for(scores, seed)
    cal = Calibrator("set-recall", alpha=alpha).fit(scores, labelled(Y), reference=reference)
    level = Fraction(alpha).limit_denominator(100)
    rank = twins.set_recall_rank(scores.tolist(), Y.tolist(), reference.tolist(), level)
    at = [twins.rank_score(reference.tolist(), k, rank) for k in range(Y.shape[1])]
    assert cal.thresholds_.tolist() == at
    assert (cal.status_ == ("calibrated" if rank else "uncalibrated")).all()


@pytest.mark.parametrize("alpha", twins.LEVELS, ids=str)
def test_with_one_label_a_row_it_is_a_quantile_of_ranks(alpha):
    """Every n up to 60: ⌊alpha (n + 1)⌋ of the labels may fall below."""
    reference = (np.arange(1, 62) / 100)[:, None]
    for n in range(1, 61):
        scores = (np.arange(1, n + 1) / 100)[:, None]
        cal = Calibrator("set-recall", alpha=float(alpha))
        cal.fit(scores, labelled(np.ones((n, 1), int)), reference=reference)
        rank = twins.recall_rank(n, alpha)
        assert cal.thresholds_[0] == (scores[rank - 1, 0] if rank else -np.inf)


@few
@given(calibration_sets(max_rows=15), st.sampled_from(LEVELS))
def test_without_a_reference_it_is_the_largest_common_score(case, alpha):
    scores, Y = case
    cal = Calibrator("set-recall", alpha=alpha).fit(scores, labelled(Y))
    level = Fraction(alpha).limit_denominator(100)
    at = twins.set_recall_score(scores.tolist(), Y.tolist(), level)
    assert cal.thresholds_.tolist() == [at] * Y.shape[1]
    assert (cal.status_ == ("uncalibrated" if at == -np.inf else "calibrated")).all()


def test_what_is_no_candidate_counts_as_missed():
    """Half of the true labels are not stored, so no threshold can accept nine in ten."""
    scores, Y = random_set(300, 3, share=0.5)
    scores[: len(scores) // 2][Y[: len(scores) // 2]] = 0
    reference = random_set(100, 3, seed=1)[0]
    reference[:90] = 0
    stored = sparse.csr_array(scores), sparse.csr_array(reference)
    strict = Calibrator("set-recall", alpha=0.1).fit(stored[0], Y, reference=stored[1])
    assert (strict.status_ == "uncalibrated").all()
    lax = Calibrator("set-recall", alpha=0.6).fit(stored[0], Y, reference=stored[1])
    assert (lax.status_ == "calibrated").all()
    plain = Calibrator("set-recall", alpha=0.1).fit(stored[0], Y)
    assert (plain.status_ == "uncalibrated").all()
    for cal in (lax, Calibrator("set-recall", alpha=0.6).fit(stored[0], Y)):
        shares = [
            Fraction(int((Y[i] & ~row).sum()), int(Y[i].sum()))
            for i, row in enumerate(cal.accept(stored[0]).toarray())
            if Y[i].any()
        ]
        assert sum(shares) + 1 <= Fraction(6, 10) * (len(shares) + 1)


def test_ranks_in_the_reference_are_counts():
    scores, _ = SortedScores.of(np.array([0.1, 0.5, 0.5]), np.array([0, 0, 1]), n_labels=2)
    reference, _ = SortedScores.of(
        np.array([0.5, 0.6, 0.2]), np.array([0, 0, 1]), n_labels=2, zeros=np.array([3, 0])
    )
    assert reference_ranks(scores, reference).tolist() == [3, 4, 1]


@few
@given(st.lists(st.integers(0, 9), max_size=40))
def test_shares_of_a_row_add_up_to_one(rows):
    shares, whole = inverse_counts(np.asarray(rows, dtype=int))
    for row in set(rows):
        own = [s for s, r in zip(shares, rows, strict=True) if r == row]
        assert sum(own) == whole
        assert len(set(own)) == 1


def test_shares_of_rows_with_many_labels_stay_exact():
    rows = np.repeat(np.arange(1, 60), np.arange(1, 60))
    shares, whole = inverse_counts(rows)
    assert whole > 2**63
    assert [Fraction(s, whole) for s in shares] == [Fraction(1, int(r)) for r in rows]


def test_a_level_for_each_label_is_refused():
    scores, Y = random_set(30, 2)
    with pytest.raises(CalibrationError, match="one level for the whole set"):
        Calibrator("set-recall", alpha=[0.1, 0.2]).fit(scores, Y)
    cal = Calibrator("set-recall", alpha=[0.1, 0.1], random_state=0).fit(scores, Y)
    with pytest.raises(CalibrationError, match="one level for the whole set"):
        cal.thresholds_at([0.1, 0.2])
