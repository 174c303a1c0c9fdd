"""Every code block of every page runs, and prints what the page shows."""

import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from lamc.learners import Network

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


class StandIn(nn.Module):
    """A small module with the names and layers that the page on images asks of a backbone."""

    def __init__(self, weights):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        return self.fc(self.bn(self.conv(x)).mean((2, 3)))


@pytest.mark.usefixtures("folder")
def test_a_pretrained_backbone_stays_as_it_is(monkeypatch):
    (block,) = [
        each
        for each in pages.blocks(TEXTS["docs/how-to/images.md"])
        if each.mark == ("not run", "needs torchvision")
    ]
    made = SimpleNamespace(models=SimpleNamespace(resnet50=StandIn))
    monkeypatch.setitem(sys.modules, "torchvision", made)
    pictures = np.random.default_rng(0).normal(size=(40, 1, 6, 6)).astype("float32")
    names = {"nn": nn, "Network": Network, "pictures": pictures, "tags": np.arange(40) % 20}
    exec(compile(block.code, "<page>", "exec"), names)
    (trained,) = names["network"].modules_
    for name, given in names["backbone"].state_dict().items():
        stayed = torch.equal(trained.state_dict()[name], given)
        assert stayed is not name.startswith("fc."), name


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
