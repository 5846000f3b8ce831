"""LabelAttention: every label reads the document in its own way, in label chunks so that memory stays bounded."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.scorer import Scorer

_ROOM = 1 << 21  # numbers that one chunk of labels may hold: 8 MiB


def attended(states: Tensor, mask: Tensor, queries: Tensor) -> tuple[Tensor, Tensor]:
    """Each label's mean of the states, (documents, labels, width), and its weights, (documents, labels, longest).

    `queries` are the same for all documents, (labels, width), or their own, (documents, labels, width).
    """
    nowhere = torch.zeros(mask.shape, dtype=states.dtype, device=mask.device).masked_fill(~mask, -torch.inf)
    if queries.dim() == 2:
        queries = queries.expand(len(states), *queries.shape)
    weights = torch.baddbmm(nowhere[:, None], queries, states.transpose(1, 2)).softmax(dim=2)
    return weights @ states, weights


class LabelAttention(nn.Module):
    """Logits of labels from states (documents, longest, width) where `mask` says that there are words."""

    def __init__(self, width: int, hidden: Sequence[int], shares: NDArray[np.float32], *, sparse: bool = False) -> None:
        super().__init__()
        self.queries = nn.Embedding(len(shares), width, sparse=sparse)
        nn.init.xavier_uniform_(self.queries.weight)
        self.scorer = Scorer(width, hidden, shares.mean(keepdims=True))
        self._widest = max(hidden, default=0)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Logits of all labels, (documents, labels)."""
        weights = tuple(self.scorer.parameters())
        queries = self.queries.weight
        return torch.cat([self._logits(states, mask, queries[part], *weights) for part in self._parts(states)], dim=1)

    def among(self, states: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
        """Logits of each document's own labels, (documents, candidates)."""
        return self._logits(states, mask, self.queries(labels), *self.scorer.parameters())

    def loss(self, states: Tensor, mask: Tensor, targets: Tensor) -> Tensor:
        """Mean binary cross-entropy over documents and labels.

        Each chunk's share of the gradient is taken while the chunk is at hand, so no chunk outlives its turn and
        nothing is computed twice.
        """

        def share(part: slice, states: Tensor, queries: Tensor, *weights: Tensor) -> Tensor:
            logits = self._logits(states, mask, queries, *weights)
            return F.binary_cross_entropy_with_logits(logits, targets[:, part], reduction="sum") / targets.numel()

        weights = tuple(self.scorer.parameters())
        made: Tensor = _Chunks.apply(share, self._parts(states), states, self.queries.weight, *weights)  # type: ignore[no-untyped-call]
        return made

    def weights(self, states: Tensor, mask: Tensor, label: int) -> Tensor:
        """How one label looks at the documents, (documents, longest)."""
        return attended(states, mask, self.queries.weight[label : label + 1])[1][:, 0]

    @staticmethod
    def _logits(states: Tensor, mask: Tensor, queries: Tensor, *weights: Tensor) -> Tensor:
        return Scorer.scored(attended(states, mask, queries)[0], *weights).squeeze(2)

    def _parts(self, states: Tensor) -> list[slice]:
        documents, longest, width = states.shape
        labels = self.queries.num_embeddings
        size = max(1, _ROOM // (documents * (longest + width + self._widest)))
        return [slice(start, start + size) for start in range(0, labels, size)]


class _Chunks(torch.autograd.Function):
    """The sum of `share` over parts of the queries; gradients are collected on the way forward."""

    @staticmethod
    def forward(
        ctx: Any, share: Callable[..., Tensor], parts: list[slice], states: Tensor, queries: Tensor, *weights: Tensor
    ) -> Tensor:
        total = states.new_zeros(())
        by_query = torch.empty_like(queries)
        summed = [torch.zeros_like(tensor) for tensor in (states, *weights)]
        for part in parts:
            leaves = [t.detach().requires_grad_() for t in (states, queries[part], *weights)]
            with torch.enable_grad():
                loss = share(part, *leaves)
            of_states, by_query[part], *rest = torch.autograd.grad(loss, leaves)
            for sum_, gradient in zip(summed, (of_states, *rest), strict=True):
                sum_ += gradient
            total += loss.detach()
        ctx.save_for_backward(summed[0], by_query, *summed[1:])
        return total

    @staticmethod
    def backward(ctx: Any, scale: Tensor) -> Any:
        return None, None, *(scale * gradient for gradient in ctx.saved_tensors)
