"""Blend: as good as its members, and honest without validation rows."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, as_labels, load
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import FeatureError, LabelError, LAMCWarning, SettingError
from lamc.learners import WAN, Blend
from lamc.learners.label_regression import LabelRegression
from lamc.learners.pool import count_factor, pool_weights
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
    """A held-out row is judged by its observed label, and no label is corrected."""
    own = Blend(effort="fast", random_state=0).fit(X[:900], OBSERVED)
    assert len(np.unique(own.factors_)) == 1
    assert own.predict_proba(X[1100:]).sum(axis=1).mean() == pytest.approx(1, abs=0.05)
    assert "observed" in own.network_.selection_[0]["criterion"]
    assert average_precision(Y[1100:], own.predict_proba(X[1100:])) > 0.6


def test_labels_that_come_together_are_learnt_from_fully_labelled_rows():
    """Every digit d comes with a mark of its own, which is hardly ever the observed label."""
    truth = np.tile(Y.toarray(), 2)
    seen = [0.98] * 10 + [0.02] * 10
    observed = observe(truth[:900], how="weights", weights=seen, random_state=0)
    told, own = (
        Blend(effort="fast", random_state=0).fit(X[:900], observed, *validation)
        for validation in [(X[900:1100], truth[900:1100]), ()]
    )
    assert told.regression_.coefficients.shape == (20, 20)
    assert own.regression_.coefficients.shape == (0, 20)
    corrected = told.factors_ * told._pooled(told.fences_.transform(X[1100:]))
    whole = average_precision(truth[1100:], told.predict_proba(X[1100:]))
    corrected = average_precision(truth[1100:], corrected)
    unaided = average_precision(truth[1100:], own.predict_proba(X[1100:]))
    assert whole > corrected + 0.03
    assert corrected > unaided


def test_copies_of_validation_rows_are_told_to_be_copies(monkeypatch):
    """Three rows ten times would make chance look like knowledge."""
    rows = np.r_[np.arange(900, 1000), np.repeat(np.arange(900, 903), 9)]
    told = []
    learn = LabelRegression.of
    monkeypatch.setattr(LabelRegression, "of", lambda *of: told.append(of[-1]) or learn(*of))
    monkeypatch.setattr(
        "lamc.learners.blend.pool_weights", lambda *of: told.append(of[-1]) or pool_weights(*of)
    )
    Blend(effort="fast", random_state=0).fit(X[:900], OBSERVED, X[rows], Y[rows])
    np.testing.assert_array_equal(told, [rows - 900] * 2)


def test_validation_rows_that_were_picked_by_a_label_are_warned_of():
    picked = np.flatnonzero(Y[900:].toarray()[:, 0]) + 900
    new = np.setdiff1d(np.arange(900, 1500), picked[:60])
    with pytest.warns(LAMCWarning, match="do not pick them by their labels"):
        blend = Blend(effort="fast", random_state=0).fit(
            X[:900], OBSERVED, X[picked[:60]], Y[picked[:60]]
        )
    assert average_precision(Y[new], blend.predict_proba(X[new])) > 0.7


def two_kinds(kind, rng):
    """Rows of two kinds, each with three labels of its own, of which a row has two."""
    rows, truth = rng.normal(size=(len(kind), 6)), np.zeros((len(kind), 6), dtype=int)
    rows[:, 0] += 6 * kind
    truth[np.arange(len(kind)), 3 * kind] = 1
    truth[np.arange(len(kind)), 3 * kind + 1 + (rows[:, 1] > 0)] = 1
    return rows, truth


@pytest.mark.filterwarnings("error")
def test_training_rows_may_come_in_turns(monkeypatch):
    """Every second row is of the other kind; of all, some are compared with validation rows."""
    monkeypatch.setattr("lamc.learners.blend._COMPARED", 150)
    rng = np.random.default_rng(0)
    in_turns = np.arange(300) % 2
    known = two_kinds(rng.integers(2, size=200), rng)
    for kind in (in_turns, rng.permutation(in_turns), np.sort(in_turns)):
        rows, truth = two_kinds(kind, rng)
        observed = observe(truth, random_state=0)
        blend = Blend(effort="fast", random_state=0).fit(rows, observed, *known)
        assert blend.regression_.directions.shape[1] > 0


def test_scores_of_validation_rows_are_counted_where_they_are(monkeypatch):
    """A second matrix of them could take as much memory as all else."""
    found, counted, pooled = [], [], Blend._pooled
    monkeypatch.setattr(
        Blend, "_pooled", lambda self, rows: found.append(pooled(self, rows)) or found[-1]
    )
    monkeypatch.setattr(
        "lamc.learners.blend.count_factor", lambda *of: counted.append(of[0]) or count_factor(*of)
    )
    Blend(effort="fast", random_state=0).fit(X[:300], OBSERVED[np.arange(300)])
    assert counted[0] is found[0]


def test_one_validation_row_with_a_label_is_enough_to_go_on():
    few = np.zeros((60, 10), dtype=int)
    few[3, 3] = 1
    blend = Blend(effort="fast", random_state=0).fit(X[:900], OBSERVED, X[900:960], few)
    assert np.isfinite(blend.predict_proba(X[1100:])).all()


def test_where_features_tell_nothing_the_scores_stay_near_the_frequencies():
    rng = np.random.default_rng(0)
    y = rng.choice(4, p=[0.5, 0.3, 0.15, 0.05], size=600)
    learner = Blend(effort="fast", random_state=0).fit(rng.normal(size=(600, 5)), y)
    scores = learner.predict_proba(rng.normal(size=(200, 5)))
    np.testing.assert_allclose(scores.mean(axis=0), [0.5, 0.3, 0.15, 0.05], atol=0.1)
    assert (scores.argsort(axis=1)[:, ::-1][:, 0] == 0).mean() > 0.8


@pytest.mark.parametrize("seed", range(4))
def test_where_nothing_is_better_than_even_shares_the_frequencies_still_rank(seed):
    rng = np.random.default_rng(seed)
    rows, y = rng.normal(size=(500, 3)), rng.integers(10, size=500)
    scores = Blend(effort="fast", random_state=0).fit(rows, y).predict_proba(rows)
    assert len(np.unique(scores)) > 1


def test_validation_rows_of_which_nothing_is_known_do_not_count():
    y = as_labels(OBSERVED).index()
    some = np.eye(10, dtype=int)[y[600:900]]
    some[::2] = 0
    known = np.arange(1, 300, 2)
    one, other = (
        Blend(effort="fast", random_state=0).fit(X[:600], y[:600], rows, labels)
        for rows, labels in (
            (X[600:900], as_labels(some, knowledge="some")),
            (X[600:900][known], as_labels(some[known], knowledge="some")),
        )
    )
    np.testing.assert_array_equal(one.predict_proba(X[900:]), other.predict_proba(X[900:]))


@pytest.mark.parametrize(
    ("n", "share", "trees", "grown_on"),
    [(300, 1.0, 60, 50_000), (800, 1.0, 120, 200), (4000, 1.0, 120, 500), (800, 0.05, 20, 50_000)],
    ids=["few", "many", "more", "mostly zeros"],
)
def test_coarse_trees_are_as_many_as_rows_gain_from(n, share, trees, grown_on, monkeypatch):
    monkeypatch.setattr("lamc.learners.blend._GROWN", (100, 500))
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 12)) * (rng.random((n, 12)) < share)
    blend = Blend(effort="fast", random_state=0)
    blend.fit(rows, rows[:, :3].argmax(axis=1), rows[:40], rows[:40, :3].argmax(axis=1))
    assert (blend.trees_.n_trees, blend.trees_.max_rows) == (trees, grown_on)


@pytest.mark.parametrize(
    ("share", "n_labels", "empty", "networks"),
    [(1.0, 3, 0, 1), (0.05, 3, 0, 2), (0.05, 800, 0, 1), (0.05, 3, 5000, 2)],
    ids=["dense", "mostly zeros", "mostly zeros, large networks", "beside empty features"],
)
def test_fast_networks_are_as_many_as_rows_gain_from(share, n_labels, empty, networks):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 12)) * (rng.random((60, 12)) < share)
    rows = np.hstack([rows, np.zeros((60, empty))])
    y = as_labels(rng.integers(3, size=60)).align(np.arange(n_labels))
    assert Blend(effort="fast", random_state=0).fit(rows, y).network_.n_models == networks


def test_scores_of_many_rows_are_found_a_few_at_a_time(blend, monkeypatch):
    whole = blend.predict_proba(X[1100:])
    monkeypatch.setattr("lamc.learners.blend._ENTRIES", 300)
    largest = []
    shares = Blend._shares
    monkeypatch.setattr(
        Blend, "_shares", lambda self, rows: largest.append(len(rows)) or shares(self, rows)
    )
    np.testing.assert_array_equal(blend.predict_proba(X[1100:]), whole)
    assert max(largest) == 30


def test_a_row_scores_the_same_alone_and_in_a_batch(blend):
    together = blend.predict_proba(X[1100:1140])
    alone = np.vstack([blend.predict_proba(X[[i]]) for i in range(1100, 1140)])
    np.testing.assert_array_equal(alone, together)
    some = np.vstack([blend.predict_proba(X[i : i + 7]) for i in range(1100, 1140, 7)])
    np.testing.assert_array_equal(some[:40], together)


def test_the_seed_decides():
    one, same, other = (
        Blend(effort="fast", random_state=seed)
        .fit(X[:200], OBSERVED[np.arange(200)])
        .predict_proba(X[200:220])
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize(("n_labels", "width"), [(3, 256), (300, 300), (1100, 1024)])
def test_networks_are_as_wide_as_there_are_labels_within_bounds(n_labels, width):
    rows = np.random.default_rng(0).normal(size=(2 * n_labels, 3))
    learner = Blend(effort="fast", random_state=0).fit(rows, np.arange(2 * n_labels) % n_labels)
    assert learner.network_.hidden == width


def test_several_observed_labels_a_row_are_used():
    some = as_labels(Y[:300], knowledge="some")
    learner = Blend(effort="fast", random_state=0).fit(X[:300], some)
    scores = learner.predict_proba(X[1100:])
    assert average_precision(Y[1100:], scores) > 0.5
    assert scores.sum(axis=1).mean() == pytest.approx(Y[1100:].sum(axis=1).mean(), rel=0.15)
    assert learner.predict(X[1100:]).sum(axis=1).mean() > 1


def test_networks_are_judged_by_no_more_rows_than_memory_allows(monkeypatch):
    judged, fit = [], WAN.fit

    def watched(self, X, y, X_val=None, Y_val=None):
        judged.append(X_val.shape[0])
        return fit(self, X, y, X_val, Y_val)

    monkeypatch.setattr(WAN, "fit", watched)
    monkeypatch.setattr("lamc.learners.pool._ENTRIES", 40)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), np.arange(120) % 4
    Blend(effort="fast", random_state=0).fit(X, y, X[:50], y[:50])
    assert judged == [10]


def test_it_can_be_saved_inside_lamc(tmp_path):
    clf = LAMC(Blend(effort="fast", random_state=0)).fit(
        X[:300], OBSERVED[np.arange(300)], X_cal=X[900:980], Y_cal=Y[900:980]
    )
    clf.save(tmp_path / "m.lamc")
    np.testing.assert_array_equal(load(tmp_path / "m.lamc").predict_proba(X), clf.predict_proba(X))


@pytest.mark.filterwarnings("error")
def test_a_validation_row_without_a_label_tells_nothing():
    some = Y[900:960].toarray() if hasattr(Y, "toarray") else Y[900:960].copy()
    some[0] = 0
    learner = Blend(effort="fast", random_state=0)
    learner.fit(X[:200], OBSERVED[np.arange(200)], X[900:960], some)
    assert np.isfinite(learner.predict_proba(X[1100:])).all()


def test_a_fit_that_fails_leaves_nothing_of_the_one_before():
    learner = Blend(effort="fast", random_state=0).fit(X[:100], OBSERVED[np.arange(100)])
    with pytest.raises(LabelError):
        learner.fit(X[:100], OBSERVED[np.arange(100)], X[:5], np.zeros((5, 10)))
    with pytest.raises(NotFittedError):
        learner.predict_proba(X[:5])


def test_a_fit_that_is_stopped_while_trees_are_filled_is_none(monkeypatch):
    def stopped(self, X, y):
        raise KeyboardInterrupt

    monkeypatch.setattr("lamc.learners.trees.Trees.refill", stopped)
    learner = Blend(effort="fast", random_state=0)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X[:100], OBSERVED[np.arange(100)])
    with pytest.raises(NotFittedError):
        learner.predict_proba(X[:5])


def test_settings_are_checked():
    with pytest.raises(SettingError, match=r"effort=\['fast'\]; give 'full' or 'fast'"):
        Blend(effort=["fast"]).fit(X[:50], OBSERVED[np.arange(50)])
    with pytest.raises(SettingError, match="effort='slow'; give 'full' or 'fast'"):
        Blend(effort="slow").fit(X[:50], OBSERVED[np.arange(50)])
    with pytest.raises(SettingError, match="validation_size=0; give a share"):
        Blend(validation_size=0).fit(X[:50], OBSERVED[np.arange(50)])
    with pytest.raises(FeatureError, match=r"(?s)Blend holds a row out.*Give more rows"):
        Blend().fit(X[:2], [0, 1])
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
