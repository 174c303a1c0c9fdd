"""What trusted types may hold: indices that compiled code follows without looking.

scikit-learn's trees and scipy's sparse matrices take the indices in them for granted; one that
points outside reads memory that is not theirs. So they are looked at here, once, when a model is
loaded. This makes damaged and clumsily forged files fail with a sentence. It is no proof against a
file made to crash the process: compiled code trusts more than indices.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree._tree import Tree

from lamc.exceptions import StorageError
from lamc.types import AnyArray, BoolArray

_BOOSTINGS = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def check_contents(loaded: Any) -> None:
    """Raise if a tree or sparse matrix anywhere in a loaded object points outside itself."""
    for part in parts_of(loaded):
        if sparse.issparse(part):
            sound = _sparse_is_sound(part)
        elif isinstance(getattr(part, "tree_", None), Tree):
            sound = _tree_is_sound(part.tree_, part.n_features_in_)
        elif isinstance(part, _BOOSTINGS) and hasattr(part, "_predictors"):
            sound = _boosting_is_sound(part)
        else:
            continue
        if not sound:
            raise StorageError(f"it holds a {type(part).__name__} whose indices point outside it.")


def parts_of(whole: Any) -> Iterator[Any]:
    """Every object that can be reached from one, each once.

    Examples
    --------
    >>> from lamc.storage.contents import parts_of
    >>> sorted(part for part in parts_of({"a": [1, 2], "b": (2, 3)}) if type(part) is int)
    [1, 2, 3]
    """
    waiting, seen = [whole], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, Mapping):
            waiting.extend(part.values())
        elif isinstance(part, (list, tuple, set)):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel().tolist() if part.dtype == object else ())
        elif hasattr(part, "__dict__") and not isinstance(part, type):
            waiting.extend(vars(part).values())


def _sparse_is_sound(matrix: Any) -> bool:
    if matrix.format not in ("csr", "csc"):
        return False
    try:
        matrix.check_format(full_check=True)
    except ValueError:
        return False
    return True


def _tree_is_sound(tree: Tree, n_features: int) -> bool:
    if not 0 < tree.node_count <= tree.capacity or tree.n_features != n_features:
        return False
    return _nodes_are_sound(
        tree.children_left != -1, tree.children_left, tree.children_right, tree.feature, n_features
    )


def _boosting_is_sound(model: Any) -> bool:
    categorical = np.asarray(model._bin_mapper.is_categorical_, dtype=bool)
    if categorical.shape != (model.n_features_in_,):
        return False
    return all(
        _predictor_is_sound(predictor, categorical)
        for iteration in model._predictors
        for predictor in iteration
    )


def _predictor_is_sound(predictor: Any, categorical: BoolArray) -> bool:
    nodes, bitsets = predictor.nodes, predictor.raw_left_cat_bitsets
    splits = nodes[(nodes["is_leaf"] == 0) & (nodes["is_categorical"] != 0)]
    return (
        _nodes_are_sound(
            nodes["is_leaf"] == 0,
            nodes["left"].astype(np.int64),
            nodes["right"].astype(np.int64),
            nodes["feature_idx"],
            len(categorical),
        )
        and bitsets.shape[1:] == (8,)
        and bool((splits["bitset_idx"] < len(bitsets)).all())
        and bool(categorical[splits["feature_idx"]].all())
    )


def _nodes_are_sound(
    inner: BoolArray, left: AnyArray, right: AnyArray, feature: AnyArray, n_features: int
) -> bool:
    """Whether every inner node leads to later nodes, and asks for a feature that there is.

    Nodes are numbered as they are made, children after their parent; so no path turns in circles.
    """
    n, here = len(inner), np.flatnonzero(inner)
    onward = [(here < child[here]) & (child[here] < n) for child in (left, right)]
    known = (feature[here] >= 0) & (feature[here] < n_features)
    return n > 0 and bool((onward[0] & onward[1] & known).all())
