"""Metrics of accepted labels equal scikit-learn's, undefined values left out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics as sk

from lamc import metrics
from lamc.exceptions import SettingError

PAIRS = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}


@st.composite
def cases(draw):
    shape = draw(st.tuples(st.integers(1, 8), st.integers(2, 6)))
    return draw(hnp.arrays(bool, shape)), draw(hnp.arrays(bool, shape))


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=50)
@given(cases())
def test_averages_equal_those_of_scikit_learn(name, average, case):
    Y, accepted = case
    expected = PAIRS[name](Y, accepted, average=average, zero_division=np.nan)
    found = getattr(metrics, name)(Y, accepted, average=average)
    assert isinstance(found, float)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert getattr(metrics, name)(sparse.csr_array(Y), sparse.csc_array(accepted), average) == (
        pytest.approx(found, abs=0, nan_ok=True)
    )


@given(cases())
def test_each_label_equals_that_of_scikit_learn(case):
    Y, accepted = case
    found = metrics.label_metrics(Y, accepted)
    for name, function in PAIRS.items():
        expected = function(Y, accepted, average=None, zero_division=np.nan)
        np.testing.assert_allclose(getattr(found, name), expected, atol=1e-12)
    np.testing.assert_array_equal(found.true, Y.sum(axis=0))
    np.testing.assert_array_equal(found.accepted, accepted.sum(axis=0))
    np.testing.assert_array_equal(found.both, (Y & accepted).sum(axis=0))


@given(cases())
def test_hamming_loss_is_the_share_of_pairs_that_differ(case):
    Y, accepted = case
    assert metrics.hamming_loss(Y, accepted) == pytest.approx(np.mean(accepted != Y), abs=1e-12)


def test_a_label_that_is_never_accepted_has_no_precision_and_does_not_lower_the_mean():
    Y = np.array([[1, 1], [1, 0], [0, 1]])
    accepted = np.array([[1, 0], [1, 0], [0, 0]])
    assert metrics.precision(Y, accepted, average="macro") == 1
    assert metrics.recall(Y, accepted, average="macro") == 0.5
    assert math.isnan(metrics.precision(Y, np.zeros_like(Y)))


def test_an_unknown_average_is_refused():
    with pytest.raises(SettingError, match=r"average='samples' is not known.*\n.*label_metrics"):
        metrics.f1([[1, 0, 0]], [[1, 0, 0]], average="samples")
