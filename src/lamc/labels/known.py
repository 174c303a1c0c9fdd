"""The one form that labels have inside: known positives, and what the other entries mean."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lamc.exceptions import LabelError
from lamc.labels.names import check_classes, find_labels, some_of
from lamc.types import AnyArray, BoolArray, IntArray, SparseMatrix


class Knowledge(StrEnum):
    """How much is known of the labels of a row.

    Examples
    --------
    >>> from lamc.labels import Knowledge
    >>> Knowledge("single") is Knowledge.SINGLE
    True
    """

    SINGLE = "single"  # one label that is true; of the others nothing
    SOME = "some"  # some that are true, perhaps some that are not; of the others nothing
    ALL = "all"  # every label that is true; the others are not


_IN_WORDS = {
    Knowledge.SINGLE: "one positive a row",
    Knowledge.SOME: "some labels a row known",
    Knowledge.ALL: "all labels known",
}


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of ``n`` rows: the true ones that are known, and what the others mean.

    Made by :func:`as_labels`, which checks what it is given; every function of LAMC that takes
    labels also takes these. Indexing takes rows: ``labels[:10]``. To scikit-learn they look like
    the array of :meth:`to_array`.

    Attributes
    ----------
    positives : scipy.sparse.csr_array of bool, shape (n, K)
        The labels known to be true.
    classes : ndarray of shape (K,)
        Names of the labels, in the order of the columns.
    knowledge : Knowledge
        What is known of the labels that are not among the positives.
    negatives : scipy.sparse.csr_array of bool, shape (n, K), or None
        With ``knowledge="some"``: the labels known to be false, if any are.

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> labels = as_labels(["oak", "elm", "oak"])
    >>> labels
    Labels(3 rows, 2 labels, one positive a row)
    >>> labels.index()
    array([1, 0, 1])
    >>> labels.counts
    array([1, 2])
    """

    positives: SparseMatrix
    classes: AnyArray
    knowledge: Knowledge
    negatives: SparseMatrix | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of labels."""
        return self.positives.shape

    @property
    def counts(self) -> IntArray:
        """Number of known positives of each label."""
        return np.bincount(self.positives.indices, minlength=self.shape[1])

    @property
    def cardinality(self) -> IntArray:
        """Number of known positives of each row."""
        return np.diff(self.positives.indptr).astype(np.int64)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Self:
        if isinstance(rows, (int, np.integer)):
            rows = [rows]
        elif hasattr(rows, "to_numpy"):  # a Series of marks or numbers goes by position
            rows = rows.to_numpy()
        negatives = None if self.negatives is None else self.negatives[rows]
        return type(self)(self.positives[rows], self.classes, self.knowledge, negatives)

    def __repr__(self) -> str:
        return f"Labels({len(self)} rows, {self.shape[1]} labels, {_IN_WORDS[self.knowledge]})"

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        return np.asarray(self.to_array(), dtype=dtype)

    def to_array(self) -> AnyArray:
        """Class of each row if they are single positives, else a 0/1 matrix."""
        if self.knowledge is Knowledge.SINGLE:
            return self.classes[self.index()]
        return self.positives.toarray().astype(np.int64)

    def index(self) -> IntArray:
        """Column of the one positive of each row."""
        self.require(Knowledge.SINGLE, by="an index of one label a row")
        return self.positives.indices.astype(np.int64)

    def names(self) -> list[list[Any]]:
        """Names of the known positives, row by row."""
        found = self.classes[self.positives.indices]
        return [row.tolist() for row in np.split(found, self.positives.indptr[1:-1])]

    def known_as(self, knowledge: Knowledge | str) -> Self:
        """The same positives, with more or less known of the other labels.

        Negatives that are known besides are forgotten: ``"all"`` tells more than they do, the
        others less.

        Examples
        --------
        >>> from lamc.labels import as_labels
        >>> as_labels([{"oak", "elm"}, {"elm"}]).known_as("some")
        Labels(2 rows, 2 labels, some labels a row known)
        """
        return type(self)(self.positives, self.classes, Knowledge(knowledge))

    def require(self, needed: Knowledge | str, *, by: str) -> None:
        """Raise unless the labels tell what ``by``, a method's name, needs to know.

        ``"single"`` needs exactly one positive in every row, ``"some"`` at least one, and
        ``"all"`` rows whose other labels are known to be false.

        Examples
        --------
        >>> from lamc.labels import as_labels
        >>> as_labels(["oak", "elm"]).require("all", by="The precision rule")
        Traceback (most recent call last):
        lamc.exceptions.LabelError: The precision rule needs all labels of every row, but ...
        """
        needed = Knowledge(needed)
        if needed is Knowledge.ALL:
            self._require_all(by)
            return
        without = self.cardinality == 0
        if without.any():
            raise LabelError(
                f"{rows_in_words(without)} no observed label, and {by} needs "
                f"{'one positive' if needed is Knowledge.SINGLE else 'at least one positive'} a "
                "row.\nDrop rows without a label (y.notna() in pandas), or pass them to predict() "
                "instead."
            )
        several = self.cardinality > 1
        if needed is Knowledge.SINGLE and several.any():
            raise LabelError(
                f"{rows_in_words(several)} more than one positive, and {by} takes one a row."
                "\nDraw one of them with lamc.datasets.observe(Y)."
            )

    def _require_all(self, by: str) -> None:
        if self.knowledge is Knowledge.ALL:
            return
        known = "one positive is" if self.knowledge is Knowledge.SINGLE else "some labels are"
        raise LabelError(
            f"{by} needs all labels of every row, but of each of these {len(self)} rows only "
            f"{known} known, and a label that was not observed may still be true.\nGive fully "
            "labelled rows, as a 0/1 matrix or as lists of labels."
        )

    def require_rows(self, n: int, *, of: str) -> None:
        """Raise unless there is a row of labels for each of the ``n`` rows ``of`` something."""
        if len(self) != n:
            raise LabelError(f"The labels have {len(self)} rows, but {of} has {n}.")

    def align(self, classes: npt.ArrayLike) -> Self:
        """Put the columns in the order of ``classes``, which must hold every class of these.

        A class that is new here becomes a column without positives. Where all labels of a row
        are known this is refused, for whether the new label holds is not known.

        Examples
        --------
        >>> from lamc.labels import as_labels
        >>> as_labels(["oak", "elm"]).align(["ash", "elm", "oak"]).index()
        array([2, 1])
        """
        target = check_classes(classes)
        if np.array_equal(self.classes, target):
            return self
        columns = find_labels(self.classes, target, at="The labels")
        if self.knowledge is Knowledge.ALL and len(target) > len(self.classes):
            missing = np.setdiff1d(target, self.classes)
            raise LabelError(
                f"Y has no column for {some_of(missing)}, so whether that label holds is not "
                "known.\nAdd the column, or say that Y lists only some of the true labels: "
                "as_labels(Y, knowledge='some')."
            )

        def move(matrix: SparseMatrix) -> SparseMatrix:
            moved = sparse.csr_array(
                (matrix.data, columns[matrix.indices], matrix.indptr),
                shape=(len(self), len(target)),
            )
            moved.sort_indices()
            return moved

        negatives = None if self.negatives is None else move(self.negatives)
        return type(self)(move(self.positives), target, self.knowledge, negatives)


def one_or_all(positives: SparseMatrix, of: str) -> str | None:
    """Say so where labels that are marked could be one observed label a row, or all of them.

    It is open where no row has more than one and most rows have one: the others may be gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.labels.known import one_or_all
    >>> one_or_all(sparse.csr_array([[1, 0], [0, 1], [0, 0]]), "Y")
    'No row of Y has more than one label, and 2 of 3 have one'
    >>> one_or_all(sparse.csr_array([[1, 0], [1, 1], [0, 0]]), "Y")
    """
    (n, n_labels), counts = positives.shape, np.diff(positives.indptr)
    n_one = int(np.count_nonzero(counts == 1))
    if n_labels < 2 or counts.max(initial=0) != 1 or 2 * n_one <= n:
        return None
    if n_one == n:
        return f"Every row of {of} has exactly one label"
    return f"No row of {of} has more than one label, and {n_one:,} of {n:,} have one"


def rows_in_words(mask: BoolArray, of: str = "y") -> str:
    """``"Row 3 of y has"`` or ``"Rows 3, 5, 8 and 12 more of y have"``."""
    found = np.flatnonzero(mask)
    if len(found) == 1:
        return f"Row {found[0]} of {of} has"
    listed = ", ".join(str(row) for row in found[:3])
    return f"Rows {listed}{f' and {len(found) - 3} more' if len(found) > 3 else ''} of {of} have"
