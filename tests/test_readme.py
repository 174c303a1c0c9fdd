"""The README says what is so: its commands are there. Its code runs with that of the pages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_make_commands_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert {"demo", "test"} <= targets
    assert set(re.findall(r"\bmake ([a-z-]+)", README)) <= targets


def test_the_picture_is_there():
    pictures = re.findall(r'<img src="([^"]+)"', README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_every_rule_is_explained():
    from lamc.rules.rule import RULES

    assert set(re.findall(r"^\| `([a-z-]+)` \|", README, flags=re.MULTILINE)) == set(RULES)
