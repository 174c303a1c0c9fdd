"""Files that appear when they are whole; links, pipes and devices stay what they are."""

import os
import threading
from stat import S_IMODE

import pytest

from lamc.files import check_writable, is_stream, whole_file


def test_of_a_link_the_file_it_leads_to_is_replaced(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    link.symlink_to("real.csv")
    with whole_file(link) as part:
        part.write_text("new")
        assert real.read_text() == "old"
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_link_to_a_file_that_is_not_there_yet(tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to("folder/real.csv")
    check_writable(link)
    with whole_file(link) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "folder" / "real.csv").read_text() == "new"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    came = []
    reader = threading.Thread(target=lambda: came.append(pipe.read_text()))
    reader.start()
    check_writable(pipe)
    with whole_file(pipe) as part:
        part.write_text("rows")
    reader.join()
    assert came == ["rows"]
    assert is_stream(pipe)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_is_written_to(tmp_path):
    link = tmp_path / "nowhere"
    link.symlink_to(os.devnull)
    with whole_file(link) as part:
        part.write_text("rows")
    assert is_stream(link)
    assert link.is_symlink()


def test_a_check_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "new" / "folder" / "a.csv")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.csv").write_text("mine")
    check_writable(tmp_path / "a.csv")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "mine"


def test_what_cannot_be_written_is_found_beforehand(tmp_path):
    file = tmp_path / "a.csv"
    file.touch()
    with pytest.raises(NotADirectoryError) as found:
        check_writable(file / "b" / "c.csv")
    assert found.value.filename == str(file)
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(OSError, match="too long"):
            check_writable(folder / ("a" * 256))
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["a" * 255, "ä" * 127, "🌳" * 63], ids=["ascii", "two", "four"])
def test_a_name_as_long_as_any_can_be(tmp_path, name):
    check_writable(tmp_path / name)
    with whole_file(tmp_path / name) as part:
        part.write_text("rows")
        assert part.parent == tmp_path
        assert part.name.startswith(f".{name[:5]}")
        assert part.suffix == ".part"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_permissions_are_those_of_the_file_that_is_replaced(tmp_path, mode):
    file = tmp_path / "a.csv"
    file.write_text("old")
    file.chmod(mode)
    with whole_file(file) as part:
        part.write_text("new")
        assert S_IMODE(part.stat().st_mode) == 0o600
    assert file.read_text() == "new"
    assert S_IMODE(file.stat().st_mode) == mode


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "plain").write_text("rows")
    with whole_file(tmp_path / "whole") as part:
        part.write_text("rows")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        check_writable(tmp_path / "a.csv")
