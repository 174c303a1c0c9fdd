"""Training many networks at once gives what the plain way gives, one network after another."""

import re

import numpy as np
import pytest
import torch

from lamc import losses
from lamc.datasets import observe
from lamc.exceptions import TrainingError
from lamc.labels import as_labels
from lamc.learners import trainer
from lamc.learners.an import AssumeNegative
from lamc.learners.kept import Best
from lamc.learners.method import LossMethod, Memory
from lamc.learners.observed_labels import SeveralLabels, as_observed
from lamc.learners.progress import Progress
from lamc.learners.rows import as_rows
from lamc.learners.selection import ObservedLikelihood, criterion_for
from lamc.learners.stack import LONG, Shape, Stack, initial_weights
from lamc.learners.stack_adam import StackAdam
from lamc.learners.trainer import Plan, row_order, train

N, D, H, K = 50, 6, 8, 5
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, D)).astype(np.float32)
Y = X[:, :K] + RNG.normal(size=(N, K)) > 0
Y[np.arange(N), X[:, :K].argmax(axis=1)] = True
LABELS = observe(Y, random_state=0)
OBSERVED = torch.from_numpy(LABELS.index())
ONE_EACH = as_observed(LABELS, "cpu")
ROWS = as_rows(X, "cpu")
SHAPE = Shape(D, H, K)
PLAN = Plan(epochs=4, batch_size=16, learning_rates=(1e-2, 1e-3))  # 50 = 3 · 16 + 2


@pytest.fixture(autouse=True)
def one_thread():
    """On a busy machine, threads wait for each other far longer than these networks take."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def wan(group):
    return AssumeNegative(losses.wan, weight=1 / (K - 1))


def plain(group):
    return LossMethod(losses.wan)


def clean(rows=slice(None)):
    return criterion_for(as_rows(X[rows], "cpu"), as_labels(Y[rows], knowledge="all"))


def run(seeds, plan=PLAN, method=wan, criterion=None, observed=ONE_EACH, rows=ROWS):
    return train(rows, observed, SHAPE, seeds, plan, method, criterion).networks


def one_rate(**more):
    return Plan(**{"epochs": 4, "batch_size": 16, "learning_rates": (1e-2,), **more})


def assert_same(first, second, **tolerance):
    for a, b in zip(first.weights, second.weights, strict=True):
        np.testing.assert_allclose(a, b, **tolerance)


# -- against the plain way -----------------------------------------------------------------------


def twin(seed, rate, epochs, weight_decay=0.0, hidden=H):
    """The plain PyTorch way: one network, autograd, Adam, batch after batch."""
    layers = [(D, hidden), (hidden, K)]
    W1, b1, W2, b2 = (torch.from_numpy(w) for w in initial_weights(layers, seed))
    first, second = (torch.nn.Linear(*layer) for layer in layers)
    network = torch.nn.Sequential(first, torch.nn.ReLU(), second)
    with torch.no_grad():
        network[0].weight.copy_(W1.T)
        network[0].bias.copy_(b1[0])
        network[2].weight.copy_(W2.T)
        network[2].bias.copy_(b2[0])
    adam = torch.optim.Adam(network.parameters(), lr=rate, weight_decay=weight_decay)
    for epoch in range(1, epochs + 1):
        order = torch.from_numpy(row_order(seed, epoch, N))
        for chosen in order.split(16):
            adam.zero_grad()
            losses.wan(network(torch.from_numpy(X)[chosen]), OBSERVED[chosen]).backward()
            adam.step()
    layers = network[0], network[2]
    return [t.detach().numpy() for layer in layers for t in (layer.weight.T, layer.bias[None])]


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("method", [wan, plain], ids=["by hand", "autograd"])
def test_a_stack_ends_with_the_weights_of_the_plain_way(method, weight_decay):
    found = run([5, 9], one_rate(weight_decay=weight_decay), method)
    for seed, network in zip([5, 9], found, strict=True):
        for a, b in zip(network.weights, twin(seed, 1e-2, 4, weight_decay), strict=True):
            np.testing.assert_allclose(a, b, atol=2e-5)


def test_networks_with_long_rows_of_weights_do_so_too():
    shape = Shape(D, LONG + 1, K)
    training = train(ROWS, ONE_EACH, shape, [5, 9], one_rate(weight_decay=0.1), wan, None)
    for seed, network in zip([5, 9], training.networks, strict=True):
        expected = twin(seed, 1e-2, 4, weight_decay=0.1, hidden=LONG + 1)
        for a, b in zip(network.weights, expected, strict=True):
            np.testing.assert_allclose(a, b, atol=2e-5)


@pytest.mark.parametrize("several", [False, True], ids=["one a row", "several a row"])
@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_the_gradient_by_hand_is_that_of_the_loss(several, weight):
    observed = torch.from_numpy(Y) if several else OBSERVED
    logits = torch.randn(2, N, K, generator=torch.Generator().manual_seed(0))
    step = trainer.Step(torch.arange(N).expand(2, N), observed.expand(2, *observed.shape), 1)
    by_hand = AssumeNegative(losses.wan, weight)
    by_autograd = LossMethod(lambda s, o: losses.wan(s, o, weight=weight))
    torch.testing.assert_close(by_hand.gradient(logits, step), by_autograd.gradient(logits, step))


# -- company -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_each_network_ends_as_it_does_alone(dropout):
    plan = Plan(4, 16, (1e-2, 1e-3), dropout=dropout)
    together = run([5, 9, 2], plan, criterion=clean())
    for seed, network in zip([5, 9, 2], together, strict=True):
        (alone,) = run([seed], plan, criterion=clean())
        assert_same(network, alone, atol=1e-5)
        assert network.choice.epoch == alone.choice.epoch
        assert network.choice.learning_rate == alone.choice.learning_rate


@pytest.mark.parametrize("size", [1, 2, 3])
def test_groups_of_any_size_give_the_same(monkeypatch, size):
    whole = run([5, 9, 2], criterion=clean())
    monkeypatch.setattr(trainer, "CACHE_BYTES", size * 16 * SHAPE.parameters)
    assert trainer.group_size(SHAPE, 6) == size
    for first, second in zip(whole, run([5, 9, 2], criterion=clean()), strict=True):
        assert_same(first, second, atol=1e-5)
        assert first.choice.learning_rate == second.choice.learning_rate


# -- memory --------------------------------------------------------------------------------------


def sizes_of_groups(criterion=None, beside=trainer.NOTHING):
    sizes = []

    def method(group):
        sizes.append(len(group))
        return wan(group)

    train(ROWS, ONE_EACH, SHAPE, [5, 9, 2], PLAN, method, criterion, beside=beside)
    return sizes


def test_networks_wait_where_they_would_take_too_much():
    assert sizes_of_groups() == [6]  # three seeds, two rates
    assert sizes_of_groups(beside=Memory(each_step=trainer.CACHE_BYTES // 6)) == [3, 3]  # not 5, 1
    assert sizes_of_groups(beside=Memory(rows=trainer.ROW_BYTES // 3 - 10_000)) == [3, 3]
    assert sizes_of_groups(beside=Memory(rows=2 * trainer.ROW_BYTES)) == [1] * 6


def test_scores_of_validation_rows_count(monkeypatch):
    monkeypatch.setattr(trainer, "step_bytes", lambda shape, batch_size: 0)
    monkeypatch.setattr(trainer, "ROW_BYTES", 2 * (4 * N * K) + 100)
    assert sizes_of_groups() == [6]
    assert sizes_of_groups(clean()) == [2, 2, 2]
    assert sizes_of_groups(clean(), Memory(rows=51)) == [1] * 6


@pytest.mark.parametrize("shape", [SHAPE, Shape(50, LONG + 1, 2 * LONG - 3)])
def test_a_network_takes_the_memory_that_is_told(shape):
    stack = Stack(shape, [5, 9])
    adam = StackAdam(stack.held_weights, stack.held_gradients, [1e-2, 1e-3])
    best = [weight.clone() for weight in stack.weights]
    held = [*stack.held_weights, *stack.held_gradients, *adam.state().values(), *best]
    told = 20 * shape.parameters * 9 / 8
    counters = 4 * 2
    assert sum(tensor.untyped_storage().nbytes() for tensor in held) <= 2 * told + counters


# -- seeds and rows ------------------------------------------------------------------------------


def test_the_same_seeds_give_the_same_bytes_and_others_do_not():
    first, second, other = run([5, 9]), run([5, 9]), run([6, 9])
    for a, b in zip(first, second, strict=True):
        assert [w.tobytes() for w in a.weights] == [w.tobytes() for w in b.weights]
    assert not np.allclose(first[0].weights[0], other[0].weights[0])


def test_every_row_is_used_once_an_epoch_the_last_batch_too():
    seen = []

    class Watching(LossMethod):
        def after_step(self, step):
            seen.append(step.rows)

    run([5, 9], one_rate(epochs=1), lambda group: Watching(losses.an))
    assert [rows.shape[1] for rows in seen] == [16, 16, 16, 2]
    for order in torch.cat(seen, dim=1):
        assert sorted(order.tolist()) == list(range(N))


def test_batches_hold_the_rows_and_labels_that_they_name():
    class Comparing(LossMethod):
        def gradient(self, logits, step):
            assert torch.equal(step.observed, OBSERVED[step.rows])
            return super().gradient(logits, step)

    run([5, 9], one_rate(epochs=1, batch_size=3), lambda group: Comparing(losses.an))


def test_a_matrix_with_one_positive_a_row_gives_what_the_index_does():
    starts, numbers = torch.arange(N + 1), OBSERVED
    (by_index,), (by_matrix,) = run([5]), run([5], observed=SeveralLabels(starts, numbers, K))
    assert_same(by_index, by_matrix, atol=1e-6)


# -- choice --------------------------------------------------------------------------------------


class Fixed:
    """A criterion that says what it is told, epoch by epoch, for one rate after the other."""

    name = "as told"
    rows = ROWS

    def __init__(self, *values):
        self.told = iter(values)

    def values(self, scores):
        return np.full(len(scores), next(self.told))


def test_the_first_of_the_best_epochs_is_kept():
    stack_after = [run([5], one_rate(epochs=e))[0] for e in (1, 2, 3, 4)]
    (chosen,) = run([5], one_rate(), criterion=Fixed(0.1, 0.7, 0.7, 0.3))
    assert chosen.choice.epoch == 2
    assert chosen.choice.value == 0.7
    assert chosen.choice.values == {1e-2: [0.1, 0.7, 0.7, 0.3]}
    assert chosen.choice.criterion == "as told"
    assert_same(chosen, stack_after[1], atol=0)


def test_the_first_of_the_best_rates_is_kept(monkeypatch):
    monkeypatch.setattr(trainer, "CACHE_BYTES", 0)  # one rate after the other
    told = [0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1]
    (chosen,) = run([5], criterion=Fixed(*told))
    assert (chosen.choice.learning_rate, chosen.choice.epoch) == (1e-2, 4)
    (chosen,) = run([5], criterion=Fixed(*told[::-1]))
    assert (chosen.choice.learning_rate, chosen.choice.epoch) == (1e-2, 4)
    (chosen,) = run([5], criterion=Fixed(*told[:4], 0.5, 0.3, 0.2, 0.1))
    assert (chosen.choice.learning_rate, chosen.choice.epoch) == (1e-3, 1)
    assert list(chosen.choice.values) == [1e-2, 1e-3]


def test_without_a_criterion_the_last_epoch_is_kept():
    (chosen,) = run([5], one_rate())
    assert chosen.choice.epoch == 4
    assert chosen.choice.criterion == "the last epoch"


def test_clean_labels_are_judged_by_average_precision():
    from sklearn.metrics import label_ranking_average_precision_score

    scores = Stack(SHAPE, [0, 1]).scores(ROWS, torch.sigmoid)
    expected = [label_ranking_average_precision_score(Y, own) for own in scores.numpy()]
    np.testing.assert_allclose(clean().values(scores), expected)


def test_observed_labels_are_judged_by_their_likelihood():
    held = criterion_for(ROWS, as_labels(OBSERVED.numpy()))
    scores = Stack(SHAPE, [0, 1]).scores(ROWS, torch.sigmoid)
    expected = [most_likely(own, OBSERVED.numpy()) for own in scores.double().numpy()]
    np.testing.assert_allclose(held.values(scores), expected, atol=1e-4)
    assert "observed" in held.name


def most_likely(scores, observed):
    """The slow way: the likelihood under each of many powers of the odds, and the best of them."""
    powers = np.linspace(1e-3, 2, 2000)[:, None, None]
    raised = (scores / (1 - scores)) ** powers
    shares = raised / raised.sum(axis=2, keepdims=True)
    return np.log(shares[:, np.arange(len(observed)), observed]).mean(axis=1).max()


def test_scores_can_be_taken_as_they_are():
    held = ObservedLikelihood(ROWS, as_labels(OBSERVED.numpy()), as_they_are=True)
    scores = Stack(SHAPE, [0, 1]).scores(ROWS, torch.sigmoid)
    wide = scores.double().numpy()
    share = wide / wide.sum(axis=2, keepdims=True)
    expected = [np.log(each[np.arange(N), OBSERVED.numpy()]).mean() for each in share]
    np.testing.assert_allclose(held.values(scores), expected)


def test_how_sure_a_network_is_does_not_count():
    """Logits times a number up to 4 lose nothing, for the power that undoes it is within reach."""
    held = criterion_for(ROWS, as_labels(OBSERVED.numpy()))
    stack = Stack(SHAPE, [0])
    (plain,) = held.values(stack.scores(ROWS, torch.sigmoid))
    (surer,) = held.values(stack.scores(ROWS, lambda logits: torch.sigmoid(4 * logits)))
    assert surer >= plain - 1e-4


# -- patience ------------------------------------------------------------------------------------


def test_training_ends_when_patience_does():
    plan = one_rate(epochs=9, patience=2)
    (chosen,) = run([5], plan, criterion=Fixed(0.1, 0.5, 0.4, 0.5))  # a fifth would be refused
    assert chosen.choice.epoch == 2
    assert chosen.choice.values == {1e-2: [0.1, 0.5, 0.4, 0.5]}


def test_a_network_that_was_given_up_does_not_come_back_in_company():
    stack = Stack(SHAPE, [0, 1])
    best = Best(tuple(w.clone() for w in stack.weights), np.full(2, -np.inf), [0, 0], patience=2)
    told = [(0.5, 0.1), (0.4, 0.2), (0.3, 0.3), (0.9, 0.4), (0.9, 0.3), (0.9, 0.3)]
    for epoch, values in enumerate(told, start=1):
        assert not best.over()
        best.note(np.array(values), epoch, stack)
    assert best.over()
    assert (best.of(0).epoch, best.of(0).values) == (1, [0.5, 0.4, 0.3])
    assert (best.of(1).epoch, best.of(1).values) == (4, [0.1, 0.2, 0.3, 0.4, 0.3, 0.3])


# -- what goes wrong -----------------------------------------------------------------------------


def test_a_loss_that_is_no_number_stops_with_epoch_rate_and_batch():
    bad = X.copy()
    row = int(row_order(9, 1, N)[20])  # in the second batch of the seed 9
    bad[row] = np.nan
    later = int(np.flatnonzero(row_order(5, 1, N) == row)[0])
    assert later >= 32  # the other seed meets it later
    expected = "epoch 1, batch 2, with learning rate 0.01 and seed 9"
    with pytest.raises(TrainingError, match=expected):
        run([5, 9], one_rate(), rows=as_rows(bad, "cpu"))


class Interrupts:
    """A criterion at which the user presses Ctrl-C."""

    name = "interrupted"
    rows = ROWS

    def __init__(self, after):
        self.left = after

    def values(self, scores):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return np.full(len(scores), float(self.left))


@pytest.mark.parametrize("after", [2, 4, 5])  # in the first rate, at the start of the second, in it
def test_an_interruption_leaves_what_was_trained(monkeypatch, after):
    monkeypatch.setattr(trainer, "CACHE_BYTES", 0)
    training = train(ROWS, ONE_EACH, SHAPE, [5], PLAN, wan, Interrupts(after))
    assert training.interruption
    (kept,) = training.networks
    assert kept.choice.learning_rate == 1e-2
    assert kept.choice.epoch == 1
    assert all(np.isfinite(weight).all() for weight in kept.weights)


def test_an_interruption_between_groups_leaves_what_was_trained(monkeypatch):
    monkeypatch.setattr(trainer, "CACHE_BYTES", 0)
    groups = []

    def interrupted(group):
        groups.append(group)
        if len(groups) == 2:
            raise KeyboardInterrupt
        return wan(group)

    training = train(ROWS, ONE_EACH, SHAPE, [5], PLAN, interrupted, clean())
    assert training.interruption
    assert training.networks[0].choice.learning_rate == PLAN.learning_rates[0]


class Undecided:
    """A criterion that is no number."""

    name, rows = "likelihood", ROWS

    def values(self, scores):
        return np.full(len(scores), np.nan)


def test_a_network_of_which_nothing_can_be_kept_is_refused():
    with pytest.raises(TrainingError, match=r"(?s)2 of 2 networks.*likelihood was no number"):
        run([5, 9], criterion=Undecided())


def test_weights_that_are_no_numbers_after_the_last_batch_are_refused():
    plan = one_rate(learning_rates=(1e38,), batch_size=N, epochs=1)
    with pytest.raises(TrainingError, match=r"after epoch 1, with learning rate 1e\+38 and seed 5"):
        run([5], plan)


def test_batches_count_in_memory(monkeypatch):
    of_batch = trainer.step_bytes(SHAPE, PLAN.batch_size)
    monkeypatch.setattr(trainer, "ROW_BYTES", 2 * of_batch)
    assert sizes_of_groups() == [2, 2, 2]


def test_an_interruption_before_anything_was_trained_is_raised():
    with pytest.raises(KeyboardInterrupt):
        run([5], criterion=Interrupts(0))


def test_progress_is_told_in_lines_where_there_is_no_terminal(capsys):
    with Progress("WAN", total=8) as progress:
        train(ROWS, ONE_EACH, SHAPE, [5, 9], one_rate(), wan, clean(), progress=progress)
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 4
    assert re.fullmatch(r"WAN: epoch 4 of 2 networks, best 0\.\d{4}", lines[-1])


def test_progress_ends_full_when_patience_ends_training():
    plan = one_rate(epochs=9, patience=2)
    with Progress("WAN", total=2 * 9) as progress:
        told = Fixed(0.1, 0.5, 0.4, 0.5)  # a fifth would be refused
        train(ROWS, ONE_EACH, SHAPE, [5, 9], plan, wan, told, progress=progress)
    assert progress.done == progress.total


def test_progress_stops_short_when_training_does():
    with Progress("WAN", total=4) as progress:
        train(ROWS, ONE_EACH, SHAPE, [5], one_rate(), wan, Interrupts(3), progress=progress)
    assert progress.done == 3
