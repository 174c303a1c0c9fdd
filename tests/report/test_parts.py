"""Histograms, doubts, features, pictures and packed arrays, each against an obvious twin."""

import base64
import io
import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image
from scipy import sparse

from lamc import Calibrator
from lamc.exceptions import FeatureError
from lamc.report.doubts import Doubts, first_rows
from lamc.report.features import Features
from lamc.report.histograms import BINS, ScoreHistograms
from lamc.report.numbers import fixed, threshold
from lamc.report.payload import pack
from lamc.report.pictures import png_address, shades_of_grey
from lamc.report.tally import blocks

from .cases import as_sparse, decisions_of, scored_rows, tallied


@pytest.mark.parametrize("given_as", [np.asarray, as_sparse], ids=["dense", "sparse"])
def test_histograms_count_every_row_of_each_kind(given_as):
    scores, labels = scored_rows(120)
    dense = given_as(scores)
    calibrator = Calibrator(alpha=0.2).fit(dense, labels)
    _, cuts, _, _ = tallied(calibrator, dense, labels)
    spread = ScoreHistograms(dense)
    for block in blocks(dense, labels.positives, cuts):
        spread.add(block)
    of_true, of_other = spread.counts(labels.counts, len(labels))
    Y = labels.positives.toarray()
    seen = dense.toarray() if sparse.issparse(dense) else dense
    for k in range(4):
        edges = np.arange(BINS + 1) / BINS
        relative = seen[:, k] / seen[:, k].max()
        np.testing.assert_array_equal(of_true[k], np.histogram(relative[Y[:, k]], edges)[0])
        np.testing.assert_array_equal(of_other[k], np.histogram(relative[~Y[:, k]], edges)[0])


@pytest.mark.parametrize("given_as", [np.asarray, as_sparse], ids=["dense", "sparse"])
@pytest.mark.parametrize("rare", [True, False])
@pytest.mark.parametrize(("rule", "alpha"), [("recall", 0.2), ("three-way", 0.1)])
def test_doubts_are_the_sums_that_the_page_says(rule, alpha, rare, given_as):
    scores, labels = scored_rows(150, rare=rare)
    new, truth = scored_rows(60, seed=1, rare=rare)
    scores, new = given_as(scores), given_as(new)
    calibrator = Calibrator(rule, alpha=alpha).fit(scores, labels)
    grid, cuts, _, _ = tallied(calibrator, new, truth)
    positives = calibrator.evidence_.positives
    own = grid.own[0] * len(grid.levels) + grid.own[1]
    calibrated = calibrator.status_ != "uncalibrated"
    doubts = Doubts(cuts, positives, setting=own, calibrated=calibrated, n_rows=60)
    for block in blocks(new, truth.positives, cuts):
        doubts.add(block)
    Y = truth.positives.toarray()
    seen = new.toarray() if sparse.issparse(new) else new
    stored = seen > 0 if sparse.issparse(new) else np.ones_like(Y)
    # As exact as the levels of the page: from the highest cut that a score reaches.
    like = np.zeros(Y.shape)
    for i, k in np.argwhere(stored & calibrated):
        reached = cuts.of_label(k)[cuts.of_label(k) <= seen[i, k]]
        if len(reached):
            like[i, k] = (positives.of_label(k) <= reached[-1]).mean()
    decided = decisions_of(calibrator, new)
    accepted, left_open = decided == 1, stored & (decided == -1)
    assert doubts.leaves_open == (rule == "three-way")
    doubt = like * left_open if rule == "three-way" else (1 - like) * accepted
    np.testing.assert_allclose(doubts.doubt, doubt.sum(axis=1), atol=1e-12)
    apart = like * (accepted & ~Y) + (1 - like) * (~accepted & Y & calibrated)
    np.testing.assert_allclose(doubts.contradiction, apart.sum(axis=1), atol=1e-12)
    first, then, drawn = first_rows(doubts, 5)
    assert doubts.doubt[first].min() >= np.delete(doubts.doubt, first).max()
    assert len({*first, *then, *drawn}) == len(first) + len(then) + len(drawn) == 15


def test_the_most_telling_feature_is_the_unusual_one_that_goes_with_the_score():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[:, 3] = 7.0  # tells nothing
    scores = np.column_stack([1 / (1 + np.exp(-3 * X[:, 1])), rng.random(300)])
    X[5, 1], X[5, 0] = 4.0, 0.1
    X[6, 1] = np.nan
    frame = pd.DataFrame(X, columns=["a", "height", "c", "d"]).assign(word="oak")
    for given_as in (frame, X, sparse.csr_array(np.nan_to_num(X))):
        features = Features(given_as, scores)
        best = features.telling(5, np.array([0]), 2)[0]
        assert best.name == ("height" if given_as is frame else "1")
        assert best.value == 4.0
        assert best.deviation > 3
        assert "3" not in [found.name for found in features.telling(5, np.array([0]), 4)]
    missing = Features(frame, scores).telling(6, np.array([0]), 4)
    assert "height" not in [found.name for found in missing]


def test_features_that_are_no_numbers_are_refused_with_advice():
    with pytest.raises(FeatureError, match="columns of numbers"):
        Features(np.array([["oak"], ["elm"]]), np.zeros((2, 1)))


@given(hnp.arrays(np.float64, (5, 7), elements=st.floats(0, 1)))
def test_a_picture_can_be_read_back(picture):
    grey = shades_of_grey(picture)
    encoded = png_address(grey).removeprefix("data:image/png;base64,")
    read = np.asarray(Image.open(io.BytesIO(base64.b64decode(encoded))))
    np.testing.assert_array_equal(read, grey)
    np.testing.assert_allclose(read / 255, picture, atol=1 / 255)


def test_large_pictures_are_thinned_out_and_other_ranges_brought_to_grey():
    grey = shades_of_grey(np.linspace(-3, 5, 500 * 300).reshape(500, 300))
    assert (grey.min(), grey.max()) == (0, 255)
    encoded = png_address(grey).removeprefix("data:image/png;base64,")
    assert max(Image.open(io.BytesIO(base64.b64decode(encoded))).size) <= 96


def unpack_slowly(index, text):
    """What the page's script does, one number at a time."""
    data = zlib.decompress(base64.b64decode(text))
    arrays = {}
    for name, entry in index.items():
        dtype = np.dtype(entry["type"])
        size = int(np.prod(entry["shape"]))
        own = data[entry["at"] : entry["at"] + size * dtype.itemsize]
        whole = [
            sum(own[plane * size + i] << (8 * plane) for plane in range(dtype.itemsize))
            for i in range(size)
        ]
        width = size // entry["shape"][0]
        for i in range(width, size):
            whole[i] = (whole[i] + whole[i - width]) % 256**dtype.itemsize
        unsigned = np.array(whole, dtype=f"u{dtype.itemsize}")
        arrays[name] = unsigned.view(dtype).reshape(entry["shape"])
    return arrays


@given(
    hnp.arrays(np.float32, (4, 3), elements=st.floats(width=32, allow_nan=False)),
    hnp.arrays(np.uint32, (5, 2)),
    hnp.arrays(np.uint8, (6,)),
)
def test_packed_arrays_come_back_bit_by_bit(floats, counts, codes):
    given_arrays = {"floats": floats, "counts": counts, "codes": codes}
    found = unpack_slowly(*pack(given_arrays))
    for name, array in given_arrays.items():
        assert found[name].tobytes() == array.tobytes()


@given(st.floats(1e-7, 1 - 1e-7))
def test_a_threshold_shows_three_digits_from_whichever_end_is_nearer(value):
    digits = len(threshold(value)) - 2
    assert digits in range(3, 7)
    near = min(value, 1 - value)
    assert abs(float(threshold(value)) - value) <= max(0.005 * near, 0.5000001e-6)
    assert fixed(value, digits) == threshold(value)
