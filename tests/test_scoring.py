"""What estimators learn from, and what they answer, in whatever they are wrapped."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from lamc import LAMC, as_labels
from lamc.exceptions import ScorerError
from lamc.scoring import scores_of

RNG = np.random.default_rng(0)
Y = RNG.random((240, 3)) < 0.3
Y[np.arange(240), RNG.integers(3, size=240)] = True
X = RNG.normal(size=(240, 4)) + Y @ RNG.normal(size=(3, 4))
SEVERAL = as_labels(Y, knowledge="some")
ONE = np.array(["ash", "elm", "oak"])[[RNG.choice(np.flatnonzero(row)) for row in Y]]
EACH_LABEL = MultiOutputClassifier(LogisticRegression())


def fitted(estimator, labels):
    """A classifier that calibrates on all labels, and trains on those given."""
    Y_cal = pd.get_dummies(labels) if isinstance(labels, np.ndarray) else Y
    Y_cal = as_labels(Y_cal, knowledge="all")
    return LAMC(estimator, random_state=0).fit(
        X[:200], labels[:200], X_cal=X[200:], Y_cal=Y_cal[200:]
    )


def leaves_rows_out(rows):
    return 1 / (1 + np.exp(-rows.dropna().to_numpy()[:, :3]))


@pytest.mark.parametrize("answer", ["decide", "predict", "predict_p", "predict_proba"])
def test_scores_of_fewer_rows_are_not_taken_for_the_first_rows(answer):
    rows = pd.DataFrame(X)
    clf = LAMC(leaves_rows_out, alpha=0.2).fit(rows, as_labels(Y, knowledge="all"))
    new = rows[:6].copy()
    new.iloc[0, 0] = np.nan
    with pytest.raises(ScorerError, match="5 rows of scores for 6 rows"):
        getattr(clf, answer)(new)


@pytest.mark.parametrize("frozen", [False, True])
def test_values_of_pairs_of_labels_are_not_taken_for_labels(frozen):
    """Of three labels there are three pairs."""
    in_pairs = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    scorer = FrozenEstimator(in_pairs.fit(X, ONE)) if frozen else in_pairs
    with pytest.raises(ScorerError, match=r"'ovo'.* compares labels by twos(?s:.*)'ovr'"):
        LAMC(scorer).fit(X, ONE)
    two = np.where(ONE == "oak", "oak", "other")
    fitted(SVC(decision_function_shape="ovo"), two)  # of two there is one pair


@pytest.mark.parametrize(
    "wrapped",
    [
        make_pipeline("passthrough", EACH_LABEL),
        GridSearchCV(EACH_LABEL, {"estimator__C": [1.0]}, cv=2),
    ],
    ids=["pipeline", "search"],
)
@pytest.mark.parametrize("labels", [SEVERAL, ONE], ids=["several", "one"])
def test_what_learns_each_label_does_so_in_pipelines_and_searches(wrapped, labels):
    bare = fitted(EACH_LABEL, labels)
    found = fitted(wrapped, labels)
    assert found.classes_.tolist() == bare.classes_.tolist()
    np.testing.assert_array_equal(found.predict_proba(X), bare.predict_proba(X))


@pytest.mark.parametrize("steps", [False, True])
def test_one_against_the_rest_learns_several_labels_a_row(steps):
    rest = OneVsRestClassifier(LogisticRegression())
    clf = fitted(make_pipeline(rest) if steps else rest, SEVERAL)
    each = fitted(EACH_LABEL, SEVERAL)
    np.testing.assert_allclose(clf.predict_proba(X), each.predict_proba(X))


def test_a_function_may_answer_with_tensors_that_numpy_does_not_have():
    def score(rows):
        return torch.sigmoid(torch.tensor(rows[:, :3], requires_grad=True)).bfloat16()

    found = scores_of(score, X, np.arange(3), by_position=True)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-X[:, :3])), rtol=1 / 128)


def test_of_two_classes_a_decision_function_scores_the_second():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    svc = LinearSVC().fit(rows, np.where(rows[:, 0] > 0, "oak", "elm"))
    scores = scores_of(svc, rows, svc.classes_, by_position=False)
    np.testing.assert_allclose(scores[:, 1], 1 / (1 + np.exp(-svc.decision_function(rows))))
    np.testing.assert_allclose(scores.sum(axis=1), 1)


def test_an_output_that_never_saw_its_label_scores_it_0():
    rng = np.random.default_rng(0)
    rows, marks = rng.normal(size=(60, 3)), rng.integers(2, size=(60, 4))
    marks[:, 2] = 0
    forest = RandomForestClassifier(5, random_state=0).fit(rows, marks)
    assert (scores_of(forest, rows, np.arange(4), by_position=True)[:, 2] == 0).all()
