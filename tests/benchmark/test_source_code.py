"""Checksums of a user's source code: of all that belongs to it, and of nothing else."""

import pytest

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.source_code import source_checksum

FILES = {
    "mine.py": "import pack.deep\nimport json, numpy\nfrom helper import *\n",
    "helper.py": "def late():\n    import lazy\n",
    "lazy.py": "import mine\n",
    "beside.py": "x = 1\n",
    "pack/__init__.py": "",
    "pack/deep.py": "from . import sister\nfrom .inner.core import y\n",
    "pack/sister.py": "",
    "pack/unused.py": "",
    "pack/inner/__init__.py": "",
    "pack/inner/core.py": "from ..cousin import z\n",
    "pack/cousin.py": "",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_it_is_of_what_is_imported_from_beside_wherever_that_is_said(folder, name):
    before = source_checksum({"mine": folder / "mine.py"})
    (folder / name).write_text(FILES[name] + "# changed\n")
    changes = source_checksum({"mine": folder / "mine.py"}) != before
    assert changes == (name not in ("beside.py", "pack/unused.py"))


@pytest.mark.parametrize("name", ["pack/cousin.py", "pack/__init__.py", "pack/inner/__init__.py"])
def test_a_module_in_a_package_is_known_with_its_package(folder, name):
    before = source_checksum({"pack.inner.core": folder / "pack/inner/core.py"})
    (folder / name).write_text("# changed\n")
    assert source_checksum({"pack.inner.core": folder / "pack/inner/core.py"}) != before


def test_it_does_not_depend_on_the_folder(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "lazy.py").write_text(FILES["lazy.py"])
    (other / "mine.py").write_text("import json\n")
    (folder / "mine.py").write_text("import json\n")
    ours, theirs = (source_checksum({"lazy": each / "lazy.py"}) for each in (folder, other))
    assert ours == theirs


def test_what_is_installed_is_not_followed(folder):
    installed = folder / "site-packages"
    (folder / "pack").rename(installed)
    before = source_checksum({"deep": installed / "deep.py"})
    (installed / "sister.py").write_text("# changed\n")
    assert source_checksum({"deep": installed / "deep.py"}) == before
    (installed / "deep.py").write_text("# changed\n")
    assert source_checksum({"deep": installed / "deep.py"}) != before


def test_a_module_that_cannot_be_read_is_named(folder):
    (folder / "helper.py").write_text("def x(:\n")
    with pytest.raises(BenchmarkError, match=r"helper\.py is no Python module.*line 1"):
        source_checksum({"mine": folder / "mine.py"})
