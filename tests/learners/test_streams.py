"""The same seed draws the same, in every version: what it is joined with stays."""

import numpy as np

from lamc.learners import streams
from lamc.learners.stack import initial_weights
from lamc.learners.trainer import row_order


def test_numbers_stay_as_they_are():
    assert {name: value for name, value in vars(streams).items() if name.isupper()} == {
        "START": 0,
        "ORDER": 1,
        "DROPOUT": 2,
        "ESTIMATES": 3,
        "CODES": 3,
        "LOSSES": 3,
        "SIDE_NETWORKS": 4,
        "MODULES": 4,
        "LABELS": 5,
    }


def test_draws_stay_as_they_are():
    np.testing.assert_array_equal(row_order(7, 2, 5), [2, 1, 3, 0, 4])
    W, b = initial_weights([(1, 2)], 7)
    np.testing.assert_allclose(
        [*W[0], *b[0]], [0.2501909, 0.7944276, 0.5513714, -0.5495856], rtol=1e-6
    )
