"""What is passed on to the scorer: weights, validation rows, checkpoints, texts."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lamc import LAMC
from lamc.containers import traces
from lamc.exceptions import LAMCWarning, SettingError
from lamc.learners import WAN

from .woods import LINEAR, X_CAL, X_NEW, Y_CAL, Y_NEW, X, fitted, y


def test_weights_of_rows_are_parted_as_rows_are():
    weights = np.where(np.arange(len(X)) % 2, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression(max_iter=1000).set_fit_request(sample_weight=True)
        with pytest.warns(LAMCWarning, match="observed labels only"):
            clf = LAMC(inner, random_state=0).fit(X, y, sample_weight=weights)
    train = np.isin(traces(X), clf.training_rows_)
    alone = LogisticRegression(max_iter=1000).fit(X[train], y[train], weights[train])
    np.testing.assert_allclose(clf.predict_proba(X_NEW), alone.predict_proba(X_NEW))


def test_validation_rows_pass_through_any_pipeline(tmp_path):
    def network():
        return WAN(epochs=1, learning_rate=1e-3, random_state=0)

    plain = LAMC(network(), random_state=0)
    alone = LAMC(make_pipeline(network()), random_state=0)
    for clf in (plain, alone):
        clf.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL, X_val=X_NEW, Y_val=Y_NEW)
    np.testing.assert_array_equal(alone.predict_proba(X_NEW), plain.predict_proba(X_NEW))
    scores = []
    for memory in (None, str(tmp_path)):
        steps = make_pipeline(StandardScaler(), network(), memory=memory)
        clf = LAMC(steps, random_state=0)
        clf.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL, X_val=X_NEW, Y_val=Y_NEW)
        scores.append(clf.predict_proba(X_NEW))
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("given", [{}, {"X_cal": X_CAL, "Y_cal": Y_CAL}], ids=["held out", "given"])
def test_a_checkpoint_asks_for_a_seed(tmp_path, given):
    network = WAN(epochs=1, learning_rate=1e-3, checkpoint=tmp_path / "states")
    with pytest.raises(SettingError, match="random_state=None draws anew"):
        LAMC(network).fit(X, y, **given)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Calibrated on observed labels")
        first, again = (LAMC(network, random_state=0).fit(X, y, **given) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(X_NEW), again.predict_proba(X_NEW))


def test_texts_of_a_column_are_classified():
    texts = pd.Series(["an oak leaf", "an elm leaf", "a fir cone"] * 40, index=range(7, 127))
    names = np.array(["oak", "elm", "fir"] * 40)
    clf = LAMC(make_pipeline(TfidfVectorizer(), LogisticRegression()), alpha=0.2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LAMCWarning)
        clf.fit(texts, names)
    found = clf.decide(texts.iloc[:3], as_frame=True)
    assert found[["oak", "elm", "fir"]].to_numpy().tolist() == np.eye(3, dtype=int).tolist()


def test_copies_to_calibrate_on_are_warned_of():
    """Nine positives that are three things promise what three do."""
    thrice = np.repeat(np.arange(100), 3)
    with pytest.warns(LAMCWarning, match=r"\d+ of the \d+ labels to calibrate on are copies"):
        LAMC(LINEAR).fit(X, y, X_cal=X_CAL[thrice], Y_cal=Y_CAL[thrice])
    clf = fitted()
    with pytest.warns(LAMCWarning, match="are copies: another row has the same features"):
        clf.calibrate(X_CAL[thrice], Y_CAL[thrice])


def test_equal_rows_with_labels_of_their_own_are_no_copies():
    """A line for each label of a thing; and features that take few values."""
    row, label = np.nonzero(Y_CAL)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*are copies")
        warnings.filterwarnings("ignore", "Calibrated on observed labels")
        warnings.filterwarnings("ignore", ".*the same features as a row")
        fitted().calibrate(X_CAL[row], label)
        few = np.round(X_CAL[:, :1]) @ np.ones((1, 6))
        clf = LAMC(LINEAR).fit(few, y, X_cal=few, Y_cal=Y_CAL)
        clf.calibrate(few, Y_CAL)
