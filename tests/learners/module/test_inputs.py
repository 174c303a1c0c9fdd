"""What Network takes rows in: arrays, tensors, several inputs, Datasets."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from torch import nn
from torch.utils.data import TensorDataset

from lamc import LAMC
from lamc.exceptions import (
    CalibrationError,
    FeatureError,
    LabelError,
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

from .inputs import (
    FAST,
    LAST,
    X_NEW,
    X_VAL,
    Y_VAL,
    Rows,
    X,
    Y,
    loader,
    mlp,
    pairs_of,
    rows_of,
    scores,
    y,
)

# -- in memory -------------------------------------------------------------------------------------


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


# -- labels beside the rows ------------------------------------------------------------------------


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


# -- validation ------------------------------------------------------------------------------------


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


# -- in LAMC ---------------------------------------------------------------------------------------


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
