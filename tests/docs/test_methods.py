"""Every learner has a page, and the settings it lists are those that the learner has."""

import ast
import re
from pathlib import Path

import pytest

from lamc import learners
from lamc.learners.network import NetworkLearner

DOCS = Path(__file__).parents[2] / "docs"
SETTING = re.compile(r"^\| `(\w+)` \| `([^`]+)` \|", flags=re.MULTILINE)


def listed(page):
    text = (DOCS / "methods" / page).read_text(encoding="utf-8")
    return {name: ast.literal_eval(value) for name, value in SETTING.findall(text)}


def settings_of(learner):
    """Settings with their defaults, but for one that has none."""
    defaults = learner(None) if learner.__name__ == "Network" else learner()
    return {key: value for key, value in defaults.get_params().items() if key != "module"}


@pytest.mark.parametrize("name", learners.__all__)
def test_settings(name):
    learner = getattr(learners, name)
    own = settings_of(learner)
    if issubclass(learner, NetworkLearner):
        own = {key: value for key, value in own.items() if key not in common_settings()}
    assert listed(f"{name.lower()}.md") == own


def test_settings_of_all_networks():
    assert listed("index.md") == common_settings()


def common_settings():
    return settings_of(learners.AN)


@pytest.mark.parametrize("name", learners.__all__)
def test_pages_are_found(name):
    page = f"{name.lower()}.md"
    index = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    site = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"[{name}]({page})" in index
    assert f"- {name}: methods/{page}" in site
