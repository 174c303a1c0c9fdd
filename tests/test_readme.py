"""The README says what is so: its Python runs as it stands, its files and commands are there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", [code for language, code in BLOCKS if language == "python"])
def test_python_runs(code):
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True)


def test_make_commands_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert {"demo", "test"} <= targets
    assert set(re.findall(r"\bmake ([a-z-]+)", README)) <= targets


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target
