"""What a piece of text spells."""


def spells_number(text: str) -> bool:
    """Whether Python reads a text as a number.

    Examples
    --------
    >>> from lamc.spelling import spells_number
    >>> spells_number("1e-3"), spells_number("red")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True
