"""Rows to choose by: drawn alike whatever the seed, and no label is lost to them."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
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
        Network(
            partial(nn.Linear, 4, 5), loss="wan", epochs=80, learning_rate=1e-1, random_state=0
        ),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_label_that_was_observed_once_is_learnt(learner):
    X, y, alone = one_alone()
    scores = learner.fit(X, y).predict_proba(X)
    assert scores[:, 4].argmax() == alone
    assert scores[alone, 4] > 2 * np.delete(scores[:, 4], alone).max()


def one_alone():
    """Four labels, and a fifth that only a row has which would be held out."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 4
    X[np.arange(60), y] += 4
    alone = drawn_parts(60, 0.1)[1][2]
    X[alone], y[alone] = [-4, -4, -4, -4], 4
    return X, y, alone


def test_the_trees_of_blend_learn_from_rows_that_were_held_out():
    X, y, alone = one_alone()
    blend = Blend(effort="fast", random_state=0).fit(X, y)
    assert blend.trees_.predict_proba(X)[:, 4].argmax() == alone
    assert blend.predict_proba(X)[:, 4].argmax() == alone
    assert blend.frequencies_[4] == 1.5 / 62.5


def test_blend_spares_no_rare_label_when_it_holds_rows_out():
    """Else those held out would have the common label only, and the pool be sure of it."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.3, 0, np.arange(1, 301))
    X = rng.normal(size=(300, 4))
    blend = Blend(effort="fast", random_state=0).fit(X, y)
    assert blend.predict_proba(rng.normal(size=(200, 4)))[:, 0].mean() < 0.5


@pytest.mark.parametrize("learner", [Blend(effort="fast"), WAN(epochs=2)], ids=["Blend", "WAN"])
def test_copies_of_a_row_are_not_judged_by_each_other(learner, monkeypatch):
    parts = []
    monkeypatch.setattr(
        f"lamc.learners.{'blend' if isinstance(learner, Blend) else 'holdout'}.drawn_parts",
        lambda *given: parts.append(drawn_parts(*given)) or parts[-1],
    )
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(40, 3)), 3, axis=0), rng.integers(4, size=120)
    learner.fit(X, y)
    ((kept, held),) = parts
    assert len(held) == 12
    assert not set(X[kept, 0]) & set(X[held, 0])


def test_a_row_that_is_left_to_train_on_takes_its_copies_along():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(100, 3)), 3, axis=0)
    y = np.concatenate([[0, 1 + thing % 3, 4 + thing] for thing in range(100)])
    y[drawn_parts(300, 0.1, X)[1][:15]] = 0  # so that not all have to be given back
    kept, held = hold_out(as_labels(y), 0.1, X)
    assert set(y[kept]) == set(y)
    assert 0 < len(held) < 30
    assert not set(X[kept, 0]) & set(X[held, 0])


def test_copies_do_not_make_blend_sure_of_noise():
    rng = np.random.default_rng(0)
    chances = 1 / np.arange(1, 41)
    y = rng.choice(40, size=200, p=chances / chances.sum())
    X = rng.normal(size=(200, 10))
    blend = Blend(effort="fast", random_state=0).fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert blend.weights_["trees"] < 0.5  # of 2
    assert blend.predict_proba(rng.normal(size=(300, 10))).max() < 0.6


@pytest.mark.parametrize("form", [np.array, pd.DataFrame, sparse.csr_array, list])
def test_one_label_in_every_row_is_asked_about_and_gaps_do_not_hide_it(form):
    every, gap = np.eye(3, dtype=int), np.eye(4, 3, dtype=int)
    for rows, finding in (
        (every, "Every row of Y_val has exactly one label"),
        (gap, "No row of Y_val has more than one label, and 3 of 4 have one"),
    ):
        given = [np.flatnonzero(row).tolist() for row in rows] if form is list else form(rows)
        with pytest.warns(LAMCWarning, match=rf"(?s){finding}.*knowledge='some'"):
            known = validation_labels(given, np.arange(3))
        assert known.knowledge.value == "all"
    assert validation_labels([0, 1, 2], np.arange(3)).knowledge.value == "single"
    assert validation_labels([[1, 1, 0], [0, 0, 1]], np.arange(3)).knowledge.value == "all"


def test_an_unknown_label_is_said_to_be_of_the_validation_rows():
    with pytest.raises(LabelError, match=r"Row 1 of Y_val"):
        validation_labels(["oak", "ash"], np.array(["elm", "oak"]))


def _three_outputs() -> Network:
    return Network(nn.Linear(2, 3), epochs=1, learning_rate=1e-3, random_state=0)


@pytest.mark.parametrize(
    "make",
    [partial(WAN, epochs=1), partial(Blend, effort="fast"), _three_outputs],
    ids=["WAN", "Blend", "Network"],
)
def test_columns_without_names_are_not_guessed(make):
    """Sorted names are an order that nobody chose; a matrix may well be in another."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 2)), rng.integers(2, size=(60, 3))
    names = ["oak", "ash", "elm"]
    y = rng.choice(names, 60)
    with pytest.raises(LabelError, match=r"(?s)3 columns without names.*'ash', 'elm', 'oak'.*not"):
        make().fit(X, y, X, Y)
    with pytest.raises(LabelError, match="3 columns without names"):
        make().fit(X, rng.choice([0, 1, 3], 60), X, Y)  # of 3 columns none is column 3
    make().fit(X, y, X, pd.DataFrame(Y, columns=names))
    in_order = make().fit(X, as_labels(y, classes=names), X, Y)
    np.testing.assert_array_equal(in_order.classes_, names)
    make().fit(X, rng.choice(3, 60), X, Y)


def test_a_frame_without_a_column_does_not_say_that_the_label_is_false():
    frame = pd.DataFrame({"elm": [1, 0, 1], "oak": [0, 1, 1]})
    assert validation_labels(frame, np.array(["elm", "oak"])).knowledge.value == "all"
    with pytest.raises(LabelError, match="no column for 'ash'"):
        validation_labels(frame, np.array(["ash", "elm", "oak"]))
    lists = validation_labels([["elm"], ["elm", "oak"]], np.array(["ash", "elm", "oak"]))
    assert lists.knowledge.value == "all"
