"""Rows together with what was observed on them: labels given apart, or beside each row."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lamc.exceptions import FeatureError, LabelError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.learners.module.inputs import Batch, Inputs, Stream, Tree
from lamc.learners.trainer import row_order
from lamc.types import IntArray


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to learn from.

    Attributes
    ----------
    inputs : Inputs
        Where the rows come from.
    rows : ndarray of int, or None
        Which of them; None for all, as they come.
    labels : Labels or None
        What was observed on each row of the inputs; None if that stands beside each row.
    n_labels : int
        Number of labels.
    """

    inputs: Inputs
    rows: IntArray | None
    labels: Labels | None
    n_labels: int

    def shuffled(self, seed: int, epoch: int, size: int) -> Iterator[tuple[Tree, Tensor]]:
        """Batches of an epoch, each with its observed labels, in an order of their own."""
        order = None
        if self.rows is not None:
            order = self.rows[row_order(seed, epoch, len(self.rows))]
        batches = self.inputs.batches(order, size)
        if self.labels is None:
            return ((batch.x, labels_beside(batch, self.n_labels)) for batch in batches)
        return self._matched(batches, self.labels)

    def in_order(self, size: int) -> Iterator[Tree]:
        """Batches of rows as they stand."""
        for batch in self.inputs.batches(self.rows, size):
            refuse_second_input(batch, self.n_labels)
            yield batch.x

    def _matched(self, batches: Iterator[Batch], labels: Labels) -> Iterator[tuple[Tree, Tensor]]:
        """Each batch with the labels of its rows, no row twice."""
        index = torch.from_numpy(labels.index()) if (labels.cardinality == 1).all() else None
        seen = np.zeros(len(labels), dtype=bool)
        for batch in batches:
            rows = self._numbers(batch)
            _check_numbers(rows, seen)
            seen[rows] = True
            if index is None:
                yield batch.x, torch.from_numpy(labels.positives[rows].toarray())
            else:
                yield batch.x, index[torch.from_numpy(rows)]
        if isinstance(self.inputs, Stream) and self.inputs.is_complete and not seen.all():
            raise LabelError(f"The labels have {len(seen)} rows, but X has {seen.sum()}.")

    def _numbers(self, batch: Batch) -> IntArray:
        """Which rows a batch holds."""
        if batch.rows is not None:
            refuse_second_input(batch, self.n_labels)
            return batch.rows
        numbers = batch.beside
        if not (isinstance(numbers, Tensor) and numbers.ndim == 1 and _is_whole(numbers)):
            raise LabelError(
                "y was given, and the DataLoader gives rows in an order of its own without telling "
                "which rows a batch holds.\nLet its Dataset give pairs (x, i) with i the number of "
                "the row; or pairs (x, label), and leave y out."
            )
        return numbers.cpu().numpy().astype(np.int64)


def labels_beside(batch: Batch, n_labels: int) -> Tensor:
    """The observed labels that stand beside the rows of a batch: an index, or a bool matrix.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.examples import labels_beside
    >>> from lamc.learners.module.inputs import Batch
    >>> labels_beside(Batch(torch.zeros(2, 3), None, torch.tensor([4, 1])), n_labels=5)
    tensor([4, 1])
    """
    found = batch.beside
    if found is None:
        raise LabelError(
            "y requires to be passed where the data hold no labels: give y, or a Dataset or "
            "DataLoader that gives pairs (x, label)."
        )
    if not isinstance(found, Tensor) or found.ndim not in (1, 2):
        raise LabelError(
            f"The data give {_in_words(found)} beside x; the label of a row is a whole number, or "
            "a row of 0 and 1."
        )
    if found.ndim == 2:
        return _read_matrix(found, n_labels)
    if not _is_whole(found):
        raise LabelError(
            f"The data give labels of type {found.dtype}; the label of a row is a whole number, "
            "the position of its output in the module."
        )
    odd = (found < 0) | (found >= n_labels)
    if odd.any():
        raise LabelError(
            f"The data give the label {int(found[odd][0])}, but the module has {n_labels} outputs: "
            f"they count from 0 to {n_labels - 1}."
        )
    return found.long()


def read_labels(inputs: Inputs, rows: IntArray | None, n_labels: int, size: int) -> Labels:
    """All labels that stand beside rows; a row of 0 and 1 is taken to name all that are true."""
    found = [labels_beside(batch, n_labels).cpu() for batch in inputs.batches(rows, size)]
    every = torch.cat(found).numpy()
    knowledge = Knowledge.SINGLE if every.ndim == 1 else Knowledge.ALL
    return as_labels(every, classes=np.arange(n_labels), knowledge=knowledge)


def refuse_second_input(batch: Batch, n_labels: int) -> None:
    """Raise if what stands beside the rows, and is left unread, may be an input of the module.

    A number, a row of labels or a description may stand there unread; another array may not.
    """
    beside = batch.beside
    if not isinstance(beside, Tensor) or beside.ndim < 2 or beside.shape[1:] == (n_labels,):
        return
    raise FeatureError(
        f"The data give pairs, the second part of shape {tuple(beside.shape[1:])} a row: neither a "
        f"number nor {n_labels} labels.\nIf it is a second input of the module, put both into one "
        "tuple or dict: ((a, b), label)."
    )


def _read_matrix(found: Tensor, n_labels: int) -> Tensor:
    if found.shape[1] != n_labels:
        raise LabelError(
            f"The data give {found.shape[1]} labels a row, but the module has {n_labels} outputs."
        )
    marked = found == 1
    if not (marked | (found == 0)).all():
        raise LabelError("The data give rows of labels that hold other values than 0 and 1.")
    if not marked.any(dim=1).all():
        raise LabelError(
            "The data give a row of labels without a 1, and Network needs at least one positive a "
            "row.\nLeave rows without a label out."
        )
    return marked


def _check_numbers(rows: IntArray, seen: "np.ndarray[Any, np.dtype[np.bool_]]") -> None:
    outside = (rows < 0) | (rows >= len(seen))
    if outside.any():
        raise LabelError(
            f"The labels have {len(seen)} rows, but X gives a row with the number "
            f"{rows[outside][0]}."
        )
    if seen[rows].any() or len(np.unique(rows)) < len(rows):
        raise LabelError(
            "The DataLoader gives the number of a row twice in an epoch.\nIf these are labels, or "
            "if rows are meant to be repeated, give pairs (x, label) and leave y out."
        )


def _is_whole(numbers: Tensor) -> bool:
    return not (numbers.is_floating_point() or numbers.is_complex() or numbers.dtype == torch.bool)


def _in_words(found: Any) -> str:
    if isinstance(found, Tensor):
        return f"a tensor of shape {tuple(found.shape)}"
    return f"values of type {type(found[0] if isinstance(found, list) else found).__name__}"
