"""What a method keeps for every training row and label, each network its own: (M, n, K)."""

import torch
from torch import Tensor

from lamc.learners.method import Group


def for_each_network(table: Tensor, group: Group) -> Tensor:
    """Copies (M, n, K) of a table (n, K), which the networks may change apart."""
    return table.expand(len(group), *table.shape).clone()


def take_rows(table: Tensor, rows: Tensor) -> Tensor:
    """Rows (M, B) of a table, as (M, B, K).

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.row_tables import take_rows
    >>> table = torch.arange(6).reshape(2, 3, 1)
    >>> take_rows(table, torch.tensor([[2, 0], [1, 1]])).squeeze(-1)
    tensor([[2, 0],
            [4, 4]])
    """
    return table[_network(table), rows]


def put_rows(table: Tensor, rows: Tensor, values: Tensor) -> None:
    """Write values (M, B, K) into the rows (M, B) of a table."""
    table[_network(table), rows] = values


def _network(table: Tensor) -> Tensor:
    return torch.arange(len(table), device=table.device)[:, None]
