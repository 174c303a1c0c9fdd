"""Every code block of every page runs, and prints what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from . import pages

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(ROOT)): path for path in [ROOT / "README.md", *DOCS.rglob("*.md")]}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in sorted(PAGES.items())}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder a page runs in: it holds the tables of the example."""
    for table in (DOCS / "examples" / "woods").glob("*.csv"):
        shutil.copy(table, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as for a script or shell that was started here


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if pages.steps(text)])
@pytest.mark.usefixtures("folder")
def test_page_runs(name):
    pages.run(pages.steps(TEXTS[name]))


@pytest.mark.parametrize("name", TEXTS)
def test_blocks_say_what_they_are(name):
    for block in pages.blocks(TEXTS[name]):
        assert block.language in pages.LANGUAGES, block.code
        if block.language not in (pages.PYTHON, pages.SHELL):
            continue
        assert not block.indented, f"An indented block would not be run:\n{block.code}"
        kind, what = block.mark or ("", "")
        if kind == "not run":
            assert what in pages.REASONS
        elif kind == "run in":
            assert_run_in(what, block.code)
        else:
            assert not kind, f"{kind}: {what} says nothing about code:\n{block.code}"


def assert_run_in(name, code):
    """A block that another page runs has no line that this page does not run."""
    run = {line for step in pages.steps(TEXTS[name]) for line in step.code.splitlines()}
    left = [line for line in code.splitlines() if line.strip() and not line.startswith("cd ")]
    assert left, "There is nothing to run."
    assert set(left) <= run


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name):
    prose = re.sub(r"^```.*?^```$", "", TEXTS[name], flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", prose):
        if not re.match(r"https?:|mailto:|#", target):
            path = PAGES[name].parent / target.partition("#")[0]
            assert path.exists(), f"{target} is not there"
