"""The tables of the pages are those of the files in results/."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "<!-- table:" in path.read_text("utf-8")
]

pytestmark = pytest.mark.skipif(
    not (ROOT / "results").is_dir(), reason="results are not part of a source distribution"
)


@pytest.fixture(scope="module")
def tables():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield importlib.import_module("tables.pages")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_results(tables, page):
    text = page.read_text("utf-8")
    assert text.count("<!-- table:") == text.count("<!-- end of table -->")
    assert tables.filled(text) == text, "run `make tables`"


def test_old_numbers_are_replaced(tables):
    text = "Before.\n<!-- table: splits -->\n\n| old |\n\n<!-- end of table -->\nAfter.\n"
    new = tables.filled(text)
    assert "| old |" not in new
    assert "| CAL500 | 51 | 0.023 |" in new
    assert new.startswith("Before.\n<!-- table: splits -->\n")
    assert new.endswith("\n<!-- end of table -->\nAfter.\n")


def test_an_unknown_table_is_refused(tables):
    with pytest.raises(SystemExit, match="no table 'of contents'"):
        tables.filled("<!-- table: of contents -->\n<!-- end of table -->\n")
