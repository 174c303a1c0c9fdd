"""What svmlight files leave out: features that are 0 in all rows, and labels that no row has."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from lamc.datasets import Dataset
from lamc.exceptions import DatasetError
from lamc.tables.features import Inputs
from lamc.types import AnyArray, SparseMatrix


def with_features(data: Dataset, inputs: Inputs) -> Dataset:
    """Add the features of a model that no row names; they are 0.

    Features that count from 1 bear their numbers as names, and so do those of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.datasets import Dataset
    >>> from lamc.tables.absent import with_features
    >>> from lamc.tables.features import Inputs
    >>> data = Dataset(
    ...     name="short",
    ...     X=sparse.csr_array([[5.0], [6.0]]),
    ...     Y=sparse.csr_array([[True], [False]]),
    ...     feature_names=np.array(["x1"]),
    ...     label_names=np.array(["0"]),
    ... )
    >>> with_features(data, Inputs(("x1", "x2"), 2, sparse=True)).X.toarray()
    array([[5., 0.],
           [6., 0.]])
    """
    d = data.X.shape[1]
    if inputs.names is None:
        if inputs.size in (None, d):
            return data
        raise DatasetError(
            f"The model was trained on {inputs.size} features, but {data.name} has {d}.\n"
            "If the others are 0 in all of its rows, say how many there are in its first line: "
            "rows, features and labels, as in 100 2000 16. Features and labels then count from 0."
        )
    if inputs.names != tuple(f"x{number}" for number in range(1, len(inputs.names) + 1)):
        return data
    known = set(data.feature_names.tolist())
    if "x0" in known:
        raise DatasetError(
            f"{data.name} counts its features from 0, and the rows that the model was trained on "
            "did from 1.\nCount them alike."
        )
    absent = [name for name in inputs.names if name not in known]
    names = np.asarray([*data.feature_names.tolist(), *absent])
    return replace(data, X=_widened(data.X, len(names)), feature_names=names)


def with_labels(data: Dataset, classes: AnyArray) -> Dataset:
    """Add the labels of a model that no row has.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.datasets import digit_scenes
    >>> from lamc.tables.absent import with_labels
    >>> with_labels(digit_scenes(10), np.array(["9", "10"])).label_names[-2:].tolist()
    ['9', '10']
    """
    known = set(data.label_names.tolist())
    absent = [str(label) for label in classes if str(label) not in known]
    names = np.asarray([*data.label_names.tolist(), *absent])
    return replace(data, Y=_widened(data.Y, len(names)), label_names=names)


def _widened(matrix: SparseMatrix, n_columns: int) -> SparseMatrix:
    """The matrix with columns of 0 behind."""
    parts = (matrix.data, matrix.indices, matrix.indptr)
    return sparse.csr_array(parts, shape=(matrix.shape[0], n_columns))
