"""Which rows an expert should look at first."""

import numpy as np
from scipy import sparse

from lamc.report.cuts import Cuts
from lamc.report.tally import Block
from lamc.rules.ranks import SortedScores
from lamc.types import AnyArray, BoolArray, FloatArray, SparseMatrix


def likeness(cuts: Cuts, positives: SortedScores, calibrated: BoolArray) -> FloatArray:
    """Share of the label's calibration positives that a score on each step is no lower than.

    Steps are as fine as the levels of the page, so the share is known to about one percent. Unlike
    the score, it means the same for every label. Labels that are not calibrated have too few
    positives to say much; theirs is 0.
    """
    shares = np.zeros(int(cuts.first_steps[-1]))
    for label in np.flatnonzero(calibrated).tolist():
        first, own, at = cuts.first_steps[label], positives.of_label(label), cuts.of_label(label)
        reached = np.searchsorted(own, at, side="right") / max(len(own), 1)
        shares[first + 1 : first + 1 + len(at)] = reached
    return shares


class Doubts:
    """For each row, how much an expert could settle, and how far scores and truth are apart.

    Both speak of one setting, the calibrated one, and of the labels that are calibrated there; the
    others are left open in every row alike.

    - *Doubt* adds up, over the labels left open, how much the row looks as if it had the label:
      the share of the label's calibration positives that it scores no lower than. If the setting
      leaves nothing open, it adds up one minus that share over the labels accepted: how narrowly
      they were.
    - *Contradiction* adds up that share over the labels accepted that are not true, and one minus
      it over true labels that are not accepted.
    """

    def __init__(
        self,
        cuts: Cuts,
        positives: SortedScores,
        *,
        setting: int,
        calibrated: BoolArray,
        n_rows: int,
    ) -> None:
        accept_from, absent_below = cuts.accept_from[setting], cuts.absent_below[setting]
        self.leaves_open = bool((accept_from != absent_below)[calibrated].any())
        self.likeness = likeness(cuts, positives, calibrated)
        of_step = cuts.step_labels
        level = np.arange(cuts.first_steps[-1]) - cuts.first_steps[:-1][of_step]
        accepted = level >= accept_from[of_step]
        left_open = ~accepted & (level >= absent_below[of_step])
        unlike = (1 - self.likeness) * calibrated[of_step]
        self._doubt = self.likeness * left_open if self.leaves_open else unlike * accepted
        self._wrong = self.likeness * accepted
        self._made_up = self._wrong + calibrated[of_step] - unlike * ~accepted
        self._calibrated = calibrated.astype(np.float64)
        self.doubt: FloatArray = np.zeros(n_rows)
        self.contradiction: FloatArray = np.zeros(n_rows)

    def add(self, block: Block) -> None:
        """Judge the rows of a block."""
        self.doubt[block.rows] = row_sums(block.steps, self._doubt)
        # A true label counts 1, less what its score makes up for; one not stored has no score.
        self.contradiction[block.rows] = (
            row_sums(block.steps, self._wrong)
            + block.truth.astype(np.float64) @ self._calibrated
            - row_sums(block.true_steps, self._made_up)
        )


def row_sums(steps: SparseMatrix, weights: AnyArray) -> FloatArray:
    """Sum, over the pairs of each row, of what their steps weigh."""
    placed = (weights[steps.data - 1], steps.indices, steps.indptr)
    return np.asarray(sparse.csr_array(placed, steps.shape).sum(axis=1)).ravel()


def first_rows(doubts: Doubts, n_each: int) -> tuple[list[int], list[int], list[int]]:
    """Rows with the most doubt, with the most contradiction, and drawn at random; none twice.

    The draw has a fixed seed, so that the same rows give the same page.
    """
    rows = np.arange(len(doubts.doubt))
    open_first = _highest(doubts.doubt, rows, n_each)
    rows = np.setdiff1d(rows, open_first)
    apart = _highest(doubts.contradiction, rows, n_each)
    rows = np.setdiff1d(rows, apart)
    drawn = np.random.default_rng(0).permutation(rows)[:n_each]
    return open_first, apart, np.sort(drawn).tolist()


def _highest(values: FloatArray, rows: AnyArray, n: int) -> list[int]:
    """Rows with the highest values above 0, the first of equal ones first."""
    rounded = values[rows].round(9)  # sums of the same shares in another order are equal
    order = np.argsort(-rounded, kind="stable")[:n]
    return rows[order[rounded[order] > 0]].tolist()
