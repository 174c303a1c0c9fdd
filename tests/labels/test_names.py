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
