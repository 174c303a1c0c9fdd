"""What every neural learner shares: settings, inputs, validation, ensembles, and saving."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from lamc import LAMC, load
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import FeatureError, LabelError, LAMCWarning, SettingError, TrainingError
from lamc.labels import as_labels
from lamc.learners import AN, APL, EPR, GR, MIME, MLML, ROLE, SMILE, WAN, Blend, Softmax
from lamc.learners import rows as rows_module
from lamc.metrics import average_precision

SCENES = digit_scenes(320)
X, Y = SCENES.X[:200], SCENES.Y[:200]
X_VAL, Y_VAL = SCENES.X[200:250], SCENES.Y[200:250]
X_NEW, Y_NEW = SCENES.X[250:], SCENES.Y[250:]
y = observe(Y, random_state=0).index()

TINY = {"epochs": 2, "hidden": 8, "learning_rate": 1e-2, "random_state": 0, "n_threads": 1}


# -- scikit-learn's contract ---------------------------------------------------------------------


def test_it_works_in_pipelines_and_cross_validation():
    scenes = digit_scenes(1000)
    observed = observe(scenes.Y, random_state=0).index()
    learner = WAN(**{**TINY, "epochs": 10, "hidden": 32, "learning_rate": 3e-3})
    scores = cross_val_score(make_pipeline(MinMaxScaler(), learner), scenes.X, observed, cv=2)
    assert scores.mean() > 0.2  # one of ten would be chance


def test_parameters_are_kept_as_given_and_cloned():
    learner = WAN(learning_rate=(1e-3, 1e-2), hidden="labels")
    assert repr(learner) == "WAN(hidden='labels', learning_rate=(0.001, 0.01))"
    assert clone(learner).get_params() == learner.get_params()


@pytest.mark.parametrize(("hidden", "units"), [(5, 5), ("labels", 10)])
def test_hidden_units_are_as_many_as_told_or_as_labels(hidden, units):
    W1, b1, W2, b2 = WAN(**{**TINY, "hidden": hidden}).fit(X, y).weights_
    assert [each.shape for each in (W1, b1, W2, b2)] == [
        (1, 256, units),
        (1, 1, units),
        (1, units, 10),
        (1, 1, 10),
    ]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("hidden", 0, "whole number from 1, or 'labels'"),
        ("hidden", "label", "or 'labels'"),
        ("epochs", 0, "whole number from 1"),
        ("epochs", 2.5, "whole number from 1"),
        ("batch_size", -1, "whole number from 1"),
        ("learning_rate", 0.0, "numbers above 0"),
        ("learning_rate", (1e-3, -1.0), "numbers above 0"),
        ("learning_rate", (), "numbers above 0"),
        ("learning_rate", "fast", "numbers above 0"),
        ("dropout", 1.0, "below 1"),
        ("dropout", "a", "below 1"),
        ("weight_decay", None, "a number from 0"),
        ("validation_size", "tenth", "below 1"),
        ("device", "meta", "'cpu'"),
        ("weight_decay", -0.1, "a number from 0"),
        ("n_models", 0, "whole number from 1"),
        ("validation_size", 1.0, "below 1"),
        ("patience", 0, "or None"),
        ("n_threads", 0, "or None"),
        ("standardise", "false", "True or False"),
        ("standardise", None, "True or False"),
        ("verbose", "no", "True or False"),
        ("verbose", 2, "True or False"),
        ("device", "abacus", "'cpu'"),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value, expected):
    with pytest.raises(SettingError) as refusal:
        WAN(**{**TINY, name: value}).fit(X, y)
    assert f"{name}={value!r}" in str(refusal.value)
    assert expected in str(refusal.value)


# -- labels and rows in any form -----------------------------------------------------------------


def scores_after(X, y, X_new=X_NEW, **more):
    return WAN(**{**TINY, **more}).fit(X, y).predict_proba(X_new)


@pytest.mark.parametrize("kind", ["pandas", "sparse array", "sparse matrix", "float32", "lists"])
def test_rows_in_any_form_give_the_same(kind):
    make = {
        "pandas": lambda rows: pd.DataFrame(rows).add_prefix("pixel"),
        "sparse array": sparse.csr_array,
        "sparse matrix": sparse.csc_matrix,
        "float32": lambda rows: rows.astype(np.float32),
        "lists": lambda rows: rows.tolist(),
    }[kind]
    found = scores_after(make(X), y, make(X_NEW))
    np.testing.assert_allclose(found, scores_after(X, y), atol=1e-4)


@pytest.mark.parametrize("learner", [WAN(**TINY), MIME(**TINY, code_size=4)])
def test_rows_that_stay_sparse_give_the_same(monkeypatch, learner):
    learner.set_params(standardise=False)
    dense = learner.fit(X, y).predict_proba(X_NEW)
    monkeypatch.setattr(rows_module, "DENSE_BYTES", 0)
    found = learner.fit(sparse.csr_array(X), y).predict_proba(sparse.csr_array(X_NEW))
    np.testing.assert_allclose(found, dense, atol=1e-4)


def test_features_of_any_scale_give_the_same_unless_told_otherwise():
    stretched = np.linspace(1, 100, X.shape[1])
    found = scores_after(X * stretched + 7, y, X_NEW * stretched + 7)
    np.testing.assert_allclose(found, scores_after(X, y), atol=1e-3)
    raw = scores_after(X * stretched, y, X_NEW * stretched, standardise=False)
    assert np.abs(raw - scores_after(X, y, standardise=False)).max() > 0.05


@pytest.mark.parametrize("unit", [1e-15, 1e15])
def test_units_do_not_matter(unit):
    found = scores_after(X * unit, y, X_NEW * unit)
    np.testing.assert_allclose(found, scores_after(X, y), atol=1e-3)


def test_names_stand_for_columns_and_labels_never_observed_keep_theirs():
    names = np.array([f"digit {k}" for k in range(10)])
    labels = as_labels(names[y], classes=[*names, "letter"])
    learner = WAN(**TINY).fit(X, labels)
    assert learner.classes_.tolist() == [*names, "letter"]
    assert learner.predict_proba(X_NEW).shape == (70, 11)
    assert set(learner.predict(X_NEW)) <= set(names)


def test_more_than_one_positive_a_row():
    learner = WAN(**{**TINY, "epochs": 10}).fit(X, Y)
    found = learner.predict(X_NEW)
    assert found.shape == (70, 10)
    assert set(np.unique(found)) <= {0, 1}
    assert average_precision(Y_NEW, learner.predict_proba(X_NEW)) > 0.5


def test_labels_marked_as_absent_count_as_unknown_and_a_warning_says_so():
    known = np.zeros((200, 10), dtype=int)
    known[np.arange(200), y] = 1
    marked = known.copy()
    marked[np.arange(200), (y + 1) % 10] = -1
    meaning = {0: "unknown", -1: "negative"}
    with pytest.warns(LAMCWarning, match=r"200 labels as absent, which WAN does not use") as told:
        found = scores_after(X, as_labels(marked, meaning=meaning))
    assert told[0].filename == __file__
    np.testing.assert_array_equal(found, scores_after(X, as_labels(known, knowledge="some")))


@pytest.mark.parametrize("learner", [ROLE, EPR, SMILE, Blend])
def test_the_warning_points_at_the_users_line_whatever_lies_between(learner):
    marked = np.zeros((200, 10), dtype=int)
    marked[np.arange(200), y] = 1
    marked[np.arange(200), (y + 1) % 10] = -1
    labels = as_labels(marked, meaning={0: "unknown", -1: "negative"})
    settings = {"effort": "fast"} if learner is Blend else {"epochs": 1, "learning_rate": 1e-3}
    words = f"200 labels as absent, which {learner.__name__} does not use"
    with pytest.warns(LAMCWarning, match=words) as told:
        learner(**settings).fit(X, labels)
    assert {each.filename for each in told if each.category is LAMCWarning} == {__file__}


def test_bad_labels_and_rows_are_refused_with_the_way_out():
    lists = [[int(label)] for label in y]
    lists[3] = []
    with pytest.raises(LabelError, match=r"(?s)[Rr]ow 3.*no observed label.*WAN"):
        WAN(**TINY).fit(X, lists)
    with pytest.raises(LabelError, match="199 rows, but X has 200"):
        WAN(**TINY).fit(X, y[:-1])
    with pytest.raises(LabelError, match="at least two labels"):
        WAN(**TINY).fit(X, np.zeros(200, dtype=int))
    with pytest.raises(NotFittedError):
        WAN(**TINY).predict_proba(X)
    with pytest.raises(ValueError, match="features"):
        WAN(**TINY).fit(X, y).predict_proba(X[:, 1:])


# -- validation ----------------------------------------------------------------------------------


def test_clean_validation_labels_choose_by_average_precision():
    rates = (1e-5, 1e-2)
    learner = WAN(**{**TINY, "learning_rate": rates, "epochs": 5}).fit(X, y, X_VAL, Y_VAL)
    (chosen,) = learner.selection_
    assert "average precision" in chosen["criterion"]
    assert chosen["learning_rate"] == 1e-2
    assert set(chosen["values"]) == {*rates}
    assert chosen["value"] == max(max(values) for values in chosen["values"].values())
    found = average_precision(Y_VAL, learner.predict_proba(X_VAL))
    assert found == pytest.approx(chosen["value"], abs=1e-4)


def test_observed_validation_labels_choose_by_their_likelihood():
    y_val = observe(Y_VAL, random_state=0).index()
    learner = WAN(**TINY).fit(X, y, X_VAL, y_val)
    (chosen,) = learner.selection_
    assert "observed label" in chosen["criterion"]
    scores = learner.predict_proba(X_VAL)
    found = []
    for power in np.linspace(1e-3, 2, 2000):
        raised = (scores / (1 - scores)) ** power
        share = raised / raised.sum(axis=1, keepdims=True)
        found.append(np.log(share[np.arange(len(y_val)), y_val]).mean())
    assert max(found) == pytest.approx(chosen["value"], abs=1e-4)


def test_a_held_out_part_is_judged_by_observed_labels_only():
    hidden_truth = as_labels(Y, knowledge="all")
    learner = WAN(**TINY).fit(X, hidden_truth)  # even if all labels are known
    assert "observed label" in learner.selection_[0]["criterion"]


def test_without_validation_all_rows_are_trained_on_and_the_last_epoch_is_kept():
    learner = WAN(**TINY, validation_size=0).fit(X, y)
    assert learner.selection_[0]["criterion"] == "the last epoch"
    assert learner.selection_[0]["epoch"] == 2
    with pytest.raises(SettingError, match=r"(?s)2 learning rates.*Give one rate"):
        WAN(**{**TINY, "learning_rate": (1e-3, 1e-2)}, validation_size=0).fit(X, y)


def test_rows_are_left_to_train_on_however_many_are_held_out():
    assert WAN(**TINY, validation_size=0.99).fit(X[:3], [0, 1, 2]).selection_[0]["epoch"] > 0


def test_one_part_of_a_validation_set_is_refused():
    with pytest.raises(LabelError, match="both X_val and Y_val"):
        WAN(**TINY).fit(X, y, X_VAL)
    with pytest.raises(LabelError, match="49 rows, but X_val has 50"):
        WAN(**TINY).fit(X, y, X_VAL, Y_VAL[:49])


# -- several networks ----------------------------------------------------------------------------


def test_an_ensemble_averages_the_scores_of_its_models():
    learner = AN(**TINY, n_models=3).fit(X, y)
    assert [weight.shape[0] for weight in learner.weights_] == [3] * 4
    assert len(learner.selection_) == 3
    rows = learner.scale_.transform(X_NEW)
    single = []
    for W1, b1, W2, b2 in zip(*learner.weights_, strict=True):
        single.append(1 / (1 + np.exp(-(np.maximum(rows @ W1 + b1, 0) @ W2 + b2))))
    np.testing.assert_allclose(learner.predict_proba(X_NEW), np.mean(single, axis=0), atol=1e-5)
    assert np.ptp(single, axis=0).max() > 0.01


def test_runs_are_fitted_together_as_apart():
    learner = WAN(**{**TINY, "learning_rate": (1e-3, 1e-2)}, n_models=2)
    runs = learner.fit_runs(X, y, seeds=[4, 7])
    assert [run.random_state for run in runs] == [4, 7]
    for run in runs:
        alone = clone(learner).set_params(random_state=run.random_state).fit(X, y)
        np.testing.assert_allclose(run.predict_proba(X_NEW), alone.predict_proba(X_NEW), atol=1e-5)
        assert run.selection_[0]["learning_rate"] == alone.selection_[0]["learning_rate"]
    with pytest.raises(NotFittedError):
        learner.predict_proba(X_NEW)


def test_a_rate_given_twice_is_trained_once():
    twice = WAN(**{**TINY, "learning_rate": (1e-3, 1e-2, 1e-3)}).fit(X, y)
    once = WAN(**{**TINY, "learning_rate": (1e-3, 1e-2)}).fit(X, y)
    assert twice.selection_ == once.selection_
    assert twice.predict_proba(X_NEW).tobytes() == once.predict_proba(X_NEW).tobytes()


def test_the_same_seed_gives_the_same_bytes():
    first, second = (WAN(**TINY).fit(X, y).predict_proba(X_NEW).tobytes() for _ in range(2))
    assert first == second
    assert scores_after(X, y, random_state=1).tobytes() != first


# -- how it is run -------------------------------------------------------------------------------


def test_threads_are_put_back():
    before = torch.get_num_threads()
    during = []

    class Watching(WAN):
        def _method(self, group):
            during.append(torch.get_num_threads())
            return super()._method(group)

    Watching(**{**TINY, "n_threads": before + 1}).fit(X, y)
    assert during == [before + 1]
    assert torch.get_num_threads() == before
    with pytest.raises(TrainingError):
        Watching(**{**TINY, "n_threads": before + 1, "learning_rate": 1e30}).fit(X, y)
    assert torch.get_num_threads() == before


def test_a_loss_that_is_no_number_is_told_with_a_way_out():
    with pytest.raises(TrainingError, match=r"(?s)epoch 1, batch [23]\b.*rate 1e\+30.*values in X"):
        WAN(**{**TINY, "learning_rate": 1e30}).fit(X, y)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_values_too_large_to_compute_with_are_named(make):
    large = X.copy()
    large[3, 7] = 1e300
    learner = WAN(**TINY, standardise=False)
    with pytest.raises(FeatureError, match=r"Row 3 of X has 1e\+300 in column 7"):
        learner.set_params(validation_size=0).fit(make(large), y)
    with pytest.raises(FeatureError, match=r"Row 3 of X has 1e\+300 in column 7"):
        learner.set_params(validation_size=0.9).fit(make(large), y)
    with pytest.raises(FeatureError, match=r"Row 3 of X_val has 1e\+300 in column 7"):
        learner.fit(X, y, make(large), Y)
    learner.fit(X, y)
    with pytest.raises(FeatureError, match=r"Row 3 of X has 1e\+300 in column 7"):
        learner.predict_proba(make(large))


def test_the_place_is_right_in_any_block_of_rows(monkeypatch):
    monkeypatch.setattr("lamc.learners.network._ROWS_AT_ONCE", 50)
    learner = WAN(**TINY, standardise=False).fit(X, y)
    large = X.copy()
    large[173, 7] = 1e300
    with pytest.raises(FeatureError, match=r"Row 173 of X has 1e\+300 in column 7"):
        learner.predict_proba(large)


def test_sparse_rows_are_made_dense_in_blocks(monkeypatch):
    learner = WAN(**TINY).fit(sparse.csr_array(X), y)
    whole = learner.predict_proba(X)
    monkeypatch.setattr("lamc.learners.network._ROWS_AT_ONCE", 30)
    blocks, transform = [], type(learner.scale_).transform
    monkeypatch.setattr(
        type(learner.scale_),
        "transform",
        lambda self, rows: blocks.append(rows.shape[0]) or transform(self, rows),
    )
    assert learner.predict_proba(sparse.csr_array(X)).tobytes() == whole.tobytes()
    assert sum(blocks) == 200
    assert max(blocks) == 30


def test_scores_near_one_are_told_apart():
    learner = WAN(**TINY).fit(X, y)
    learner.weights_ = [np.zeros_like(each) for each in learner.weights_]
    learner.weights_[3][:] = np.linspace(16, 34, 10)
    scores = learner.predict_proba(X[:1])[0]
    assert (np.diff(scores) > 0).all()
    assert scores[-1] < 1
    np.testing.assert_allclose(1 - scores, np.exp(-learner.weights_[3].ravel()), rtol=1e-1)


@pytest.mark.parametrize("make", [WAN, MLML, Blend], ids=lambda make: make.__name__)
def test_a_matrix_of_labels_is_scored_by_its_ranking(make):
    marks = np.zeros(Y.shape, dtype=int)
    marks[np.arange(200), y] = 1
    learner = make(**(TINY if make is WAN else {})).fit(X, marks)
    found = learner.score(X_NEW, Y_NEW.toarray().astype(int))
    assert found == pytest.approx(average_precision(Y_NEW, learner.predict_proba(X_NEW)))
    with pytest.raises(LabelError, match="takes no weights"):
        learner.score(X_NEW, Y_NEW.toarray().astype(int), np.ones(70))


def test_one_label_a_row_is_scored_by_accuracy():
    learner = WAN(**TINY).fit(X, y)
    assert learner.score(X, y) == np.mean(learner.predict(X) == y)
    weights = np.arange(200)
    expected = np.average(learner.predict(X) == y, weights=weights)
    assert learner.score(X, y, weights) == pytest.approx(expected)
    truth = [row.tolist() for row in np.split(Y_NEW.indices, Y_NEW.indptr[1:-1])]
    as_matrix = learner.score(X_NEW, Y_NEW.toarray().astype(int))
    for form in (truth, [set(row) for row in truth], pd.Series(truth)):
        assert learner.score(X_NEW, form) == pytest.approx(as_matrix)
    with pytest.warns(LAMCWarning, match="labels that training never met: 99"):
        assert learner.score(X, np.where(np.arange(len(y)) == 0, 99, y)) < 1


def test_where_nothing_is_compared_there_is_no_value(capsys):
    learner = WAN(**TINY, validation_size=0, verbose=True).fit(X, y)
    assert learner.selection_[0]["value"] is None
    assert "best" not in capsys.readouterr().err


def test_a_fit_that_fails_leaves_nothing_of_the_one_before(monkeypatch):
    learner = WAN(**TINY).fit(X, y)

    def interrupted(self, group):
        raise KeyboardInterrupt

    monkeypatch.setattr(WAN, "_method", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X * 50 + 3, y)
    with pytest.raises(NotFittedError):
        learner.predict_proba(X_NEW)


def test_a_validation_set_without_labels_is_refused():
    with pytest.raises(LabelError, match="No row of the validation set has a label"):
        WAN(**TINY).fit(X, y, X_VAL, np.zeros((len(X_VAL), 10), dtype=int))


def test_an_interruption_leaves_a_fitted_learner(monkeypatch):
    from lamc.learners.selection import ObservedLikelihood

    plain, calls = ObservedLikelihood.values, []

    def interrupted(self, scores):
        calls.append(None)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return plain(self, scores)

    monkeypatch.setattr(ObservedLikelihood, "values", interrupted)
    learner = WAN(**{**TINY, "epochs": 50})
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    assert len(learner.selection_[0]["values"][1e-2]) == 3
    assert learner.predict_proba(X_NEW).shape == (70, 10)


def test_progress_is_shown_if_asked_for(capsys):
    WAN(**TINY).fit(X, y)
    assert capsys.readouterr().err == ""
    WAN(**TINY, verbose=True).fit(X, y)
    assert "WAN: epoch 2 of 1 networks" in capsys.readouterr().err


# -- in LAMC, and in files -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [WAN(**TINY, n_models=2), MIME(**TINY, code_size=4), APL(**TINY), Softmax(**TINY)],
    ids=lambda learner: type(learner).__name__,
)
def test_a_model_is_saved_and_loaded(tmp_path, learner):
    clf = LAMC(learner, rule="selective", alpha=0.5, random_state=0)
    clf.fit(X, y, X_cal=X_VAL, Y_cal=Y_VAL)
    clf.save(tmp_path / "model.lamc")
    loaded = load(tmp_path / "model.lamc")
    np.testing.assert_array_equal(loaded.predict_proba(X_NEW), clf.predict_proba(X_NEW))
    np.testing.assert_array_equal(loaded.predict(X_NEW), clf.predict(X_NEW))
    assert loaded.estimator_.selection_ == clf.estimator_.selection_


def test_pairs_may_be_arrays():
    one, two = GR(**TINY, slope=(0.0, 2.0)), GR(**TINY, slope=np.array([0.0, 2.0]))
    assert one.fit(X, y).predict_proba(X).tobytes() == two.fit(X, y).predict_proba(X).tobytes()


def test_automatic_casts_of_the_caller_do_not_reach_it():
    expected = WAN(**TINY).fit(X, y).predict_proba(X)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = WAN(**TINY).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(found, expected)
