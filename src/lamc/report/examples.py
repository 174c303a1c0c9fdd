"""Single rows to look at: what they are, what they have, and what every setting decides."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lamc.report.cuts import Cuts
from lamc.report.doubts import Doubts, first_rows
from lamc.report.features import Feature, Features
from lamc.report.pictures import png_address, shades_of_grey
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray, Matrix, SparseMatrix

_ROWS_EACH = 6
_LABELS_SHOWN = 10
_FEATURES_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Example:
    """One held-out row.

    Attributes
    ----------
    row : int
        Its number among the held-out rows.
    labels : ndarray of int
        The labels shown: the true ones and, of the others, those the row looks most as if it had.
    true : ndarray of bool
        Which of them are true.
    scores : ndarray
        Their scores.
    decisions : ndarray of int8, shape (S, labels shown)
        What each setting decides about them: 1, 0, or −1 where left open.
    others : ndarray of int, shape (S, 4)
        How many of the labels not shown each setting accepts, rightly and wrongly, leaves open, or
        calls absent though they are true.
    features : list of Feature
        The most telling features.
    picture : str or None
        The row as a picture.
    """

    row: int
    labels: IntArray
    true: BoolArray
    scores: FloatArray
    decisions: AnyArray
    others: IntArray
    features: list[Feature]
    picture: str | None


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows in three groups: doubtful ones, contradictory ones, and some drawn at random."""

    doubtful: list[Example]
    contradictory: list[Example]
    drawn: list[Example]
    leaves_open: bool

    @property
    def all(self) -> list[Example]:
        """The examples of all groups."""
        return [*self.doubtful, *self.contradictory, *self.drawn]


def find_examples(
    scores: Matrix,
    truth: SparseMatrix,
    cuts: Cuts,
    doubts: Doubts,
    *,
    features: Features | None,
    pictures: FloatArray | None,
    numbers: IntArray,
) -> Examples:
    """Choose rows and say of each what there is to see; ``numbers`` find their pictures."""
    groups = first_rows(doubts, _ROWS_EACH)
    chosen = [row for group in groups for row in group]
    drawings: list[str | None] = [None] * len(chosen)
    if pictures is not None:
        drawings = [png_address(grey) for grey in shades_of_grey(pictures[numbers[chosen]])]
    made = {
        row: _example(row, scores, truth, cuts, doubts.likeness, features, picture)
        for row, picture in zip(chosen, drawings, strict=True)
    }
    doubtful, contradictory, drawn = ([made[row] for row in group] for group in groups)
    return Examples(doubtful, contradictory, drawn, doubts.leaves_open)


def _example(
    row: int,
    scores: Matrix,
    truth: SparseMatrix,
    cuts: Cuts,
    like: FloatArray,
    features: Features | None,
    picture: str | None,
) -> Example:
    own = scores[[row]]
    true = truth[[row]].toarray().ravel()
    placed = cuts.place(own).toarray().ravel().astype(np.int64)
    steps = np.where(placed > 0, placed - 1 - cuts.first_steps[:-1], -1)
    alike = np.where(placed > 0, like[placed - 1], 0)
    shown = _shown(true, alike)
    decided = cuts.decisions(steps)
    rest = np.setdiff1d(np.arange(len(true)), shown)
    accepted = decided[:, rest] == 1
    others = np.stack(
        [
            np.count_nonzero(accepted & true[rest], axis=1),
            np.count_nonzero(accepted & ~true[rest], axis=1),
            np.count_nonzero(decided[:, rest] == -1, axis=1),
            np.count_nonzero((decided[:, rest] == 0) & true[rest], axis=1),
        ],
        axis=1,
    )
    values = (own.toarray() if sparse.issparse(own) else own).ravel()
    told = [] if features is None else features.telling(row, shown, _FEATURES_SHOWN)
    return Example(row, shown, true[shown], values[shown], decided[:, shown], others, told, picture)


def _shown(true: BoolArray, alike: FloatArray) -> IntArray:
    """True labels first, then those that look most as if they were; the likeliest first in each.

    Of more true labels than there is room for, those that look least as if they were: these are
    the ones that may be missed.
    """
    first = -alike
    if np.count_nonzero(true) > _LABELS_SHOWN:
        first = np.where(true, alike, first)
    order = np.lexsort((first, ~true))[:_LABELS_SHOWN]
    return order[true[order] | (alike[order] > 0)]
