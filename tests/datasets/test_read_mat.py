"""MATLAB files in SMILE's layout."""

import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import io, sparse

from lamc.datasets import read
from lamc.datasets.readers.mat5 import read_variables
from lamc.exceptions import DatasetError

X = np.arange(30.0).reshape(10, 3)
Y = np.eye(10, 4, dtype=np.uint8) + np.eye(10, 4, k=-5, dtype=np.uint8)
ROWS = {"tr_idx": range(8), "va_idx": [8], "te_idx": [9]}


def cells(names: list[str]) -> np.ndarray:
    array = np.empty((1, len(names)), dtype=object)
    array[0] = names
    return array


def save(folder: Path, **variables: object) -> Path:
    path = folder / "some.mat"
    io.savemat(path, {"X": X, "Y": Y, **variables}, do_compression=True)
    return path


@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csc_matrix])
def test_dense_and_sparse_matrices_are_read(tmp_path, as_stored):
    data = read(save(tmp_path, X=as_stored(X), Y=as_stored(Y.astype(float))))
    assert sparse.issparse(data.X) == (as_stored is sparse.csc_matrix)
    np.testing.assert_array_equal(data.X.toarray() if sparse.issparse(data.X) else data.X, X)
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    assert data.Y.dtype == bool
    assert data.X.dtype == np.float64
    assert data.name == "some"
    assert data.label_names.tolist() == ["label0", "label1", "label2", "label3"]
    assert data.feature_names.tolist() == ["x0", "x1", "x2"]
    assert data.observed is None
    assert data.split is None


def test_names_observed_labels_and_split_are_kept(tmp_path):
    observed = np.eye(10, 4, dtype=np.uint8)
    path = save(tmp_path, label_names=cells(["a", "ö", "c d", "e"]), Y_obs=observed, **ROWS)
    data = read(path)
    assert data.label_names.tolist() == ["a", "ö", "c d", "e"]
    np.testing.assert_array_equal(data.observed.toarray(), observed)
    assert sorted(data.split.training) == list(range(8))
    assert data.split.validation.tolist() == [8]
    assert data.split.test.tolist() == [9]


def test_names_may_be_a_character_matrix(tmp_path):
    names = np.array(["one", "two", "three", "four"])
    assert read(save(tmp_path, label_names=names)).label_names.tolist() == names.tolist()


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"Y": Y.T}, r"X has 10 rows, but Y has 4.*\n.*turned"),
        ({"Y": Y[:9]}, "X has 10 rows, but Y has 9"),
        ({"Y": Y * 2}, "Y holds 2 at row 0, column 0"),
        ({"Y": Y.astype(float) * 2 - 1}, "Y holds -1.0 at row 0, column 1.*unknown"),
        ({"Y": np.where(Y == 1, np.nan, 0)}, "Y holds nan at row 0, column 0"),
        ({"Y": cells(["a", "b"])}, r"Y is an array of object of shape \(1, 2\)"),
        ({"X": X + 1j}, "X is an array of complex128"),
        ({"X": {"a": 1}}, "X is a struct"),
        ({"label_names": {"a": "oak", "b": "elm"}}, r"label_names is a struct.*\n.*cellstr"),
        ({"Y_obs": {"a": 1}}, "Y_obs is a struct"),
        ({"X": np.empty((10, 0))}, "10 rows, 0 features and 4 labels"),
        ({"Y_obs": 1 - Y}, "Y_obs marks a label that Y does not, at row 0, column 1"),
        ({"Y_obs": Y[:, :2]}, r"Y_obs has the shape \(10, 2\)"),
        ({"label_names": cells(["a", "b"])}, "names 2 labels, but holds 4"),
        ({"label_names": cells(["a", "b", "a", "c"])}, "two labels named 'a'"),
        ({"label_names": cells(["a", " ", "b", "c"])}, "entry 1 of label_names.* is empty"),
        ({"tr_idx": [0, 1], "te_idx": [3]}, "has tr_idx and te_idx, but not va_idx"),
        (ROWS | {"te_idx": [8]}, "Row 8 is in validation and in test"),
        (ROWS | {"te_idx": [10]}, r"names row 10, but there are 10.*\n.*count rows from 1"),
        (ROWS | {"te_idx": [99]}, "names row 99"),
        (ROWS | {"te_idx": [-1]}, "row -1"),
        (ROWS | {"te_idx": np.empty((1, 0))}, "test"),
        (ROWS | {"te_idx": [0.5]}, "te_idx holds float64 values that are not row numbers"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, variables, message):
    with pytest.raises(DatasetError, match=r"some\.mat") as caught:
        read(save(tmp_path, **variables))
    assert caught.match(f"(?s).*{message}")


def test_missing_variables_are_named(tmp_path):
    path = tmp_path / "some.mat"
    io.savemat(path, {"data": X, "target": Y})
    with pytest.raises(DatasetError, match=r"no variable X; it has: data, target.\n.*as X"):
        read(path)


def test_version_7_3_says_how_to_save_again(tmp_path):
    path = tmp_path / "new.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + b"\x89HDF\r\n\x1a\n")
    with pytest.raises(DatasetError, match=r"7\.3.*\n.*-v7"):
        read(path)
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    with pytest.raises(DatasetError, match=r"7\.3.*\n.*-v7"):
        read(path)


def test_sparse_entries_outside_the_matrix_are_refused(tmp_path):
    wrong = sparse.csc_matrix(X)
    wrong.indices[0] = 10_000_000
    with pytest.raises(DatasetError, match="the sparse matrix X is damaged"):
        read(save(tmp_path, X=wrong))


def complaint(path: Path, content: bytes) -> str | None:
    path.write_bytes(content)
    try:
        read(path)
    except DatasetError as error:
        return str(error)
    return None


@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csc_matrix])
@pytest.mark.parametrize("compressed", [True, False])
def test_a_file_cut_or_damaged_anywhere_is_read_or_refused_and_nothing_else(
    tmp_path, as_stored, compressed
):
    """scipy.io.loadmat ends the process on some of these."""
    path = tmp_path / "part.mat"
    variables = {"X": as_stored(X), "Y": Y, "label_names": cells(["a", "b", "c", "d"])}
    io.savemat(path, variables, do_compression=compressed)
    whole = path.read_bytes()
    cut = [complaint(path, whole[:end]) for end in range(0, len(whole), 8)]
    assert cut.count(None) <= 2  # a cut between two variables leaves a whole file
    damaged = [
        complaint(path, whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        for place in range(0, len(whole), 3)
    ]
    assert all(message is None or "part.mat" in message for message in cut + damaged)
    assert any(damaged)


KINDS = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
MATRICES = st.sampled_from(KINDS).flatmap(
    lambda kind: hnp.arrays(kind, hnp.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=4))
)


@given(matrix=MATRICES, text=st.text(max_size=5), compressed=st.booleans())
def test_variables_are_those_that_scipy_reads(matrix, text, compressed):
    file = BytesIO()
    numbers = np.arange(12.0).reshape(3, 4) % 5
    variables = {
        "matrix": matrix,
        "sparse": sparse.csc_matrix(numbers),
        "marks": sparse.csc_matrix(numbers > 2),
        "cells": cells([text.replace("\0", ""), "ä", "four"]),
        "wave": numbers + 1j,
        "frame": {"field": 3},
        "small": np.array([[3]]),
    }
    io.savemat(file, variables, do_compression=compressed)
    expected = io.loadmat(BytesIO(file.getvalue()))
    found = read_variables(file.getvalue())
    assert list(found) == list(variables)
    for name in ("matrix", "wave", "small"):
        np.testing.assert_array_equal(found[name], expected[name])
    np.testing.assert_array_equal(found["sparse"].toarray(), expected["sparse"].toarray())
    np.testing.assert_array_equal(found["marks"].toarray(), expected["marks"].toarray())
    assert found["frame"] is None
    assert [str(*cell) for cell in found["cells"].ravel()] == [
        str(*cell) for cell in expected["cells"].ravel()
    ]


def test_files_of_machines_with_the_other_byte_order_are_read():
    def part(kind: int, data: bytes) -> bytes:
        return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)

    numbers = np.array([[1.5, -2.0], [3.0, 4.0]])
    body = (
        part(6, struct.pack(">II", 6, 0))
        + part(5, struct.pack(">ii", 2, 2))
        + struct.pack(">HH4s", 1, 1, b"X")
        + part(9, numbers.astype(">f8").tobytes(order="F"))
    )
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    found = read_variables(header + part(14, body))
    np.testing.assert_array_equal(found["X"], numbers)
    assert found["X"].dtype == np.float64
    np.testing.assert_array_equal(io.loadmat(BytesIO(header + part(14, body)))["X"], numbers)


def test_an_array_of_strings_is_not_taken_for_nothing():
    """Such arrays have no shape: class 17, then the name, the system and the class in it."""

    def part(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    head = b"MATLAB 5.0".ljust(124) + struct.pack("<H", 0x100) + b"IM"
    flags = part(6, struct.pack("<II", 17, 0))
    texts = [part(1, text) for text in (b"label_names", b"MCOS", b"string")]
    found = read_variables(head + part(14, flags + b"".join(texts)))
    assert found == {"label_names": None}
