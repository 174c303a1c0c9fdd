"""The door for labels: every form that users have them in, read or refused."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lamc.exceptions import LabelError, warn
from lamc.labels.columns import unwrapped
from lamc.labels.known import Knowledge, Labels, one_or_all
from lamc.labels.lists import are_matrix_rows, holds_collections, plain_rows, without_boxes
from lamc.labels.names import as_given, check_classes, find_labels, label_values
from lamc.types import AnyArray, SparseMatrix

Meaning = Literal["negative", "unknown"]


def as_labels(
    y: Any,
    *,
    classes: npt.ArrayLike | None = None,
    knowledge: Knowledge | str | None = None,
    meaning: Mapping[int, Meaning] | None = None,
) -> Labels:
    """Read labels in any of the forms that users have.

    =======================================  =====================================================
    form of ``y``                            read as
    =======================================  =====================================================
    ``(n,)`` integers or strings             one positive a row, the others unknown
    list or set of labels for each row       all labels of the row, unless ``knowledge`` says less
    ``(n, K)`` 0/1 or bool: array, sparse,   likewise
    or DataFrame with the names as columns
    ``(n, K)`` of −1, 0, 1                   as ``meaning`` says; refused without it
    :class:`Labels`                          as they are, or as less if ``knowledge`` says less
    =======================================  =====================================================

    A matrix or list of which most rows have one label, and none has more, could be single positives
    with gaps as well as the full truth: it is refused unless ``knowledge`` says which.

    Parameters
    ----------
    y : array, sparse matrix, Series, DataFrame, list, or Labels
        The labels.
    classes : array-like of shape (K,), optional
        All labels there are, in the order wanted, seen in ``y`` or not. Where they are strings,
        integers in ``y`` count as positions among them.
    knowledge : {"single", "some", "all"}, optional
        What a label that is not marked in a matrix or list means: unknown in the first two cases,
        false in the third.
    meaning : mapping, optional
        For a −1/0/1 matrix, what 0 and −1 mean: ``{0: "unknown", -1: "negative"}`` or
        ``{0: "negative", -1: "unknown"}``.

    Returns
    -------
    Labels

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> as_labels([{"oak", "elm"}, {"elm"}])
    Labels(2 rows, 2 labels, all labels known)
    >>> as_labels([[1, 0, 1], [0, 1, 0]], classes=["ash", "elm", "oak"]).names()
    [['ash', 'oak'], ['elm']]
    >>> as_labels([[1, 0, -1], [0, 1, 0]], meaning={0: "unknown", -1: "negative"})
    Labels(2 rows, 3 labels, some labels a row known)
    """
    stated = None if knowledge is None else _stated(knowledge)
    known = None if classes is None else check_classes(classes)
    if y is None:
        raise LabelError("y is None; give one label a row, or a matrix of labels.")
    y = without_boxes(unwrapped(y))
    if isinstance(y, Labels):
        labels = y if stated in (None, Knowledge.ALL) else _with_less_known(y, stated)
        labels = labels if known is None else labels.align(known)
    elif sparse.issparse(y):
        return _from_matrix(y, known, stated, meaning)
    elif hasattr(y, "columns"):  # a DataFrame; to ask pandas would be to import it
        return _from_frame(y, known, stated, meaning)
    elif holds_collections(y):
        rows = plain_rows(y)
        if are_matrix_rows(rows):
            return _from_matrix(np.asarray(rows), known, stated, meaning)
        return _from_lists(rows, known, stated)
    elif np.asarray(y).ndim == 2:
        return _from_matrix(np.asarray(y), known, stated, meaning)
    else:
        labels = _from_vector(y, known)
    if stated in (Knowledge.SINGLE, Knowledge.ALL):
        labels.require(stated, by=f"knowledge={stated.value!r}")
    return labels


def unless_told(y: Any) -> Knowledge | None:
    """What to read labels as of which the positives matter, if they do not tell themselves.

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> from lamc.labels.forms import unless_told
    >>> Y = [["oak"], ["elm"]]
    >>> as_labels(Y, knowledge=unless_told(Y))
    Labels(2 rows, 2 labels, some labels a row known)
    """
    return None if isinstance(y, Labels) else Knowledge.SOME


def are_columns(y: Any) -> bool:
    """Whether labels come as columns of a matrix that have no names.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.labels.forms import are_columns
    >>> are_columns(np.eye(2)), are_columns(["oak", "elm"])
    (True, False)
    """
    if isinstance(y, Labels) or hasattr(y, "columns"):
        return False
    if sparse.issparse(y):
        return True
    y = without_boxes(unwrapped(y))
    return are_matrix_rows(plain_rows(y)) if holds_collections(y) else np.asarray(y).ndim == 2


def are_in_order(y: Any) -> bool:
    """Whether labels come in an order that somebody chose; names by themselves are only sorted.

    Examples
    --------
    >>> from lamc.labels import as_labels
    >>> from lamc.labels.forms import are_in_order
    >>> are_in_order(["oak", "elm"]), are_in_order(as_labels(["oak", "elm"]))
    (False, True)
    """
    if isinstance(y, Labels) or hasattr(y, "columns"):
        return True
    return hasattr(getattr(y, "dtype", None), "categories") or are_columns(y)


def _stated(knowledge: Knowledge | str) -> Knowledge:
    try:
        return Knowledge(knowledge)
    except ValueError:
        known = ", ".join(repr(each.value) for each in Knowledge)
        raise LabelError(f"knowledge={knowledge!r} is none of {known}.") from None


def _with_less_known(labels: Labels, stated: Knowledge) -> Labels:
    """Labels of which the false ones count as unknown."""
    return labels.known_as(stated) if labels.knowledge is Knowledge.ALL else labels


def _from_vector(y: Any, known: AnyArray | None) -> Labels:
    values = as_given(y)
    if values.ndim != 1:
        raise LabelError(
            f"y has {values.ndim} dimensions; labels are a vector of one label a row, or a matrix "
            "with a row for each example and a column for each label."
        )
    _refuse_empty(len(values))
    values = label_values(values)
    if known is None:  # a categorical Series knows labels that it does not hold
        categories = getattr(getattr(y, "dtype", None), "categories", None)
        known = np.unique(values) if categories is None else check_classes(categories)
        _warn_of_unlabelled(values)
    columns = find_labels(values, known)
    n = len(columns)
    positives = sparse.csr_array(
        (np.ones(n, dtype=bool), columns, np.arange(n + 1)), shape=(n, len(known))
    )
    return Labels(positives, known, Knowledge.SINGLE)


def _warn_of_unlabelled(values: AnyArray) -> None:
    """Warn of −1 among labels that count from 0, where it may be scikit-learn's mark for none."""
    if values.dtype.kind != "i" or not (values == -1).any() or (values < -1).any():
        return
    if len(np.unique(values[values >= 0])) >= 2:
        warn(
            f"y holds −1 in {np.count_nonzero(values == -1)} rows, and −1 is taken for a label "
            "like the others.\nIf it means that there is none, leave such rows out: y[y != -1]."
        )


def _from_lists(
    rows: list[Iterable[Any]], known: AnyArray | None, stated: Knowledge | None
) -> Labels:
    lists = [list(row) for row in rows]
    lengths = np.asarray([len(row) for row in lists])
    if not lengths.any() and known is None:
        raise LabelError("No row of y holds a label; name the labels there are with classes=….")
    flat = np.empty(lengths.sum(), dtype=object)
    flat[:] = [label for row in lists for label in row]
    of_row = np.repeat(np.arange(len(lists)), lengths)
    values = label_values(flat, entries=of_row) if len(flat) else np.empty(0, dtype=np.int64)
    classes = np.unique(values) if known is None else known
    columns = find_labels(values, classes, rows=of_row)
    positives = _mark(of_row, columns, (len(lists), len(classes)))
    return _unmarked_as(stated, positives, classes)


def _from_frame(
    y: Any, known: AnyArray | None, stated: Knowledge | None, meaning: Mapping[int, Meaning] | None
) -> Labels:
    for name, dtype in zip(y.columns, y.dtypes, strict=True):
        if getattr(dtype, "kind", "O") not in "biuf":
            raise LabelError(
                f"Column {name!r} of Y holds {dtype} values, not 0 and 1.\nA frame of labels has "
                "one 0/1 column a label; for one column of names pass that column, Y[name]."
            )
    values = y.to_numpy(dtype=np.float64, na_value=np.nan)
    labels = _from_matrix(values, check_classes(y.columns), stated, meaning)
    return labels if known is None else labels.align(known)


def _from_matrix(
    Y: Any,
    known: AnyArray | None,
    stated: Knowledge | None,
    meaning: Mapping[int, Meaning] | None,
) -> Labels:
    if Y.ndim != 2:
        raise LabelError(
            f"Y is a sparse array of {Y.ndim} dimension{'s' * (Y.ndim > 1)}; a label matrix has a "
            "row for each example and a column for each label."
        )
    n, k = Y.shape
    _refuse_empty(n)
    if k == 0:
        raise LabelError("Y has no columns; a label matrix has one for each label.")
    classes = np.arange(k) if known is None else known
    if len(classes) != k:
        raise LabelError(f"Y has {k} columns, but there are {len(classes)} labels.")
    if Y.dtype.kind not in "biuf":
        raise LabelError(
            f"Y is a matrix of {Y.dtype} values; a label matrix holds 0 and 1.\nFor names pass a "
            "vector of one label a row, or a list of labels for each row."
        )
    entries = _entries(Y)
    plus, minus = entries.data == 1, entries.data == -1
    odd = ~(plus | minus | (entries.data == 0))
    if odd.any():
        row, column, value = _first(entries, odd)
        _refuse_entry(row, column, value, classes)
    positives = _only(entries, plus)
    if meaning is not None:
        labels = _with_meaning(positives, _only(entries, minus), classes, meaning)
        if stated in (None, labels.knowledge):
            return labels
        if stated is Knowledge.SOME:
            return _with_less_known(labels, stated)
        raise LabelError(
            f"meaning={dict(meaning)!r} says what is known of each label, and knowledge="
            f"{stated!s} says otherwise.\nLeave knowledge out."
        )
    if minus.any():
        row, column, _ = _first(entries, minus)
        raise LabelError(
            f"Y holds −1 (first at row {row}, column {column}), and 0 and −1 have two readings in "
            "use.\nPass as_labels(Y, meaning={0: 'unknown', -1: 'negative'}) or "
            "as_labels(Y, meaning={0: 'negative', -1: 'unknown'})."
        )
    return _unmarked_as(stated, positives, classes)


def _with_meaning(
    positives: SparseMatrix, minus: SparseMatrix, classes: AnyArray, meaning: Mapping[int, Meaning]
) -> Labels:
    """Labels of a −1/0/1 matrix, where ``minus`` marks its −1."""
    if set(meaning) != {0, -1} or set(meaning.values()) != {"negative", "unknown"}:
        raise LabelError(
            f"meaning={dict(meaning)!r} does not tell 0 from −1.\n"
            "Say meaning={0: 'unknown', -1: 'negative'} or {0: 'negative', -1: 'unknown'}."
        )
    n, k = positives.shape
    if meaning[-1] == "unknown":
        if minus.nnz == 0:
            return Labels(positives, classes, Knowledge.ALL)
        return Labels(
            positives, classes, Knowledge.SOME, sparse.csr_array(~(positives + minus).toarray())
        )
    if positives.nnz + minus.nnz == n * k:
        return Labels(positives, classes, Knowledge.ALL)
    return Labels(positives, classes, Knowledge.SOME, minus)


def _unmarked_as(stated: Knowledge | None, positives: SparseMatrix, classes: AnyArray) -> Labels:
    """Say what the labels that are not marked mean, or refuse where that is open."""
    if stated is None:
        if finding := one_or_all(positives, "Y"):
            raise LabelError(
                f"{finding}, which could be all its labels or the one that was observed.\nSay "
                "which: as_labels(Y, knowledge='all'), or, of the rows that have one, "
                "as_labels(Y, knowledge='single')."
            )
        stated = Knowledge.ALL
    labels = Labels(positives, classes, stated)
    if stated is Knowledge.SINGLE:
        labels.require(stated, by="knowledge='single'")
    return labels


def _mark(rows: AnyArray, columns: AnyArray, shape: tuple[int, int]) -> SparseMatrix:
    marked = sparse.csr_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=shape)
    marked.sum_duplicates()
    return marked


def _entries(Y: Any) -> SparseMatrix:
    """Stored entries of a matrix, row by row, each once."""
    half = getattr(Y, "dtype", None) == np.float16  # which sparse matrices do not have
    entries = sparse.csr_array(Y.astype(np.float32) if half else Y)
    if not entries.has_canonical_format:
        entries = entries.copy()  # the user's own stays as it is
        entries.sum_duplicates()
    return entries


def _only(entries: SparseMatrix, marked: AnyArray) -> SparseMatrix:
    """Matrix that is True where the marked entries are."""
    only = sparse.csr_array((marked, entries.indices, entries.indptr), entries.shape, copy=True)
    if not marked.all():
        only.eliminate_zeros()
    return only


def _first(entries: SparseMatrix, marked: AnyArray) -> tuple[int, int, Any]:
    """Row, column and value of the first marked entry."""
    first = int(np.argmax(marked))
    row = int(np.searchsorted(entries.indptr, first, side="right")) - 1
    return row, int(entries.indices[first]), entries.data[first].item()


def _refuse_entry(row: int, column: int, value: Any, classes: AnyArray) -> None:
    if value != value:
        advice = (
            "Write −1 where a label is not known, and pass "
            "as_labels(Y, meaning={0: 'negative', -1: 'unknown'})."
        )
    elif 0 < value < 1:
        advice = "Scores go where scores are asked for; a label is there (1) or not (0)."
    else:
        advice = "For labels by number pass a vector of one label a row, or a list for each row."
    raise LabelError(
        f"Y holds {value} at row {row}, column {column} (label {classes[column].item()!r}); a "
        f"label matrix holds 0 and 1.\n{advice}"
    )


def _refuse_empty(n: int) -> None:
    if n == 0:
        raise LabelError("y is empty: there are no rows.")
