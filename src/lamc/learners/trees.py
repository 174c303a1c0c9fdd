"""Trees: which labels were observed on rows that fall into the same leaves."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.utils import check_random_state, gen_batches

from lamc.exceptions import TrainingError
from lamc.labels import Labels, as_labels
from lamc.labels.forms import unless_told
from lamc.learners.base import Learner
from lamc.learners.numbers import Check, counts, is_count, is_within
from lamc.learners.scaling import ends_of, less, varied
from lamc.types import FloatArray, IntArray, Matrix, SparseMatrix

_ENTRIES = 20_000_000  # numbers of a block of rows × labels or trees, whichever are more
_NARROW = 1e-4  # width of a feature: scikit-learn takes values 1e-7 apart for equal
_LARGE = 1e30  # near where single precision ends
_FAR = 1e4  # size of a feature, in its widths: beyond, fewer than 1,600 steps are left of it
_STEPS = 2_000_000  # of rows × trees or features, while rows go down the trees


@dataclass(kw_only=True, eq=False, repr=False)
class Trees(Learner):
    """Extremely randomised trees on the observed label.

    Each leaf holds the shares of the labels observed on its training rows, and a score is their
    mean over the trees: an estimate of the probability that the label is the observed one. It is
    hard to beat on a few hundred dense features. Units do not matter, but values far from all
    others do, for thresholds are drawn between a feature's ends:
    :class:`lamc.learners.outliers.Fences` brings them nearer. (Trees split in single precision; a
    feature that this would blur, such as times in seconds since 1970, or one in units of 1e-9, is
    centred and scaled before.)

    A tree splits where the Gini impurity of the observed label falls most. That is the variance of
    its 0/1 vector, which some random projections keep nearly; so with more labels than that, trees
    are grown on the projections, and their size does not depend on the number of labels. (Geurts,
    Ernst and Wehenkel, Extremely randomized trees, 2006; random output projections: Joly, Geurts
    and Wehenkel, 2014.)

    Parameters
    ----------
    n_trees : int
        Trees to grow.
    min_leaf : int
        Fewest training rows in a leaf.
    max_features : int, float, "sqrt" or None
        Features that a split is chosen from, as scikit-learn counts them, among those that vary;
        None for a tenth, but at least 10 and at most 100.
    n_directions : int
        Random projections that a tree splits by, where there are more labels. Fewer are faster.
    max_rows : int
        Most rows that a tree is grown on; of more, each tree draws its own.
    n_jobs : int, optional
        Processes' worth of threads that grow trees.
    random_state : int, RandomState or None
        Seed of the trees.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels.
    shift_, factor_ : ndarrays of shape (d,)
        What is taken off each feature, and what it is then multiplied by: 0 and 1 for most.
    roots_ : ndarray of shape (n_trees,)
        Number of each tree's first node, among the nodes of all trees.
    feature_, threshold_, left_, right_ : ndarrays of shape (nodes,)
        A row whose feature is at most the threshold goes on to the left node. A leaf leads to
        itself.
    leaves_ : csr_array of shape (nodes, K)
        Share of each label in each leaf.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import Trees
    >>> data = digit_scenes(300)
    >>> trees = Trees(n_trees=10, random_state=0).fit(data.X, observe(data.Y, random_state=0))
    >>> trees.predict_proba(data.X).sum(axis=1).round(6).max()
    np.float64(1.0)
    """

    n_trees: int = 100
    min_leaf: int = 3
    max_features: int | float | str | None = None
    n_directions: int = 32
    max_rows: int = 50_000
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees on rows and the labels observed on them."""
        self._forget()
        self.check_settings()
        rows, labels = self._read(X, y)
        rng = check_random_state(self.random_state)
        ends = ends_of(rows)
        self.shift_, self.factor_ = clear_in_single_precision(*ends)
        vary = np.flatnonzero(varied(*ends))
        rows = _narrow(self._seen(rows, vary))
        shares = observed_shares(labels)
        n = rows.shape[0]
        forest = ExtraTreesRegressor(
            self.n_trees,
            min_samples_leaf=self.min_leaf,
            max_features=(
                _some_features(rows.shape[1]) if self.max_features is None else self.max_features
            ),
            bootstrap=n > self.max_rows,
            max_samples=self.max_rows if n > self.max_rows else None,
            n_jobs=self.n_jobs,
            random_state=rng.randint(2**31 - 1),
        )
        forest.fit(rows, _directions(shares, self.n_directions, rng))
        self._keep([each.tree_ for each in forest.estimators_], vary)
        self._fill(rows, shares, lambda some: forest.apply(some) + self.roots_)
        return self

    def _checks(self) -> list[Check]:
        few = self.max_features
        fits = few is None or is_count(few) or is_within(few, above=0, high=1)
        fits |= isinstance(few, str) and few in ("sqrt", "log2")
        expected = "a whole number from 1, a share above 0, 'sqrt', 'log2', or None"
        return [
            *counts(self, "n_trees", "min_leaf", "n_directions", "max_rows"),
            ("max_features", fits, expected),
        ]

    def refill(self, X: Any, y: Any) -> Self:
        """Let the leaves hold the shares of the labels of these rows; the trees stay as they are.

        So rows that were held out while trees were grown, to judge them by, can count after that.

        Parameters
        ----------
        X, y
            As for :meth:`fit`, with the same labels.
        """
        rows = self._check_rows(X)
        labels = as_labels(y, knowledge=unless_told(y)).align(self.classes_)
        labels.require_rows(rows.shape[0], of="X")
        self._fill(rows, observed_shares(labels), self._leaves_of)
        return self

    def _fill(
        self, rows: Matrix, shares: SparseMatrix, leaves_of: Callable[[Matrix], IntArray]
    ) -> None:
        """Keep what was observed on rows, of which a function tells the leaf in each tree."""
        counts: Any = 0
        totals: Any = 0
        for block in self._blocks(rows.shape[0]):
            in_leaf = self._indicator(leaves_of(rows[block]))
            counts = counts + np.asarray(in_leaf.sum(axis=0)).ravel()
            totals = totals + in_leaf.T @ shares[block]
        means = sparse.diags_array(1 / np.maximum(counts, 1)) @ totals
        self.leaves_ = sparse.csr_array(means, dtype=np.float32)

    def _blocks(self, n: int) -> Iterator[slice]:
        return gen_batches(n, max(1, _ENTRIES // max(len(self.classes_), len(self.roots_))))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "leaves_")

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the mean share of each label in the leaves that a row falls into."""
        rows = self._check_rows(X)
        scores = np.empty((rows.shape[0], len(self.classes_)))
        for block in self._blocks(rows.shape[0]):
            leaves = self._leaves_of(rows[block])
            scores[block] = (self._indicator(leaves) @ self.leaves_).toarray()
        scores /= len(self.roots_)
        return np.minimum(scores, 1)  # a sum of shares may pass 1 in the last bit

    def _cleared(self, rows: Matrix, columns: IntArray | slice = slice(None)) -> Matrix:
        """Rows of which single precision loses nothing; they may have some columns only."""
        shift, factor = self.shift_[columns], self.factor_[columns]
        if (shift == 0).all() and (factor == 1).all():
            return rows
        if sparse.issparse(rows):
            return sparse.csr_array(less(rows, shift) @ sparse.diags_array(factor))
        return (rows - shift) * factor

    def _seen(self, rows: Matrix, vary: IntArray) -> Matrix:
        """What trees are grown on: the features that vary, or nothing but 0 if none does.

        One that never varied splits no rows, but would be looked at in the place of others.
        """
        if not len(vary):
            return np.zeros((rows.shape[0], 1))
        return self._cleared(rows if len(vary) == rows.shape[1] else rows[:, vary], vary)

    def _keep(self, trees: Sequence[Any], vary: IntArray) -> None:
        """Take over the nodes of scikit-learn's trees, whose saved bytes would differ each time.

        They were grown on the features that ``vary``.
        """
        starts = np.cumsum([0, *(tree.node_count for tree in trees)])
        self.roots_ = starts[:-1]
        of_tree = np.repeat(starts[:-1], np.diff(starts))
        itself = np.arange(starts[-1])
        is_leaf = np.concatenate([tree.children_left for tree in trees]) < 0
        for side in ("left", "right"):
            child = np.concatenate([getattr(tree, f"children_{side}") for tree in trees])
            setattr(self, f"{side}_", np.where(is_leaf, itself, child + of_tree).astype(np.int32))
        feature = np.concatenate([tree.feature for tree in trees])
        self.feature_ = np.zeros(len(feature), dtype=np.int32)
        self.feature_[~is_leaf] = vary[feature[~is_leaf]]
        self.threshold_ = np.concatenate([tree.threshold for tree in trees])

    def _indicator(self, leaves: IntArray) -> SparseMatrix:
        """1 for each leaf that a row falls into, over the nodes of all trees."""
        n, n_trees = leaves.shape
        where = (np.ones(leaves.size, np.float32), leaves.ravel(), np.arange(n + 1) * n_trees)
        return sparse.csr_array(where, shape=(n, len(self.feature_)))

    def _leaves_of(self, rows: Matrix) -> IntArray:
        """The leaf of each row in each tree."""
        n, n_trees = rows.shape[0], len(self.roots_)
        leaves = np.empty((n, n_trees), dtype=np.int64)
        used: IntArray = np.arange(rows.shape[1])
        feature: IntArray = self.feature_
        if sparse.issparse(rows):  # which may have far more features than trees ask for
            used = np.flatnonzero(np.bincount(feature, minlength=rows.shape[1]))
            feature = np.searchsorted(used, feature)
        for block in gen_batches(n, max(1, _STEPS // max(len(used), n_trees))):
            some = rows[block][:, used].toarray() if sparse.issparse(rows) else rows[block]
            with np.errstate(over="ignore"):  # features that never varied, and no tree asks for
                clear = np.ascontiguousarray(self._cleared(some, used), dtype=np.float32)
            leaves[block] = self._followed(clear, feature)
        return leaves

    def _followed(self, values: FloatArray, feature: IntArray) -> IntArray:
        """Let rows go down all trees, a step at a time; who has come to a leaf rests there."""
        n, n_features = values.shape
        is_leaf = self.left_ == np.arange(len(self.left_))
        flat, starts = values.ravel(), np.repeat(np.arange(n) * n_features, len(self.roots_))
        node = np.tile(self.roots_, n)
        going = np.flatnonzero(~is_leaf[node])
        while len(going):
            at = node[going]
            low = flat[starts[going] + feature[at]] <= self.threshold_[at]
            below = np.where(low, self.left_[at], self.right_[at])
            node[going] = below
            going = going[~is_leaf[below]]
        return node.reshape(n, -1)


def clear_in_single_precision(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What to take off each feature and multiply it by, so that single precision can tell it apart.

    0 and 1 where it can already, and for a feature that hardly varies, which trees do not see.

    Parameters
    ----------
    low, high : ndarrays of shape (d,)
        The least and the largest value of each feature.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.trees import clear_in_single_precision
    >>> clear_in_single_precision(np.array([0.5, 1.7e9, 0.0]), np.array([2.0, 1.7e9 + 2, 4e-9]))
    (array([0.0e+00, 1.7e+09, 0.0e+00]), array([1.0e+00, 5.0e-01, 2.5e+08]))
    """
    size = np.maximum(abs(low), abs(high))
    with np.errstate(over="ignore"):
        width = np.minimum(high - low, np.finfo(float).max)
    odd = (width < _NARROW) | (size > _LARGE) | (size / _FAR > width)
    changed = odd & varied(low, high)
    shift = np.where(changed & (width != size), low, 0.0)
    return shift, np.where(changed, 1 / np.where(changed, width, 1.0), 1.0)


def observed_shares(labels: Labels) -> SparseMatrix:
    """Observed labels of each row, as shares that add up to 1, or to 0 where there are none.

    Examples
    --------
    >>> from lamc import as_labels
    >>> from lamc.learners.trees import observed_shares
    >>> observed_shares(as_labels([{"a", "b"}, {"b"}], knowledge="some")).toarray().tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    marks = labels.positives.astype(np.float64)
    return sparse.csr_array(sparse.diags_array(1 / np.maximum(labels.cardinality, 1)) @ marks)


def _directions(shares: SparseMatrix, count: int, rng: np.random.RandomState) -> FloatArray:
    """What trees are grown on: the shares themselves, or random projections of many."""
    n_labels = shares.shape[1]
    if n_labels <= count:
        return shares.toarray()
    return shares @ (rng.standard_normal((n_labels, count)) / np.sqrt(count))


def _narrow(rows: Matrix) -> Matrix:
    """Rows with indices of 32 bits if they are sparse: scikit-learn's trees take no others."""
    if not sparse.issparse(rows) or rows.indices.dtype == np.int32:
        return rows
    if max(rows.nnz, rows.shape[1]) > np.iinfo(np.int32).max:
        raise TrainingError(
            f"{rows.nnz:,} stored values in {rows.shape[1]:,} columns are too many for trees.\n"
            "Give fewer rows, or features of which fewer are kept."
        )
    narrow = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return sparse.csr_array((rows.data, *narrow), shape=rows.shape)


def _some_features(n: int) -> int:
    return min(n, max(10, min(100, round(n / 10))))
