"""Calibration sets for hypothesis to try: few rows, many ties, both float types."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lamc import as_labels
from lamc.rules.rule import RULES

# Slow machines share their time, so no deadline.
few = settings(deadline=None, max_examples=25)

RULE_NAMES = list(RULES)
LEVELS = [0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 2 / 3, 0.9]


def labelled(Y):
    """A 0/1 matrix that tells everything, even where each row happens to have one label."""
    return as_labels(np.asarray(Y), knowledge="all")


def unit_floats(width=64):
    """Scores, often the same ones."""
    return st.one_of(st.sampled_from([0.0, 0.125, 0.5, 0.875, 1.0]), st.floats(0, 1, width=width))


@st.composite
def calibration_sets(draw, max_rows=40, max_labels=3, min_rows=1):
    """Scores of shape (n, K), and which labels are true."""
    shape = draw(st.tuples(st.integers(min_rows, max_rows), st.integers(1, max_labels)))
    width = draw(st.sampled_from([32, 64]))
    dtype = np.dtype(f"f{width // 8}")
    scores = draw(hnp.arrays(dtype, shape, elements=unit_floats(width)))
    share = draw(st.sampled_from([0.1, 0.5, 0.9]))
    Y = np.random.default_rng(draw(st.integers(0, 99))).random(shape) < share
    Y[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] = True
    return scores, Y


def random_set(n, k, *, seed=0, share=0.3, ties=None, dtype=np.float64):
    """Scores that are higher where a label is true, rounded to ``ties`` digits, and the truth."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, k)) < share
    scores = np.clip(0.6 * rng.random((n, k)) + 0.4 * Y, 0, 1).astype(dtype)
    return scores if ties is None else np.round(scores, ties), Y
