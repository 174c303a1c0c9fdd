"""What is given by the names of labels: which column, or entry, is which; and the numbers in it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lamc.exceptions import LabelError
from lamc.labels.names import are_of_two_kinds, check_classes, some_of
from lamc.types import AnyArray, IntArray


def in_order_of(
    scores: Any, classes: npt.ArrayLike, *, name: str = "scores", others: bool = False
) -> Any:
    """Scores with their columns in the order of ``classes``, if the columns have names.

    Without names the columns are in that order already; so they are if names stand against
    numbers and none is the same as text. Numbers are found as text too, which files make of them.
    Columns of other labels are left out if there may be ``others``, and else refused.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.labels.columns import in_order_of
    >>> in_order_of(pd.DataFrame({"oak": [0.2], "elm": [0.7]}), ["elm", "oak"]).to_numpy()
    array([[0.7, 0.2]])
    """
    scores = unwrapped(scores)
    if not hasattr(scores, "columns"):
        return scores
    places = places_of(scores.columns, classes, name=name, others=others)
    return scores if places is None else scores.iloc[:, places]


def places_of(
    names: npt.ArrayLike, classes: npt.ArrayLike, *, name: str = "scores", others: bool = False
) -> IntArray | None:
    """Where columns with these names have each of ``classes``; None if they stand so already.

    Examples
    --------
    >>> from lamc.labels.columns import places_of
    >>> places_of(["oak", "elm"], ["elm", "oak"])
    array([1, 0])
    """
    named, wanted = check_classes(names), check_classes(classes)
    as_text, wanted_text = named.astype(str), wanted.astype(str)
    if np.array_equal(as_text, wanted_text):
        return None
    spare = np.setdiff1d(as_text, wanted_text)
    found = np.isin(wanted_text, as_text)
    if not found.all() or (len(spare) and not others):
        if are_of_two_kinds(named, wanted) and not found.any() and len(named) == len(wanted):
            return None
        raise LabelError(
            f"The {name} have columns for {some_of(named)}, but the labels are {some_of(wanted)}.\n"
            f"Name the columns alike, or pass {name}.to_numpy() to take them by position."
        )
    return np.argsort(as_text)[np.searchsorted(np.sort(as_text), wanted_text)]


def entries_in_order_of(
    values: Any, classes: npt.ArrayLike, *, name: str, others: bool = False
) -> Any:
    """Values of labels, as a dict or a pandas Series, as a list in the order of ``classes``.

    A Series without names, which pandas numbers from 0, is in that order already, as a list is.
    Entries of other labels are left out if there may be ``others``, and else refused.

    Examples
    --------
    >>> from lamc.labels.columns import entries_in_order_of
    >>> entries_in_order_of({"oak": 0.1, "elm": 0.2}, ["elm", "oak"], name="weights")
    [0.2, 0.1]
    """
    is_series = hasattr(values, "iloc") and not hasattr(values, "columns")
    if not isinstance(values, Mapping) and not is_series:
        return values
    entries = [*values.to_numpy()] if is_series else [*values.values()]  # in the type they have
    given = {str(label): value for label, value in zip(values.keys(), entries, strict=True)}
    wanted = check_classes(classes)
    missing = [label for label in wanted.tolist() if str(label) not in given]
    if is_series and missing and [*values.index] == [*range(len(values))]:
        return entries
    spare = [label for label in given if label not in {*wanted.astype(str).tolist()}]
    if missing or len(given) < len(values) or (spare and not others):
        odd = f"gives nothing to {missing[0]!r}" if missing else "names a label twice"
        if spare and not others and not missing:
            odd = f"names {spare[0]!r}"
        raise LabelError(
            f"{name} {odd}, but the labels are {some_of(wanted)}.\nGive one value to each of them, "
            f"by its name; or pass a list of {len(wanted)} to take them by position."
        )
    return [given[str(label)] for label in wanted.tolist()]


def require_same_rows(given: Any, beside: Any, *, names: tuple[str, str]) -> None:
    """Raise if the indexes of two pandas objects name the same rows in another order.

    Rows are matched by position, as everywhere in scikit-learn. Then one would be given what
    belongs to another.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.labels.columns import require_same_rows
    >>> scores, y = pd.DataFrame({"oak": [0.2, 0.7]}, index=["a", "b"]), pd.Series(["oak", "elm"])
    >>> require_same_rows(y, scores, names=("y", "scores"))
    >>> require_same_rows(y.set_axis(["b", "a"]), scores, names=("y", "scores"))
    Traceback (most recent call last):
    lamc.exceptions.LabelError: y and scores have the same index, in another order: row 0 of y is...
    """
    if not (hasattr(given, "iloc") and hasattr(beside, "iloc")):
        return
    index, other = given.index, beside.index
    if len(index) != len(other) or index.equals(other):
        return
    if not (index.is_unique and other.is_unique and index.isin(other).all()):
        return
    pairs = zip(index.tolist(), other.tolist(), strict=True)
    odd = next(((row, a, b) for row, (a, b) in enumerate(pairs) if a != b), None)
    if odd is None:  # the same in two types
        return
    (own, there), (row, one, another) = names, odd
    raise LabelError(
        f"{own} and {there} have the same index, in another order: row {row} of {own} is "
        f"{one!r}, and of {there} {another!r}.\nRows are matched by position. If the "
        f"index says which belong together, pass {own}.loc[{there}.index]; if the position does, "
        f"{own}.set_axis({there}.index)."
    )


def unwrapped(given: Any) -> Any:
    """What is given as numpy and pandas have it: a tensor as an array, another table as a frame.

    A bfloat16 tensor, which numpy does not have, becomes float32. A masked array is refused, for
    what it masks would be read like the rest.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import torch
    >>> from lamc.labels.columns import unwrapped
    >>> unwrapped(torch.ones(2, dtype=torch.bfloat16, requires_grad=True))
    array([1., 1.], dtype=float32)
    >>> unwrapped(pa.table({"oak": [0.2, 0.7]})).shape
    (2, 1)
    """
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        n = np.count_nonzero(np.ma.getmaskarray(given))
        raise LabelError(
            f"{n} values of a masked array are masked, and would be read like the others.\n"
            "Leave such rows out; or, in a matrix of labels of which some are "
            "not known, write −1 there: as_labels(Y.astype(int).filled(-1), "
            "meaning={0: 'negative', -1: 'unknown'})."
        )
    if hasattr(given, "detach"):  # a tensor; to ask torch would be to import it
        tensor = given.detach().cpu()
        return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy()
    if hasattr(given, "columns") and hasattr(given, "to_pandas"):  # of pyarrow or polars
        return given.to_pandas()
    return given


def as_numbers(given: Any) -> AnyArray:
    """An array of what is given; a frame whose numbers may be missing has NaN where they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.labels.columns import as_numbers
    >>> as_numbers(pd.DataFrame({"oak": [0.5, None]}, dtype="Float64")).ravel()
    array([0.5, nan])
    """
    given = unwrapped(given)
    array = np.asarray(given)
    dtypes = given.dtypes if hasattr(given, "columns") else [getattr(given, "dtype", "O")]
    kinds = {getattr(dtype, "kind", "O") for dtype in dtypes}
    if array.dtype == object and kinds <= {*"biuf"}:
        return given.to_numpy(dtype=np.float64, na_value=np.nan)
    return array
