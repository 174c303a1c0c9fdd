"""What the site makes of reStructuredText in docstrings."""

import importlib.util
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[2] / "docs" / "hooks" / "rst.py"


@pytest.fixture(scope="module")
def rst():
    spec = importlib.util.spec_from_file_location("rst", PLACE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_roles_become_links(rst):
    made = rst.without_roles("As :class:`~lamc.LAMC`, `not` :func:`an`.", lambda name: f"x.{name}")
    assert made == (
        'As <autoref optional identifier="x.lamc.LAMC"><code>lamc.LAMC</code></autoref>, `not` '
        '<autoref optional identifier="x.an"><code>an</code></autoref>.'
    )


def test_tables_become_markdown(rst):
    table = """Words.

====  =======
name  what
====  =======
a     one
      more
b|c   two
====  =======

More words."""
    assert rst.with_markdown_tables(table).split("\n") == [
        "Words.",
        "",
        "| name | what |",
        "|---|---|",
        "| a | one more |",
        r"| b\|c | two |",
        "",
        "More words.",
    ]


def test_text_without_a_table_stays(rst):
    text = "A rule\n======\n\nof one column is a heading."
    assert rst.with_markdown_tables(text) == text


def test_parameters_are_described_one_by_one(rst):
    text = """Parameters
----------
a, b : float
    Both.

    Twice.
c : int
    One.
d, e, …
    Others."""
    assert rst.one_parameter_each(text).split("\n") == [
        "Parameters",
        "----------",
        "a : float",
        "    Both.",
        "",
        "    Twice.",
        "b : float",
        "    Both.",
        "",
        "    Twice.",
        "c : int",
        "    One.",
        "d",
        "    Others.",
        "e",
        "    Others.",
        "",
    ]
