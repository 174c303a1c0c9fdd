"""``lamc data``: list, show, convert, fetch."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from lamc.datasets import catalogue, read
from lamc.datasets.catalogue import Entry, RemoteFile, Variant


def test_the_catalogue_is_listed(lamc, lamc_json):
    done = lamc("data", "list")
    assert "CAL500" in done.stdout
    assert "mirflickr" in done.stdout
    assert [entry["name"] for entry in lamc_json("data", "list")["data_sets"]] == [*catalogue]


def test_a_file_is_shown(lamc, lamc_json, tmp_path):
    file = tmp_path / "trees.csv"
    file.write_text("height,note,oak,elm\n3.5,a,1,0\n2.5,b,1,1\n1.0,c,0,1\n")
    done = lamc("data", "show", file, "--labels", "oak,elm")
    assert "3 rows, 1 features, 2 labels" in done.stdout
    assert "Left out 'note'" in done.stderr
    facts = lamc_json("data", "show", file, "--labels", "oak,elm")
    assert facts["label_names"] == ["oak", "elm"]
    assert facts["rows_of_a_label"] == [2, 2]


@pytest.mark.parametrize("ending", [".npz", ".parquet"])
def test_a_file_is_converted(lamc, tmp_path, ending):
    file = tmp_path / "trees.csv"
    file.write_text("height,width,tags\n3.5,1,oak\n2.5,2,oak;elm\n1.0,3,elm\n")
    target = tmp_path / f"out{ending}"
    lamc("data", "read", file, "--label-column", "tags", "--separator", ";", "-o", target)
    found = read(target, label_column="labels") if ending == ".parquet" else read(target)
    np.testing.assert_array_equal(found.X, [[3.5, 1], [2.5, 2], [1, 3]])
    assert found.label_names.tolist() == ["elm", "oak"]
    np.testing.assert_array_equal(found.Y.toarray(), [[0, 1], [1, 1], [1, 0]])
    done = lamc("data", "read", file, "--label-column", "tags", "-o", target, code=1)
    assert "--force" in done.stderr


def test_other_endings_are_wrong_use(lamc, tmp_path):
    done = lamc("data", "read", "yeast", "-o", tmp_path / "a.xlsx", code=2)
    assert ".npz nor in .parquet" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "yeats"], "Did you mean 'yeast'?"),
        (["show", "no/such/file.arff"], "no/such/file.arff"),
        (["fetch", "yeats"], "Did you mean 'yeast'?"),
    ],
)
def test_what_there_is_not(lamc, arguments, message, tmp_path, monkeypatch):
    monkeypatch.setenv("LAMC_CACHE", str(tmp_path))
    assert message in lamc("data", *arguments, code=1).stderr


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def mirror(tmp_path, monkeypatch) -> Iterator[Entry]:
    """A server on this machine with a small data set, which takes yeast's place."""
    folder = tmp_path / "server"
    folder.mkdir()
    rows = "".join(f"{i},{i % 2},{1 - i % 2}\n" for i in range(10))
    head = "@relation tiny\n@attribute x numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    (folder / "yeast.arff").write_text(head + rows)
    entry = Entry(
        "yeast", "Test", (Variant("paper", 10, 1, 2, 1.0),), (), file=RemoteFile("", "yeast.arff")
    )
    monkeypatch.setitem(catalogue._entries, "yeast", entry)
    monkeypatch.delenv("LAMC_DATA", raising=False)
    monkeypatch.setenv("LAMC_CACHE", str(tmp_path / "cache"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as http:
        monkeypatch.setenv("LAMC_MIRROR", f"http://127.0.0.1:{http.server_port}")
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield entry
        http.shutdown()
        thread.join()


def test_a_data_set_is_fetched_once(lamc, lamc_json, mirror, tmp_path):
    done = lamc("data", "fetch", "yeast")
    assert f"yeast fetched into {tmp_path / 'cache'}: 10 rows, 2 labels." in done.stdout
    assert (tmp_path / "cache" / "yeast.arff").is_file()
    assert "was there already" in lamc("data", "fetch", "yeast").stdout
    facts = lamc_json("data", "fetch", "yeast")
    assert facts["data_sets"][0]["fetched"] is False


def test_a_server_that_fails_leaves_no_file(lamc, mirror, tmp_path):
    (tmp_path / "server" / "yeast.arff").unlink()
    done = lamc("data", "fetch", "yeast", code=1)
    assert "could not be fetched: the server answers 404" in done.stderr
    assert not list((tmp_path / "cache").glob("*"))
