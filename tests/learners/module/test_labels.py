"""Labels are matched with outputs, or refused."""

import numpy as np
import pytest
from torch import nn

from lamc.exceptions import LabelError, LAMCWarning
from lamc.labels import as_labels
from lamc.learners import Network

from .scenes import FAST, X_NEW, X_VAL, Y_VAL, X, Y, mlp, weights, y


def test_numbers_of_labels_are_numbers_of_outputs():
    rows = y != 7
    network = Network(nn.Linear(256, 12), **FAST).fit(X[rows], y[rows])
    np.testing.assert_array_equal(network.classes_, np.arange(12))
    named = as_labels(y[rows], classes=np.arange(12))
    again = Network(network.module, **FAST).fit(X[rows], named)
    assert weights(again) == weights(network)


def test_names_are_matched_with_outputs_or_refused():
    names = np.array([f"digit {k}" for k in range(10)])
    network = Network(mlp, **FAST).fit(X, names[y])
    assert network.classes_.tolist() == names.tolist()
    assert set(network.predict(X_NEW)) <= set(names)
    with pytest.raises(LabelError, match=r"(?s)12 logits a row, but y has 10 labels.*classes="):
        Network(nn.Linear(256, 12), **FAST).fit(X, names[y])
    with pytest.raises(LabelError, match=r"(?s)12 logits a row, but y has 10 labels"):
        Network(nn.Linear(256, 12), **FAST).fit(X, Y)


def test_more_than_one_positive_a_row():
    network = Network(mlp, **FAST).fit(X, Y)
    assert network.predict(X_NEW).shape == (60, 10)


def test_bad_labels_are_refused_with_the_way_out():
    lists = [[int(label)] for label in y]
    lists[3] = []
    with pytest.raises(LabelError, match=r"(?s)[Rr]ow 3.*no observed label.*Network"):
        Network(mlp, **FAST).fit(X, lists)
    with pytest.raises(LabelError, match="159 rows, but X has 160"):
        Network(mlp, **FAST).fit(X, y[:-1])
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        Network(mlp, **FAST).fit(X, y, X_VAL)
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        Network(mlp, **FAST).fit(X, y, None, Y_VAL)
    with pytest.raises(LabelError, match="No row of the validation set has a label"):
        Network(mlp, **FAST).fit(X, y, X_VAL, np.zeros((40, 10), dtype=int))
    with pytest.raises(LabelError, match="39 rows, but X_val has 40"):
        Network(mlp, **FAST).fit(X, y, X_VAL, Y_VAL[:39])


def test_labels_known_to_be_absent_are_not_used_and_that_is_said():
    known = np.zeros((160, 10), dtype=int)
    known[np.arange(160), y] = 1
    plain = weights(Network(mlp, **FAST).fit(X, known))
    known[np.arange(160), (y + 1) % 10] = -1
    labels = as_labels(known, meaning={0: "unknown", -1: "negative"})
    with pytest.warns(LAMCWarning, match="160 labels as absent, which Network does not use"):
        assert weights(Network(mlp, **FAST).fit(X, labels)) == plain
