"""Which labels there are, and labels that could be taken for others."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

from lamc import LAMC, Calibrator, as_labels, load
from lamc.exceptions import LabelError, LAMCWarning, ScorerError

from .woods import LINEAR, NAMES, X_CAL, X_NEW, Y_CAL, Y_NEW, X, Y, sigmoid_scores, y

# -- which labels there are ------------------------------------------------------------------------


def test_labels_never_seen_in_training_come_from_the_calibration_set():
    seen = y != 3
    clf = LAMC(LINEAR).fit(X[seen], y[seen], X_cal=X_CAL, Y_cal=Y_CAL)
    assert clf.classes_.tolist() == [0, 1, 2, 3]
    assert (clf.predict_proba(X_NEW)[:, 3] == 0).all()


def test_columns_without_names_are_the_labels_in_the_order_that_was_given():
    names = NAMES[[2, 0, 3, 1]]
    given = as_labels(NAMES[y], classes=names)
    clf = LAMC(LINEAR).fit(X, given, X_cal=X_CAL, Y_cal=Y_CAL[:, [2, 0, 3, 1]])
    named = LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL, columns=NAMES))
    np.testing.assert_array_equal(clf.classes_, names)
    np.testing.assert_array_equal(clf.thresholds_, named.thresholds_[[2, 0, 3, 1]])


@pytest.mark.parametrize(
    "fit",
    [
        lambda: LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=Y_CAL),
        lambda: LAMC(LINEAR).fit(X, 10 * y, X_cal=X_CAL, Y_cal=Y_CAL),
        lambda: LAMC(sigmoid_scores).fit(X, NAMES[y]),
        lambda: LAMC(sigmoid_scores).fit(X, y + 1),
        lambda: LAMC(FrozenEstimator(LogisticRegression().fit(X, y))).fit(X_CAL, NAMES[y]),
        lambda: LAMC(FrozenEstimator(KNeighborsClassifier().fit(X, Y))).fit(X_CAL, NAMES[y]),
    ],
    ids=["cal", "numbers", "function", "from 1", "frozen", "frozen, of several outputs"],
)
def test_columns_without_names_beside_names_in_no_order_are_refused(fit):
    numbers = "(4 columns without names|numbered from 0 to 3)"
    with pytest.raises(LabelError, match=rf"are {numbers} in another; which is which is not said"):
        fit()


def test_numbers_beside_names_are_not_told_to_be_columns():
    lists = [np.flatnonzero(row).tolist() for row in Y_CAL]
    for names in (NAMES, np.arange(4).astype(str)):
        with pytest.raises(LabelError, match=r"numbered from 0 to 3 in another(?s:.*)Call them al"):
            LAMC(LINEAR).fit(X, names[y], X_cal=X_CAL, Y_cal=lists)


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_a_model_that_knows_names_only_sorted_takes_no_matrix_without_names(tmp_path):
    sorted_only = LAMC(LINEAR, random_state=0).fit(X, NAMES[y])
    sorted_only.save(tmp_path / "m.lamc")
    for clf in (sorted_only, load(tmp_path / "m.lamc")):
        for use in (clf.calibrate, clf.score):
            with pytest.raises(LabelError, match=r"4 columns without names .* which is not said"):
                use(X_CAL, Y_CAL)
    named = pd.DataFrame(Y_CAL, columns=NAMES)
    in_order = LAMC(LINEAR, random_state=0).fit(X, as_labels(NAMES[y], classes=NAMES))
    assert in_order.score(X_CAL, Y_CAL) == sorted_only.score(X_CAL, named)
    np.testing.assert_array_equal(
        in_order.calibrate(X_CAL, Y_CAL).thresholds_,
        sorted_only.calibrate(X_CAL, named).thresholds_,
    )


def test_an_estimator_that_learnt_a_matrix_knows_columns_and_not_names():
    """Its classes_ are 0, 1, 2, 3, which here are also names of labels, in another order."""
    order = [2, 0, 3, 1]
    several = pd.DataFrame(Y[:, order], columns=order)
    clf = LAMC(MLPClassifier((8,), solver="lbfgs", max_iter=2000, alpha=1, random_state=0)).fit(
        X, several, X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL[:, order], columns=order)
    )
    scores = clf.predict_proba(X_NEW)
    for column, label in enumerate(clf.classes_):
        of_label = Y_NEW[:, label]
        assert scores[of_label, column].mean() > scores[~of_label, column].mean() + 0.2


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_the_classes_of_a_frozen_estimator_are_its_labels():
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    clf = LAMC(frozen).fit(X_CAL, np.where(y == 0, 4, y))  # 4 is a label that it never saw
    np.testing.assert_array_equal(clf.classes_, np.arange(5))
    np.testing.assert_array_equal(clf.predict_proba(X_NEW)[:, :4], frozen.predict_proba(X_NEW))
    assert (clf.predict_proba(X_NEW)[:, 4] == 0).all()


def test_columns_of_a_frame_are_matched_by_name():
    turned = pd.DataFrame(Y_CAL[:, ::-1], columns=NAMES[::-1])
    clf = LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=turned)
    straight = LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=pd.DataFrame(Y_CAL, columns=NAMES))
    by_name = dict(zip(clf.classes_, clf.thresholds_, strict=True))
    assert [by_name[name] for name in straight.classes_] == straight.thresholds_.tolist()


def test_numbers_and_names_that_do_not_match_are_refused():
    with pytest.raises(LabelError, match=r"8 columns without names in another"):
        LAMC(LINEAR).fit(X, NAMES[y], X_cal=X_CAL, Y_cal=np.c_[Y_CAL, Y_CAL])


# -- labels that could be taken for others ---------------------------------------------------------


def many_labels(n: int, k: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = np.eye(k, dtype=bool)[np.arange(n) % k] | (rng.random((n, k)) < 0.05)
    return Y + 0.3 * rng.normal(size=Y.shape), Y


def test_digits_as_text_are_not_taken_for_numbers_of_columns():
    """Sorted as text they are 0, 1, 10, 11, ...; numpy finds numbers among many texts."""
    X, Y = many_labels(400)
    y = np.array([str(row.argmax()) for row in Y])
    frozen = FrozenEstimator(LINEAR.__class__(max_iter=2000).fit(X, Y.argmax(axis=1)))
    for fit in (
        lambda: LAMC(clone(LINEAR)).fit(X, y, X_cal=X, Y_cal=Y),
        lambda: LAMC(lambda X: np.clip(X, 0, 1)).fit(X, y),
        lambda: LAMC(frozen).fit(X, y),
    ):
        with pytest.raises(LabelError, match="in one place, and"):
            fit()


def test_a_function_that_names_its_columns_is_taken_at_its_word():
    turned = NAMES[::-1]

    def named(X):
        return pd.DataFrame(sigmoid_scores(X), columns=NAMES)[turned]

    clf = LAMC(named).fit(X_CAL, pd.DataFrame(Y_CAL, columns=NAMES))
    expected = Calibrator().fit(sigmoid_scores(X_CAL), Y_CAL)
    np.testing.assert_array_equal(clf.classes_, NAMES)
    np.testing.assert_array_equal(clf.thresholds_, expected.thresholds_)
    with pytest.warns(LAMCWarning, match="observed labels only"):
        single = LAMC(named).fit(X_CAL, NAMES[Y_CAL.argmax(axis=1)])
    np.testing.assert_array_equal(
        single.predict_proba(X_NEW, as_frame=True)[NAMES], sigmoid_scores(X_NEW)
    )


def test_sparse_scores_of_a_function_are_refused_in_plain_words():
    with pytest.raises(ScorerError, match="gave a sparse matrix of scores"):
        LAMC(lambda X: sparse.csr_array(sigmoid_scores(X))).fit(X_CAL, as_labels(Y_CAL))


@pytest.mark.parametrize("values", [("no", "yes"), (1, 2)])
def test_outputs_that_do_not_say_which_class_is_the_label_are_refused(values):
    inner = MultiOutputClassifier(LINEAR).fit(X, np.array(values)[Y.astype(int)])
    with pytest.raises(ScorerError, match="which of them says that the label is there"):
        LAMC(FrozenEstimator(inner)).fit(X_CAL, as_labels(Y_CAL))


def test_outputs_of_minus_one_and_one_are_labels():
    inner = MultiOutputClassifier(LINEAR).fit(X, 2 * Y.astype(int) - 1)
    clf = LAMC(FrozenEstimator(inner)).fit(X_CAL, as_labels(Y_CAL))
    assert (clf.predict_proba(X_NEW)[Y_NEW].mean()) > 0.6


def test_decision_values_that_become_equal_are_warned_of():
    huge = LinearSVC().fit(1e3 * X, y)
    huge.coef_ *= 1e3
    with pytest.warns(LAMCWarning, match=r"LinearSVC has decision values up to .* Scale the"):
        LAMC(FrozenEstimator(huge)).fit(1e3 * X_CAL, as_labels(Y_CAL))
