"""What a piece of text spells."""


def spells_number(text: str) -> bool:
    """Whether a text is a number, as Python reads it; 1_000 is none here.

    Examples
    --------
    >>> from lamc.spelling import spells_number
    >>> spells_number("1e-3"), spells_number("red"), spells_number("1_000")
    (True, False, False)
    """
    if "_" in text:
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
