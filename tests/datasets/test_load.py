"""What users rely on in load: the file is found and known for what it is, or a sentence."""

import hashlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from lamc.datasets import Dataset, Split, catalogue, digit_scenes, load, split, write_npz
from lamc.datasets.catalogue import Catalogue, Entry, RemoteFile, Variant
from lamc.exceptions import DatasetError

ROWS, FEATURES, LABELS = 40, 3, 4


def made(seed: int = 0, *, rows: int = ROWS) -> Dataset:
    """A small data set with two labels a row."""
    rng = np.random.default_rng(seed)
    Y = np.zeros((rows, LABELS), dtype=bool)
    for row in Y:
        row[rng.choice(LABELS, 2, replace=False)] = True
    return Dataset(
        name="made",
        X=np.round(rng.normal(size=(rows, FEATURES)), 3),
        Y=sparse.csr_array(Y),
        feature_names=np.array(["length", "width", "height & depth"]),
        label_names=np.array(["oak", "elm", "it's <ash>", "fir"]),
    )


def write_arff(data: Dataset, path: Path) -> None:
    def quoted(name: str) -> str:
        return "'" + name.replace("'", "\\'") + "'"

    lines = ["@relation trees"]
    lines += [f"@attribute {quoted(name)} numeric" for name in data.feature_names]
    lines += [f"@attribute {quoted(name)} {{0,1}}" for name in data.label_names]
    cells = np.hstack([data.X, data.Y.toarray()])
    lines += ["@data", *(",".join(f"{value:g}" for value in row) for row in cells)]
    path.write_text("\n".join(lines) + "\n")


def write_xml(path: Path) -> None:
    escaped = ["fir", "it's &lt;ash&gt;", "oak", "elm"]
    labels = "".join(f'<label name="{name}"></label>' for name in escaped)
    path.write_text(f'<labels xmlns="http://mulan.sourceforge.net/labels">{labels}</labels>')


def dense(X: Any) -> Any:
    return X.toarray() if sparse.issparse(X) else X


def same(first: Dataset, second: Dataset) -> bool:
    return (
        np.array_equal(dense(first.X), dense(second.X))
        and np.array_equal(first.Y.toarray(), second.Y.toarray())
        and np.array_equal(first.label_names, second.label_names)
    )


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one data set, ``Trees``; a data folder, returned, and a cache, both empty."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("LAMC_DATA", str(folder))
    monkeypatch.setenv("LAMC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LAMC_MIRROR", raising=False)
    put_in_catalogue(monkeypatch, None)
    return folder


def put_in_catalogue(monkeypatch: pytest.MonkeyPatch, file: RemoteFile | None) -> None:
    variants = (
        Variant("paper", ROWS, FEATURES, LABELS, 2.0),
        Variant("half the rows", ROWS // 2, FEATURES, LABELS, 2.0, comparable=False),
    )
    entry = Entry("Trees", "Plants", variants, ("https://example.org",), file=file)
    module = sys.modules["lamc.datasets.load"]  # lamc.datasets.load itself is the function
    monkeypatch.setattr(module, "catalogue", Catalogue(entry))


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The address of a server on this machine that hands out a folder."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(root))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address at which it is served."""
    root = tmp_path / "site"
    root.mkdir()
    with served(root) as address:
        yield root, address


@pytest.mark.parametrize("place", [".", "spl", "mulan", "Trees"])
@pytest.mark.parametrize("kind", ["mat", "npz", "arff", "pair"])
def test_every_form_is_found_in_every_place(trees: Path, place: str, kind: str) -> None:
    data, at = made(), trees / place
    at.mkdir(exist_ok=True)
    if kind == "mat":
        names = np.array(data.label_names, dtype=object)
        savemat(at / "trees.mat", {"X": data.X, "Y": data.Y.astype(float), "label_names": names})
    elif kind == "npz":
        write_npz(data, at / "TREES.npz")
    elif kind == "arff":
        write_arff(data, at / "Trees.arff")
        write_xml(at / "Trees.xml")
    else:
        write_arff(replace(data, X=data.X[:30], Y=data.Y[:30]), at / "Trees-train.arff")
        write_arff(replace(data, X=data.X[30:], Y=data.Y[30:]), at / "Trees-test.arff")
        write_xml(at / "Trees.xml")
    loaded = load("trees")
    assert same(loaded, data)
    assert (loaded.name, loaded.variant) == ("Trees", "paper")
    assert "Trees as in the paper." in loaded.notes
    assert same(load("TREES", folder=trees), data)


def test_a_variant_is_said(trees: Path) -> None:
    write_npz(made(rows=ROWS // 2), trees / "trees.npz")
    loaded = load("trees")
    assert loaded.variant == "half the rows"
    assert "'half the rows': results can be set beside the paper's in order of" in loaded.notes[-1]


def test_what_the_file_carries_is_kept(trees: Path) -> None:
    data = replace(made(), split=split(made().Y, random_state=5), notes=("by hand",))
    write_npz(data, trees / "trees.npz")
    loaded = load("trees")
    assert loaded.split is not None
    np.testing.assert_array_equal(loaded.split.test, data.split.test)
    assert loaded.notes[0] == "by hand"


def test_a_file_that_fits_no_variant_is_refused(trees: Path) -> None:
    write_npz(made(rows=ROWS - 1), trees / "trees.npz")
    with pytest.raises(DatasetError) as error:
        load("trees")
    for part in ("trees.npz cannot be Trees: there are 39 rows", "paper: 40 rows", "read(path)"):
        assert part in str(error.value)


def test_parts_of_different_data_are_refused(trees: Path) -> None:
    data = made(rows=20)
    write_arff(data, trees / "trees-train.arff")
    other = replace(data, feature_names=np.array(["length", "width", "weight"]))
    write_arff(other, trees / "trees-test.arff")
    write_xml(trees / "trees.xml")
    with pytest.raises(DatasetError, match="differ in their feature names"):
        load("trees")


def test_the_data_folder_comes_before_the_cache(trees: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    write_npz(made(1), tmp_path / "cache" / "trees.npz")
    assert same(load("trees"), made(1))
    write_npz(made(2), trees / "trees.npz")
    assert same(load("trees"), made(2))


def test_a_given_folder_is_the_only_one_searched(trees: Path, tmp_path: Path) -> None:
    write_npz(made(), trees / "trees.npz")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match=r"no file of Trees in .*empty"):
        load("trees", folder=tmp_path / "empty")


def test_a_missing_file_says_where_to_get_it_and_where_to_put_it(trees: Path) -> None:
    with pytest.raises(DatasetError) as error:
        load("trees")
    for part in ("https://example.org", str(trees.parent / "cache"), "Trees.mat", "LAMC_DATA"):
        assert part in str(error.value)


def test_a_data_folder_that_is_none_is_said(trees: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMC_DATA", str(trees / "elsewhere"))
    with pytest.raises(DatasetError, match=r"LAMC_DATA names .*elsewhere, which is no folder"):
        load("trees")


def test_a_download_is_kept_and_needs_no_network_again(
    trees: Path, site: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, address = site
    write_arff(made(), root / "trees.arff")
    sha256 = hashlib.sha256((root / "trees.arff").read_bytes()).hexdigest()
    put_in_catalogue(monkeypatch, RemoteFile(address, "trees.arff", sha256))
    assert same(load("trees"), made())
    (root / "trees.arff").unlink()
    assert same(load("trees"), made())
    (tmp_path / "cache" / "trees.xml").unlink()  # as if the first load had been interrupted
    assert same(load("trees"), made())
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [
        "trees.arff", "trees.xml"
    ]  # fmt: skip


def test_a_file_put_into_the_cache_by_hand_is_left_as_it_is(
    trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_catalogue(monkeypatch, RemoteFile("http://127.0.0.1:9", "trees.arff"))
    cached = tmp_path / "cache" / "trees.arff"
    cached.parent.mkdir()
    write_arff(made(), cached)
    meka = cached.read_text().replace("trees", f"'trees: -C -{LABELS}'", 1)
    cached.write_text(meka)
    assert same(load("trees"), made())
    assert [path.name for path in cached.parent.iterdir()] == ["trees.arff"]
    cached.write_text(meka.replace("@data", "@date"))
    with pytest.raises(DatasetError):
        load("trees")
    assert cached.exists()


def test_a_download_from_a_mirror(
    trees: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, address = site
    write_arff(made(), root / "trees.arff")
    put_in_catalogue(monkeypatch, RemoteFile("http://127.0.0.1:9/gone", "trees.arff"))
    monkeypatch.setenv("LAMC_MIRROR", address)
    assert same(load("trees"), made())


def test_a_download_that_fails_leaves_nothing(
    trees: Path, site: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_catalogue(monkeypatch, RemoteFile(site[1], "trees.arff"))
    with pytest.raises(DatasetError, match="404"):
        load("trees")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_page_that_comes_in_place_of_the_file_is_not_kept(
    trees: Path, site: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, address = site
    (root / "trees.arff").write_text("<html>Log in to use the network</html>")
    put_in_catalogue(monkeypatch, RemoteFile(address, "trees.arff"))
    with pytest.raises(DatasetError, match=r"trees\.arff"):
        load("trees")
    assert list((tmp_path / "cache").iterdir()) == []
    write_arff(made(), root / "trees.arff")
    assert same(load("trees"), made())


@pytest.mark.parametrize("wrong", ["other data", "no features"])
def test_a_file_of_other_data_is_not_kept(
    trees: Path,
    site: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wrong: str,
) -> None:
    """It can be parsed, so it is known for what it is only when it is read and looked at."""
    root, address = site
    if wrong == "other data":
        write_arff(made(rows=7), root / "trees.arff")
    else:
        (root / "trees.arff").write_text("@relation x\n@attribute a {0,1}\n@data\n1\n0\n")
    put_in_catalogue(monkeypatch, RemoteFile(address, "trees.arff"))
    cache = tmp_path / "cache"
    message = rf"(?s)cache/trees\.arff (cannot be|holds).*trees\.arff was fetched from {address}"
    for _ in range(2):
        with pytest.raises(DatasetError, match=message):
            load("trees")
        assert list(cache.iterdir()) == []
    write_arff(made(), root / "trees.arff")
    assert same(load("trees"), made())
    assert {path.name for path in cache.iterdir()} == {"trees.arff", "trees.xml"}


def test_a_cached_file_of_other_data_is_kept_and_named(
    trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_catalogue(monkeypatch, RemoteFile("http://127.0.0.1:9", "trees.arff"))
    cached = tmp_path / "cache" / "trees.arff"
    cached.parent.mkdir()
    write_arff(made(rows=7), cached)
    with pytest.raises(
        DatasetError, match=r"(?s)7 rows.*\nRemove .*trees\.arff to have it fetched"
    ):
        load("trees")
    assert cached.exists()


def test_a_file_at_hand_is_not_downloaded(trees: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_catalogue(monkeypatch, RemoteFile("http://127.0.0.1:9", "trees.arff"))
    write_npz(made(), trees / "trees.npz")
    assert same(load("trees"), made())


@pytest.mark.parametrize("name", ["digit scenes", "Digit Scenes", "digit_scenes", "scenes"])
def test_the_scenes_are_always_there(name: str) -> None:
    np.testing.assert_array_equal(load(name).X, digit_scenes().X)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("yeats", "yeast"), ("CAL50", "CAL500"), ("esp game", "espgame"), ("Corel16k", "Corel16k001")],
)
def test_a_name_misspelt_brings_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(DatasetError, match=f"no data set '{name}'. Did you mean '{meant}'"):
        load(name)


def test_a_name_far_off_brings_the_list() -> None:
    with pytest.raises(DatasetError) as error:
        load("qqq")
    assert "Did you mean" not in str(error.value)
    assert "CAL500, scene, yeast" in str(error.value)
    assert "digit scenes" in str(error.value)


VARIANTS = {
    "CAL500": "paper",
    "scene": "paper",
    "yeast": "paper",
    "corel5k": "paper",
    "rcv1subset1": "paper",
    "Corel16k001": "paper",
    "delicious": "without 14 rows that have no label",
    "tmc2007": "500 selected features",
    "Image": "LUV block features recomputed",
    "iaprtc12": "100 DenseHue features",
    "espgame": "100 DenseHue features",
    "mirflickr": "user tags as features",
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", catalogue)
def test_the_real_files_are_what_they_are(name: str, data_folder: Path) -> None:
    data = load(name)
    (variant,) = (v for v in catalogue[name].variants if v.name == VARIANTS[name])
    assert (data.name, data.variant) == (name, variant.name)
    assert (*data.X.shape, data.Y.shape[1]) == (variant.rows, variant.features, variant.labels)
    assert data.observed is not None
    assert (np.diff(data.observed.indptr) == 1).all()
    assert same(data, load(name, folder=data_folder))


def sizes(parts: Split) -> tuple[int, ...]:
    return tuple(map(len, (parts.train, parts.calibration, parts.validation, parts.test)))


@pytest.mark.real_data
@pytest.mark.parametrize("name", catalogue)
def test_a_split_has_the_part_sizes_of_the_released_files(name: str, data_folder: Path) -> None:
    data = load(name, folder=data_folder)
    assert data.split is not None
    assert sizes(split(data.Y)) == sizes(data.split)


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["yeast", "CAL500", "corel5k"])
def test_mulans_files_hold_the_same_data(name: str, data_folder: Path) -> None:
    """Row by row in some order, features and labels together."""
    ours, mulans = load(name, folder=data_folder), load(name, folder=data_folder / "mulan")
    assert ours.variant == mulans.variant == "paper"
    assert sorted(rows_of(ours)) == sorted(rows_of(mulans))


def rows_of(data: Dataset) -> list[bytes]:
    """A checksum of each row: of its features, in single precision, and its labels."""
    order = np.argsort(data.label_names)
    cells = np.hstack([dense(data.X), data.Y.toarray()[:, order]]).astype(np.float32)
    return [hashlib.sha256(row.tobytes()).digest() for row in cells]


@pytest.mark.real_data
def test_the_known_checksums_are_those_of_mulans_files(data_folder: Path) -> None:
    mulan = data_folder / "mulan"
    cal500 = (mulan / "cal500.arff").read_bytes()
    yeast = (mulan / "yeast-test.arff").read_bytes()
    train = (mulan / "yeast-train.arff").read_bytes()
    yeast += train[train.index(b"@data\n") + len(b"@data\n") :]
    for name, content in (("CAL500", cal500), ("yeast", yeast)):
        file = catalogue[name].file
        assert file is not None
        assert hashlib.sha256(content).hexdigest() == file.sha256


@pytest.mark.real_data
def test_mulans_file_can_be_downloaded(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a mirror on this machine, with the checksum of the catalogue."""
    monkeypatch.delenv("LAMC_DATA")
    monkeypatch.setenv("LAMC_CACHE", str(tmp_path))
    with served(data_folder / "mulan") as address:
        monkeypatch.setenv("LAMC_MIRROR", address)
        downloaded = load("CAL500")
    assert same(downloaded, load("CAL500", folder=data_folder / "mulan"))
    assert same(downloaded, load("CAL500"))
