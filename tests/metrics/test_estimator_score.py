"""The score of an estimator: labels that training never met are found, told and ranked last."""

import warnings

import numpy as np
import pytest

from lamc import as_labels
from lamc.exceptions import LAMCWarning
from lamc.metrics.estimator_score import (
    estimator_score,
    labels_never_met,
    warn_of_labels_never_met,
)

CLASSES = np.array(["elm", "oak"])


@pytest.mark.parametrize(
    ("y", "new"),
    [
        (["elm", "yew"], ["yew"]),
        ([["elm", "yew"], ["ash"]], ["ash", "yew"]),
        ([0, 5], []),  # numbers of columns, or else refused
        (np.eye(3), []),
        (as_labels(["elm", "yew"]), []),
    ],
    ids=str,
)
def test_what_is_asked_draws_no_warning(y, new):
    with warnings.catch_warnings(action="error"):
        assert labels_never_met(y, CLASSES).tolist() == new


def test_what_is_found_draws_one():
    with pytest.warns(LAMCWarning, match="never met: 'yew'. They count as ranked last"):
        warn_of_labels_never_met(np.array(["yew"]))
    with pytest.warns(LAMCWarning, match="never met: 'yew'") as told:
        assert estimator_score(["elm", "yew"], np.array([[0.7, 0.2]] * 2), CLASSES) == 2 / 3
    assert len(told) == 1
