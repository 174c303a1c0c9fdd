"""Labels that a table tells: 0/1 columns, or one column that names them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from scipy import sparse

from lamc.datasets.readers.label_lists import holds_lists, listed_labels, matrix_of_lists
from lamc.exceptions import DatasetError, LabelError
from lamc.labels import Knowledge, Labels
from lamc.labels.known import one_or_all
from lamc.labels.names import check_classes
from lamc.tables.batches import check_columns, column_names, column_type, whole_table
from lamc.tables.cells import Kind
from lamc.tables.features import number_matrix
from lamc.tables.source import Source
from lamc.types import AnyArray, SparseMatrix
from lamc.wording import did_you_mean, some


@dataclass(frozen=True)
class LabelColumns:
    """Where a table has its labels, as a user says it.

    Attributes
    ----------
    names : tuple of str
        Label columns of 0 and 1; ``*`` stands for any characters. With ``listed``, all labels
        there are.
    listed : str or None
        The one column that names the labels of a row.
    separator : str or None
        What stands between several labels in ``listed``.
    knowledge : Knowledge or None
        What is known of labels that are not marked, if that is said.
    """

    names: tuple[str, ...] = ()
    listed: str | None = None
    separator: str | None = None
    knowledge: Knowledge | None = None

    @property
    def by_pattern(self) -> bool:
        """Whether the names stand for whatever columns fit."""
        return any("*" in name for name in self.names)

    def among(self, columns: Sequence[str]) -> list[str]:
        """Names with ``*`` replaced by the columns that fit.

        Examples
        --------
        >>> from lamc.tables.truth import LabelColumns
        >>> LabelColumns(("is_*", "dead")).among(["height", "is_oak", "is_elm", "dead"])
        ['is_oak', 'is_elm', 'dead']
        """
        found: list[str] = []
        for name in self.names:
            fitting = [column for column in columns if fnmatchcase(column, name)]
            literal = name in columns or "*" not in name
            found += [name] if literal else fitting
            if not (literal or fitting):
                raise DatasetError(f"No column fits {name!r}.\nThe columns are {some(columns)}.")
        return list(dict.fromkeys(found))

    def columns_of(self, source: Source, classes: AnyArray | None) -> list[str]:
        """Columns of a table that hold labels: those named, or those named as ``classes``.

        The latter are taken also where the table has no column ``listed``.
        """
        columns = column_names(source)
        known = [] if classes is None else [str(label) for label in classes]
        if known:
            self._check_named(known)
        if self.listed in columns:
            return [self.listed]
        if known and set(known) <= set(columns):
            return known
        if self.listed is not None:
            check_columns(source, columns, [self.listed])
        if self.names:
            named = self.among(columns)
            check_columns(source, columns, named)
            return named
        lacking = [label for label in known if label not in columns]
        lack = f" There is no column for {some(lacking)}." if len(lacking) < len(known) else ""
        raise DatasetError(
            f"Nothing says which columns of {source} are labels.{lack}\nName the 0/1 columns, "
            "--labels oak,elm, or the one column that names the labels, --label-column tags."
        )

    def _check_named(self, known: Sequence[str]) -> None:
        """Raise if the names are not those of the labels that are known already."""
        patterns = [name for name in self.names if "*" in name]
        exact, labels = set(self.names), set(known)
        for name in self.names:
            if name in labels or ("*" in name and any(fnmatchcase(label, name) for label in known)):
                continue
            raise DatasetError(
                f"--labels names {name!r}, but the labels are {some(known)}."
                f"{did_you_mean(name, known)}"
            )
        lacking = [
            label
            for label in known
            if label not in exact and not any(fnmatchcase(label, each) for each in patterns)
        ]
        if self.names and lacking:
            raise DatasetError(
                f"--labels leaves out {some(lacking)}, which are labels too.\nName all labels "
                "there are, or leave the option out."
            )

    def tells_one(self, source: Source) -> bool:
        """Whether each row names one label and says nothing of others."""
        if self.listed is None or self.separator is not None:
            return False
        return self.listed in column_names(source) and not _holds_lists(source, self.listed)


def table_labels(
    source: Source, where: LabelColumns, classes: AnyArray | None = None, *, advice: str = ""
) -> tuple[Labels, tuple[str, ...]]:
    r"""Read the labels of a table, and what is worth knowing about how they were read.

    Parameters
    ----------
    source : Source
        The table.
    where : LabelColumns
        Where its labels are. If that says nothing, they are in the columns that bear the names
        of ``classes``.
    classes : ndarray of shape (K,), optional
        The labels of a model; the result is in their order.
    advice : str
        What to do about a label that is listed but not among ``classes``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.tables.source import source_of
    >>> from lamc.tables.truth import LabelColumns, table_labels
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trees.csv"
    ...     _ = path.write_text("height,tags\n20,oak;elm\n15,elm\n")
    ...     labels, notes = table_labels(source_of(path), LabelColumns((), "tags", ";"))
    >>> labels
    Labels(2 rows, 2 labels, all labels known)
    """
    columns = where.columns_of(source, classes)
    notes: tuple[str, ...] = ()
    if columns == [where.listed]:
        positives, names, notes = _listed(source, where, classes, advice)
    else:
        wanted = dict.fromkeys(columns, Kind.TRUTH)
        table = whole_table(source, wanted, same_keys=where.by_pattern)
        positives, names = _marks(source, number_matrix(table, columns), columns), columns
    one_named = columns == [where.listed] and where.tells_one(source)
    labels = known_labels(
        positives, check_classes(names), one_named=one_named, stated=where.knowledge, of=str(source)
    )
    return (labels if classes is None else in_order(labels, classes)), notes


def in_order(labels: Labels, classes: AnyArray) -> Labels:
    """Labels in the order of a model's, which may be numbers that a file spells."""
    spelt = labels.align(np.asarray([str(label) for label in classes]))
    return Labels(spelt.positives, classes, spelt.knowledge, spelt.negatives)


def known_labels(
    positives: SparseMatrix,
    classes: AnyArray,
    *,
    one_named: bool,
    stated: Knowledge | None,
    of: str,
) -> Labels:
    """Say what is known of the labels that are not marked, or refuse where that is open.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.tables.truth import known_labels
    >>> marks = sparse.csr_array(np.eye(2, dtype=bool))
    >>> known_labels(marks, np.array(["elm", "oak"]), one_named=False, stated=None, of="a.csv")
    Traceback (most recent call last):
    ...
    lamc.exceptions.LabelError: Every row of a.csv has exactly one label marked, which could ...
    """
    if stated is None and one_named:
        stated = Knowledge.SINGLE
    if stated is None:
        if finding := one_or_all(positives, of):
            raise LabelError(
                f"{finding} marked, which could be all its labels or the one that was observed.\n"
                "Say which: --knowledge all, or --knowledge single."
            )
        stated = Knowledge.ALL
    labels = Labels(sparse.csr_array(positives), classes, stated)
    if stated is Knowledge.SINGLE:
        labels.require(stated, by="--knowledge single")
    return labels


def labels_in_words(labels: Labels) -> str:
    """Say what is known of the labels of some rows.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.tables.truth import labels_in_words
    >>> labels_in_words(as_labels(["oak", "elm", "oak"]))
    '3 rows with one observed label each, of 2 labels; others are unknown'
    """
    n, k = labels.shape
    mean = labels.cardinality.mean() if n else 0.0
    if labels.knowledge is Knowledge.SINGLE:
        return f"{n:,} rows with one observed label each, of {k:,} labels; others are unknown"
    if labels.knowledge is Knowledge.SOME:
        return f"{n:,} rows with {mean:.1f} of their labels observed on average, of {k:,} labels"
    return f"{n:,} rows with all their labels, {mean:.1f} on average, of {k:,} labels"


def _listed(
    source: Source, where: LabelColumns, classes: AnyArray | None, advice: str
) -> tuple[SparseMatrix, list[str], tuple[str, ...]]:
    """Labels that one column names: marks, names, and notes on how it was read."""
    listed, path = str(where.listed), Path(str(source))
    cells = whole_table(source, {listed: Kind.AS_IS}).column(0)
    known = list(where.names) if classes is None else [str(label) for label in classes]
    rows, notes = listed_labels(path, listed, cells, where.separator, source.place, known)
    return *matrix_of_lists(path, rows, known or None, source.place, advice), notes


def _marks(source: Source, cells: AnyArray, names: Sequence[str]) -> SparseMatrix:
    odd = ~((cells == 0) | (cells == 1))
    if odd.any():
        row, column = (int(axis) for axis in np.argwhere(odd)[0])
        value = cells[row, column]
        found = "is missing" if np.isnan(value) else f"is {value:g}"
        advice = (
            "−1 is in use for absent and for unknown; write 0 where a label is absent."
            if value == -1
            else "Write 1 where the label is true and 0 where it is not."
        )
        raise DatasetError(
            f"{source}, {source.place(row)}: the label {names[column]!r} {found}; it may be 0 or "
            f"1, false or true.\n{advice}"
        )
    return sparse.csr_array(cells == 1)


def _holds_lists(source: Source, name: str) -> bool:
    kind = column_type(source, name)
    if source.format == "jsonl":
        kind = whole_table(source, {name: Kind.AS_IS}).column(0).type
    return kind is not None and holds_lists(kind)
