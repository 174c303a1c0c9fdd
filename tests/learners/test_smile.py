"""SMILE is its specification: against modules over the whole graph, in company, resumed."""

import numpy as np
import pytest
import torch
from scipy import sparse, stats
from torch import nn
from torch.nn import functional

from lamc import LAMC, datasets, losses
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError
from lamc.labels import as_labels
from lamc.learners.enhancement import n_parameters, start
from lamc.learners.method import Group, Step
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import DenseRows
from lamc.learners.smile import PUBLISHED, SMILE
from lamc.learners.stack import Shape, Stack
from lamc.learners.trainer import group_size, row_order
from lamc.metrics import average_precision

DATA = digit_scenes(160)
X, Y = DATA.X[:, ::4], DATA.Y
Y_SEEN = observe(Y, random_state=0)
SMALL = {"hidden": 6, "epochs": 3, "learning_rate": 1e-2, "n_threads": 1, "random_state": 0}
SEED = int(np.random.RandomState(0).randint(2**31 - 1))  # of the first network of random_state=0


# -- the formula ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [None, 0.3])
def test_the_classifiers_gradient_is_that_of_the_soft_target_loss(rate):
    rows, observed = DenseRows(torch.zeros(8, 2)), torch.tensor([0, 1, 2, 3, 4, 0, 1, 2])
    group = Group([0], [1e-2], Shape(2, 4, 5), rows, OneLabelEach(observed, 5), epochs=1)
    learner = SMILE(p=0.2, mu=0.3, rate=rate, estimate=0.4)
    learner.estimates_ = []
    logits = torch.randn(1, 8, 5, generator=torch.Generator().manual_seed(0), requires_grad=True)
    step = Step(torch.arange(8)[None], observed[None], epoch=1)
    found = learner._method(group).gradient(logits.detach(), step)
    seen = functional.one_hot(observed, 5)[None]
    targets = 0.3 * 0.4 + 0.7 * (seen + 0.2 * (1 - seen))
    loss = losses.soft_target(logits, observed[None], targets, weight=rate)
    torch.testing.assert_close(found, torch.autograd.grad(loss.sum(), logits)[0])


# -- a slow twin ---------------------------------------------------------------------------------


class GraphConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, hears, h):
        return hears @ h @ self.weight + self.bias


class Side(nn.Module):
    """Encoder, encoder of z and decoder of one network, over the whole graph at every batch."""

    def __init__(self, d, k):
        super().__init__()
        self.first, self.second, self.last = GraphConv(d, k), GraphConv(k, k), nn.Linear(k, k)
        self.z = nn.Sequential(nn.Linear(d + k, k), nn.ReLU(), nn.Linear(k, k))
        self.decoder = nn.Sequential(nn.Linear(2 * k, d), nn.ReLU(), nn.Linear(d, d))

    def estimates(self, hears, x):
        return self.last(self.second(hears, self.first(hears, x).relu())).sigmoid()


def make_side(shape, seed):
    side, drawn = Side(shape.features, shape.labels), start(shape, seed)
    for number, parameters in enumerate(
        [side.first, side.second, side.last, side.z[0], side.z[2], side.decoder[0], side.decoder[2]]
    ):
        weight, bias = (torch.from_numpy(each) for each in drawn[2 * number : 2 * number + 2])
        with torch.no_grad():
            parameters.weight.copy_(weight if number < 2 else weight.T)
            parameters.bias.copy_(bias[0])
    return side


def drawn_labels(d, chances):
    """Quantiles of Beta(d, 1 − d), with the slopes that differences of quantiles have."""
    a, step = d.detach().double().numpy(), 1e-5
    at, up, down = (stats.beta.ppf(chances, a + s, 1 - a - s) for s in (0, step, -step))
    y, slope = (torch.from_numpy(each).float() for each in (at, (up - down) / (2 * step)))
    return y + slope * (d - d.detach())


def slow_twin(x, index, *, seed, epochs, hidden, rate, p, mu, kl_sign, links):
    """SMILE as one would write it from the specification."""
    n, d = x.shape
    k = 10
    distance = torch.cdist(x.double(), x.double()).fill_diagonal_(torch.inf)
    A = torch.zeros(n, n).scatter_(1, distance.argsort(1)[:, :3], 1.0)
    hears = A.T / (3 * A.sum(0).clamp_min(1)).sqrt()[:, None]
    net = nn.Sequential(nn.Linear(d, hidden), nn.ReLU(), nn.Linear(hidden, k))
    W1, b1, W2, b2 = (weight[0] for weight in Stack(Shape(d, hidden, k), [seed]).weights)
    with torch.no_grad():
        for parameter, value in zip(net.parameters(), (W1.T, b1[0], W2.T, b2[0]), strict=True):
            parameter.copy_(value)
    side = make_side(Shape(d, hidden, k), seed)
    adam_net, adam_side = (torch.optim.Adam(m.parameters(), lr=1e-2) for m in (net, side))
    observed = functional.one_hot(index, k).float()
    for epoch in range(1, epochs + 1):
        draws = np.random.default_rng([seed, 5, epoch])
        for batch in torch.from_numpy(row_order(seed, epoch, n)).split(16):
            o = observed[batch]
            est = side.estimates(hears, x)[batch]
            y = drawn_labels(est, draws.random(est.shape, dtype=np.float32))
            target = (mu * est + (1 - mu) * (o + (1 - o) * p)).detach()
            f = net(x[batch]).sigmoid()
            weight = o + (1 - o) * (1 / (k - 1) if rate is None else rate)
            loss = -(weight * (target * f.log() + (1 - target) * (1 - f).log())).mean()
            adam_net.zero_grad()
            loss.backward()
            adam_net.step()
            z = side.z(torch.cat([x[batch], est], 1))
            rebuilt = side.decoder(torch.cat([est, z], 1))
            a, b = est + 1e-6, 1 - est + 1e-6
            gammas = a.lgamma() + b.lgamma()
            slopes = (a - 1) * a.digamma() + (b - 1) * b.digamma()
            divergence = slopes + gammas if kl_sign == "published" else slopes - gammas
            found = y @ y.T / (k if links == "normalised" else 1)
            shown = (o * (y + 1e-5).log() + (1 - o) * (1 - y + 1e-5).log()).mean()
            fitted = functional.mse_loss(rebuilt, x[batch]) - shown
            fitted = fitted + functional.mse_loss(found, A[batch][:, batch])
            seen = functional.binary_cross_entropy(est, o)
            adam_side.zero_grad()
            (seen + 1e-3 * fitted + divergence.mean()).backward()
            adam_side.step()
    return [parameter.detach().numpy() for parameter in net.parameters()], side, hears


@pytest.mark.parametrize(
    ("rate", "kl_sign", "links"), [(None, "published", "published"), (0.3, "correct", "normalised")]
)
def test_training_is_that_of_a_slow_twin(rate, kl_sign, links):
    learner = SMILE(
        **SMALL, validation_size=0, standardise=False, p=0.1, rate=rate, kl=kl_sign, links=links
    )
    learner.fit(X, Y_SEEN)
    x, index = torch.from_numpy(X).float(), torch.from_numpy(Y_SEEN.index())
    settings = {"rate": rate, "p": 0.1, "mu": 0.5, "kl_sign": kl_sign, "links": links}
    twin, side, hears = slow_twin(x, index, seed=SEED, epochs=3, hidden=6, **settings)
    ours = [w[0].T if w.shape[1] > 1 else w[0, 0] for w in learner.weights_]
    for found, expected in zip(ours, twin, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4)
    mean = side.estimates(hears, x).mean().item()
    assert learner.estimates_[0]["mean"][-1] == pytest.approx(mean, abs=0.02)


# -- options -------------------------------------------------------------------------------------


def test_a_constant_estimate_trains_no_encoder():
    learner = SMILE(**SMALL, estimate=0.46).fit(X, Y_SEEN)
    (record,) = learner.estimates_
    assert record["mean"] == pytest.approx([0.46] * 3)
    assert record["over_rows"] == pytest.approx([0] * 3, abs=1e-6)
    assert learner._memory(Shape(10, 10, 10), 100).each_step == 0


def test_the_spread_of_the_estimates_is_recorded():
    learner = SMILE(**SMALL | {"learning_rate": (1e-3, 1e-2)}, n_models=2).fit(X, Y_SEEN)
    assert len(learner.estimates_) == 4
    assert {record["learning_rate"] for record in learner.estimates_} == {1e-3, 1e-2}
    for record in learner.estimates_:
        for name in ("mean", "over_rows", "over_labels"):
            assert len(record[name]) == 3
            assert 0 < min(record[name]) <= max(record[name]) < 1
    learner.fit(X, Y_SEEN)
    assert len(learner.estimates_) == 4


def test_published_settings():
    assert set(PUBLISHED) == set(datasets.catalogue)
    learner = SMILE.published("SCENE")
    assert (learner.p, learner.mu, learner.rate) == (0.075, 0.3, 0.5)
    assert SMILE.published("delicious").rate is None
    with pytest.raises(SettingError, match=r"no settings for 'bibtex'.*CAL500, Image, scene"):
        SMILE.published("bibtex")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"p": 1.5}, r"p=1.5; give a number from 0 to 1"),
        ({"mu": -0.1}, r"mu=-0.1"),
        ({"rate": -1}, r"rate=-1; give a number from 0, or None"),
        ({"gamma": -1}, r"gamma=-1"),
        ({"delta": -1}, r"delta=-1"),
        ({"n_neighbors": 0}, r"n_neighbors=0; give a whole number from 1"),
        ({"n_neighbors": 2.5}, r"n_neighbors=2.5; give a whole number from 1"),
        ({"estimate": None}, r"estimate=None; give 'graph'"),
        ({"estimate": "tree"}, r"estimate='tree'; give 'graph', or a number from 0 to 1"),
        ({"estimate": 2.0}, r"estimate=2.0"),
        ({"kl": "wrong"}, r"kl='wrong'; give 'published' or 'correct'"),
        ({"links": "none"}, r"links='none'; give 'published' or 'normalised'"),
    ],
)
def test_settings_out_of_range(settings, message):
    with pytest.raises(SettingError, match=message):
        SMILE(**SMALL, **settings).fit(X, Y_SEEN)


# -- training ------------------------------------------------------------------------------------


def test_same_seed_same_bytes():
    a, b = (SMILE(**SMALL).fit(X, Y_SEEN) for _ in range(2))
    assert all(map(np.array_equal, a.weights_, b.weights_))
    assert a.estimates_ == b.estimates_


def test_torchs_own_random_numbers_are_left_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    SMILE(**SMALL).fit(X, Y_SEEN)
    assert torch.equal(torch.rand(3), expected)


def test_in_company_as_alone():
    together = SMILE(**SMALL).fit_runs(X, Y_SEEN, seeds=[3, 4, 5])
    for seed, found in zip([3, 4, 5], together, strict=True):
        alone = SMILE(**SMALL | {"random_state": seed}).fit(X, Y_SEEN)
        for ours, theirs in zip(found.weights_, alone.weights_, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-4)
        assert [each["seed"] for each in found.estimates_] == [
            each["seed"] for each in alone.estimates_
        ]


@pytest.mark.filterwarnings("error")
def test_two_rows_of_which_one_is_held_out_are_enough():
    assert SMILE(**SMALL).fit(X[:2], [0, 1]).predict_proba(X).shape == (len(X), 2)


@pytest.mark.parametrize("estimate", ["graph", 0.46])
def test_goes_on_from_a_checkpoint(tmp_path, monkeypatch, estimate):
    through = SMILE(**SMALL, estimate=estimate).fit(X, Y_SEEN)
    resumed = SMILE(**SMALL, estimate=estimate, checkpoint=tmp_path)

    def killed(seed, epoch, n):
        if epoch > 1:
            raise SystemExit
        return row_order(seed, epoch, n)

    with monkeypatch.context() as patch:
        patch.setattr("lamc.learners.trainer.row_order", killed)
        with pytest.raises(SystemExit):
            resumed.fit(X, Y_SEEN)
    resumed.fit(X, Y_SEEN)
    assert all(map(np.array_equal, resumed.weights_, through.weights_))
    assert resumed.estimates_ == through.estimates_


def test_labels_that_were_not_observed_change_nothing():
    a = SMILE(**SMALL).fit(X, as_labels(Y_SEEN.index(), classes=range(10)))
    b = SMILE(**SMALL).fit(X, observe(Y_SEEN.positives, random_state=1))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def test_rows_with_several_observed_labels():
    several = np.asarray(Y_SEEN.positives.toarray())
    several[::3, 2] = True
    scores = SMILE(**SMALL).fit(X, several.astype(int)).predict_proba(X)
    assert np.isfinite(scores).all()


def test_encoders_count_when_networks_share_the_cache():
    shape = Shape(500, 153, 153)
    alone, beside = group_size(shape, 15), group_size(shape, 15, SMILE()._memory(shape, 1000))
    assert beside < alone
    sizes = sum(weight.size for weight in start(Shape(5, 9, 3), 0))
    assert n_parameters(Shape(5, 9, 3)) == sizes


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_learns_and_works_in_lamc(make):
    data = digit_scenes(400, random_state=1)
    scorer = SMILE(p=0.1, epochs=6, learning_rate=1e-2, n_threads=1, random_state=0)
    clf = LAMC(scorer, rule="recall", alpha=0.2, random_state=0)
    clf.fit(make(data.X), observe(data.Y, random_state=0))
    found = average_precision(data.Y, clf.predict_proba(make(data.X)))
    assert found > average_precision(data.Y, np.tile(data.Y.mean(axis=0), (400, 1))) + 0.15
    assert set(np.unique(clf.decide(make(data.X)))) <= {-1, 0, 1}


def test_sparse_rows_that_stay_sparse(monkeypatch):
    dense = SMILE(**SMALL, standardise=False).fit(X, Y_SEEN)
    monkeypatch.setattr("lamc.learners.rows.DENSE_BYTES", 0)
    thin = SMILE(**SMALL, standardise=False).fit(sparse.csr_array(X), Y_SEEN)
    for ours, theirs in zip(thin.weights_, dense.weights_, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)
