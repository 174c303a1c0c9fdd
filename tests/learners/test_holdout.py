"""Rows to choose by: drawn alike whatever the seed, and no label is lost to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lamc import as_labels
from lamc.exceptions import LabelError, LAMCWarning
from lamc.learners import WAN, Blend, Network
from lamc.learners.holdout import drawn_parts, hold_out, validation_labels


@given(observed=st.lists(st.integers(0, 12), min_size=2, max_size=60), share=st.floats(0.01, 0.99))
def test_no_label_is_only_among_the_rows_to_choose_by(observed, share):
    labels = as_labels(observed)
    kept, held = hold_out(labels, share)
    np.testing.assert_array_equal(np.sort(np.r_[kept, held]), np.arange(len(observed)))
    assert len(kept) >= 1
    assert len(held) >= 1
    drawn_kept, drawn_held = drawn_parts(len(observed), share)
    assert set(held.tolist()) <= set(drawn_held.tolist())
    given_back = np.setdiff1d(kept, drawn_kept)
    y = np.asarray(observed)
    assert not np.isin(y[given_back], y[drawn_kept]).any()
    assert len(set(y[given_back].tolist())) == len(given_back)
    if len(held) < len(drawn_held) or np.isin(y[drawn_held], y[drawn_kept]).all():
        assert set(y.tolist()) == set(y[kept].tolist())


@pytest.mark.parametrize(
    "learner",
    [
        WAN(epochs=40, hidden=8, learning_rate=3e-2, random_state=0),
        Blend(effort="fast", random_state=0),
        Network(nn.Linear(4, 5), loss="wan", epochs=80, learning_rate=1e-1, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_label_that_was_observed_once_is_learnt(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 4
    X[np.arange(60), y] += 4
    alone = drawn_parts(60, 0.1)[1][2]  # a row that would be held out
    X[alone], y[alone] = [-4, -4, -4, -4], 4
    scores = learner.fit(X, y).predict_proba(X)
    assert scores[:, 4].argmax() == alone
    assert scores[alone, 4] > 2 * np.delete(scores[:, 4], alone).max()


def test_one_label_in_every_row_of_a_matrix_is_asked_about():
    with pytest.warns(LAMCWarning, match=r"(?s)Every row of Y_val has one label.*knowledge='some'"):
        known = validation_labels(np.eye(3, dtype=int), np.arange(3))
    assert known.knowledge.value == "all"
    assert validation_labels([0, 1, 2], np.arange(3)).knowledge.value == "single"
    assert validation_labels([[1, 1, 0], [0, 0, 1]], np.arange(3)).knowledge.value == "all"


def test_an_unknown_label_is_said_to_be_of_the_validation_rows():
    with pytest.raises(LabelError, match=r"Row 1 of Y_val"):
        validation_labels(["oak", "ash"], np.array(["elm", "oak"]))
