"""Blend at ease with features: of any unit, wild or constant, dense or sparse."""

import numpy as np
import pytest
from scipy import sparse

from lamc import LAMC, load
from lamc.datasets import digit_scenes, observe
from lamc.learners import Blend
from lamc.metrics import average_precision

DATA = digit_scenes(1500, random_state=0)
X, Y = np.asarray(DATA.X), DATA.Y
OBSERVED = observe(Y[:900], random_state=0)


def spoilt(rows, how):
    """Rows with values that are no measurements."""
    rows, rng = rows.copy(), np.random.default_rng(0)
    if how == "a row":
        rows[55] = -9999
    elif how == "two cells of every feature":
        for column in range(rows.shape[1]):
            rows[rng.choice(len(rows), 2, replace=False), column] = 999999
    elif how == "a cell beyond single precision":
        rows[11, 3] = rows[12, 4] = 1e60
    return rows


@pytest.mark.parametrize(
    ("how", "least"),
    [
        ("a row", 0),
        ("a row", 0.9),
        ("two cells of every feature", 0),
        ("a cell beyond single precision", 0),
        ("a cell beyond single precision", 0.9),
    ],
)
def test_a_few_wild_values_do_not_silence_it(how, least):
    """In rows of digits, or only of their darkest pixels, which are mostly zeros."""
    rows = np.where(np.greater(X, least), X, 0)
    clean, wild = (
        Blend(effort="fast", random_state=0).fit(training, OBSERVED).predict_proba(rows[900:])
        for training in (rows[:900], spoilt(rows[:900], how))
    )
    loss = average_precision(Y[900:], clean) - average_precision(Y[900:], wild)
    assert loss < 0.08  # with them as they are, all is lost: about .45


def test_one_missing_time_does_not_hide_the_others():
    rng = np.random.default_rng(0)
    times = rng.uniform(0, 200, size=600)
    rows, y = np.c_[1.7e9 + times, rng.normal(size=600)], (times // 50).astype(int)
    rows[17, 0] = 0
    for stored in (rows, sparse.csr_array(rows)):
        blend = Blend(effort="fast", random_state=0).fit(stored[:500], y[:500])
        assert (blend.predict_proba(stored[500:]).argmax(axis=1) == y[500:]).mean() > 0.9


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_extreme_units_do_not_matter(unit):
    plain, other = (
        Blend(effort="fast", random_state=0).fit(u * X[:900], OBSERVED).predict_proba(u * X[900:])
        for u in (1.0, unit)
    )
    np.testing.assert_allclose(other, plain, atol=0.02)


def test_networks_do_not_see_features_that_hardly_any_row_has():
    rng = np.random.default_rng(0)
    hashed = sparse.csr_array((rng.random((300, 80)) < 0.1) * 1.0)
    wide = sparse.csr_array((hashed.data, 5000 * hashed.indices, hashed.indptr), (300, 400_000))
    y = hashed[:, :4].toarray().argmax(axis=1)
    blend = Blend(effort="fast", random_state=0).fit(wide[:200], y[:200])
    assert blend.network_.n_features_in_ == 80
    new = blend.predict_proba(wide[200:])
    assert average_precision(np.eye(4, dtype=int)[y[200:]], new) > 0.8


@pytest.mark.parametrize("effort", ["fast", "full"])
@pytest.mark.parametrize("constant", [5.0, -1e40])
def test_it_does_not_matter_how_many_features_never_vary(effort, constant):
    """Of dense rows too: networks do not see them, and trees do not look at them."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 30))
    y = rows[:, :3].argmax(axis=1)
    wide = np.hstack([np.full((150, 20), constant), rows, np.full((150, 20), constant)])
    plain, other = (
        Blend(effort=effort, random_state=0).fit(each[:120], y[:120]) for each in (rows, wide)
    )
    assert other.network_.n_features_in_ == 30
    assert other.trees_.max_features == plain.trees_.max_features
    np.testing.assert_array_equal(other.predict_proba(wide[120:]), plain.predict_proba(rows[120:]))


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("rounding", [0, 1e-14])
@pytest.mark.parametrize("constant", [1e40, -1e40, 1e300])
def test_a_constant_beyond_single_precision_does_not_matter(constant, rounding, thin):
    rng = np.random.default_rng(0)
    rows = np.c_[rng.normal(size=(100, 4)), constant * (1 + rounding * rng.normal(size=100))]
    y = rows[:, :3].argmax(axis=1)
    rows = sparse.csr_array(rows) if thin else rows
    scores = Blend(effort="fast", random_state=0).fit(rows, y).predict_proba(rows)
    assert (scores.argmax(axis=1) == y).mean() > 0.8


def test_sparse_and_dense_rows_give_the_same():
    rng = np.random.default_rng(0)
    rows = rng.poisson(0.05, size=(200, 30)) * 3.0
    y = rows[:, :4].argmax(axis=1)
    dense, thin = (
        Blend(effort="fast", random_state=0).fit(each, y) for each in (rows, sparse.csr_array(rows))
    )
    np.testing.assert_allclose(dense.scale_, thin.scale_)
    assert (dense.scale_ >= 3).all()
    np.testing.assert_allclose(
        dense.predict_proba(rows), thin.predict_proba(sparse.csr_array(rows)), rtol=1e-3
    )


def test_sparse_rows_that_are_not_mostly_zeros_are_learnt_from_as_dense_ones():
    rng = np.random.default_rng(0)
    rows = np.c_[rng.poisson(0.5, size=(300, 6)), 1.7e9 + rng.integers(2000, size=300)] * 1.0
    y = rows[:, :3].argmax(axis=1)
    scores = [
        Blend(effort="fast", random_state=0).fit(each, y).predict_proba(each)
        for each in (rows, sparse.csr_array(rows))
    ]
    np.testing.assert_array_equal(*scores)


def test_the_unit_of_measurement_does_not_matter():
    rng = np.random.default_rng(0)
    for rows in (rng.normal(size=(150, 6)), rng.poisson(0.05, size=(150, 20)).astype(float)):
        y = rows[:, :3].argmax(axis=1)
        one, other = (
            Blend(effort="fast", random_state=0).fit(unit * rows, y).predict_proba(unit * rows)
            for unit in (1.0, 1024.0)
        )
        np.testing.assert_allclose(one, other, rtol=1e-2)


def marks_beside(offset, n=600):
    """Mostly zeros, and beside them a few columns in units of their own, which tell the label."""
    rng = np.random.default_rng(0)
    marks = (rng.random((n, 60)) < 0.03) * 1.0
    measured = rng.normal(size=(n, 3))
    y = np.digitize(measured[:, 0], [-0.5, 0.5]) + 3 * (measured[:, 1] > 0)
    return np.hstack([marks, offset + measured * [10, 0.3, 1e4]]), y


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("offset", [0, 2000])
def test_units_that_differ_do_not_matter(offset, thin):
    """Years or metres above the sea beside marks: each is standardised, the marks are not."""
    rows, y = marks_beside(np.array([offset, offset, 50 * offset]))
    rows = sparse.csr_array(rows) if thin else rows
    blend = Blend(effort="fast", random_state=0).fit(rows[:400], y[:400])
    assert (blend.scale_[:60] == 1).all()
    assert (blend.centre_[:60] == 0).all()
    assert blend.scale_[60:] == pytest.approx([10, 0.3, 1e4], rel=0.2)
    known = np.eye(6, dtype=int)[y[400:]]
    networks = blend.network_.predict_proba(blend._scaled(rows[400:]))
    assert average_precision(known, networks) > 0.8


def test_sparse_rows_too_many_to_be_dense_are_scaled_feature_by_feature(monkeypatch):
    """Not by the length of rows, in which one large feature would drown the others."""
    rng = np.random.default_rng(0)
    rows = np.c_[rng.normal(size=(600, 6)) * (rng.random((600, 6)) < 0.4), np.full(600, 5000.0)]
    y = rows[:, :3].argmax(axis=1)
    known = np.eye(3, dtype=int)[y[400:]]
    found = []
    for limit in (10**6, 100):
        monkeypatch.setattr("lamc.learners.scaling.DENSE_LIMIT", limit)
        blend = Blend(effort="fast", random_state=0).fit(sparse.csr_array(rows[:400]), y[:400])
        scores = blend.predict_proba(sparse.csr_array(rows[400:]))
        found.append(average_precision(known, scores))
    assert found[1] > found[0] - 0.02


def _with_long_indices(rows):
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


ODD = {
    "wide and sparse": lambda rng: (
        sparse.random_array((300, 30_000), density=1e-3, format="csr", rng=rng),
        rng.integers(5, size=300),
    ),
    "indices of 64 bits": lambda rng: (
        _with_long_indices(sparse.random_array((80, 40), density=0.2, format="csr", rng=rng)),
        rng.integers(5, size=80),
    ),
    "many labels": lambda rng: (rng.normal(size=(400, 4)), rng.integers(5000, size=400)),
    "labels seen once": lambda rng: (
        rng.normal(size=(60, 3)),
        np.r_[np.zeros(50, int), np.arange(1, 11)],
    ),
    "equal rows": lambda rng: (np.ones((50, 3)), rng.integers(3, size=50)),
    "three rows": lambda rng: (np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_data_work_out_of_the_box(case):
    rows, y = ODD[case](np.random.default_rng(0))
    learner = Blend(effort="fast", random_state=0).fit(rows, y)
    scores = learner.predict_proba(rows)
    assert scores.shape == (rows.shape[0], len(np.unique(y)))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_feature_of_next_to_nothing_among_marks_counts_as_constant(dtype):
    rows, y = np.zeros((200, 30), dtype=dtype), np.arange(200) % 4
    rows[np.arange(200), y] = 3
    rows[:20, 25] = 2 * np.finfo(dtype).smallest_subnormal
    blend = Blend(effort="fast", random_state=0).fit(rows, y)
    assert blend.scale_[25] == np.inf
    assert (blend.predict_proba(rows).argmax(axis=1) == y).mean() > 0.9


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("thin", [False, True])
def test_a_feature_that_never_varied_does_not_matter_when_it_does(thin, tmp_path):
    rng = np.random.default_rng(0)
    X, y = np.zeros((300, 40 if thin else 5)), rng.integers(4, size=300)
    X[:, :4] = rng.random((300, 4)) if not thin else 0
    X[np.arange(300), y] += 3
    new = X.copy()
    new[:, -1] = 100
    blend = Blend(effort="fast", random_state=0).fit(X, y)
    np.testing.assert_array_equal(blend.predict_proba(new), blend.predict_proba(X))
    clf = LAMC(blend, random_state=0).fit(X, y)
    clf.save(tmp_path / "blend.lamc")
    scores = load(tmp_path / "blend.lamc").predict_proba(new)
    np.testing.assert_array_equal(scores, clf.predict_proba(X))
