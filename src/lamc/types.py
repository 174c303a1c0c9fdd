"""Names for the array types that signatures speak of."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]
SparseMatrix: TypeAlias = Any  # scipy.sparse has no types of its own
Matrix: TypeAlias = Any  # a FloatArray of features or scores, or a SparseMatrix of them
Seed: TypeAlias = int | np.random.RandomState | None
