"""Blend: as good as its members, honest without validation rows, at ease with odd data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, as_labels, load
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import LabelError, TrainingError
from lamc.learners import Blend
from lamc.metrics import average_precision

DATA = digit_scenes(1500, random_state=0)
X, Y = np.asarray(DATA.X), DATA.Y
OBSERVED = observe(Y[:900], random_state=0)


@pytest.fixture(scope="module")
def blend():
    return Blend(effort="fast", random_state=0).fit(X[:900], OBSERVED, X[900:1100], Y[900:1100])


def test_it_is_no_worse_than_its_members(blend):
    truth, rows = Y[1100:], X[1100:]
    mixed = average_precision(truth, blend.predict_proba(rows))
    networks = average_precision(truth, blend.network_.predict_proba(rows))
    trees = average_precision(truth, blend.trees_.predict_proba(rows))
    assert mixed > max(networks, trees) - 0.01
    assert mixed > 0.6


def test_scores_are_probabilities_that_add_up_to_the_number_of_labels(blend):
    """With fully labelled validation rows: on these exactly, on others nearly."""
    scores = blend.predict_proba(X[1100:])
    assert (scores >= 0).all()
    assert (scores < 1).all()
    assert scores.sum(axis=1).mean() == pytest.approx(Y[1100:].sum(axis=1).mean(), rel=0.1)
    assert blend.predict_proba(X[900:1100]).sum() == pytest.approx(Y[900:1100].sum())


def test_each_member_has_a_weight(blend):
    assert all(0 <= weight <= 2 for weight in blend.weights_.values())
    assert set(blend.weights_) == {"network", "trees", "frequencies"}


def test_without_validation_rows_no_label_is_read_but_the_observed():
    """A held-out row is judged by its observed label, and nothing is corrected."""
    own = Blend(effort="fast", random_state=0).fit(X[:900], OBSERVED)
    assert (own.factors_ == 1).all()
    assert "observed" in own.network_.selection_[0]["criterion"]
    assert average_precision(Y[1100:], own.predict_proba(X[1100:])) > 0.6


def test_where_features_tell_nothing_the_scores_stay_near_the_frequencies():
    rng = np.random.default_rng(0)
    y = rng.choice(4, p=[0.5, 0.3, 0.15, 0.05], size=600)
    learner = Blend(effort="fast", random_state=0).fit(rng.normal(size=(600, 5)), y)
    scores = learner.predict_proba(rng.normal(size=(200, 5)))
    expected = -np.expm1(-np.array([0.5, 0.3, 0.15, 0.05]))
    np.testing.assert_allclose(scores.mean(axis=0), expected, atol=0.06)
    assert (scores.argsort(axis=1)[:, ::-1][:, 0] == 0).mean() > 0.8


def test_sparse_and_dense_rows_give_the_same():
    rng = np.random.default_rng(0)
    rows = rng.poisson(0.05, size=(200, 30)) * 3.0
    y = rows[:, :4].argmax(axis=1)
    dense, thin = (
        Blend(effort="fast", random_state=0).fit(each, y) for each in (rows, sparse.csr_array(rows))
    )
    assert dense.scale_ == thin.scale_ > 1
    np.testing.assert_allclose(
        dense.predict_proba(rows), thin.predict_proba(sparse.csr_array(rows)), rtol=1e-3
    )


def test_the_unit_of_measurement_does_not_matter():
    rng = np.random.default_rng(0)
    for rows in (rng.normal(size=(150, 6)), rng.poisson(0.05, size=(150, 20)).astype(float)):
        y = rows[:, :3].argmax(axis=1)
        one, other = (
            Blend(effort="fast", random_state=0).fit(unit * rows, y).predict_proba(unit * rows)
            for unit in (1.0, 1024.0)
        )
        np.testing.assert_allclose(one, other, rtol=1e-2)


def test_the_seed_decides():
    one, same, other = (
        Blend(effort="fast", random_state=seed)
        .fit(X[:200], OBSERVED[np.arange(200)])
        .predict_proba(X[200:220])
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


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


@pytest.mark.parametrize(("n_labels", "width"), [(3, 256), (300, 300), (1100, 1024)])
def test_networks_are_as_wide_as_there_are_labels_within_bounds(n_labels, width):
    rows = np.random.default_rng(0).normal(size=(2 * n_labels, 3))
    learner = Blend(effort="fast", random_state=0).fit(rows, np.arange(2 * n_labels) % n_labels)
    assert learner.network_.hidden == width


def test_several_observed_labels_a_row_are_used():
    some = as_labels(Y[:300], knowledge="some")
    learner = Blend(effort="fast", random_state=0).fit(X[:300], some)
    assert average_precision(Y[1100:], learner.predict_proba(X[1100:])) > 0.5


def test_it_can_be_saved_inside_lamc(tmp_path):
    clf = LAMC(Blend(effort="fast", random_state=0)).fit(
        X[:300], OBSERVED[np.arange(300)], X_cal=X[900:980], Y_cal=Y[900:980]
    )
    clf.save(tmp_path / "m.lamc")
    np.testing.assert_array_equal(load(tmp_path / "m.lamc").predict_proba(X), clf.predict_proba(X))


def test_settings_are_checked():
    with pytest.raises(TrainingError, match="effort='slow'; give 'full' or 'fast'"):
        Blend(effort="slow").fit(X[:50], OBSERVED[np.arange(50)])
    with pytest.raises(TrainingError, match="validation_size=0; give a share"):
        Blend(validation_size=0).fit(X[:50], OBSERVED[np.arange(50)])
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        Blend().fit(X[:50], OBSERVED[np.arange(50)], X_val=X[:5])


A_COLUMN = "a column of y is the 0/1 column of one label, not a class a row"


@parametrize_with_checks(
    [Blend(effort="fast")],
    expected_failed_checks=lambda estimator: {
        "check_classifiers_train": "scores of different labels need not add up to 1",
        "check_supervised_y_2d": A_COLUMN,
    },
)
def test_it_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
