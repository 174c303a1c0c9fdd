"""Put whole groups of rows into parts of given sizes, each as likely into a part as its rows."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lamc.exceptions import LabelError, warn
from lamc.types import AnyArray, IntArray


def grouped_parts(
    rows: IntArray, groups: AnyArray, shares: Sequence[int], rng: np.random.RandomState
) -> list[IntArray]:
    """Rows of each part: no group is divided, and no part is empty.

    Parameters
    ----------
    rows : ndarray of int, shape (n,)
        The rows to share out.
    groups : ndarray of shape (n,)
        The group of each.
    shares : sequence of int
        How many rows each part should have; they sum to n.
    rng : RandomState
        Decides where a group has a choice.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.datasets.groups import grouped_parts
    >>> groups = np.repeat(["ann", "bob", "cat"], [6, 2, 2])
    >>> parts = grouped_parts(np.arange(10), groups, [6, 4], np.random.RandomState(0))
    >>> [sorted(part.tolist()) for part in parts]
    [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]
    """
    names, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < len(shares):
        raise LabelError(
            f"The rows with a label fall into {len(names)} groups, and a split has four parts "
            "that share no group.\nGive at least 4 groups, or leave groups= out."
        )
    place = rng.permutation(len(names))
    part = _parts_of_groups(sizes, place, shares, rng)[group]
    order = np.lexsort((place[group], part))
    return np.split(rows[order], np.cumsum(np.bincount(part, minlength=len(shares)))[:-1])


def _parts_of_groups(
    sizes: IntArray, place: IntArray, shares: Sequence[int], rng: np.random.RandomState
) -> IntArray:
    """The part of each group.

    Large groups choose first, for small ones fill what is left. A group goes into one of the parts
    that have room for it, with probabilities in proportion to that room: so do rows drawn one
    after the other, and groups large and small come into every part that can hold them. One that
    fits nowhere goes where it disturbs least, measured by the part's share.
    """
    part = np.empty(len(sizes), dtype=np.int64)
    room, empty = list(shares), set(range(len(shares)))
    draws = rng.random_sample(len(sizes)).tolist()
    for position, group in enumerate(np.lexsort((place, -sizes)).tolist()):
        size, to_come = int(sizes[group]), len(sizes) - position - 1
        among = sorted(empty) if len(empty) > to_come else range(len(shares))
        fitting = [p for p in among if room[p] >= size]
        if fitting:
            weights = [float(room[p]) for p in fitting]
        else:
            harm = {p: (abs(room[p] - size) - abs(room[p])) / shares[p] for p in among}
            fitting = [p for p in among if harm[p] == min(harm.values())]
            weights = [1.0] * len(fitting)
        part[group] = chosen = _drawn(fitting, weights, draws[position])
        room[chosen] -= size
        empty.discard(chosen)
    return part


def _drawn(choices: Sequence[int], weights: Sequence[float], draw: float) -> int:
    """The choice that a draw from [0, 1) falls on."""
    left = draw * sum(weights)
    for choice, weight in zip(choices, weights, strict=True):
        if left < weight:
            return choice
        left -= weight
    return choices[-1]


def warn_of_odd_sizes(parts: Sequence[str], sizes: Sequence[int], shares: Sequence[int]) -> None:
    """Warn of parts that are farther from their share than half of it.

    Examples
    --------
    >>> from lamc.datasets.groups import warn_of_odd_sizes
    >>> warn_of_odd_sizes(["train", "test"], [640, 360], [700, 300])  # near enough
    """
    odd = [
        f"{part} has {size} rows, not {share}"
        for part, size, share in zip(parts, sizes, shares, strict=True)
        if 2 * abs(size - share) > share
    ]
    if odd:
        warn(
            f"Whole groups leave parts of other sizes than asked for: {'; '.join(odd)}.\nGive more "
            "and smaller groups, or make the parts yourself: Split(train, calibration, "
            "validation, test)."
        )


def as_groups(groups: npt.ArrayLike, n: int) -> AnyArray:
    """Read the group of each of ``n`` rows, an integer or a string.

    Examples
    --------
    >>> from lamc.datasets.groups import as_groups
    >>> as_groups(["ann", "bob"], 2)
    array(['ann', 'bob'], dtype='<U3')
    """
    array = np.asarray(groups)
    if array.shape != (n,):
        raise LabelError(f"groups has shape {array.shape}, but Y has {n} rows: give one a row.")
    if array.dtype.kind not in "biuUS":
        kinds = [isinstance(group, (str, int, np.integer)) for group in array.tolist()]
        if not all(kinds):
            row = kinds.index(False)
            raise LabelError(
                f"Row {row} of groups holds {array[row]!r}; a group is an integer or a string.\n"
                "Give a row that belongs to no group a group of its own."
            )
        array = array.astype(str)
    return array
