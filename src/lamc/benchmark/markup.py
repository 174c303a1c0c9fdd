"""Text for Markdown and LaTeX: characters that mean something there are written as themselves."""

import re

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # a row that begins with it would be read as an option of the row before
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "†": r"\textsuperscript{\dag}",
    "*": r"\textsuperscript{*}",
    "≈": r"$\approx$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "…": r"\ldots{}",
}


def markdown_text(text: str) -> str:
    r"""Plain text in Markdown.

    Examples
    --------
    >>> from lamc.benchmark.markup import markdown_text
    >>> print(markdown_text("my_method | *"))
    my\_method \| \*
    """
    return re.sub(r"([\\`*_|\[\]<>])", r"\\\1", text)


def latex_text(text: str) -> str:
    r"""Plain text in LaTeX.

    Examples
    --------
    >>> from lamc.benchmark.markup import latex_text
    >>> print(latex_text("[a] 50 % ± 1"))
    {[}a] 50 \% $\pm$ 1
    """
    return "".join(_LATEX.get(character, character) for character in text)
