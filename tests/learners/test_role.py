"""ROLE is its formula: against a slow twin, alone and in company, interrupted or not."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lamc import LAMC, losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError
from lamc.labels import as_labels
from lamc.learners.method import Group
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.role import ROLE, first_estimates, one_side
from lamc.learners.rows import DenseRows
from lamc.learners.stack import Shape, Stack
from lamc.learners.trainer import group_size, row_order
from lamc.metrics import average_precision

DATA = digit_scenes(240)
X, Y = DATA.X, DATA.Y
Y_SEEN = observe(Y, random_state=0)
SMALL = {"hidden": 6, "epochs": 3, "n_threads": 1, "random_state": 0}


def group_of(rows, observed, seeds=(0,), rates=(1e-2,), hidden=6):
    shape = Shape(rows.shape[1], hidden, 10)
    return Group(seeds, rates, shape, DenseRows(rows), OneLabelEach(observed, 10), epochs=3)


# -- the formula ---------------------------------------------------------------------------------


@pytest.mark.parametrize("several", [False, True])
def test_gradients_are_those_of_the_loss(several):
    generator = torch.Generator().manual_seed(0)
    logits, estimates = (
        torch.randn(2, 5, 7, generator=generator, dtype=torch.float64, requires_grad=True)
        for _ in range(2)
    )
    observed = torch.randint(7, (2, 5), generator=generator)
    mask = torch.zeros(2, 5, 7, dtype=torch.bool).scatter_(-1, observed[..., None], True)
    if several:
        mask[:, 0] = True
    loss = losses.role(logits, mask if several else observed, estimates, expected=2.5)
    at_logits, at_estimates = torch.autograd.grad(loss.sum(), [logits, estimates])
    f, g = logits.detach().sigmoid(), estimates.detach().sigmoid()
    torch.testing.assert_close(one_side(f, g, mask, 2.5), at_logits)
    torch.testing.assert_close(one_side(g, f, mask, 2.5), at_estimates)


def test_estimates_start_as_published():
    observed = torch.tensor([2, 0, 1])
    group = group_of(torch.zeros(3, 4), observed, seeds=[4, 5], rates=[1e-2, 1e-2])
    g = first_estimates(group).sigmoid()
    assert g.shape == (2, 3, 10)
    seen = torch.zeros(3, 10, dtype=torch.bool).scatter_(1, observed[:, None], True)
    torch.testing.assert_close(g[:, seen], torch.full((2, 3), 0.995))
    assert g[:, ~seen].min() >= 0.4
    assert g[:, ~seen].max() <= 0.6
    assert not torch.equal(g[0], g[1])
    alone = first_estimates(group_of(torch.zeros(3, 4), observed, seeds=[5]))
    assert torch.equal(alone[0].sigmoid(), g[1])


def slow_twin(rows, index, *, seed, rate, epochs, hidden, expected, updates):
    """ROLE as one would write it: modules, one scalar loss, torch's optimisers, autograd."""
    shape = Shape(rows.shape[1], hidden, 10)
    W1, b1, W2, b2 = (weight[0] for weight in Stack(shape, [seed]).weights)
    net = torch.nn.Sequential(
        torch.nn.Linear(shape.features, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 10)
    )
    with torch.no_grad():
        for parameter, value in zip(net.parameters(), (W1.T, b1[0], W2.T, b2[0]), strict=True):
            parameter.copy_(value)
    table = torch.nn.Embedding(len(rows), 10, sparse=updates == "lazy")
    with torch.no_grad():
        table.weight.copy_(first_estimates(group_of(rows, index, [seed]))[0])
    kind = torch.optim.SparseAdam if updates == "lazy" else torch.optim.Adam
    adams = [torch.optim.Adam(net.parameters(), lr=rate), kind(table.parameters(), lr=10 * rate)]
    observed = torch.nn.functional.one_hot(index, 10).float()
    for epoch in range(1, epochs + 1):
        for batch in torch.from_numpy(row_order(seed, epoch, len(rows))).split(16):
            f, g = net(rows[batch]).sigmoid(), table(batch).sigmoid()
            total = 0
            for p, q in ((f, g.detach()), (g, f.detach())):
                entries = -observed[batch] * p.log() - q * p.log() - (1 - q) * (1 - p).log()
                total += entries.mean() + ((p.sum() / len(batch) - expected) / 10) ** 2
            for adam in adams:
                adam.zero_grad()
            (total / 2).backward()
            for adam in adams:
                adam.step()
    return [parameter.detach().numpy() for parameter in net.parameters()]


@pytest.mark.parametrize("updates", ["dense", "lazy"])
def test_training_is_that_of_a_slow_twin(updates):
    learner = ROLE(
        **SMALL,
        learning_rate=1e-2,
        validation_size=0,
        standardise=False,
        expected_count=2.2,
        updates=updates,
    )
    learner.fit(X, Y_SEEN)
    rows, index = torch.from_numpy(X).float(), torch.from_numpy(Y_SEEN.index())
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    twin = slow_twin(
        rows, index, seed=seed, rate=1e-2, epochs=3, hidden=6, expected=2.2, updates=updates
    )
    ours = [w[0].T if w.shape[1] > 1 else w[0, 0] for w in learner.weights_]
    for found, expected in zip(ours, twin, strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-4)


def test_dense_and_lazy_differ():
    dense, lazy = (
        ROLE(**SMALL, learning_rate=1e-2, expected_count=2.2, updates=each).fit(X, Y_SEEN)
        for each in ("dense", "lazy")
    )
    assert np.abs(dense.weights_[0] - lazy.weights_[0]).max() > 1e-4


def test_labels_that_were_not_observed_change_nothing():
    shown = as_labels(Y_SEEN.index(), classes=range(10))
    a = ROLE(**SMALL, learning_rate=1e-2).fit(X, shown)
    b = ROLE(**SMALL, learning_rate=1e-2).fit(X, observe(Y_SEEN.positives, random_state=1))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


# -- training ------------------------------------------------------------------------------------


def test_in_company_as_alone():
    learner = ROLE(**SMALL | {"n_models": 1}, learning_rate=(1e-3, 1e-2))
    together = learner.fit_runs(X, Y_SEEN, seeds=[3, 4, 5])
    for seed, found in zip([3, 4, 5], together, strict=True):
        alone = ROLE(**SMALL | {"random_state": seed}, learning_rate=(1e-3, 1e-2)).fit(X, Y_SEEN)
        for ours, theirs in zip(found.weights_, alone.weights_, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=2e-4)


@pytest.mark.parametrize("updates", ["dense", "lazy"])
@pytest.mark.parametrize("stop", [1, 2])
def test_goes_on_from_a_checkpoint(tmp_path, monkeypatch, updates, stop):
    learner = ROLE(**SMALL, learning_rate=1e-2, updates=updates)
    through = learner.fit(X, Y_SEEN).weights_
    resumed = ROLE(**SMALL, learning_rate=1e-2, updates=updates, checkpoint=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("lamc.learners.trainer.row_order", killed_after(stop))
        with pytest.raises(SystemExit):
            resumed.fit(X, Y_SEEN)
    resumed.fit(X, Y_SEEN)
    assert all(map(np.array_equal, resumed.weights_, through))


def killed_after(epoch):
    def order(seed, now, n):
        if now > epoch:
            raise SystemExit
        return row_order(seed, now, n)

    return order


def test_networks_whose_estimates_fill_the_memory_train_apart():
    shape = Shape(10, 10, 100)
    assert group_size(shape, 15, ROLE()._memory(shape, n_rows=1000)) == 15
    assert group_size(shape, 15, ROLE()._memory(shape, n_rows=10**6)) == 1


def test_what_is_kept_for_rows_is_what_is_said():
    group = group_of(torch.zeros(30, 4), torch.arange(30) % 10, seeds=[0, 1], rates=[1e-2, 1e-2])
    learner = ROLE()
    learner.expected_count_ = 2.0
    tables = [each for each in learner._method(group).state().values() if each.ndim > 0]
    assert sum(each.nbytes for each in tables) == 2 * learner._memory(group.shape, 30).rows


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_learns_and_works_in_lamc(make):
    scorer = ROLE(expected_count=2.2, epochs=15, learning_rate=1e-2, n_threads=1, random_state=0)
    data = digit_scenes(600, random_state=1)
    clf = LAMC(scorer, rule="recall", alpha=0.2, random_state=0)
    clf.fit(make(data.X), observe(data.Y, random_state=0))
    found = average_precision(data.Y, clf.predict_proba(make(data.X)))
    assert found > average_precision(data.Y, np.tile(data.Y.mean(axis=0), (600, 1))) + 0.15
    assert set(np.unique(clf.decide(make(data.X)))) <= {-1, 0, 1}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"updates": "sparse"}, "updates='sparse'; give 'dense' or 'lazy'"),
    ],
)
def test_settings_out_of_range(settings, message):
    with pytest.raises(SettingError, match=message):
        ROLE(**SMALL, **settings, learning_rate=1e-2).fit(X, Y_SEEN)
