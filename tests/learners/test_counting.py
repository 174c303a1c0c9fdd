"""EPR and ROLE are told how many labels a row has, or find out from what was observed."""

import numpy as np
import pytest
import torch

from lamc import losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError
from lamc.learners import EPR, ROLE, counting
from lamc.learners.expected_count import estimate_count
from lamc.learners.method import Group, Step
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import DenseRows
from lamc.learners.stack import Shape

DATA = digit_scenes(240)
X, Y = DATA.X, DATA.Y
Y_SEEN = observe(Y, random_state=0)
SMALL = {"hidden": 6, "epochs": 3, "learning_rate": 1e-2, "n_threads": 1, "random_state": 0}

both = pytest.mark.parametrize("learner", [EPR, ROLE])


@both
def test_a_count_that_is_not_given_is_estimated_once_for_all_networks(learner):
    expected = estimate_count(X, Y_SEEN)
    assert 1 < expected < 10
    several = SMALL | {"n_models": 2, "learning_rate": (1e-4, 1e-2)}
    found = learner(**several).fit(X, Y_SEEN)
    assert found.expected_count_ == expected
    told = learner(**several, expected_count=expected).fit(X, Y_SEEN)
    assert all(map(np.array_equal, found.weights_, told.weights_))
    for run in learner(**several).fit_runs(X, Y_SEEN, seeds=[1, 2]):
        assert run.expected_count_ == expected


@both
def test_the_estimate_looks_at_rows_as_the_learner_does(learner):
    found = learner(**SMALL, standardise=False).fit(X, Y_SEEN)
    assert found.expected_count_ == estimate_count(X, Y_SEEN, standardise=False)
    assert found.expected_count_ != estimate_count(X, Y_SEEN)


@both
def test_rows_are_read_once(learner, monkeypatch):
    plain, seen = learner._read, []

    def read(self, X, y):
        seen.append(type(self))
        return plain(self, X, y)

    monkeypatch.setattr(learner, "_read", read)
    learner(**SMALL).fit(X, Y_SEEN)
    assert seen == [learner]


@both
def test_settings_are_checked_before_the_count_is_estimated(learner, monkeypatch):
    asked = []
    monkeypatch.setattr(counting, "estimate_count", lambda *rows, **how: asked.append(rows) or 2.0)
    with pytest.raises(SettingError, match="batch_size=0"):
        learner(**{**SMALL, "batch_size": 0}).fit(X, Y_SEEN)
    assert not asked


@both
def test_a_count_that_is_given_is_used(learner):
    few, many = (learner(**SMALL, expected_count=k).fit(X, Y_SEEN) for k in (1, 6))
    assert (few.expected_count_, many.expected_count_) == (1, 6)
    sums = [each.predict_proba(X).sum(axis=1).mean() for each in (few, many)]
    assert sums[1] > sums[0] + 1


@both
@pytest.mark.parametrize(
    ("count", "most"),
    [
        (0, "the number of labels"),
        (-1, "the number of labels"),
        (float("nan"), "the number of labels"),
        (11, "10, the number of labels"),
    ],
)
def test_a_count_that_cannot_be_is_refused(learner, count, most):
    message = f"expected_count={count!r}; give a number above 0 and at most {most}, or None"
    with pytest.raises(SettingError, match=message):
        learner(**SMALL, expected_count=count).fit(X, Y_SEEN)


def test_epr_is_its_loss_with_that_count():
    observed, rows = torch.tensor([0, 1, 2, 3, 0]), torch.tensor([[0, 3, 4], [2, 1, 0]])
    shape, of_rows = Shape(2, 3, 4), OneLabelEach(observed, 4)
    group = Group([0, 1], [1e-3, 1e-2], shape, DenseRows(torch.zeros(5, 2)), of_rows, 1)
    learner = EPR()
    learner.expected_count_ = 1.7
    logits = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    found = learner._method(group).loss(logits, Step(rows, observed[rows], epoch=1))
    for model in range(2):
        expected = losses.epr(logits[model], observed[rows[model]], expected=1.7)
        torch.testing.assert_close(found[model], expected)
