"""The comparison of shown and printed output finds what differs."""

import pytest

from . import pages


@pytest.mark.parametrize(
    ("shown", "printed", "about"),
    [
        ("a 1\n", "a  1 \n\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", False),
        ("a\n…\n", "a\nb\n", False),
        ("9.2 % of 300", "9.5 % of 300", True),
    ],
)
def test_alike(shown, printed, about):
    assert pages.compare(shown, printed, about=about) is None


@pytest.mark.parametrize(
    ("shown", "printed", "about"),
    [
        ("a 1\n", "a 2\n", False),
        ("a\n", "a\nb\n", False),
        ("a\nb\n", "a\n", False),
        ("a\n…\nd\n", "a\nb\n", False),
        ("9.2 % of 300", "19.2 % of 300", True),
        ("9.2 % of 300", "9.2 % in 300", True),
        ("1 of 2", "1 of 2 of 3", True),
    ],
)
def test_different(shown, printed, about):
    assert pages.compare(shown, printed, about=about) is not None


def test_blocks_and_their_marks():
    page = "\n".join(
        [
            "```python",
            "print(1)",
            "```",
            "",
            "```text",
            "1",
            "```",
            "",
            "<!-- not run: installs packages -->",
            "```sh",
            "pip install lamc",
            "```",
            "",
            "```text",
            "not compared",
            "```",
            "",
            "```sh",
            "echo 2",
            "```",
            "<!-- output: about -->",
            "```text",
            "2",
            "```",
            "Some words.",
            "```text",
            "a formula",
            "```",
        ]
    )
    assert pages.steps(page) == [
        pages.Step("python", "print(1)\n", "1\n", about=False),
        pages.Step("sh", "echo 2\n", "2\n", about=True),
    ]
    assert pages.blocks(page)[2].mark == ("not run", "installs packages")


def test_a_command_that_fails_fails_the_page():
    with pytest.raises(AssertionError, match="ended with 3"):
        pages.run([pages.Step("sh", "exit 3\n", None, about=False)])


def test_what_a_page_shows_must_be_printed():
    with pytest.raises(AssertionError, match="The page shows '2'"):
        pages.run([pages.Step("python", "print(1)\n", "2\n", about=False)])
