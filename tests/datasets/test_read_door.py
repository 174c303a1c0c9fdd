"""What read() does before and after any one format."""

import gzip
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import io

from lamc.datasets import digit_scenes, load, read, write_npz
from lamc.exceptions import DatasetError

ENDINGS = [".arff", ".mat", ".svm", ".csv", ".tsv", ".parquet", ".jsonl", ".npz"]
CSV = "x,y\n1,0\n2,1\n"


def npy_bytes(folder: Path) -> bytes:
    np.save(folder / "array.npy", np.eye(3))
    return (folder / "array.npy").read_bytes()


OTHER_FILES = {
    "a PNG picture": b"\x89PNG\r\n\x1a\n" + bytes(60),
    "a JPEG picture": b"\xff\xd8\xff\xe0" + bytes(60),
    "a PDF document": b"%PDF-1.7\n" + bytes(60),
    "a web page": b"\n<!DOCTYPE html><html><body>404 Not Found</body></html>",
    "a Python pickle": pickle.dumps({"X": [1, 2]}),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", OTHER_FILES)
def test_a_file_of_another_kind_is_named_for_what_it_is(tmp_path, ending, kind):
    path = tmp_path / f"some{ending}"
    path.write_bytes(OTHER_FILES[kind])
    with pytest.raises(DatasetError, match=rf"some\{ending} is {kind} by its first bytes"):
        read(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_binary_rubbish_is_refused(tmp_path, ending):
    path = tmp_path / f"some{ending}"
    path.write_bytes(bytes(range(128, 256)) * 3 + bytes(500))
    with pytest.raises(DatasetError, match=rf"some\{ending}"):
        read(path)


@pytest.mark.parametrize("ending", [".mat", ".parquet", ".npz"])
def test_text_is_no_binary_format(tmp_path, ending):
    path = tmp_path / f"some{ending}"
    path.write_text(CSV)
    with pytest.raises(DatasetError, match=rf"some\{ending} is text by its first bytes"):
        read(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_old_pickle_of_text_is_refused(tmp_path, ending):
    path = tmp_path / f"some{ending}"
    path.write_bytes(pickle.dumps({"X": [1, 2]}, protocol=0))
    with pytest.raises(DatasetError, match=rf"some\{ending}"):
        read(path)


def test_one_numpy_array_or_any_zip_is_no_data_set(tmp_path):
    path = tmp_path / "some.npz"
    path.write_bytes(npy_bytes(tmp_path))
    with pytest.raises(DatasetError, match="a single NumPy array"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(DatasetError, match=r"some\.npz was not written by .*letter.txt"):
        read(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_missing_and_folder(tmp_path, ending):
    path = tmp_path / f"some{ending}"
    with pytest.raises(DatasetError, match=rf"There is no file .*some\{ending}.\nCheck"):
        read(path)
    path.touch()
    with pytest.raises(DatasetError, match=rf"some\{ending} is empty"):
        read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(DatasetError, match=rf"some\{ending} is a folder"):
        read(path)


def test_an_unknown_ending_needs_the_format_said(tmp_path):
    path = tmp_path / "some.data"
    path.write_text(CSV)
    with pytest.raises(DatasetError, match=r"(?s)does not tell its format.*\.arff.*file_format="):
        read(path, labels=["y"])
    assert read(path, labels=["y"], file_format="csv").X.tolist() == [[1.0], [2.0]]
    with pytest.raises(DatasetError, match=r"file_format='excel' is not known.*csv"):
        read(path, file_format="excel")


@pytest.mark.parametrize(
    ("ending", "option", "takers"),
    [
        (".mat", {"labels": ["y"]}, "ARFF, CSV, Parquet, JSON lines"),
        (".npz", {"label_column": "y"}, "CSV, Parquet, JSON lines"),
        (".arff", {"separator": ";"}, "CSV, Parquet, JSON lines"),
        (".parquet", {"delimiter": ";"}, "CSV"),
        (".parquet", {"encoding": "latin-1"}, "ARFF, CSV, JSON lines"),
        (".csv", {"n_labels": 3}, "svmlight"),
        (".svm", {"id_column": "x"}, "ARFF, CSV, Parquet, JSON lines"),
    ],
)
def test_what_a_format_cannot_be_told_is_refused(tmp_path, ending, option, takers):
    path = tmp_path / f"some{ending}"
    path.write_bytes(b"anything")
    name = next(iter(option))
    with pytest.raises(DatasetError, match=f"{name}= means nothing; it is for {takers}.\nLeave"):
        read(path, **option)


def test_the_name_is_the_files_unless_it_is_said(tmp_path):
    path = tmp_path / "my.data.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert read(path, labels=["y"]).name == "my.data"
    assert read(str(path), labels=["y"], name="mine").name == "mine"
    write_npz(digit_scenes(20, random_state=0), tmp_path / "a.npz")
    assert read(tmp_path / "a.npz").name == "digit scenes"
    assert read(tmp_path / "a.npz", name="mine").name == "mine"


@pytest.mark.parametrize("ending", [".csv.gz", ".arff.xz", ".svm.bz2"])
def test_packed_files_that_are_none_or_cut_short_are_refused(tmp_path, ending):
    path = tmp_path / f"some{ending}"
    path.write_text(CSV)
    with pytest.raises(DatasetError, match=rf"some\{ending} cannot be read"):
        read(path, **({} if ending == ".svm.bz2" else {"labels": ["y"]}))


def test_a_packed_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "some.csv.gz"
    rows = np.random.default_rng(0).random((5000, 2)).tolist()
    text = "x,y,z\n" + "".join(f"{a},{b},1\n" for a, b in rows)
    path.write_bytes(gzip.compress(text.encode())[:-3000])
    with pytest.raises(DatasetError, match=r"some\.csv\.gz cannot be read.*\n.*whole"):
        read(path, labels=["z"])


def test_binary_formats_are_unpacked_by_hand(tmp_path):
    io.savemat(tmp_path / "a.mat", {"X": np.eye(2), "Y": np.eye(2)})
    path = tmp_path / "a.mat.gz"
    path.write_bytes(gzip.compress((tmp_path / "a.mat").read_bytes()))
    with pytest.raises(DatasetError, match=r"a\.mat\.gz is packed; unpack it first"):
        read(path)


@pytest.mark.parametrize("encoding", ["latin1st", "base64"])
def test_an_encoding_that_is_none_is_refused(tmp_path, encoding):
    path = tmp_path / "some.csv"
    path.write_text(CSV)
    with pytest.raises(DatasetError, match=encoding):
        read(path, labels=["y"], encoding=encoding)


def test_names_may_come_in_an_array(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("i,x,y,z\n1,5,0,1\n2,6,1,1\n")
    data = read(path, labels=np.array(["z", "y"]), id_column=np.array(["i"]))
    assert data.label_names.tolist() == ["z", "y"]
    assert data.feature_names.tolist() == ["x"]


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "some.csv"
    path.write_text(CSV)

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(DatasetError, match=r"some\.csv cannot be read: .*Permission denied"):
        read(path, labels=["y"])


@pytest.mark.parametrize("option", ["labels", "id_column", "words"])
def test_names_that_are_no_list_are_refused(tmp_path, option):
    (tmp_path / "a.csv").write_text(CSV)
    with pytest.raises(DatasetError, match=f"{option}=2 is no list of names"):
        read(tmp_path / "a.csv", **{option: 2})


@pytest.mark.parametrize("name", [None, 3])
def test_a_data_set_is_named_by_text(name):
    with pytest.raises(DatasetError, match=f"named by text, and {name} is none"):
        load(name)
