"""Labels by another name than y: what is wrong with them is said of that name."""

import numpy as np
import pytest

from lamc import as_labels
from lamc.exceptions import LabelError
from lamc.labels.names import told_of


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        (["oak", "elk"], ["elm", "oak"], r"^Row 1 of Y_val holds 'elk'.*\n"),
        (["y", "Y"], ["elm", "oak"], "^Row 0 of Y_val holds 'y', which"),
        (["a y b", "Y"], ["y", "Y"], "^Row 0 of Y_val holds 'a y b', .*: 'y', 'Y'"),
        (["it's y"], ["Y"], "^Row 0 of Y_val holds \"it's y\", .*: 'Y'"),
        (["oak", None], None, r"^Y_val has no label in row 1 .*\n.*\(Y_val\.notna\(\) in pandas"),
        (np.array([[1, -1]]), None, r"^Y_val holds −1 .*\nPass as_labels\(Y_val, meaning="),
        ([["oak"], ["elm"]], None, r"(?s)^Every row of Y_val has.*as_labels\(Y_val, knowledge="),
    ],
)
def test_errors_name_the_labels_as_the_user_does(y, classes, message):
    with pytest.raises(LabelError, match=message), told_of("Y_val"):
        as_labels(y, classes=classes)


def test_what_is_right_passes():
    with told_of("Y_val"):
        assert len(as_labels(["oak", "elm"])) == 2


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        ([1, 3, 2], ["1", "2", "3", "4", "5"], "^Row 0 of y .* label '1', .*position 1: that is"),
        ([0, 2], [str(i) for i in sorted(map(str, range(20)))], "^Row 1 of y .* is '10'"),
        ([5], ["1", "2", "3", "4", "5"], "label '5', or the label at position 5: there is none"),
        ([[0], [2, 1]], ["1", "0", "3"], "the number 0, which could be the label '0'"),
    ],
)
def test_numbers_that_are_names_of_other_positions_are_refused(y, classes, message):
    with pytest.raises(LabelError, match=message):
        as_labels(y, classes=classes)


def test_numbers_are_positions_where_names_do_not_say_otherwise():
    assert as_labels([2, 0], classes=["elm", "fir", "oak"]).names() == [["oak"], ["elm"]]
    assert as_labels([2, 0], classes=["0", "1", "2"]).names() == [["2"], ["0"]]


def test_text_beside_labels_that_are_numbers_is_told_from_a_misspelling():
    with pytest.raises(LabelError, match=r"holds the text '3', .* are numbers.*\nPass numbers"):
        as_labels(["3", "1"], classes=[1, 2, 3])
    with pytest.raises(LabelError, match="'7', which is not among the 3 known labels"):
        as_labels(["7"], classes=[1, 2, 3])
