"""The tables of the examples are those that their script makes."""

import importlib.util
from pathlib import Path

WOODS = Path(__file__).parents[2] / "docs" / "examples" / "woods"


def test_woods(tmp_path):
    spec = importlib.util.spec_from_file_location("make_woods", WOODS / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    make.main(tmp_path)
    tables = sorted(path.name for path in WOODS.glob("*.csv"))
    assert tables == sorted(path.name for path in tmp_path.iterdir())
    for name in tables:
        assert (tmp_path / name).read_text() == (WOODS / name).read_text()
