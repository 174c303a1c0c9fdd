"""Labels say what they know, refuse what they do not, and go through scikit-learn's tools."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split
from sklearn.utils.multiclass import type_of_target

from lamc import as_labels
from lamc.exceptions import LabelError
from lamc.labels import Knowledge

SINGLE = as_labels(["oak", "elm", "oak"])
SOME = as_labels([["oak", "elm"], [], ["oak"]], knowledge="some")
ALL = as_labels([["oak", "elm"], [], ["oak"]])


def test_they_say_which_they_are():
    assert repr(SINGLE) == "Labels(3 rows, 2 labels, one positive a row)"
    assert repr(SOME) == "Labels(3 rows, 2 labels, some labels a row known)"
    assert repr(ALL) == "Labels(3 rows, 2 labels, all labels known)"


def test_a_method_gets_what_it_needs():
    SINGLE.require("single", by="WAN")
    SINGLE.require("some", by="WAN")
    ALL.require("all", by="The precision rule")


@pytest.mark.parametrize(
    ("labels", "needed", "message"),
    [
        (SINGLE, "all", "WAN needs all labels of every row, .* only one positive is known"),
        (SOME, "all", "only some labels are known"),
        (SOME, "some", "Row 1 of y has no observed label, and WAN needs at least one positive"),
        (ALL, "single", "Row 1 of y has no"),
        (ALL[[0, 2]], "single", "Row 0 of y has more than one positive.*\n.*observe"),
        (as_labels([[]] * 9, classes=["oak"]), "some", "Rows 0, 1, 2 and 6 more of y have"),
    ],
)
def test_what_is_not_known_is_refused_naming_the_rows(labels, needed, message):
    with pytest.raises(LabelError, match=message):
        labels.require(needed, by="WAN")


def test_lengths_that_differ_are_refused():
    with pytest.raises(LabelError, match="labels have 3 rows, but X has 4"):
        SINGLE.require_rows(4, of="X")


def test_rows_are_taken_as_from_an_array():
    assert SINGLE[1:].index().tolist() == [0, 1]
    assert SINGLE[np.array([True, False, True])].index().tolist() == [1, 1]
    assert ALL[0].names() == [["elm", "oak"]]
    assert len(ALL[:0]) == 0


def test_negatives_go_with_their_rows_and_columns():
    labels = as_labels(np.array([[1, -1], [0, 1]]), meaning={0: "unknown", -1: "negative"})
    assert labels[[1]].negatives.nnz == 0
    assert labels.align([1, 0]).negatives.toarray().tolist() == [[True, False], [False, False]]


def test_more_or_less_may_be_known_of_the_same_labels():
    labels = as_labels(np.array([[1, -1], [0, 1]]), meaning={0: "unknown", -1: "negative"})
    for knowledge in Knowledge:
        known = labels.known_as(knowledge)
        assert known.knowledge is knowledge is labels.known_as(knowledge.value).knowledge
        assert known.negatives is None
        assert known.positives is labels.positives
        assert known.classes is labels.classes
    assert labels.negatives is not None


def test_align_adds_labels_never_seen_unless_all_are_known():
    assert SINGLE.align(["ash", "oak", "elm"]).index().tolist() == [1, 2, 1]
    with pytest.raises(LabelError, match="no column for 'ash'"):
        ALL.align(["ash", "oak", "elm"])
    with pytest.raises(LabelError, match="'elm', which is not among"):
        SINGLE.align(["ash", "oak"])


def test_scikit_learn_takes_them():
    assert type_of_target(SINGLE) == "binary"
    assert type_of_target(ALL) == "multilabel-indicator"
    train, test, rows, _ = train_test_split(SINGLE, np.arange(3), test_size=1, random_state=0)
    assert (len(train), len(test)) == (2, 1)
    np.testing.assert_array_equal(train.index(), SINGLE.index()[rows])


@pytest.mark.parametrize(
    "rows", [[0, 2], np.array([True, False, True]), pd.Series([True, False, True]), slice(0, 3, 2)]
)
def test_rows_are_taken_by_numbers_or_marks(rows):
    labels = as_labels(["oak", "elm", "ash"])
    assert labels[rows].names() == [["oak"], ["ash"]]
    assert len(labels[[]]) == 0
    assert labels[-1].names() == [["ash"]]
