"""How training is run: parameters, broken numbers, interruptions, threads, progress."""

import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from torch import nn

from lamc import losses
from lamc.exceptions import ScorerError, SettingError, TrainingError
from lamc.labels import as_labels
from lamc.learners import Network
from lamc.learners.progress import Progress
from lamc.learners.selection import ObservedLikelihood

from .scenes import FAST, X_NEW, X, Y, mlp, y


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("epochs", 0, "whole number from 1"),
        ("batch_size", 2.5, "whole number from 1"),
        ("learning_rate", (1e-3, -1.0), "numbers above 0"),
        ("learning_rate", (), "numbers above 0"),
        ("weight_decay", -0.1, "a number from 0"),
        ("n_models", 0, "whole number from 1"),
        ("validation_size", 1.0, "below 1"),
        ("patience", 0, "or None"),
        ("n_threads", 0, "or None"),
        ("device", "abacus", "'cpu'"),
        ("optimiser", "adagrad", "'adamw', 'sgd'"),
        ("activation", "relu", "'sigmoid' or 'softmax'"),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value, expected):
    with pytest.raises(SettingError) as refusal:
        Network(mlp, **{**FAST, name: value}).fit(X, y)
    assert f"{name}={value!r}" in str(refusal.value)
    assert expected in str(refusal.value)


def test_a_loss_that_is_no_number_is_told_with_epoch_batch_and_rate():
    def breaking(logits, observed, epoch):
        value = losses.an(logits, observed)
        return value * np.nan if epoch == 2 else value

    with pytest.raises(TrainingError, match=r"(?s)epoch 2, batch 1, with learning rate 0.01"):
        Network(mlp, loss=breaking, **FAST).fit(X, y)


def test_weights_that_are_no_numbers_are_not_kept():
    network = Network(mlp, optimiser="sgd", **{**FAST, "learning_rate": 1e38}, batch_size=200)
    with pytest.raises(TrainingError, match=r"(?s)Weights.*after epoch 1.*rate 1e\+38.*lower rate"):
        network.set_params(validation_size=0, epochs=1, weight_decay=1e38).fit(X, y)


def test_infinite_masks_are_no_broken_weights():
    class Masked(nn.Linear):
        def __init__(self):
            super().__init__(256, 10)
            self.register_buffer("mask", torch.full((3, 3), -torch.inf).triu(1))

    assert Network(Masked, **FAST).fit(X, y).selection_[0]["epoch"] > 0


def test_rows_that_get_no_score_are_told():
    network = Network(mlp, **FAST).fit(torch.from_numpy(X), y)
    broken = torch.from_numpy(X_NEW).clone()
    broken[4, 0] = torch.nan
    with pytest.raises(ScorerError, match=r"(?s)no number for row 4"):
        network.predict_proba(broken)


def test_an_interruption_leaves_a_fitted_learner(monkeypatch):
    plain, calls = ObservedLikelihood.values, []

    def interrupted(self, scores):
        calls.append(None)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return plain(self, scores)

    monkeypatch.setattr(ObservedLikelihood, "values", interrupted)
    network = Network(mlp, **{**FAST, "epochs": 50})
    with pytest.raises(KeyboardInterrupt):
        network.fit(X, y)
    assert len(network.selection_[0]["values"][1e-2]) == 3
    assert network.predict_proba(X_NEW).shape == (60, 10)


def test_an_interruption_before_the_first_epoch_leaves_nothing():
    def interrupted(logits, observed):
        raise KeyboardInterrupt

    network = Network(mlp, loss=interrupted, **FAST)
    with pytest.raises(KeyboardInterrupt):
        network.fit(X, y)
    with pytest.raises(NotFittedError):
        network.predict_proba(X_NEW)


def test_threads_are_put_back():
    before, during = torch.get_num_threads(), []

    def watching(logits, observed):
        during.append(torch.get_num_threads())
        return losses.an(logits, observed)

    Network(mlp, loss=watching, **{**FAST, "n_threads": before + 1}).fit(X, y)
    assert set(during) == {before + 1}
    assert torch.get_num_threads() == before


def test_progress_is_shown_if_asked_for(capsys):
    Network(mlp, **FAST).fit(X, y)
    assert capsys.readouterr().err == ""
    Network(mlp, **FAST, verbose=True).fit(X, y)
    assert "Network: epoch 2 of 1 networks" in capsys.readouterr().err


def test_progress_ends_full_whatever_patience_leaves_out(monkeypatch):
    seen = []
    monkeypatch.setattr(Progress, "__exit__", lambda self, *error: seen.append(self.done))
    settings = {**FAST, "epochs": 30, "learning_rate": (0.1, 0.1, 0.2)}
    network = Network(mlp, **settings, patience=1, verbose=True, n_models=2).fit(X, y)
    assert all(len(values) < 30 for values in network.selection_[0]["values"].values())
    assert seen == [30 * 2 * 2]


@pytest.mark.parametrize(
    ("loss", "labels", "advice"),
    [
        (nn.BCEWithLogitsLoss(), y, "one_hot(observed, logits.shape[1]).to(logits)"),
        (nn.BCEWithLogitsLoss(), Y.toarray(), "yours(logits, observed.to(logits))"),
        (nn.MultiLabelSoftMarginLoss(), y, "the number of the observed label of each row"),
    ],
)
def test_a_loss_that_takes_other_labels_is_told_with_a_way_out(loss, labels, advice):
    observed = as_labels(labels, knowledge="some") if np.ndim(labels) == 2 else labels
    with pytest.raises(TrainingError, match=f"loss={loss!r} fails".replace("()", r"\(\)")) as told:
        Network(mlp, loss=loss, **FAST).fit(X, observed)
    assert advice in str(told.value)


@pytest.mark.parametrize("labels", [y, Y.toarray()], ids=["one a row", "several"])
def test_the_way_out_works(labels):
    several = np.ndim(labels) == 2

    def loss(logits, observed):
        marks = observed if several else nn.functional.one_hot(observed, logits.shape[1])
        return nn.functional.binary_cross_entropy_with_logits(logits, marks.to(logits))

    observed = as_labels(labels, knowledge="some") if several else labels
    by_hand = Network(mlp, loss=loss, **FAST).fit(X, observed).predict_proba(X_NEW)
    own = Network(mlp, loss="an", **FAST).fit(X, observed).predict_proba(X_NEW)
    np.testing.assert_allclose(by_hand, own, atol=1e-5)


def test_a_function_that_asks_for_what_it_is_not_told_is_refused():
    network = Network(lambda k: nn.Linear(2, k), epochs=1)
    with pytest.raises(SettingError, match="asks for k, and is told n_labels alone"):
        network.fit(np.zeros((6, 2)), [0, 1, 2, 0, 1, 2])
