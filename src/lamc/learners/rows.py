"""Training rows on the device, dense or sparse, and the batches that networks take of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lamc.types import Matrix

# Sparse rows that fit into this many bytes as float32 are used as dense: that is faster.
DENSE_BYTES = 1 << 30
GATHERED_BYTES = 8 << 20  # of dense rows that are gathered at once; a batch may be larger
ROWS_AT_ONCE = 4096  # rows of a block; bounds the memory that takes
BLOCK_BYTES = 64 << 20  # of a block of sparse rows, which is made dense
COLLECTED = 1 << 24  # numbers that are collected from sparse rows at once


class Batch(Protocol):
    """Some rows for each of M networks."""

    def times(self, W: Tensor, b: Tensor) -> Tensor:
        """Return x W + b for each network, (M, B, h)."""

    def collect(self, at_product: Tensor, out: Tensor) -> None:
        """Write xᵀ g, the gradient of W where g is that of the product, into ``out``."""


class Rows(Protocol):
    """Rows that batches can be taken of."""

    @property
    def n_features(self) -> int:
        """Number of features."""

    def take(self, chosen: Tensor) -> Batch:
        """Take the rows ``chosen`` (M, B) for each network."""

    def batches(self, chosen: Tensor, size: int) -> Iterable[Batch]:
        """Take the rows ``chosen`` in batches of ``size``; the last may be smaller."""

    def dense(self, chosen: Tensor) -> Tensor:
        """The rows ``chosen`` (M, B) themselves, (M, B, d)."""

    def part(self, start: int, end: int) -> Tensor:
        """Rows from ``start`` to ``end``, dense."""

    def __len__(self) -> int: ...


def take(table: Tensor, chosen: Tensor) -> Tensor:
    """``table[chosen]``, in a fraction of the time that torch's general indexing takes."""
    return table.index_select(0, chosen.reshape(-1)).view(*chosen.shape, *table.shape[1:])


def entries_of(starts: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Where the entries of some rows stand in compressed form, each with the place of its row.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.rows import entries_of
    >>> entries_of(torch.tensor([0, 2, 5]), torch.tensor([1, 0]))  # of three entries and of two
    (tensor([0, 0, 0, 1, 1]), tensor([2, 3, 4, 0, 1]))
    """
    first, lengths = starts[rows], starts[rows + 1] - starts[rows]
    of_row = torch.repeat_interleave(lengths)
    before = torch.cumsum(lengths, 0) - lengths
    return of_row, torch.arange(len(of_row), device=rows.device) + (first - before)[of_row]


@dataclass(frozen=True, eq=False)
class DenseBatch:
    """Rows (M, B, d)."""

    x: Tensor

    def times(self, W: Tensor, b: Tensor) -> Tensor:
        """Return x W + b."""
        return torch.baddbmm(b, self.x, W)

    def collect(self, at_product: Tensor, out: Tensor) -> None:
        """Write xᵀ g into ``out``."""
        torch.bmm(self.x.mT, at_product, out=out)


@dataclass(frozen=True, eq=False)
class DenseRows:
    """All rows as one tensor."""

    values: Tensor

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.values.shape[1]

    def take(self, chosen: Tensor) -> DenseBatch:
        """Take rows."""
        return DenseBatch(self.dense(chosen))

    def batches(self, chosen: Tensor, size: int) -> Iterator[DenseBatch]:
        """Take rows in batches; several are gathered at once, which is faster."""
        of_batch = chosen.shape[0] * size * self.values[0].nbytes
        together = size * max(1, GATHERED_BYTES // max(1, of_batch))
        for several in torch.split(chosen, together, dim=1):
            yield from map(DenseBatch, torch.split(self.dense(several), size, dim=1))

    def dense(self, chosen: Tensor) -> Tensor:
        """The rows themselves."""
        return take(self.values, chosen)

    def part(self, start: int, end: int) -> Tensor:
        """Rows from ``start`` to ``end``."""
        return self.values[start:end]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class SparseBatch:
    """Entries of the rows of a batch, those of one row after those of the other."""

    columns: Tensor  # feature of each entry, counted on through the networks: m d + j
    values: Tensor
    starts: Tensor  # where each row begins
    of_row: Tensor  # the row, counted through the networks, of each entry

    def times(self, W: Tensor, b: Tensor) -> Tensor:
        """Return x W + b."""
        m, d, h = W.shape
        product = torch.nn.functional.embedding_bag(
            self.columns,
            W.view(m * d, h),
            self.starts,
            mode="sum",
            per_sample_weights=self.values,
        )
        return product.view(m, -1, h) + b

    def collect(self, at_product: Tensor, out: Tensor) -> None:
        """Write xᵀ g into ``out``."""
        m, d, h = out.shape
        out.zero_()
        at_rows, total = at_product.reshape(-1, h), out.view(m * d, h)
        size = max(1, COLLECTED // h)
        for start in range(0, len(self.values), size):
            some = slice(start, start + size)
            at_entries = at_rows[self.of_row[some]] * self.values[some, None]
            total.index_add_(0, self.columns[some], at_entries)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """All rows in compressed form."""

    starts: Tensor
    columns: Tensor
    values: Tensor
    n_features: int

    def take(self, chosen: Tensor) -> SparseBatch:
        """Take rows."""
        rows, b = chosen.reshape(-1), chosen.shape[1]
        of_row, entries = entries_of(self.starts, rows)
        lengths = self.starts[rows + 1] - self.starts[rows]
        columns = self.columns[entries] + (of_row // b) * self.n_features
        starts = torch.cumsum(lengths, 0) - lengths
        return SparseBatch(columns, self.values[entries], starts, of_row)

    def batches(self, chosen: Tensor, size: int) -> Iterable[SparseBatch]:
        """Take rows in batches."""
        return map(self.take, torch.split(chosen, size, dim=1))

    def dense(self, chosen: Tensor) -> Tensor:
        """The rows themselves."""
        batch = self.take(chosen)
        dense = self.values.new_zeros(chosen.numel(), self.n_features)
        place = (batch.of_row, batch.columns % self.n_features)
        return dense.index_put_(place, batch.values, accumulate=True).view(*chosen.shape, -1)

    def part(self, start: int, end: int) -> Tensor:
        """Rows from ``start`` to ``end``, dense."""
        first, last = int(self.starts[start]), int(self.starts[end])
        lengths = self.starts[start + 1 : end + 1] - self.starts[start:end]
        of_row = torch.repeat_interleave(lengths)
        dense = self.values.new_zeros(end - start, self.n_features)
        place = (of_row, self.columns[first:last])
        return dense.index_put_(place, self.values[first:last], accumulate=True)

    def __len__(self) -> int:
        return len(self.starts) - 1


def blocks(rows: Rows) -> Iterator[tuple[int, Tensor]]:
    """All rows, dense, as many at a time as take little memory, with the number of the first."""
    size = ROWS_AT_ONCE
    if isinstance(rows, SparseRows):
        size = max(1, min(size, BLOCK_BYTES // (4 * rows.n_features)))
    for start in range(0, len(rows), size):
        yield start, rows.part(start, min(start + size, len(rows)))


def as_rows(X: Matrix, device: str) -> Rows:
    """Put rows on the device; sparse ones as dense if they are small enough."""
    n, d = X.shape
    if not sparse.issparse(X):
        return DenseRows(torch.from_numpy(np.ascontiguousarray(X, dtype=np.float32)).to(device))
    if 4 * n * d <= DENSE_BYTES:
        return DenseRows(torch.from_numpy(X.toarray().astype(np.float32, copy=False)).to(device))
    X = sparse.csr_array(X)
    return SparseRows(
        torch.from_numpy(X.indptr.astype(np.int64)).to(device),
        torch.from_numpy(X.indices.astype(np.int64)).to(device),
        torch.from_numpy(X.data.astype(np.float32)).to(device),
        d,
    )
