"""The real files: the twelve in SMILE's layout, and Mulan's originals."""

import arff
import numpy as np
import pytest
from scipy import io, sparse

from lamc.datasets import read

pytestmark = pytest.mark.real_data

TWELVE = {
    "CAL500": (502, 68, 174, 26.04),
    "scene": (2407, 294, 6, 1.07),
    "yeast": (2417, 103, 14, 4.24),
    "corel5k": (5000, 499, 374, 3.52),
    "rcv1subset1": (6000, 944, 101, 2.88),
    "Corel16k001": (13766, 500, 153, 2.86),
    "delicious": (16091, 500, 983, 19.04),
    "tmc2007": (28596, 500, 22, 2.16),
    "Image": (2000, 294, 5, 1.24),
    "iaprtc12": (19627, 100, 291, 5.72),
    "espgame": (20768, 100, 268, 4.69),
    "mirflickr": (20015, 1386, 38, 4.74),
}
MULAN = {
    "yeast-train": (1500, 103, 14),
    "yeast-test": (917, 103, 14),
    "cal500": (502, 68, 174),
    "Corel5k-train-sparse": (4500, 499, 374),
    "Corel5k-test-sparse": (500, 499, 374),
}


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def sorted_rows(*parts):
    """Rows of the parts side by side, in an order of their own.

    The MATLAB files hold numbers that were once of single precision.
    """
    rows = np.hstack([dense(part).astype(np.float32) for part in parts])
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("name", TWELVE)
def test_the_twelve_have_the_shapes_of_their_table(data_folder, name):
    data = read(data_folder / "spl" / f"{name}.mat")
    n, d, k, cardinality = TWELVE[name]
    assert data.name == name
    assert data.X.shape == (n, d)
    assert data.Y.shape == (n, k)
    assert data.cardinality == pytest.approx(cardinality, abs=0.01)
    assert len(data.feature_names) == d
    assert len(data.label_names) == k
    assert (np.diff(data.observed.indptr) == 1).all()
    assert (data.observed > data.Y).nnz == 0
    parts = [data.split.training, data.split.validation, data.split.test]
    assert [round(10 * len(part) / n) for part in parts] == [8, 1, 1]
    assert len(np.unique(np.concatenate(parts))) == n


@pytest.mark.parametrize("name", TWELVE)
def test_the_twelve_hold_what_scipy_reads(data_folder, name):
    path = data_folder / "spl" / f"{name}.mat"
    data, expected = read(path), io.loadmat(path)
    for found, variable in [(data.X, "X"), (data.Y, "Y"), (data.observed, "Y_obs")]:
        assert (sparse.csr_array(found) != sparse.csr_array(expected[variable])).nnz == 0
    assert data.label_names.tolist() == [str(*cell) for cell in expected["label_names"].ravel()]
    assert sorted(data.split.training) == sorted(expected["tr_idx"].ravel())
    np.testing.assert_array_equal(data.split.validation, expected["va_idx"].ravel())
    np.testing.assert_array_equal(data.split.test, expected["te_idx"].ravel())


@pytest.mark.parametrize("name", MULAN)
def test_mulan_files_have_their_shapes(data_folder, name):
    data = read(data_folder / "mulan" / f"{name}.arff")
    n, d, k = MULAN[name]
    assert data.X.shape == (n, d)
    assert data.Y.shape == (n, k)
    assert sparse.issparse(data.X) == name.endswith("sparse")
    assert data.notes == ()


@pytest.mark.parametrize("name", MULAN)
def test_mulan_files_hold_what_liac_arff_reads(data_folder, name):
    path = data_folder / "mulan" / f"{name}.arff"
    data = read(path)
    with path.open() as file:
        table = arff.load(file, encode_nominal=True)
    cells = np.array(table["data"], dtype=float)
    names = [attribute for attribute, _ in table["attributes"]]
    for matrix, columns in [(data.X, data.feature_names), (data.Y, data.label_names)]:
        expected = cells[:, [names.index(column) for column in columns]]
        np.testing.assert_array_equal(dense(matrix), expected)


def test_yeast_is_the_same_from_arff_and_from_matlab(data_folder):
    parts = [read(data_folder / "mulan" / f"yeast-{part}.arff") for part in ("train", "test")]
    whole = read(data_folder / "spl" / "yeast.mat")
    X = np.vstack([part.X for part in parts])
    Y = sparse.vstack([part.Y for part in parts])
    assert parts[0].label_names.tolist() == [f"Class{i}" for i in range(1, 15)]
    assert whole.label_names.tolist() == parts[0].label_names.tolist()
    np.testing.assert_array_equal(sorted_rows(X, Y), sorted_rows(whole.X, whole.Y))


def test_cal500_is_the_same_from_arff_and_from_matlab(data_folder):
    one = read(data_folder / "mulan" / "cal500.arff")
    other = read(data_folder / "spl" / "CAL500.mat")
    assert one.label_names.tolist() == other.label_names.tolist()
    np.testing.assert_array_equal(sorted_rows(one.X, one.Y), sorted_rows(other.X, other.Y))


def test_corel5k_is_the_same_from_sparse_arff_and_from_matlab(data_folder):
    parts = [
        read(data_folder / "mulan" / f"Corel5k-{part}-sparse.arff") for part in ("train", "test")
    ]
    whole = read(data_folder / "spl" / "corel5k.mat")
    assert whole.label_names.tolist() == parts[0].label_names.tolist()
    X, Y = (sparse.vstack([getattr(part, which) for part in parts]) for which in "XY")
    np.testing.assert_array_equal(sorted_rows(X, Y), sorted_rows(whole.X, whole.Y))
