"""What a torch module is given: rows in any form that torch users have, as batches of tensors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    SequentialSampler,
    default_collate,
)

from lamc.containers import has_named_inputs, has_several_inputs, traces
from lamc.exceptions import FeatureError, ScorerError, TrainingError
from lamc.labels.columns import unwrapped
from lamc.types import AnyArray, IntArray

Tree: TypeAlias = Any  # a tensor, or a tuple, list or mapping of trees


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows.

    Attributes
    ----------
    x : Tree
        What the module is given: a tensor, several in a tuple or list, or several by name.
    rows : ndarray of int, or None
        Their numbers in X; None if X gives its rows in an order that it does not tell.
    beside : Tree or None
        What X gives beside x: labels, or the numbers of the rows.
    """

    x: Tree
    rows: IntArray | None
    beside: Tree | None = None


class Inputs(Protocol):
    """Rows that a module can be given."""

    @property
    def count(self) -> int | None:
        """Number of rows; None if it is not known before they have all come."""

    def batches(self, rows: IntArray | None, size: int) -> Iterator[Batch]:
        """Give rows, ``size`` at a time; all of them as they come if ``rows`` is None."""


@dataclass(frozen=True, eq=False)
class InMemory:
    """Arrays, tensors or sparse matrices that hold all rows: one, or several of equal length."""

    parts: Any

    @property
    def count(self) -> int:
        """Number of rows."""
        return _leaves(self.parts)[0].shape[0]

    def batches(self, rows: IntArray | None, size: int) -> Iterator[Batch]:
        """Give rows, ``size`` at a time."""
        for chosen in cut(np.arange(self.count) if rows is None else rows, size):
            yield Batch(_rows_of(self.parts, chosen), chosen)

    def traces(self) -> AnyArray:
        """A number for each row, equal for equal rows."""
        leaves = enumerate(_leaves(self.parts))
        return traces({i: unwrapped(x) for i, x in leaves})


@dataclass(frozen=True, eq=False)
class FromDataset:
    """A torch Dataset that gives row i when it is asked for it."""

    dataset: Any

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.dataset)

    def batches(self, rows: IntArray | None, size: int) -> Iterator[Batch]:
        """Give rows, ``size`` at a time."""
        for chosen in cut(np.arange(self.count) if rows is None else rows, size):
            items = [as_pair(self.dataset[int(row)]) for row in chosen]
            beside = [second for _, second in items]
            yield Batch(default_collate([x for x, _ in items]), chosen, _collated(beside))


@dataclass(frozen=True, eq=False)
class Stream:
    """A DataLoader, or a Dataset that can only be gone through: rows come as they come."""

    source: Any

    @property
    def count(self) -> None:
        """Unknown: a sampler may repeat rows or leave some out."""
        return None

    def batches(self, rows: IntArray | None, size: int) -> Iterator[Batch]:
        """Give the batches of the loader; ``size`` is for a Dataset, which has none of its own."""
        loaded = isinstance(self.source, DataLoader)
        seen, told = 0, self.in_order
        for item in self.source if loaded else DataLoader(self.source, batch_size=size):
            x, beside = as_pair(item)
            n = count_rows(x)
            yield Batch(x, np.arange(seen, seen + n) if told else None, beside)
            seen += n

    @property
    def in_order(self) -> bool:
        """Whether the rows come in the order that they have in the Dataset."""
        if not isinstance(self.source, DataLoader):
            return True
        if self._workers_mix:
            return False
        if isinstance(self.source.dataset, IterableDataset):
            return True
        return type(self._sampler) is SequentialSampler  # another class may do otherwise

    @property
    def fault(self) -> str | None:
        """Why scores could not be told to which row they belong; None if they can."""
        if not self.in_order:
            return "has workers that mix its rows" if self._workers_mix else "shuffles its rows"
        return None if self.is_complete else f"leaves rows out ({self._leaves_out})"

    @property
    def _workers_mix(self) -> bool:
        """Whether several workers take turns in giving rows, or race."""
        if not isinstance(self.source, DataLoader) or self.source.num_workers < 2:
            return False
        return isinstance(self.source.dataset, IterableDataset) or not self.source.in_order

    @property
    def is_complete(self) -> bool:
        """Whether they come in that order and none is left out."""
        return self.in_order and self._leaves_out is None

    @property
    def _sampler(self) -> Any:
        """What says which rows come: a batch sampler that is given has a sampler of its own."""
        batches = self.source.batch_sampler
        if batches is None:
            return self.source.sampler
        return batches.sampler if type(batches) is BatchSampler else batches

    @property
    def _leaves_out(self) -> str | None:
        """Why rows that come in order are not all of them; None if they are."""
        if not isinstance(self.source, DataLoader):
            return None
        if self.source.drop_last or getattr(self.source.batch_sampler, "drop_last", False):
            return "drop_last=True"
        if isinstance(self.source.dataset, IterableDataset):
            return None
        dataset: Any = self.source.dataset
        there, given = len(dataset), len(self._sampler)
        return None if given == there else f"its sampler has {given} rows, its dataset {there}"


def as_inputs(X: Any) -> Inputs:
    """Rows in whatever form they are given.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.inputs import as_inputs
    >>> words = {"ids": torch.tensor([[5, 7], [4, 0], [6, 2]]), "mask": torch.ones(3, 2)}
    >>> [batch.x["ids"].tolist() for batch in as_inputs(words).batches(None, size=2)]
    [[[5, 7], [4, 0], [6, 2]]]
    """
    if isinstance(X, DataLoader | IterableDataset):
        return Stream(X)
    if isinstance(X, Dataset):
        return FromDataset(X)
    if has_named_inputs(X):
        return _in_memory({name: _part(part, f"X[{name!r}]") for name, part in X.items()})
    if has_several_inputs(X):
        return _in_memory(tuple(_part(part, f"X[{i}]") for i, part in enumerate(X)))
    return InMemory(_part(X, "X"))


def is_table(X: Any) -> bool:
    """Whether X is a matrix as scikit-learn knows it: an array, a frame, lists, or sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.module.inputs import is_table
    >>> is_table([[1.0, 2.0]]), is_table(np.ones((5, 3, 8, 8))), is_table({"ids": np.ones((5, 2))})
    (True, False, False)
    """
    if has_named_inputs(X) or has_several_inputs(X) or isinstance(X, Tensor | Dataset | DataLoader):
        return False
    return not (isinstance(X, np.ndarray) and X.ndim > 2)


def first_rows(inputs: Inputs) -> Batch:
    """One or two rows, or the first batch of a DataLoader."""
    rows = None if inputs.count is None else np.arange(min(2, inputs.count))
    for batch in inputs.batches(rows, size=2):
        return batch
    raise FeatureError("X gives no rows.")


def require_order(inputs: Inputs) -> None:
    """Raise unless every row comes, in an order that is known: else scores belong to no row."""
    if not isinstance(inputs, Stream) or inputs.fault is None:
        return
    raise ScorerError(
        f"The DataLoader {inputs.fault}, so that scores could not be told to which row they "
        "belong.\n"
        "Give its dataset (loader.dataset), or DataLoader(dataset, batch_size=…), which keeps "
        "the order and all rows."
    )


def refuse_own_draws(inputs: Inputs) -> None:
    """Raise if what is drawn does not go by the seed alone, so that no checkpoint could go on."""
    if not isinstance(inputs, Stream):
        return
    if getattr(inputs.source, "persistent_workers", False):
        raise TrainingError(
            "The DataLoader keeps its workers, which draw on from one epoch to the next, so "
            "training could not go on as it was.\nLeave persistent_workers= out."
        )
    if getattr(inputs.source, "generator", None) is not None:
        raise TrainingError(
            "The DataLoader draws from a generator of its own, whose state a checkpoint does not "
            "hold, so training could not go on as it was.\nLeave generator= out: random_state "
            "seeds the shuffling."
        )


def cut(rows: IntArray, size: int) -> list[IntArray]:
    """Cut rows into batches; a last one of a single row joins the one before.

    Layers that normalise over a batch need two rows to learn from.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.learners.module.inputs import cut
    >>> [part.tolist() for part in cut(np.arange(7), size=3)]
    [[0, 1, 2], [3, 4, 5, 6]]
    """
    starts = list(range(size, len(rows), size))
    if starts and starts[-1] == len(rows) - 1 and size > 1:
        starts.pop()
    return np.split(rows, starts)


def as_pair(item: Any) -> tuple[Any, Any]:
    """Split what a Dataset or DataLoader gives into the input and what it gives beside it.

    Examples
    --------
    >>> from lamc.learners.module.inputs import as_pair
    >>> as_pair(("x", 3)), as_pair(("x",)), as_pair("x")
    (('x', 3), ('x', None), ('x', None))
    """
    if not isinstance(item, tuple | list):
        return item, None
    if len(item) == 1:  # as a TensorDataset of one tensor gives it
        return item[0], None
    if len(item) != 2:
        raise FeatureError(
            f"The data give {len(item)} parts a row; a row is x, or a pair of x and its label or "
            "number.\nPut several inputs of a module into one tuple or dict: ((a, b), label)."
        )
    return item[0], item[1]


def count_rows(x: Tree) -> int:
    """Number of rows of a batch: the length of its first tensor.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.inputs import count_rows
    >>> count_rows({"ids": torch.zeros(4, 7), "mask": torch.zeros(4, 7)})
    4
    """
    for leaf in _leaves(x):
        if isinstance(leaf, Tensor) and leaf.ndim > 0:
            return len(leaf)
    raise FeatureError(
        f"The data give a batch of type {type(x).__name__} that holds no tensor with a row for "
        "each example.\nLet the Dataset give tensors or arrays, for images by a transform."
    )


def placed(x: Tree, device: str, dtype: torch.dtype) -> Tree:
    """Put tensors on the device, and floats into the type that the module computes in."""
    if isinstance(x, Tensor):
        return x.detach().to(device, dtype if x.is_floating_point() else x.dtype)
    if isinstance(x, Mapping):
        return {name: placed(part, device, dtype) for name, part in x.items()}
    if isinstance(x, tuple | list):
        return tuple(placed(part, device, dtype) for part in x)
    return x


def _in_memory(parts: Any) -> InMemory:
    named = parts.items() if isinstance(parts, dict) else enumerate(parts)
    lengths = {name: part.shape[0] for name, part in named}
    if len(set(lengths.values())) != 1:
        raise FeatureError(f"The parts of X need equally many rows, but have {lengths}.")
    return InMemory(parts)


def _part(part: Any, name: str) -> Any:
    if isinstance(part, Tensor):
        array: Any = part
    elif sparse.issparse(part):
        array = sparse.csr_array(part)
    else:
        array = np.asarray(part)
        if array.dtype.kind not in "biuf":
            raise FeatureError(f"{name} holds {array.dtype} values; a module takes numbers.")
    if array.ndim == 0 or array.shape[0] == 0:
        raise FeatureError(f"{name} has shape {tuple(array.shape)}; it needs at least one row.")
    return array


def _rows_of(parts: Any, chosen: IntArray) -> Tree:
    if isinstance(parts, dict):
        return {name: _rows_of(part, chosen) for name, part in parts.items()}
    if isinstance(parts, tuple):
        return tuple(_rows_of(part, chosen) for part in parts)
    if isinstance(parts, Tensor):
        return parts[torch.from_numpy(chosen).to(parts.device)]
    rows = parts[chosen]
    return torch.from_numpy(rows.toarray() if sparse.issparse(rows) else rows)


def _collated(beside: list[Any]) -> Tree | None:
    """What stands beside the rows, as one tensor if it is numbers; as it is otherwise."""
    if all(isinstance(each, Tensor | np.ndarray | np.number | int | float) for each in beside):
        return default_collate(beside)
    return None if all(each is None for each in beside) else beside


def _leaves(x: Tree) -> list[Any]:
    if isinstance(x, Mapping):
        return [leaf for part in x.values() for leaf in _leaves(part)]
    if isinstance(x, tuple | list):
        return [leaf for part in x for leaf in _leaves(part)]
    return [x]
