"""Rows as learners take them: numbers, one row each, and what is refused by row and column."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from lamc.exceptions import FeatureError
from lamc.types import BoolArray, IntArray, Matrix
from lamc.wording import spells_number


def read_features(
    learner: BaseEstimator, X: Any, *, reset: bool, called: str = "X", exact: bool = False
) -> Matrix:
    """Check rows as scikit-learn does, and name the place of what is no number.

    Parameters
    ----------
    learner : BaseEstimator
        Whose ``n_features_in_`` and ``feature_names_in_`` the rows set or must agree with.
    X : array-like, DataFrame or sparse matrix
        The rows.
    reset : bool
        Whether these are training rows, of which there must be two and which set the features.
    called : str
        What the rows are called where the user gave them.
    exact : bool
        Keep numbers of other types than float64 and float32, as whole numbers are.

    Examples
    --------
    >>> from lamc.learners import AN
    >>> from lamc.learners.features import read_features
    >>> read_features(AN(), [[1, 2], [3, 4]], reset=True)
    array([[1., 2.],
           [3., 4.]])
    >>> read_features(AN(), [[1, 2], [3, float("nan")]], reset=True)
    Traceback (most recent call last):
    ...
    lamc.exceptions.FeatureError: Row 1 of X has NaN in column 1, which is no number.
    Leave the row out, or fill gaps in a pipeline, for instance with scikit-learn's SimpleImputer.
    """
    _refuse_text(X, called)
    try:
        rows = validate_data(
            learner,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric" if exact else (np.float64, np.float32),
            ensure_min_samples=2 if reset else 1,
            ensure_all_finite=False,
        )
    except ValueError as error:
        _refuse_words(X, called, error)
        if called == "X":
            raise
        raise FeatureError(f"{called}: {error}") from error
    rows = in_order(rows)
    _refuse_gaps(X, rows, called)
    return rows


def in_order(rows: Matrix) -> Matrix:
    """Rows whose stored values are in order and each there once, as copies if they are not.

    scipy itself brings them into order where it only counts or squares them. That is done in place,
    on indices that two matrices may share.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.learners.features import in_order
    >>> rows = sparse.csr_array((np.ones(3), np.array([1, 0, 0]), np.array([0, 3])))
    >>> in_order(rows).indices, rows.indices
    (array([0, 1]), array([1, 0, 0]))
    """
    if sparse.issparse(rows) and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


class Origin(NamedTuple):
    """Where rows come from: what the user calls them, and their numbers there."""

    called: str = "X"
    numbers: IntArray | None = None


def refuse_too_large(X: Matrix, rows: Matrix, origin: Origin) -> None:
    """Raise if a number of X is none any more in ``rows``, which are X in single precision."""
    place = _first_odd(rows)
    if place is None:
        return
    row, column = place
    number = row if origin.numbers is None else origin.numbers[row]
    raise FeatureError(
        f"Row {number} of {origin.called} has {X[row, column]:.3g} in column {column}, which is "
        "too large to compute with in single precision.\nLeave the row out if it is a mistake, or "
        "bring the feature to a smaller unit."
    )


def _refuse_text(X: Any, called: str) -> None:
    """Name the first column of a DataFrame that does not hold numbers."""
    if not hasattr(X, "dtypes") or not hasattr(X, "columns"):
        return
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if getattr(dtype, "kind", "O") not in "biufO" or str(dtype) in (
            "string",
            "str",
            "category",
        ):
            raise FeatureError(
                f"Column {name!r} of {called} holds {dtype} values, and learners take numbers.\n"
                "Leave it out (X.drop(columns=…)), or make numbers of it in a pipeline, for "
                "instance with scikit-learn's OneHotEncoder."
            )


def _refuse_words(X: Any, called: str, error: ValueError) -> None:
    """Name the first cell of objects that is a word, if that is what was wrong with them."""
    cells = np.asarray(X, dtype=object) if "could not convert string" in str(error) else None
    if cells is None or cells.ndim != 2:
        return
    for (row, column), cell in np.ndenumerate(cells):
        if isinstance(cell, str) and not spells_number(cell):
            name = X.columns[column] if hasattr(X, "columns") else column
            raise FeatureError(
                f"Row {row} of {called} has {cell!r} in column {name!r}, and learners take numbers."
                "\nLeave the column out, or make numbers of it in a pipeline, for instance with "
                "scikit-learn's OneHotEncoder."
            ) from error


def _refuse_gaps(X: Any, rows: Matrix, called: str) -> None:
    """Name the first cell that is missing or infinite."""
    place = _first_odd(rows)
    if place is None:
        return
    row, column = place
    value = rows[row, column]
    name = X.columns[column] if hasattr(X, "columns") else column
    if np.isnan(value):
        raise FeatureError(
            f"Row {row} of {called} has NaN in column {name!r}, which is no number.\nLeave the row "
            "out, or fill gaps in a pipeline, for instance with scikit-learn's SimpleImputer."
        )
    raise FeatureError(
        f"Row {row} of {called} has {value} in column {name!r}, and learners take finite numbers."
        "\nLeave the row out if it is a mistake, or give the feature a largest value."
    )


def _first_odd(rows: Matrix) -> tuple[int, int] | None:
    """Row and column of the first number that is not finite."""
    values = rows.data if sparse.issparse(rows) else rows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # without a matrix of where
            return None
    odd: BoolArray = ~np.isfinite(values)
    if not odd.any():
        return None
    if not sparse.issparse(rows):
        row, column = np.argwhere(odd)[0].tolist()
        return row, column
    places = np.transpose(sparse.coo_array(rows).coords)[odd]
    row, column = min(places.tolist())
    return row, column
