"""A data set as every reader returns it."""

from dataclasses import dataclass

import numpy as np

from lamc.datasets.splits import Split
from lamc.types import AnyArray, FloatArray, SparseMatrix


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, labels and their names, and what else came with them.

    Attributes
    ----------
    name : str
        What the data set is called.
    X : ndarray or scipy.sparse.csr_array of float64, shape (n, d)
        The features. Values missing in the source are NaN.
    Y : scipy.sparse.csr_array of bool, shape (n, K)
        All labels of every row.
    feature_names, label_names : ndarray of str, shapes (d,) and (K,)
        Names of the columns of ``X`` and ``Y``.
    observed : scipy.sparse.csr_array of bool, shape (n, K), or None
        The labels observed in training, where the source carries them.
    split : Split or None
        The parts of the data set, where the source carries them.
    pictures : ndarray of shape (n, height, width), or None
        What the rows look like, if they are pictures.
    notes : tuple of str
        What a reader did that is worth knowing, such as columns it left out.
    words : tuple of str
        Columns of a table that hold words, each word a feature ``column=word``.
    variant : str or None
        Which variant of a data set of the catalogue this is: ``"paper"``, or what is different.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes
    >>> data = digit_scenes(100, random_state=0)
    >>> data
    Dataset 'digit scenes': 100 rows, 256 features, 10 labels, 2.3 labels a row
    """

    name: str
    X: FloatArray | SparseMatrix
    Y: SparseMatrix
    feature_names: AnyArray
    label_names: AnyArray
    observed: SparseMatrix | None = None
    split: Split | None = None
    pictures: FloatArray | None = None
    notes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    variant: str | None = None

    @property
    def cardinality(self) -> float:
        """Mean number of labels a row."""
        return float(np.diff(self.Y.indptr).mean())

    def __repr__(self) -> str:
        n, d = self.X.shape
        return (
            f"Dataset {self.name!r}: {n} rows, {d} features, {self.Y.shape[1]} labels, "
            f"{self.cardinality:.1f} labels a row"
        )
