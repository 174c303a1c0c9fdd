"""The precision rule: a label is accepted where a test has shown that it is mostly right.

Thresholds are tested one after the other from the top down, each by an exact binomial test of
"the precision above it is below 1 − alpha", and the walk ends at the first that cannot be rejected
at level delta. As the order is fixed, the first false claim alone can err, and no price is paid for
the number of thresholds: all claims hold with probability 1 − delta.

The walk must start where enough points lie above, and the start must not be chosen by what the
labels say there. With reference scores (other rows, whose labels nobody needs to know) it is a
quantile of theirs, and the claim holds without a condition. Without, it is the calibration score
that has a fixed number of points above it. Given that score, those points are a random sample of
what lies above, so the test is exact there as well, and the claim holds for every label whose
precision does not fall as the score rises.
"""

from decimal import ROUND_FLOOR, Context

import numpy as np

from lamc.rules.binomial import largest_count
from lamc.rules.evidence import Evidence
from lamc.rules.levels import Levels
from lamc.rules.ranks import SortedScores
from lamc.rules.thresholds import FEW_POSITIVES, FEW_ROWS, NOT_CERTIFIED, Thresholds
from lamc.types import AnyArray, FloatArray, IntArray


def most_errors(n: int, alpha: float, delta: float) -> IntArray:
    """Most errors among m accepted, for m = 0 … n, that still show an error rate below alpha.

    The largest v with P(Binomial(m, alpha) <= v) <= delta; −1 where even v = 0 shows nothing.

    Examples
    --------
    >>> from lamc.rules.precision import most_errors
    >>> most_errors(40, alpha=0.1, delta=0.1)[[21, 22, 38]]
    array([-1,  0,  1])
    """
    return largest_count(np.arange(n + 1), alpha, delta)


def precision_thresholds(evidence: Evidence, levels: Levels, delta: float) -> Thresholds:
    """Thresholds that hold the precision with probability 1 − delta; +inf where none can be shown.

    Negatives that lie below the point where the errors must become too many, whatever the
    positives do, are never looked at: the work grows with the number of positives.
    """
    positives, negatives = evidence.positives, evidence.known_negatives
    alphas = levels.as_floats()
    present = np.full(len(alphas), np.inf, dtype=positives.values.dtype)
    why_not = np.full(len(alphas), NOT_CERTIFIED, dtype=object)
    for alpha in np.unique(alphas).tolist():
        same = np.flatnonzero(alphas == alpha)
        wanted = points_at_start(alpha, delta)
        # A start by count includes at least the points wanted, of which one may be wrong.
        least = fewest_points(alpha, delta) if evidence.reference is not None else wanted
        if evidence.n_rows < least:
            why_not[same] = FEW_ROWS
        few = positives.counts[same] < min(least, wanted - 1)
        why_not[same[few]] = FEW_POSITIVES
        starts: list[float | None] = [None] * len(alphas)
        if evidence.reference is not None:
            starts = start_scores(evidence.reference, wanted / evidence.n_rows).tolist()
        table = errors_in_reach(int(positives.counts[same].max()), evidence.n_rows, alpha, delta)
        right = np.arange(len(table)) - table
        for label in same.tolist():
            true = positives.of_label(label)
            # The most points, with as few right ones among them as a test allows.
            most = int(np.searchsorted(right, len(true), side="right")) - 1
            present[label] = lowest_certified(
                true,
                highest(negatives, label, max(most - len(true), 0) + 1),
                table,
                wanted=wanted,
                start=starts[label],
            )
    never = np.full_like(present, -np.inf)
    return Thresholds.of(present, never, present < np.inf, why_not)


def luck_among(reasons: AnyArray, delta: float, *, symbol: str = "delta=") -> str | None:
    """Say so where labels that passed their tests by bad luck may be half of those that passed.

    A label passes wrongly with probability delta at most, whatever the others do. So it is not the
    number of labels that passed that counts, but of those that could have. Delta is told by its
    ``symbol``.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.precision import luck_among
    >>> print(luck_among(np.r_[[""] * 3, ["not certified"] * 37], delta=0.1))
    3 of 40 labels passed the test of their precision. At delta=0.1 up to 4 of 40 pass it by luck,
    on average over calibration sets, so these 3 may be among them. For a promise to all labels at
    once, give delta=0.0025.
    """
    passed = int(np.count_nonzero(reasons == ""))
    tested = passed + int(np.count_nonzero(reasons == NOT_CERTIFIED))
    if not passed or 2 * delta * tested <= passed:
        return None
    return (
        f"{passed} of {tested} labels passed the test of their precision. At {symbol}{delta:g} up "
        f"to {delta * tested:.2g} of {tested} pass it by luck, on average over calibration sets, "
        f"so {'this one' if passed == 1 else f'these {passed}'} may be among them. For a promise "
        f"to all labels at once, give {symbol}{_rounded_down(delta / tested):g}."
    )


def _rounded_down(share: float) -> float:
    """A small number in two digits, never above it."""
    return float(Context(prec=2, rounding=ROUND_FLOOR).create_decimal_from_float(share))


def lowest_certified(
    true: FloatArray,
    false: FloatArray,
    most_errors: IntArray,
    *,
    wanted: int,
    start: float | None = None,
) -> float:
    """Walk down from the start; return the lowest threshold reached, +inf if the first test fails.

    The claim after a test is about all scores above a value v, whatever lies between v and the
    points above it; so when the point of score v is the first that cannot be included, everything
    above v is certified.

    Parameters
    ----------
    true, false : ndarray
        Scores of the label's true and false rows. Those that the walk cannot reach may be left out.
    most_errors : ndarray of shape (n + 1,)
        Errors that a test allows among m points.
    wanted : int
        Points that should lie above the start, if ``start`` does not say where it is.
    start : float, optional
        The first claim is about the scores above this value.
    """
    scores = np.concatenate([true, false])
    wrong = np.repeat([0, 1], [len(true), len(false)])
    order = np.argsort(-scores, kind="stable")
    scores, errors = scores[order], np.cumsum(wrong[order])
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if len(scores) else order
    values, included, errors = scores[ends], ends + 1, errors[ends]
    if start is None:
        first = int(np.searchsorted(included, wanted))
    else:
        first = int(np.count_nonzero(values > start)) - 1
    if not 0 <= first < len(values):
        return np.inf
    failed = np.flatnonzero(errors[first:] > most_errors[included[first:]])
    if len(failed) == 0:
        return -np.inf
    if failed[0] == 0:
        return np.inf
    return np.nextafter(values[first + failed[0]], values.dtype.type(np.inf))


def errors_in_reach(n_true: int, n: int, alpha: float, delta: float) -> IntArray:
    """Most errors among m accepted, for m up to n or to where n_true true rows are too few for m.

    One point more allows at most one error more, so what is too few for m is so for all above.
    """
    size = min(2 * n_true + 32, n)
    table = most_errors(size, alpha, delta)
    while size < n and size - table[size] <= n_true:
        size = min(2 * size, n)
        table = most_errors(size, alpha, delta)
    return table


def highest(scores: SortedScores, label: int, count: int) -> FloatArray:
    """Return the highest scores of a label, in ascending order."""
    stored = scores.of_label(label)[-count:]
    zeros = min(int(scores.zeros[label]), count - len(stored))
    return np.concatenate([np.zeros(zeros, dtype=stored.dtype), stored])


def points_at_start(alpha: float, delta: float) -> int:
    """Fewest points among which a test allows an error.

    With fewer, a single false row near the top would end the walk before it began; with more, some
    labels have no such start.

    Examples
    --------
    >>> from lamc.rules.precision import points_at_start
    >>> points_at_start(alpha=0.1, delta=0.1)
    38
    """
    return fewest_points(alpha, delta, errors=1)


def fewest_points(alpha: float, delta: float, *, errors: int = 0) -> int:
    """Fewest points that can show an error rate below alpha although so many are wrong.

    Examples
    --------
    >>> from lamc.rules.precision import fewest_points
    >>> fewest_points(alpha=0.1, delta=0.1)
    22
    """
    size = 16
    while (table := most_errors(size, alpha, delta))[-1] < errors:
        size *= 2
    return int(np.argmax(table >= errors))


def start_scores(reference: SortedScores, share: float) -> FloatArray:
    """Score of each label that about the given share of the reference scores lies above."""
    ranks = np.floor((1 - share) * (reference.counts + 1)).astype(np.int64)
    return reference.order_statistic(ranks.clip(min=0, max=reference.counts), if_none=-np.inf)
