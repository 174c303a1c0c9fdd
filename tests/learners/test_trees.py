"""Trees: scikit-learn's own forest where that can be grown, and the same on projections."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, as_labels, load
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError
from lamc.learners import Trees
from lamc.metrics import average_precision

DATA = digit_scenes(900, random_state=0)
VARY = np.ptp(DATA.X[:600], axis=0) > 0
X, NEW = np.asarray(DATA.X[:600, VARY]), np.asarray(DATA.X[600:, VARY])
OBSERVED = observe(DATA.Y[:600], random_state=0)


@pytest.fixture
def forests(monkeypatch):
    """Forests of scikit-learn that are grown during a test."""
    grown = []

    class Kept(ExtraTreesRegressor):
        def fit(self, X, y):
            grown.append(self)
            return super().fit(X, y)

    monkeypatch.setattr("lamc.learners.trees.ExtraTreesRegressor", Kept)
    return grown


def test_scores_are_those_of_the_forest_on_the_shares(forests):
    trees = Trees(n_trees=8, random_state=0).fit(X, OBSERVED)
    np.testing.assert_allclose(trees.predict_proba(NEW), forests[0].predict(NEW), atol=1e-6)


@given(st.integers(0, 1000), st.booleans())
@settings(max_examples=20, deadline=None)
def test_rows_go_the_way_they_go_in_scikit_learn(seed, thin):
    """On few values, so that many rows stand just at a threshold; 0.1 is not exact in 32 bits."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(4, size=(60, 3)) * 0.1
    y = rng.integers(3, size=60)
    trees = Trees(n_trees=4, min_leaf=1, random_state=seed).fit(
        sparse.csr_array(rows) if thin else rows, y
    )
    twin = ExtraTreesRegressor(
        4,
        min_samples_leaf=1,
        max_features=3,
        random_state=np.random.RandomState(seed).randint(2**31 - 1),
    ).fit(sparse.csr_array(rows) if thin else rows, np.eye(3)[y])
    new = rng.integers(-1, 5, size=(80, 3)) * 0.1
    np.testing.assert_allclose(trees.predict_proba(new), twin.predict(new), atol=1e-6)


def test_scores_are_the_shares_of_rows_in_the_same_leaf(forests):
    trees = Trees(n_trees=3, min_leaf=20, random_state=0).fit(X, OBSERVED)
    own, new = forests[0].apply(X), forests[0].apply(NEW[:5])
    y = OBSERVED.index()
    for row, leaves in enumerate(new):
        shares = [
            np.bincount(y[own[:, tree] == leaf], minlength=10) / (own[:, tree] == leaf).sum()
            for tree, leaf in enumerate(leaves)
        ]
        np.testing.assert_allclose(
            trees.predict_proba(NEW[[row]])[0], np.mean(shares, axis=0), atol=1e-6
        )


def test_projections_keep_what_trees_learn():
    """With the labels padded to 60, trees grow on projections and rank as well as before."""
    padded = as_labels(OBSERVED.index(), classes=np.arange(60))
    many = Trees(random_state=0).fit(X, padded).predict_proba(NEW)
    few = Trees(random_state=0).fit(X, OBSERVED).predict_proba(NEW)
    assert (many[:, 10:] == 0).all()
    truth = DATA.Y[600:]
    assert average_precision(truth, many[:, :10]) > average_precision(truth, few) - 0.02


def test_size_does_not_grow_with_labels_that_no_row_has(forests):
    fits = [
        Trees(n_trees=5, random_state=0).fit(X, as_labels(OBSERVED.index(), classes=np.arange(k)))
        for k in (100, 10_000)
    ]
    assert fits[0].leaves_.nnz == pytest.approx(fits[1].leaves_.nnz, rel=0.3)
    assert [forest.n_outputs_ for forest in forests] == [32, 32]


@pytest.mark.parametrize(("directions", "outputs"), [(4, 4), (10, 10), (32, 10)])
def test_trees_split_by_as_many_directions_as_asked_for(forests, directions, outputs):
    Trees(n_trees=2, n_directions=directions, random_state=0).fit(X, OBSERVED)
    assert forests[0].n_outputs_ == outputs


def test_sparse_and_dense_rows_give_the_same():
    rows = np.where(X > 0.5, X, 0)
    dense = Trees(n_trees=5, random_state=0).fit(rows, OBSERVED)
    thin = Trees(n_trees=5, random_state=0).fit(sparse.csr_array(rows), OBSERVED)
    new = np.where(NEW > 0.5, NEW, 0)
    np.testing.assert_allclose(
        dense.predict_proba(new), thin.predict_proba(sparse.csr_array(new)), atol=1e-6
    )


def test_a_tree_of_many_rows_draws_its_own(forests):
    trees = Trees(n_trees=5, max_rows=100, random_state=0).fit(X, OBSERVED)
    sizes = [tree.tree_.weighted_n_node_samples[0] for tree in forests[0].estimators_]
    assert sizes == [100] * 5
    assert average_precision(DATA.Y[600:], trees.predict_proba(NEW)) > 0.4


def test_the_seed_decides():
    one, same, other = (
        Trees(n_trees=5, random_state=seed).fit(X, OBSERVED).predict_proba(NEW)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize("name", ["n_trees", "min_leaf", "n_directions", "max_rows"])
@pytest.mark.parametrize("value", [0, 1.5, None])
def test_counts_are_checked(name, value):
    with pytest.raises(SettingError, match=f"{name}={value!r}; give a whole number from 1"):
        Trees(**{name: value}).fit(X, OBSERVED)


A_COLUMN = "a column of y is the 0/1 column of one label, not a class a row"


@parametrize_with_checks(
    [Trees(n_trees=5)],
    expected_failed_checks=lambda estimator: {"check_supervised_y_2d": A_COLUMN},
)
def test_it_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "change",
    [lambda X: 1e-9 * X, lambda X: X + 1.7e9, lambda X: 1e35 * X],
    ids=["small", "far away", "large"],
)
def test_features_that_single_precision_would_blur_are_scaled(change):
    def fitted(rows, new):
        trees = Trees(n_trees=40, random_state=0).fit(rows, OBSERVED)
        return average_precision(DATA.Y[600:], trees.predict_proba(new))

    rough, new = np.round(X, 3), np.round(NEW, 3)  # what is added must not round them off
    assert fitted(change(rough), change(new)) == pytest.approx(fitted(rough, new), abs=0.02)


def test_a_feature_of_next_to_nothing_counts_as_constant():
    X, y = np.c_[np.arange(40.0), np.where(np.arange(40) < 20, 0, 1e-310)], np.arange(40) % 3
    for rows in (X, sparse.csr_array(X)):
        assert np.isfinite(Trees(n_trees=3, random_state=0).fit(rows, y).predict_proba(rows)).all()


def test_features_that_differ_by_rounding_count_as_constant():
    rng = np.random.default_rng(0)
    nearly = np.where(rng.random((600, 60)) < 0.5, 0.3, 0.1 + 0.2)

    def fitted(beside):
        trees = Trees(n_trees=10, random_state=0).fit(np.hstack([X[:, :100], beside]), OBSERVED)
        return trees.predict_proba(np.hstack([NEW[:, :100], beside[:300]]))

    np.testing.assert_array_equal(fitted(nearly), fitted(np.full((600, 60), 0.3)))


def beside(rows, *constant):
    """Rows with columns that never vary between and behind those that do."""
    return np.insert(rows, [0, 7, 7, rows.shape[1]], [*constant] * 2, axis=1)


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_features_that_never_vary_are_as_good_as_absent(thin, forests):
    """They cost no looks at the others, however many there are and whatever new rows hold."""
    form = sparse.csr_array if thin else np.asarray
    wide, new = form(beside(X, 5.0, 0.0)), form(beside(NEW, -3.0, 1e300))
    learners = [Trees(n_trees=5, random_state=0) for _ in range(2)]
    learners[0].fit(form(X), OBSERVED)
    learners[1].fit(wide, OBSERVED)
    assert forests[0].max_features == forests[1].max_features
    expected = learners[0].predict_proba(NEW)
    np.testing.assert_array_equal(learners[1].predict_proba(new), expected)
    learners[1].refill(wide, OBSERVED)
    np.testing.assert_array_equal(learners[1].predict_proba(new), expected)


def test_trees_of_some_features_can_be_saved(tmp_path):
    rows = beside(X, 5.0, 0.0)
    clf = LAMC(Trees(n_trees=3, random_state=0))
    clf.fit(rows[:500], OBSERVED[np.arange(500)], X_cal=rows[500:], Y_cal=DATA.Y[500:600])
    clf.save(tmp_path / "trees.lamc")
    new = beside(NEW, -3.0, 1e300)
    found = load(tmp_path / "trees.lamc").predict_proba(new)
    np.testing.assert_array_equal(found, clf.predict_proba(new))


ROUNDING = 1 + 1e-14 * np.random.default_rng(0).normal(size=600)


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "values",
    [1e40, -1e40, 1e300, 1e40 * ROUNDING, -1e300 * ROUNDING],
    ids=["1e40", "-1e40", "1e300", "1e40 and rounding", "-1e300 and rounding"],
)
def test_a_constant_beyond_single_precision_does_not_matter(values, thin):
    rows = np.c_[X, np.broadcast_to(values, 600)]
    rows = sparse.csr_array(rows) if thin else rows
    trees = Trees(n_trees=3, random_state=0)
    expected = trees.fit(X, OBSERVED).predict_proba(X)
    np.testing.assert_array_equal(trees.fit(rows, OBSERVED).predict_proba(rows), expected)


@pytest.mark.parametrize("value", [0.0, 7.0, 1e40])
@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_where_no_feature_varies_scores_are_the_shares_of_the_labels(value, thin):
    rows, y = np.full((60, 3), value), np.arange(60) % 3
    rows = sparse.csr_array(rows) if thin else rows
    trees = Trees(n_trees=3, random_state=0).fit(rows, y)
    np.testing.assert_allclose(trees.predict_proba(rows), 1 / 3, atol=1e-6)
    np.testing.assert_allclose(trees.predict_proba(3 * rows), 1 / 3, atol=1e-6)


def test_many_rows_are_scored_and_fill_the_leaves_a_few_at_a_time(monkeypatch):
    some = as_labels([{label, (label + 1) % 10} for label in OBSERVED.index()], knowledge="some")
    whole = Trees(n_trees=20, random_state=0).fit(X, some)
    monkeypatch.setattr("lamc.learners.trees._ENTRIES", 1000)
    largest = []
    leaves_of = Trees._leaves_of
    monkeypatch.setattr(
        Trees, "_leaves_of", lambda self, rows: largest.append(len(rows)) or leaves_of(self, rows)
    )
    parts = Trees(n_trees=20, random_state=0).fit(X, some)
    np.testing.assert_array_equal(parts.predict_proba(NEW), whole.predict_proba(NEW))
    parts.refill(X, some)
    np.testing.assert_array_equal(parts.predict_proba(NEW), whole.predict_proba(NEW))
    assert max(largest) == 50  # of 20 trees; of 10 labels it would be 100


def test_a_time_in_sparse_rows_is_seen_as_in_dense_ones():
    rng = np.random.default_rng(0)
    marks = (rng.random((600, 40)) < 0.05) * 1.0
    seconds = rng.uniform(0, 200, size=600)
    rows, y = np.c_[marks, 1.7e9 + seconds], (seconds // 50).astype(int)
    for stored in (rows, sparse.csr_array(rows)):
        trees = Trees(n_trees=20, max_features=41, random_state=0).fit(stored[:500], y[:500])
        assert (trees.predict_proba(stored[500:]).argmax(axis=1) == y[500:]).mean() > 0.9


def test_features_that_no_tree_asks_for_take_no_room():
    wide = sparse.csr_array((np.ones(60), (np.arange(60), 10**6 * (np.arange(60) % 3))))
    tracemalloc.start()
    trees = Trees(n_trees=3, random_state=0).fit(wide, np.arange(60) % 3)
    assert (trees.predict_proba(wide).argmax(axis=1) == np.arange(60) % 3).all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * wide.shape[0] * wide.shape[1]  # what the rows take in float32


@pytest.mark.parametrize("form", [np.eye(3, dtype=int), [{0}, {1}, {2}], [[0], [1], [2]]])
def test_leaves_are_filled_by_labels_in_every_form_that_trees_are_grown_on(form):
    y = [form[each] for each in np.arange(60) % 3]
    y = np.array(y) if isinstance(form, np.ndarray) else y
    trees = Trees(n_trees=3, random_state=0).fit(X[:60], y)
    before = trees.predict_proba(X[:60])
    np.testing.assert_array_equal(trees.refill(X[:60], y).predict_proba(X[:60]), before)


def test_settings_changed_after_the_fit_do_not_change_its_scores():
    trees = Trees(n_trees=4, random_state=0).fit(X, OBSERVED)
    before = trees.predict_proba(NEW)
    np.testing.assert_array_equal(trees.set_params(n_trees=20).predict_proba(NEW), before)


def test_features_that_are_clear_stay_as_they_are():
    trees = Trees(n_trees=2, random_state=0).fit(X, OBSERVED)
    assert not trees.shift_.any()
    assert (trees.factor_ == 1).all()


def test_sparse_features_are_scaled_and_not_shifted():
    small = sparse.csr_array(1e-9 * X)
    trees = Trees(n_trees=4, random_state=0).fit(small, OBSERVED)
    assert not trees.shift_.any()
    dense = Trees(n_trees=4, random_state=0).fit(small, OBSERVED)
    np.testing.assert_array_equal(trees.predict_proba(small), dense.predict_proba(small.toarray()))
    assert trees.predict_proba(small).std(axis=0).min() > 0.01


def test_trees_grown_on_dense_rows_score_sparse_rows_alike():
    """Also where features were shifted, which zeros that are not stored would miss."""
    rng = np.random.default_rng(0)
    rows = np.c_[1.7e9 + rng.integers(2000, size=300), rng.integers(2, size=300)].astype(float)
    y = (rows[:, 0] > 1.7e9 + 1000) * 1
    trees = Trees(n_trees=5, random_state=0).fit(rows, y)
    assert trees.shift_[0] > 0
    expected = trees.predict_proba(rows)
    np.testing.assert_array_equal(trees.predict_proba(sparse.csr_array(rows)), expected)
    trees.refill(sparse.csr_array(rows), y)
    np.testing.assert_array_equal(trees.predict_proba(rows), expected)
