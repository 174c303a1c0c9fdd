"""Tables of scores: which column is which label, and the numbers in them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from lamc.exceptions import LabelError
from lamc.labels.names import check_classes, some_of
from lamc.types import AnyArray


def in_order_of(scores: Any, classes: npt.ArrayLike, *, name: str = "scores") -> Any:
    """Scores with their columns in the order of ``classes``, if the columns have names.

    Without names the columns are in that order already; so they are if names stand against
    numbers. Numbers are found as text too, which files make of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.labels.columns import in_order_of
    >>> in_order_of(pd.DataFrame({"oak": [0.2], "elm": [0.7]}), ["elm", "oak"]).to_numpy()
    array([[0.7, 0.2]])
    """
    if not hasattr(scores, "columns"):
        return scores
    named, wanted = check_classes(scores.columns), check_classes(classes)
    as_text, wanted_text = named.astype(str), wanted.astype(str)
    if np.array_equal(as_text, wanted_text):
        return scores
    if not np.array_equal(np.sort(as_text), np.sort(wanted_text)):
        if (named.dtype.kind == "U") != (wanted.dtype.kind == "U") and len(named) == len(wanted):
            return scores
        raise LabelError(
            f"The {name} have columns for {some_of(named)}, but the labels are {some_of(wanted)}.\n"
            f"Name the columns alike, or pass {name}.to_numpy() to take them by position."
        )
    places = np.argsort(as_text)[np.searchsorted(np.sort(as_text), wanted_text)]
    return scores.iloc[:, places] if hasattr(scores, "iloc") else scores[named[places].tolist()]


def as_numbers(given: Any) -> AnyArray:
    """An array of what is given; a frame whose numbers may be missing has NaN where they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.labels.columns import as_numbers
    >>> as_numbers(pd.DataFrame({"oak": [0.5, None]}, dtype="Float64")).ravel()
    array([0.5, nan])
    """
    array = np.asarray(given)
    kinds = {getattr(dtype, "kind", "O") for dtype in getattr(given, "dtypes", ["O"])}
    if array.dtype == object and kinds <= {*"biuf"}:
        return given.to_numpy(dtype=np.float64, na_value=np.nan)
    return array
