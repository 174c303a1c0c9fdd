"""LAMC's own files: what is written is read back."""

import io
import pickle
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from lamc.datasets import Dataset, Split, digit_scenes, read, write_npz
from lamc.exceptions import DatasetError


def small(**changes: object) -> Dataset:
    Y = sparse.csr_array(np.eye(10, 4, dtype=bool) | np.eye(10, 4, k=-5, dtype=bool))
    data = Dataset(
        name="small",
        X=np.arange(30.0).reshape(10, 3),
        Y=Y,
        feature_names=np.array(["a", "b", "c"]),
        label_names=np.array(["k", "l", "m", "n"]),
    )
    return replace(data, **changes)


def assert_same(one: object, other: object) -> None:
    assert type(one) is type(other)
    if isinstance(one, Split):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif sparse.issparse(one):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, strict=True)
    else:
        assert one == other


def assert_same_data(one: Dataset, other: Dataset) -> None:
    for field in fields(Dataset):
        assert_same(getattr(one, field.name), getattr(other, field.name))


full = small(
    observed=sparse.csr_array(np.eye(10, 4, dtype=bool)),
    split=Split.from_parts(range(8), [8], [9]),
    pictures=np.linspace(0, 1, 40).reshape(10, 2, 2),
    notes=("Left out 'x': text.", "ö"),
    words=("leaf", "söil"),
    variant="paper",
)


@pytest.mark.parametrize(
    "data",
    [small(), small(X=sparse.csr_array(np.eye(10, 3))), full, digit_scenes(60, random_state=1)],
)
def test_what_is_written_is_read_back(tmp_path, data):
    write_npz(data, tmp_path / "a.npz")
    assert_same_data(read(tmp_path / "a.npz"), data)


@given(
    X=hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)),
    stored=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_numbers_survive(tmp_path_factory, X, stored, seed):
    n, d = X.shape
    Y = np.random.default_rng(seed).random((n, 3)) < 0.4
    data = Dataset(
        name="é",
        X=sparse.csr_array(X) if stored else X,
        Y=sparse.csr_array(Y),
        feature_names=np.array([f"ß{j}" for j in range(d)]),
        label_names=np.array(["a b", "", "語"]),
    )
    path = tmp_path_factory.mktemp("npz") / "a.npz"
    write_npz(data, path)
    assert_same_data(read(path), data)


def test_false_entries_that_are_stored_stay_false(tmp_path):
    Y = small().Y.copy()
    Y.data[0] = False
    write_npz(small(Y=Y), tmp_path / "a.npz")
    np.testing.assert_array_equal(read(tmp_path / "a.npz").Y.toarray(), Y.toarray())
    assert Y.nnz == small().Y.nnz


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_sparse_features_of_any_form_come_back(tmp_path, form):
    """Square ones too, of which csc came back turned."""
    X = sparse.csr_array(np.arange(100.0).reshape(10, 10)).asformat(form)
    data = small(X=X, Y=small().Y.asformat(form), feature_names=np.array(list("abcdefghij")))
    write_npz(data, tmp_path / "a.npz")
    found = read(tmp_path / "a.npz")
    np.testing.assert_array_equal(found.X.toarray(), np.arange(100.0).reshape(10, 10))
    np.testing.assert_array_equal(found.Y.toarray(), small().Y.toarray())


def test_false_features_that_are_stored_stay_false(tmp_path):
    X = sparse.csr_array(np.eye(10, 3, dtype=bool))
    X.data[0] = False
    write_npz(small(X=X), tmp_path / "a.npz")
    np.testing.assert_array_equal(read(tmp_path / "a.npz").X.toarray(), X.toarray())
    assert X.nnz == 3


def test_what_is_written_is_not_tidied_up(tmp_path):
    X = sparse.csr_array(np.ones((10, 3)))
    X.indices[:] = X.indices[::-1].copy()
    X.has_sorted_indices = False
    before = X.indices.copy()
    write_npz(small(X=X), tmp_path / "a.npz")
    np.testing.assert_array_equal(X.indices, before)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feature_names": np.array(["a"])}, "'small' names 1 features, but holds 3"),
        ({"label_names": np.array(list("kkmn"))}, "'small' has two labels named 'k'"),
        ({"X": np.ones((3, 3))}, "X has 3 rows, but Y has 10"),
        ({"X": pd.DataFrame({"a": [1.0] * 10, "b": ["x"] * 10})}, "X is an array of object"),
        ({"X": [[1.0, 2.0, 3.0]] * 10}, "X is an array of object"),
        ({"Y": sparse.csr_array(np.full((10, 4), 2))}, "Y holds 2 at row 0, column 0"),
        ({"observed": sparse.csr_array(np.ones((10, 4)))}, "Y_obs marks a label that Y does not"),
        ({"split": Split([0], [1], [2], [10])}, "the split names row 10, but there are 10"),
        ({"pictures": np.zeros((3, 2, 2))}, "3 pictures for 10 rows"),
        ({"pictures": np.array([None] * 10)}, "pictures is no array of numbers"),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path, changes, message):
    with pytest.raises(DatasetError, match=message):
        write_npz(small(**changes), tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


def test_the_same_data_gives_the_same_bytes(tmp_path):
    write_npz(full, tmp_path / "a.npz")
    write_npz(full, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    write_npz(small(), tmp_path / "a.npz")
    before = (tmp_path / "a.npz").read_bytes()

    def full_disk(file: io.BufferedWriter, **arrays: object) -> None:
        file.write(b"half a")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_npz(full, tmp_path / "a.npz")
    assert (tmp_path / "a.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(DatasetError, match=r"a\.dat does not end in \.npz"):
        write_npz(small(), tmp_path / "a.dat")


def test_a_file_cut_anywhere_or_with_a_byte_changed_is_read_or_refused(tmp_path):
    write_npz(full, tmp_path / "a.npz")
    whole = (tmp_path / "a.npz").read_bytes()
    path = tmp_path / "part.npz"
    for cut in range(0, len(whole), 31):
        path.write_bytes(whole[:cut])
        with pytest.raises(DatasetError, match=r"part\.npz"):
            read(path)
    refused = 0
    for place in range(0, len(whole), 13):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            read(path)
        except DatasetError:
            refused += 1
    assert refused > 0


def stored(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": None}, "not written by lamc.datasets.write_npz; its arrays are X, Y.indices"),
        ({"format": np.array("LAMC data set, version 99")}, "not written by"),
        ({"Y.indptr": None}, "damaged: 'Y.indptr'"),
        ({"Y.indices": np.full(8, 77)}, "the sparse matrix Y is damaged"),
        ({"Y.indices": np.full(8, -7)}, "the sparse matrix Y is damaged"),
        ({"Y.shape": np.array([10, -4])}, "damaged"),
        ({"Y.shape": np.array([9, 4])}, "damaged"),
        ({"label_names": np.array(["k"])}, "names 1 labels, but holds 4"),
        ({"X": np.zeros((3, 3))}, "X has 3 rows, but Y has 10"),
        ({"X": np.array([["a"] * 3] * 10)}, "X is an array of <U1"),
        ({"split.test": np.array([3])}, r"Row 3 is in train and in test|Row 3 is in"),
        ({"split.test": None}, "damaged: 'split.test'"),
        ({"pictures": np.zeros((3, 2, 2))}, "3 pictures for 10 rows"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path, changes, message):
    path = tmp_path / "a.npz"
    write_npz(full, path)
    arrays = {k: v for k, v in (stored(path) | changes).items() if v is not None}
    np.savez(path, **arrays)
    with pytest.raises(DatasetError, match=r"a\.npz") as caught:
        read(path)
    assert caught.match(f".*{message}")


def test_entries_stored_twice_are_added_up(tmp_path):
    path = tmp_path / "a.npz"
    write_npz(small(X=sparse.csr_array(np.eye(10, 3))), path)
    twice = {"X.data": np.full(2, 1.5), "X.indices": np.ones(2, dtype=int)}
    np.savez(path, **stored(path) | twice | {"X.indptr": np.repeat([0, 2], [1, 10])})
    X = read(path).X
    assert X.nnz == 1
    assert X[0, 1] == 3.0


class Trap:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


def test_a_pickle_inside_is_not_loaded(tmp_path):
    trap = tmp_path / "sprung"
    pickle.loads(pickle.dumps(Trap(trap)))
    assert trap.exists(), "the trap works"
    trap.unlink()
    write_npz(small(), tmp_path / "a.npz")
    arrays = stored(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", **arrays | {"notes": np.array([Trap(trap)], dtype=object)})
    with pytest.raises(DatasetError, match=r"a\.npz cannot be read"):
        read(tmp_path / "a.npz")
    assert not trap.exists()
