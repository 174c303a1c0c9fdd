"""Names of sparse columns: a step in front of a learner that keeps them, for the rows do not."""

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin

from lamc.types import AnyArray


class NamedColumns(TransformerMixin, BaseEstimator):
    """Passes rows through, and knows what their columns are called.

    Parameters
    ----------
    names : ndarray of str, shape (d,)
        Names of the columns in their order.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lamc.learners.named_columns import NamedColumns
    >>> step = NamedColumns(np.array(["red", "green"])).fit(sparse.eye_array(2, format="csr"))
    >>> step.feature_names_in_.tolist(), step.n_features_in_
    (['red', 'green'], 2)
    """

    def __init__(self, names: AnyArray) -> None:
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the columns."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows as they are; of a DataFrame, the columns by their names."""
        return X[self.names.tolist()].to_numpy() if hasattr(X, "columns") else X

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the columns."""
        return self.names
