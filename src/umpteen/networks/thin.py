"""Sums of rows of a large table and products with them, whose gradient has only the rows that were seen, each once.

torch makes a row of the gradient for each place where a row was seen, and sums them later; on a processor that is most
of what a step costs. Elsewhere torch's own way stays.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from umpteen.kernels import thin


def summed(table: Tensor, rows: Tensor, starts: Tensor, values: Tensor, *, sparse: bool) -> Tensor:
    """Sums of rows times values, (bags, width), where `starts` says at which place each bag begins."""
    if by_hand(table) and table.requires_grad and torch.is_grad_enabled() and not values.requires_grad:
        made: Tensor = _Summed.apply(table, rows, starts, values, sparse)  # type: ignore[no-untyped-call]
        return made
    return F.embedding_bag(rows, table, starts, mode="sum", sparse=sparse, per_sample_weights=values)


def products(table: Tensor, rows: Tensor, views: Tensor, *, sparse: bool) -> Tensor:
    """Products of each document's own rows, (documents, places), with its view, (documents, width)."""
    if by_hand(table) and views.device.type == "cpu":
        made: Tensor = _Products.apply(table, rows, views, sparse)  # type: ignore[no-untyped-call]
        return made
    return torch.bmm(F.embedding(rows, table, sparse=sparse), views.unsqueeze(2)).squeeze(2)


def by_hand(table: Tensor) -> bool:
    """Whether the kernels can take it."""
    return table.device.type == "cpu" and table.dtype == torch.float32 and table.dim() == 2 and table.is_contiguous()


def coalesced(gradient: Tensor) -> Tensor:
    """A sparse gradient in which each row stands once."""
    if gradient.is_coalesced():
        return gradient
    rows, values = gradient._indices()[0], gradient._values()
    if bool((rows[1:] > rows[:-1]).all()):  # torch forgets that it is so on the way to a parameter
        return gradient._coalesced_(True)
    if not by_hand(values):
        return gradient.coalesce()
    return _gradient(rows, torch.arange(len(rows)), torch.ones(len(rows)), values, gradient.shape)


def _thin(seen: Any, rows: Any, shape: torch.Size) -> Tensor:
    indices = torch.from_numpy(seen)[None]
    return torch.sparse_coo_tensor(indices, torch.from_numpy(rows), shape, is_coalesced=True, check_invariants=False)


class _Summed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *given: Any) -> Tensor:
        table, rows, starts, values, ctx.sparse = given
        ctx.save_for_backward(rows, starts, values)
        ctx.shape = table.shape
        return F.embedding_bag(rows, table, starts, mode="sum", per_sample_weights=values)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        rows, starts, values = ctx.saved_tensors
        ends = F.pad(starts[1:], (0, 1), value=len(rows))
        owners = torch.repeat_interleave(ends - starts)
        gradient = _gradient(rows, owners, values.float(), given.float().contiguous(), ctx.shape)
        return gradient if ctx.sparse else gradient.to_dense(), None, None, None, None


class _Products(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *given: Any) -> Tensor:
        table, rows, views, ctx.sparse = given
        full = views.detach().float().contiguous()
        ctx.save_for_backward(table, rows, full)
        ctx.low = views.dtype
        made = thin.dots(table.detach().numpy(), rows.numpy(), full.numpy(), jobs=torch.get_num_threads())
        return torch.from_numpy(made)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        table, rows, views = ctx.saved_tensors
        documents, places = rows.shape
        flat, slopes = rows.reshape(-1), given.float().reshape(-1)
        starts = torch.arange(0, documents * places, places) if places else torch.zeros(documents, dtype=torch.int64)
        to_views = F.embedding_bag(flat, table, starts, mode="sum", per_sample_weights=slopes).to(ctx.low)
        owners = torch.arange(documents).repeat_interleave(places)
        gradient = _gradient(flat, owners, slopes, views, table.shape)
        return gradient if ctx.sparse else gradient.to_dense(), None, to_views, None


def _gradient(rows: Tensor, owners: Tensor, values: Tensor, slopes: Tensor, shape: torch.Size) -> Tensor:
    """Each row that was seen gets values times slopes of the documents that saw it."""
    seen, bounds, places = thin.grouped(rows.numpy(), shape[0])
    given = (owners.numpy(), values.numpy(), slopes.numpy())
    return _thin(seen, thin.summed(bounds, places, *given, jobs=torch.get_num_threads()), shape)
