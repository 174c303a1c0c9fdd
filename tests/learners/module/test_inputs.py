"""Rows in any form give what the same rows give as an array; what cannot be matched is refused."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from torch import nn
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    TensorDataset,
    get_worker_info,
)

from lamc import LAMC
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import (
    CalibrationError,
    FeatureError,
    LabelError,
    LAMCError,
    LAMCWarning,
    ScorerError,
    SettingError,
    TrainingError,
)
from lamc.labels import as_labels
from lamc.learners import Network
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import as_inputs, cut
from lamc.learners.module.validation import hold_out

SCENES = digit_scenes(240)
X, Y = SCENES.X[:120].astype(np.float32), SCENES.Y[:120]
X_VAL, Y_VAL = SCENES.X[120:160].astype(np.float32), SCENES.Y[120:160].toarray()
X_NEW = SCENES.X[200:].astype(np.float32)
y = observe(Y, random_state=0).index()

FAST = {"epochs": 2, "learning_rate": 1e-2, "random_state": 0, "n_threads": 1}


def mlp(n_labels=10):
    return nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.Linear(8, n_labels))


class Rows(Dataset):
    """A Dataset that gives what ``item`` makes of a row and its number."""

    def __init__(self, item, n):
        self.item = item
        self.n = n

    def __getitem__(self, row):
        if not 0 <= row < self.n:
            raise IndexError(row)
        return self.item(row)

    def __len__(self):
        return self.n


def rows_of(X):
    return Rows(lambda row: X[row], len(X))


def pairs_of(X, second):
    return Rows(lambda row: (X[row], second[row]), len(X))


def scores(X, y=None, X_val=None, Y_val=None, X_new=X_NEW, module=mlp, **more):
    return Network(module, **{**FAST, **more}).fit(X, y, X_val, Y_val).predict_proba(X_new)


# -- in memory -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        torch.from_numpy,
        sparse.csr_array,
        sparse.csc_matrix,
        lambda rows: pd.DataFrame(rows).add_prefix("pixel"),
        lambda rows: rows.tolist(),
        lambda rows: rows.astype(np.float64),
        rows_of,
        lambda rows: TensorDataset(torch.from_numpy(rows)),
        lambda rows: pairs_of(rows, range(len(rows))),
    ],
    ids=["tensor", "csr", "csc", "pandas", "lists", "float64", "dataset", "tensors", "numbered"],
)
def test_rows_in_any_form_give_the_same(form):
    np.testing.assert_allclose(scores(form(X), y, X_new=form(X_NEW)), scores(X, y), atol=1e-6)


def test_features_of_a_frame_are_numbers_and_keep_their_names():
    counts = pd.DataFrame((X * 16).astype(int)).add_prefix("pixel")
    network = Network(mlp, **FAST).fit(counts, y)
    assert network.feature_names_in_[3] == "pixel3"
    with pytest.raises(ValueError, match="feature names"):
        network.predict_proba(counts.iloc[:, ::-1])
    with pytest.raises(FeatureError, match="Column 'size' of X"):
        network.fit(counts.assign(size="large"), y)


def test_a_second_fit_forgets_the_features_of_the_first():
    network = Network(mlp, **FAST).fit(X, y)
    assert network.n_features_in_ == 256
    network.set_params(module=nn.Sequential(nn.Flatten(), *mlp()))
    network.fit(X.reshape(-1, 1, 16, 16), y)
    assert not hasattr(network, "n_features_in_")


def convolutions():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)
    )


@pytest.mark.parametrize("form", [np.asarray, torch.from_numpy, rows_of])
def test_images(form):
    images = form(X.reshape(-1, 1, 16, 16))
    new = form(X_NEW.reshape(-1, 1, 16, 16))
    found = scores(images, y, X_new=new, module=convolutions)
    expected = scores(X.reshape(-1, 1, 16, 16), y, module=convolutions, X_new=new)
    np.testing.assert_allclose(found, expected, atol=1e-6)


class Reader(nn.Module):
    """The mean of the words that a mask leaves."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(17, 8)
        self.head = nn.Linear(8, 10)

    def forward(self, input_ids, attention_mask):
        mask = attention_mask.unsqueeze(-1)
        return self.head((self.words(input_ids) * mask).sum(1) / mask.sum(1))


IDS = (X * 16).astype(np.int64)
MASK = X > 0.2
NEW_IDS, NEW_MASK = (X_NEW * 16).astype(np.int64), X_NEW > 0.2


def by_name(ids, mask):
    return {"attention_mask": mask, "input_ids": ids}


@pytest.mark.parametrize(
    "form",
    [
        by_name,
        lambda ids, mask: by_name(torch.from_numpy(ids), torch.from_numpy(mask)),
        lambda ids, mask: Rows(lambda row: by_name(ids[row], mask[row]), len(ids)),
        lambda ids, mask: Rows(lambda row: ((ids[row], mask[row]), row), len(ids)),
    ],
    ids=["dict", "dict of tensors", "dataset of dicts", "dataset of tuples"],
)
def test_several_inputs_of_a_module(form):
    found = scores(form(IDS, MASK), y, X_new=form(NEW_IDS, NEW_MASK), module=Reader)
    expected = scores((IDS, MASK), y, X_new=(NEW_IDS, NEW_MASK), module=Reader)
    np.testing.assert_array_equal(found, expected)
    every_word = (NEW_IDS, np.ones_like(NEW_MASK))
    other = scores((IDS, MASK), y, X_new=every_word, module=Reader)
    assert np.abs(other - expected).max() > 1e-3  # the mask is used


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ({"a": X, "b": X[:-1]}, r"equally many rows, but have \{'a': 120, 'b': 119\}"),
        ((X, X.astype(str)), r"X\[1\] holds <U32 values; a module takes numbers"),
        (torch.zeros(0, 256), r"shape \(0, 256\); it needs at least one row"),
        (Rows(lambda row: (X[row], X[row], y[row]), 120), "3 parts a row"),
        (Rows(lambda row: "a text", 120), "type list that holds no tensor"),
    ],
)
def test_inputs_that_cannot_be_used_are_refused(X, message):
    with pytest.raises(FeatureError, match=message):
        Network(mlp, **FAST).fit(X, y)


@given(n=st.integers(1, 40), size=st.integers(1, 12))
def test_batches_hold_every_row_once_and_end_with_more_than_one(n, size):
    batches = cut(np.arange(n), size)
    np.testing.assert_array_equal(np.concatenate(batches), np.arange(n))
    *before, last = map(len, batches)
    assert set(before) <= {size}
    assert last <= size + 1
    assert last > 1 or n == 1 or size == 1


# -- labels beside the rows ----------------------------------------------------------------------


def test_a_dataset_may_bring_the_labels():
    by_itself = scores(pairs_of(X, y))
    np.testing.assert_array_equal(by_itself, scores(X, y))
    marked = np.eye(10, dtype=np.uint8)[y]
    np.testing.assert_allclose(scores(pairs_of(X, marked)), by_itself, atol=1e-6)


def test_labels_that_are_given_apart_come_first():
    np.testing.assert_array_equal(scores(pairs_of(X, (y + 1) % 10), y), scores(X, y))
    described = pairs_of(X, [{"boxes": list(range(row % 3))} for row in range(120)])
    np.testing.assert_array_equal(scores(described, y), scores(X, y))


def test_a_second_input_is_not_taken_for_something_to_leave_out():
    with pytest.raises(TypeError, match="attention_mask") as refusal:
        Network(Reader, **FAST).fit(pairs_of(IDS, MASK), y)
    assert "given int64 of shape (2, 256)" in refusal.value.__notes__[0]

    class Lenient(Reader):
        def forward(self, input_ids, attention_mask=None):
            return self.head(self.words(input_ids).mean(1))

    with pytest.raises(FeatureError, match=r"(?s)shape \(256,\) a row.*\(\(a, b\), label\)"):
        Network(Lenient, **FAST).fit(pairs_of(IDS, MASK), y)


def test_what_the_learner_tells_about_its_labels():
    network = Network(mlp, **FAST).fit(pairs_of(X, y))
    np.testing.assert_array_equal(network.classes_, np.arange(10))
    assert network.predict(X_NEW).shape == (40,)
    several = Network(mlp, **FAST).fit(pairs_of(X, Y.toarray()))
    assert several.predict(X_NEW).shape == (40, 10)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (y - 1, "the label -1, but the module has 10 outputs: they count from 0 to 9"),
        (y + 1, "the label 10, but the module has 10 outputs"),
        (y + 0.5, "labels of type torch.float64; the label of a row is a whole number"),
        (np.eye(9)[y % 9], "9 labels a row, but the module has 10 outputs"),
        (np.eye(10)[y] * 2, "other values than 0 and 1"),
        (np.eye(10)[y] * (y != 3)[:, None], "row of labels without a 1"),
        ([str(each) for each in y], "values of type str beside x"),
        (np.zeros((120, 2, 3)), r"shape \(\d+, 2, 3\) beside x"),
    ],
)
def test_odd_labels_beside_rows_are_refused(second, message):
    with pytest.raises(LabelError, match=message):
        Network(mlp, **FAST).fit(pairs_of(X, second))


def test_rows_without_labels_are_refused():
    with pytest.raises(LabelError, match=r"the target y is None.*pairs \(x, label\)"):
        Network(mlp, **FAST).fit(X)
    with pytest.raises(LabelError, match=r"pairs \(x, label\)"):
        Network(mlp, **FAST).fit(rows_of(X))
    asking = Network(lambda n_labels: mlp(n_labels), **FAST)
    with pytest.raises(SettingError, match=r"(?s)asks for n_labels.*or give y"):
        asking.fit(pairs_of(X, y))


# -- DataLoaders ---------------------------------------------------------------------------------

LAST = {**FAST, "validation_size": 0}


def loader(data, **more):
    return DataLoader(data, batch_size=16, **more)


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


# -- validation ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X_val", "labels"),
    [
        (rows_of(X_VAL), Y_VAL),
        (pairs_of(X_VAL, Y_VAL), None),
        (loader(pairs_of(X_VAL, Y_VAL)), None),
        (loader(rows_of(X_VAL)), torch.from_numpy(Y_VAL)),
    ],
    ids=["dataset", "dataset with labels", "loader with labels", "loader"],
)
def test_validation_rows_in_any_form(X_val, labels):
    expected = Network(mlp, **FAST).fit(X, y, X_VAL, Y_VAL).selection_
    assert Network(mlp, **FAST).fit(X, y, X_val, labels).selection_ == expected
    assert "average precision" in expected[0]["criterion"]


TWICE = np.repeat(X[:60], 2, axis=0)  # each row under two labels


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        sparse.csr_array,
        torch.from_numpy,
        lambda X: torch.from_numpy(X).bfloat16().requires_grad_(),
        lambda X: X.reshape(-1, 1, 16, 16),
        lambda X: {"left": X[:, :128], "right": torch.from_numpy(X[:, 128:])},
        lambda X: (X[:, :128], X[:, 128:]),
    ],
    ids=["array", "sparse", "tensor", "bfloat16", "images", "dict", "tuple"],
)
def test_equal_rows_are_held_out_together(form):
    examples = Examples(as_inputs(form(TWICE)), np.arange(120), as_labels(y), 10)
    kept, judge = hold_out(examples, 0.3, size=32)
    assert not set(kept.rows // 2) & set(judge.examples.rows // 2)
    assert len(judge.examples.rows) > 20


def test_rows_that_are_equal_in_one_input_only_are_not_equal():
    apart = (TWICE, np.arange(120.0)[:, None])
    plain = Examples(as_inputs(np.arange(120.0)[:, None]), np.arange(120), as_labels(y), 10)
    several = Examples(as_inputs(apart), np.arange(120), as_labels(y), 10)
    expected, found = (hold_out(each, 0.3, size=32)[0].rows for each in (plain, several))
    np.testing.assert_array_equal(found, expected)


def test_one_observed_label_beside_a_validation_row_is_not_taken_for_all():
    network = Network(mlp, **FAST).fit(X, y, pairs_of(X_VAL, Y_VAL.argmax(axis=1)))
    assert "observed label" in network.selection_[0]["criterion"]


def test_what_cannot_be_held_out_or_judged_is_refused():
    with pytest.raises(TrainingError, match=r"(?s)cannot be split.*validation_size=0"):
        Network(mlp, **FAST).fit(loader(pairs_of(X, y)))
    with pytest.raises(ScorerError, match="shuffles"):
        Network(mlp, **FAST).fit(X, y, loader(rows_of(X_VAL), shuffle=True), Y_VAL)
    with pytest.raises(LabelError, match="39 rows, but X_val has 40"):
        Network(mlp, **FAST).fit(X, y, loader(rows_of(X_VAL)), Y_VAL[:39])


# -- in LAMC -------------------------------------------------------------------------------------

calibrated_on_observed_labels = pytest.mark.filterwarnings("ignore:Calibrated on observed labels")


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: rows.reshape(-1, 1, 16, 16),
        lambda rows: torch.from_numpy(rows).reshape(-1, 1, 16, 16),
        lambda rows: rows_of(rows.reshape(-1, 1, 16, 16)),
        lambda rows: (rows.reshape(-1, 1, 16, 16),),
        lambda rows: {"input": rows.reshape(-1, 1, 16, 16)},
    ],
    ids=["array", "tensor", "dataset", "tuple", "dict"],
)
@calibrated_on_observed_labels
def test_lamc_holds_out_and_calibrates_rows_of_any_form(form):
    clf = LAMC(Network(convolutions, **FAST), rule="selective", alpha=0.5, random_state=0)
    found = clf.fit(form(X), y).predict(form(X_NEW))
    expected = clf.fit(X.reshape(-1, 1, 16, 16), y).predict(X_NEW.reshape(-1, 1, 16, 16))
    np.testing.assert_array_equal(found, expected)
    assert 0 < found.sum() < found.size


def test_lamc_calibrates_a_loader_on_rows_of_its_own():
    clf = LAMC(Network(mlp, **LAST), rule="recall", alpha=0.2)
    shuffled = loader(pairs_of(X, range(120)), shuffle=True)
    clf.fit(shuffled, y, X_cal=loader(rows_of(X_VAL)), Y_cal=Y_VAL)
    same = LAMC(Network(mlp, **LAST), rule="recall", alpha=0.2)
    same.fit(shuffled, y, X_cal=X_VAL, Y_cal=Y_VAL)
    np.testing.assert_array_equal(clf.thresholds_, same.thresholds_)
    assert clf.decide(loader(rows_of(X_NEW))).shape == (40, 10)
    with pytest.raises(CalibrationError, match=r"(?s)cannot be split.*X_cal and Y_cal"):
        clf.fit(shuffled, y)


@calibrated_on_observed_labels
def test_lamc_names_outputs_that_no_row_shows():
    clf = LAMC(Network(lambda: mlp(12), **FAST), random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.classes_, np.arange(12))
    assert clf.predict_proba(X_NEW).shape == (40, 12)


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: rows.reshape(-1, 1, 16, 16),
        lambda rows: torch.from_numpy(rows).reshape(-1, 1, 16, 16),
        lambda rows: {"input": rows.reshape(-1, 1, 16, 16)},
    ],
    ids=["array", "tensor", "dict"],
)
def test_lamc_warns_of_images_that_it_was_trained_on(form):
    clf = LAMC(Network(convolutions, **FAST))
    both = np.concatenate([X_VAL, X[5:6]])
    with pytest.warns(LAMCWarning, match="Row 40 of the calibration set has the same features"):
        clf.fit(form(X), y, X_cal=form(both), Y_cal=np.vstack([Y_VAL, Y[[5]].toarray()]))
