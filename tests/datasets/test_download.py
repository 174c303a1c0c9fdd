"""What users rely on in a download: the whole file under its name, or a sentence and no file."""

import hashlib
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lamc.datasets.catalogue import RemoteFile
from lamc.datasets.download import cache_folder, download
from lamc.exceptions import DatasetError

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Server:
    """A server on this machine that counts requests; the first part of a path says what it does."""

    base: str = ""
    requests: Counter[str] = field(default_factory=Counter)

    def file(self, does: str, sha256: str | None = SHA256) -> RemoteFile:
        return RemoteFile(f"{self.base}/{does}", "data.bin", sha256)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            does = self.path.split("/")[1]
            state.requests[does] += 1
            first = state.requests[does] == 1
            if does == "missing":
                self.send_error(404)
            elif does == "busy-first" and first:
                self.send_error(503)
            elif does == "cut" or (does == "cut-first" and first):
                self.answer(CONTENT[: len(CONTENT) // 2], announced=len(CONTENT))
            elif does == "other":
                self.answer(CONTENT[::-1], announced=len(CONTENT))
            elif does == "unannounced":
                self.answer(CONTENT, announced=None)
            else:
                self.answer(CONTENT, announced=len(CONTENT))

        def answer(self, body: bytes, announced: int | None) -> None:
            self.send_response(200)
            if announced is not None:
                self.send_header("Content-Length", str(announced))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.base = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield state
        http.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAMC_MIRROR", raising=False)


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_the_file_arrives_as_it_is(server: Server, tmp_path: Path, sha256: str | None) -> None:
    path = download(server.file("good", sha256), tmp_path / "a" / "new folder", wait=0)
    assert path.read_bytes() == CONTENT
    assert left_in(path.parent) == ["data.bin"]


def test_a_server_that_announces_no_length_is_fine(server: Server, tmp_path: Path) -> None:
    assert download(server.file("unannounced"), tmp_path, wait=0).read_bytes() == CONTENT


@pytest.mark.parametrize("does", ["busy-first", "cut-first"])
def test_a_failure_that_passes_is_tried_again(server: Server, tmp_path: Path, does: str) -> None:
    assert download(server.file(does), tmp_path, wait=0).read_bytes() == CONTENT
    assert server.requests[does] == 2
    assert left_in(tmp_path) == ["data.bin"]


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_cut_connection_leaves_no_file(
    server: Server, tmp_path: Path, sha256: str | None
) -> None:
    with pytest.raises(DatasetError, match=r"could not be fetched: the connection .* breaks") as e:
        download(server.file("cut", sha256), tmp_path, wait=0)
    assert server.requests["cut"] == 3
    assert left_in(tmp_path) == []
    for way_out in ("Try again later", str(tmp_path), "LAMC_DATA", "LAMC_MIRROR"):
        assert way_out in str(e.value)


def test_a_wrong_checksum_leaves_no_file(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="was removed: its SHA-256 is .*, not " + SHA256):
        download(server.file("other"), tmp_path, wait=0)
    assert left_in(tmp_path) == []


def test_a_file_that_is_not_there_is_asked_for_once(server: Server, tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match="could not be fetched: the server answers 404 Not Found"
    ):
        download(server.file("missing"), tmp_path, wait=0)
    assert server.requests["missing"] == 1
    assert left_in(tmp_path) == []


def test_no_network_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        nobody = RemoteFile(f"http://127.0.0.1:{taken.getsockname()[1]}", "data.bin")
        with pytest.raises(
            DatasetError, match=r"the connection fails or breaks \(ConnectionError\)"
        ):
            download(nobody, tmp_path, wait=0)
    assert left_in(tmp_path) == []


def test_a_failure_does_not_touch_the_file_that_is_there(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"the old one")
    with pytest.raises(DatasetError):
        download(server.file("other"), tmp_path, wait=0)
    assert (tmp_path / "data.bin").read_bytes() == b"the old one"


def test_a_mirror_takes_the_place_of_the_base(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMC_MIRROR", f"{server.base}/good/")
    elsewhere = RemoteFile("http://127.0.0.1:9/gone", "data.bin", SHA256)
    assert download(elsewhere, tmp_path, wait=0).read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written_is_said(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match=r"cannot be written into .*\n.*LAMC_CACHE"):
        download(server.file("good"), tmp_path / "file", wait=0)


def test_nothing_is_printed_into_a_log(
    server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    download(server.file("good"), tmp_path, wait=0)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_shows_a_bar(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    download(server.file("good"), tmp_path, wait=0)
    assert "data.bin" in capsys.readouterr().err


def test_the_cache_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAMC_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("LAMC_CACHE")
    assert cache_folder().name == "lamc"
