"""Label-based average precision equals scikit-learn's, and says where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.metrics import average_precision_score

from lamc import metrics
from lamc.metrics import labelwise


@st.composite
def cases(draw):
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 6)))
    elements = draw(st.sampled_from([st.sampled_from([0.25, 0.5, 1.0]), st.floats(0, 1)]))
    return draw(hnp.arrays(bool, shape)), draw(hnp.arrays(np.float64, shape, elements=elements))


@given(cases())
def test_each_label_and_their_mean_equal_those_of_scikit_learn(case):
    Y, scores = case
    expected = [
        average_precision_score(Y[:, k], scores[:, k]) if Y[:, k].any() else np.nan
        for k in range(Y.shape[1])
    ]
    np.testing.assert_allclose(metrics.label_average_precision(Y, scores), expected, atol=1e-12)
    mean = np.nan if np.isnan(expected).all() else np.nanmean(expected)
    np.testing.assert_allclose(metrics.macro_average_precision(Y, scores), mean, atol=1e-12)


@given(cases())
def test_all_pairs_together_equal_those_of_scikit_learn(case):
    Y, scores = case
    expected = average_precision_score(Y.ravel(), scores.ravel()) if Y.any() else np.nan
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelwise, "CHUNK", 8)  # several chunks of rows
        found = metrics.micro_average_precision(Y, scores)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_they_equal_those_of_scikit_learn_at_size(dtype):
    rng = np.random.default_rng(3)
    Y = sparse.csr_array(rng.random((3000, 120)) < rng.random(120) ** 3 + 0.002)
    scores = (rng.random(Y.shape) + 0.1 * Y.toarray()).round(3).astype(dtype)
    macro = average_precision_score(Y.toarray(), scores, average="macro")
    micro = average_precision_score(Y.toarray(), scores, average="micro")
    assert metrics.macro_average_precision(Y, scores) == pytest.approx(macro, abs=1e-12)
    assert metrics.micro_average_precision(Y, scores) == pytest.approx(micro, abs=1e-12)
