"""Numbers as the page writes them; its script writes them in the same way."""

import math
from decimal import ROUND_HALF_UP, Decimal

NONE = "–"
NBSP = "\u00a0"


def fixed(number: float, digits: int) -> str:
    """A number with a fixed number of digits after the point, halves rounded up.

    Examples
    --------
    >>> from lamc.report.numbers import fixed
    >>> fixed(0.125, 2), f"{0.125:.2f}"
    ('0.13', '0.12')
    """
    step = Decimal(1).scaleb(-digits)
    return str(Decimal(number).quantize(step, rounding=ROUND_HALF_UP))


def percent(share: float) -> str:
    """A share in percent; a dash if there is none.

    Examples
    --------
    >>> from lamc.report.numbers import percent
    >>> print(percent(0.9014), percent(0.0001), percent(float("nan")), sep="; ")
    90.1 %; < 0.1 %; –
    """
    if math.isnan(share):
        return NONE
    if 0 < share < 0.0005:
        return f"< 0.1{NBSP}%"
    if 0.9995 <= share < 1:
        return f"> 99.9{NBSP}%"
    return f"{fixed(100 * share, 1)}{NBSP}%"


def interval(low: float, high: float) -> str:
    """Both ends of an interval of shares in percent.

    Examples
    --------
    >>> from lamc.report.numbers import interval
    >>> print(interval(0.826, 0.945))
    82.6 to 94.5 %
    """
    if math.isnan(low):
        return NONE
    return f"{fixed(100 * low, 1)}{NBSP}to{NBSP}{fixed(100 * high, 1)}{NBSP}%"


def threshold(value: float) -> str:
    """A threshold with three digits that matter, counted from 0 or from 1, whichever is nearer.

    Examples
    --------
    >>> from lamc.report.numbers import threshold
    >>> threshold(0.5), threshold(0.00123), threshold(0.9987)
    ('0.500', '0.00123', '0.99870')
    """
    if value == -math.inf:
        return "any score"
    if value == math.inf:
        return "never"
    near, digits = min(abs(value), abs(1 - value)), 3
    while digits < 6 and 0 < near * 10**digits < 100:
        digits += 1
    return fixed(value, digits)


def count(number: int) -> str:
    """A whole number with a comma for each thousand."""
    return f"{number:,}"
