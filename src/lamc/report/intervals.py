"""How sure shares of pairs are, for many settings at once.

The pairs of one row are not independent: a blurred picture is wrong in several labels at once. An
interval that counts pairs is then too narrow. Rows are independent. With a_i pairs counted in row
i, of which c_i are right, the share P = Σ c_i / Σ a_i has about the variance

    v = m / (m − 1) · Σ (c_i − P a_i)² / (Σ a_i)²

over the m rows that have a pair (linearisation, as for clusters in survey statistics). So the share
is as sure as one of P (1 − P) / v independent pairs, and that many enter Wilson's interval, which
unlike P ± 1.96 √v stays within 0 and 1 and does not shrink to a point where P is 0 or 1. The number
is at most the number of pairs. Where no pair is wrong, or none right, nothing shows how alike the
pairs of a row are, and each row counts as one.

:func:`lamc.evaluation.intervals.share_of_pairs` does the same from the counts of every row; here
sums over rows are enough, so that hundreds of settings need no more than one pass.
"""

import numpy as np

from lamc.types import AnyArray, FloatArray


def effective_pairs(
    part: AnyArray, whole: AnyArray, *, cc: AnyArray, ca: AnyArray, aa: AnyArray, rows: AnyArray
) -> FloatArray:
    """Number of independent pairs that would be as sure of part/whole as these pairs in rows.

    Parameters
    ----------
    part, whole : ndarrays
        Σ c and Σ a over the rows.
    cc, ca, aa : ndarrays
        Σ c², Σ c a and Σ a² over the rows.
    rows : ndarray
        Rows with a > 0.

    Examples
    --------
    Ten rows of four pairs each, all right or all wrong, are as good as nine pairs: ten, less the
    one for which the share itself was used.

    >>> import numpy as np
    >>> from lamc.report.intervals import effective_pairs
    >>> c, a = np.repeat([0, 4], 5), np.repeat(4, 10)
    >>> found = effective_pairs(c.sum(), a.sum(), cc=c @ c, ca=c @ a, aa=a @ a, rows=10)
    >>> round(float(found), 6)
    9.0
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = part / whole
        squares = np.maximum(cc - 2 * share * ca + share * share * aa, 0)
        variance = squares / (whole * whole) * (rows / (np.asarray(rows) - 1))
        effective = share * (1 - share) / variance
    one_sided = (part == 0) | (part == whole)
    return np.where(one_sided | (np.asarray(rows) < 2), rows, np.fmin(effective, whole))
