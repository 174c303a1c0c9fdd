"""What a calibration set tells a rule, kept so that more rows can be added to it."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_random_state

from lamc.exceptions import CalibrationError
from lamc.rules.ranks import SortedScores
from lamc.rules.thresholds import shorter_type
from lamc.types import AnyArray, BoolArray, FloatArray, IntArray, Matrix, SparseMatrix


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of the true labels of a calibration set, and of the others where a rule needs them.

    Attributes
    ----------
    n_rows : int
        Rows that the evidence comes from.
    positives : SortedScores
        Scores of the labels known to be true.
    rows : ndarray of int
        Calibration row of each positive.
    weights : ndarray or None
        Weight of each positive; None if all weigh the same.
    heaviest : int, float or None
        Largest weight of a row, whether it has a positive or not: what a new row may weigh.
    negatives : SortedScores or None
        Scores of the labels known to be false.
    reference : SortedScores or None
        Scores of other rows.
    candidates_only : bool
        Whether the scores were sparse: a pair that is not stored is then never accepted.
    """

    n_rows: int
    positives: SortedScores
    rows: IntArray
    weights: AnyArray | None = None
    heaviest: int | float | None = None
    negatives: SortedScores | None = None
    reference: SortedScores | None = None
    candidates_only: bool = False

    @property
    def n_labelled(self) -> int:
        """Rows with a label that is known to be true."""
        return len(np.unique(self.rows))

    @property
    def known_negatives(self) -> SortedScores:
        """Negatives, for a rule that cannot do without."""
        if self.negatives is None:
            raise CalibrationError(
                "The scores of false labels were not kept.\n"
                "Fit with Calibrator(keep_negatives=True), on fully labelled rows that were drawn "
                "at random and have no weights."
            )
        return self.negatives

    @classmethod
    def of(
        cls,
        scores: Matrix,
        positives: SparseMatrix,
        *,
        first_row: int = 0,
        weights: AnyArray | None = None,
    ) -> Self:
        """Gather the scores of true labels; ``weights`` are by row."""
        rows = np.repeat(np.arange(positives.shape[0]), np.diff(positives.indptr))
        labels = positives.indices
        gathered, order = SortedScores.of(
            scores_at(scores, rows, labels), labels, n_labels=positives.shape[1]
        )
        rows = rows[order]
        return cls(
            n_rows=positives.shape[0],
            positives=gathered,
            rows=rows + first_row,
            weights=None if weights is None else weights[rows],
            heaviest=None if weights is None else weights.max(initial=0).item(),
            candidates_only=sparse.issparse(scores),
        )

    def rounded(self, dtype: npt.DTypeLike) -> "Evidence":
        """Return the evidence with all scores in a shorter type."""
        return replace(
            self,
            positives=self.positives.rounded(dtype),
            negatives=None if self.negatives is None else self.negatives.rounded(dtype),
            reference=None if self.reference is None else self.reference.rounded(dtype),
        )

    def beside(self, reference: SortedScores) -> "Evidence":
        """Return the evidence with scores of other rows, all in the shorter type of both."""
        shorter = shorter_type(self.positives.values, reference.values)
        return replace(self, reference=reference).rounded(shorter)

    def joined(self, later: "Evidence") -> "Evidence":
        """Return the evidence of these rows and of ``later`` ones, with the reference of these.

        Scores are kept in the shorter type of both, or those that were equal would not be so here.
        """
        shorter = shorter_type(self.positives.values, later.positives.values)
        return self.rounded(shorter)._joined(later.rounded(shorter))

    def _joined(self, later: "Evidence") -> "Evidence":
        positives, order = merge(self.positives, later.positives)
        weights = heaviest = negatives = None
        if self.weights is not None and later.weights is not None:
            weights = np.concatenate([self.weights, later.weights])[order]
        if self.heaviest is not None and later.heaviest is not None:
            heaviest = max(self.heaviest, later.heaviest)
        if self.negatives is not None and later.negatives is not None:
            negatives, _ = merge(self.negatives, later.negatives)
        return Evidence(
            n_rows=self.n_rows + later.n_rows,
            positives=positives,
            rows=np.concatenate([self.rows, later.rows])[order],
            weights=weights,
            heaviest=heaviest,
            negatives=negatives,
            reference=self.reference,
            candidates_only=self.candidates_only or later.candidates_only,
        )

    def keep(self, chosen: BoolArray) -> "Evidence":
        """Return the evidence of some of the positives."""
        return replace(
            self,
            positives=self.positives.keep(chosen),
            rows=self.rows[chosen],
            weights=None if self.weights is None else self.weights[chosen],
        )

    def of_labels(self, chosen: BoolArray) -> "Evidence":
        """Return the evidence of the positives of some labels."""
        return self.keep(chosen[self.positives.labels])

    def drawn(self, per_label: int, *, seed: int) -> "Evidence":
        """Return the evidence of at most ``per_label`` positives of each label, drawn at random.

        Each label draws among its own positives only. Rows drawn for one label would be a biased
        sample of another's.
        """
        labels = self.positives.labels
        order = np.lexsort((random_keys(self.rows, labels, seed), labels))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return self.keep(place - self.positives.offsets[labels] < per_label)


def seed_of(random_state: Any) -> int:
    """A seed for all that is drawn: the number itself, or one that a generator gives.

    Examples
    --------
    >>> from lamc.rules.evidence import seed_of
    >>> seed_of(7)
    7
    """
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < 2**32:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def random_keys(rows: IntArray, labels: IntArray, seed: int) -> AnyArray:
    """A number for each pair of a row and a label, as good as random, to draw pairs by.

    It depends on nothing but the pair and the seed, so a draw is the same in one batch and in
    several, and nothing has to be kept for it.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.rules.evidence import random_keys
    >>> one, two, other = random_keys(np.array([0, 1, 0]), np.array([0, 0, 1]), seed=0)
    >>> len({int(one), int(two), int(other)})
    3
    """
    of_label = _mixed(labels.astype(np.uint64) ^ _mixed(np.asarray([seed], dtype=np.uint64)))
    return _mixed(rows.astype(np.uint64) ^ of_label)


def _mixed(numbers: AnyArray) -> AnyArray:
    """SplitMix64: each number becomes another, and near ones become far apart."""
    x = numbers + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def scores_at(scores: Matrix, rows: IntArray, labels: IntArray) -> FloatArray:
    """Scores of some pairs of a row and a label."""
    if not sparse.issparse(scores) and scores.flags.c_contiguous:
        # One index instead of two: twice as fast.
        return scores.ravel().take(rows * scores.shape[1] + labels)
    found = scores[rows, labels]
    return found.toarray() if sparse.issparse(found) else found  # sparse where there is no pair


def merge(one: SortedScores, other: SortedScores) -> tuple[SortedScores, IntArray]:
    """Scores of both, sorted, and the order that puts one's values and then the other's so."""
    return SortedScores.of(
        np.concatenate([one.values, other.values]),
        np.concatenate([one.labels, other.labels]),
        n_labels=len(one.zeros),
        zeros=one.zeros + other.zeros,
    )


def all_scores(scores: Matrix) -> SortedScores:
    """Sort every score of each label."""
    n, k = scores.shape
    if sparse.issparse(scores):
        return _stored(scores.tocoo(), n_of_label=np.full(k, n))
    values = np.sort(scores.T, axis=1)
    return SortedScores(values.ravel(), np.arange(k + 1) * n, np.zeros(k, dtype=np.int64))


def negative_scores(scores: Matrix, positives: SparseMatrix) -> SortedScores:
    """Sort the scores of all labels but the positives."""
    n, k = scores.shape
    counts = np.bincount(positives.indices, minlength=k)
    rows, labels = positives.tocoo().coords
    if sparse.issparse(scores):
        others = scores - scores.multiply(positives)
        others.eliminate_zeros()
        return _stored(others.tocoo(), n_of_label=n - counts)
    by_label = scores.T.copy()
    by_label[labels, rows] = np.inf  # sorted to the end, and cut off there
    by_label.sort(axis=1)
    kept = by_label[np.arange(n) < (n - counts)[:, None]]
    return SortedScores(
        kept, np.concatenate([[0], np.cumsum(n - counts)]), np.zeros(k, dtype=np.int64)
    )


def _stored(entries: SparseMatrix, *, n_of_label: IntArray) -> SortedScores:
    labels = entries.coords[1]
    stored = np.bincount(labels, minlength=len(n_of_label))
    return SortedScores.of(
        entries.data, labels, n_labels=len(n_of_label), zeros=n_of_label - stored
    )[0]
