"""What Network takes of a DataLoader, and which it refuses."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    TensorDataset,
    get_worker_info,
)

from lamc import LAMC
from lamc.exceptions import FeatureError, LabelError, LAMCError, ScorerError, TrainingError
from lamc.labels import as_labels
from lamc.learners import Network
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import as_inputs
from lamc.learners.module.validation import hold_out

from .inputs import FAST, LAST, X_NEW, X, Y, loader, mlp, pairs_of, rows_of, scores, y


def test_a_loader_that_shuffles_matches_labels_by_number_or_brings_them():
    brings = Network(mlp, **LAST).fit(loader(pairs_of(X, y), shuffle=True))
    numbers = Network(mlp, **LAST).fit(loader(pairs_of(X, range(120)), shuffle=True), y)
    in_order = Network(mlp, **LAST).fit(loader(rows_of(X)), y)
    found = [network.predict_proba(X_NEW) for network in (brings, numbers, in_order)]
    np.testing.assert_array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2]).max() > 1e-4  # its own order, which differs


def test_batches_are_those_of_the_loader():
    seen = []

    def watching(logits, observed):
        seen.append(observed.tolist())
        return logits.square().mean()

    Network(mlp, loss=watching, **{**LAST, "epochs": 1}).fit(loader(rows_of(X), drop_last=True), y)
    assert seen == [y[start : start + 16].tolist() for start in range(0, 112, 16)]


def test_the_same_seed_shuffles_the_same():
    first, second = (
        scores(loader(pairs_of(X, y), shuffle=True), validation_size=0) for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("form", [rows_of, lambda rows: pairs_of(rows, range(len(rows)))])
def test_loaders_are_scored_in_order(form):
    network = Network(mlp, **FAST).fit(X, y)
    expected = network.predict_proba(X_NEW)
    np.testing.assert_array_equal(network.predict_proba(loader(form(X_NEW))), expected)
    for shuffled in ({"shuffle": True}, {"sampler": SubsetRandomSampler(range(40))}):
        with pytest.raises(ScorerError, match=r"(?s)shuffles.*loader.dataset"):
            network.predict_proba(loader(form(X_NEW), **shuffled))
    with pytest.raises(ScorerError, match=r"(?s)drop_last=True.*keeps the order and all rows"):
        network.predict_proba(loader(form(X_NEW), drop_last=True))


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        (rows_of(X), y, r"(?s)order of its own without telling.*\(x, i\)"),
        (pairs_of(X, y), y, r"(?s)number of a row twice.*leave y out"),
        (pairs_of(X, range(120)), y[:100], "labels have 100 rows, but X gives a row with the"),
    ],
)
def test_a_shuffling_loader_whose_rows_cannot_be_matched_is_refused(data, labels, message):
    with pytest.raises(LabelError, match=message):
        Network(mlp, **LAST).fit(loader(data, shuffle=True), labels)


@pytest.mark.parametrize("n", [119, 100])
def test_an_ordered_loader_needs_as_many_labels_as_rows(n):
    with pytest.raises(LabelError, match=f"labels have {n} rows, but X gives a row"):
        Network(mlp, **LAST).fit(loader(rows_of(X)), y[:n])
    with pytest.raises(LabelError, match=f"labels have 120 rows, but X has {n}"):
        Network(mlp, **LAST).fit(loader(rows_of(X[:n])), y)


def test_a_loader_ending_with_one_row_says_what_to_do():
    module = nn.Sequential(nn.Linear(256, 8), nn.BatchNorm1d(8), nn.Linear(8, 10))
    with pytest.raises(TrainingError, match="drop_last=True"):
        Network(module, **LAST).fit(loader(pairs_of(X[:33], y)))
    assert Network(module, **LAST).fit(loader(pairs_of(X[:33], y), drop_last=True))


def test_an_empty_loader_is_refused():
    with pytest.raises(FeatureError, match="X gives no rows"):
        Network(mlp, **LAST).fit(loader(pairs_of(X[:5], y), drop_last=True))


class Backwards(SequentialSampler):
    """A sampler of another order, of a class that stands for order."""

    def __iter__(self):
        return iter(reversed(range(len(self.data_source))))


DATA = TensorDataset(torch.from_numpy(X))


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"batch_sampler": BatchSampler(RandomSampler(DATA), 32, False)}, "shuffles its rows"),
        ({"sampler": Backwards(DATA)}, "shuffles its rows"),
        (
            {"batch_sampler": BatchSampler(SequentialSampler(DATA), 32, True)},
            r"leaves rows out \(drop_last=True\)",
        ),
        (
            {"sampler": SequentialSampler(range(50))},
            r"leaves rows out \(its sampler has 50 rows, its dataset 120\)",
        ),
    ],
    ids=["batches drawn at random", "a class of its own", "a last batch dropped", "fewer rows"],
)
def test_rows_that_a_sampler_orders_are_not_matched_with_others(given, fault):
    network = Network(mlp, **LAST).fit(X, y)
    with pytest.raises(ScorerError, match=fault):
        network.predict_proba(DataLoader(DATA, **given))
    with pytest.raises(LAMCError):
        LAMC(network).fit(X, y, X_cal=DataLoader(DATA, **given), Y_cal=Y)
    if "shuffles" in fault:
        with pytest.raises(LabelError, match="order of its own"):
            Network(mlp, **LAST).fit(DataLoader(DATA, **given), y)


def test_batches_in_order_are_matched_whoever_makes_them():
    network = Network(mlp, **LAST).fit(X, y)
    in_turn = DataLoader(DATA, batch_sampler=BatchSampler(SequentialSampler(DATA), 32, False))
    expected = network.predict_proba(X)
    np.testing.assert_allclose(network.predict_proba(in_turn), expected, rtol=1e-5)


def test_rows_that_are_part_of_a_graph_are_taken_out_of_it():
    rows = torch.from_numpy(X).requires_grad_()
    before = nn.Linear(256, 256)
    pairs = TensorDataset(before(rows), torch.from_numpy(y))
    for part_of_one, labels in ((rows, y), (before(rows), y), (pairs, None)):
        Network(mlp, **FAST).fit(part_of_one, labels)
    assert rows.grad is None
    assert before.weight.grad is None


@pytest.mark.parametrize("row", [0, 60, 119])
def test_a_row_without_a_number_is_told_by_its_number_in_x(row):
    pictures = X.reshape(-1, 1, 16, 16).copy()
    held = hold_out(Examples(as_inputs(pictures), np.arange(120), as_labels(y), 10), 0.1, 32)[1]
    row = int(held.examples.rows[row % len(held.examples.rows)])
    pictures[row, 0, 3, 3] = np.nan
    layers = nn.Sequential(nn.Flatten(), nn.Linear(256, 10))
    with pytest.raises(ScorerError, match=f"no number for row {row} of X\\."):
        Network(layers, **FAST).fit(pictures, y)


class Streamed(IterableDataset):
    def __iter__(self):
        return iter(zip(X, y, strict=True))


class Shared(IterableDataset):
    """Rows that workers share, each taking every n-th."""

    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return iter(torch.from_numpy(X[first::step]))


def test_rows_that_workers_mix_are_not_matched_with_others():
    plain = Network(mlp, **LAST).fit(Shared(), y)
    whole = plain.predict_proba(X)
    by_one = plain.predict_proba(loader(Shared(), num_workers=1))
    np.testing.assert_allclose(by_one, whole, rtol=1e-5)  # batches of another size round otherwise
    for mixed in (
        loader(Shared(), num_workers=2),
        loader(rows_of(X), num_workers=2, in_order=False),
    ):
        with pytest.raises(ScorerError, match="workers that mix its rows"):
            plain.predict_proba(mixed)
        with pytest.raises(LabelError, match="order of its own"):
            Network(mlp, **LAST).fit(mixed, y)
    in_turn = loader(rows_of(X), num_workers=2)
    np.testing.assert_allclose(plain.predict_proba(in_turn), whole, rtol=1e-5)


def test_scoring_leaves_torchs_random_numbers_alone():
    network = Network(mlp, **LAST).fit(X, y)
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    network.predict_proba(loader(rows_of(X)))
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_it_trains_where_gradients_are_switched_off(mode):
    expected = scores(X, y)
    with mode():
        found = scores(X, y)
    np.testing.assert_array_equal(found, expected)


def test_a_dataset_that_is_only_gone_through():
    ordered = Network(mlp, **LAST, batch_size=16).fit(loader(pairs_of(X, y)))
    streamed = Network(mlp, **LAST, batch_size=16).fit(Streamed())
    np.testing.assert_array_equal(streamed.predict_proba(X_NEW), ordered.predict_proba(X_NEW))
    np.testing.assert_array_equal(ordered.predict_proba(Streamed()), ordered.predict_proba(X))
