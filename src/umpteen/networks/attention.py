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


def attention(states: Tensor, mask: Tensor, queries: Tensor) -> Tensor:
    """How much each label looks at each state, (documents, labels, longest); 1 in all of a document.

    `queries` are the same for all documents, (labels, width), or their own, (documents, labels, width).
    """
    nowhere = torch.zeros(mask.shape, dtype=states.dtype, device=mask.device).masked_fill(~mask, -torch.inf)
    if queries.dim() == 2:  # one product for all documents
        return F.linear(states, queries).add_(nowhere[:, :, None]).softmax(dim=1).transpose(1, 2)
    return torch.baddbmm(nowhere[:, None], queries, states.transpose(1, 2)).softmax(dim=2)


class LabelAttention(nn.Module):
    """Logits of labels from states (documents, longest, width) where `mask` says that there are words.

    Each label takes its mean of the states, and a scorer, which all share, makes a logit of it. The scorer's first
    layer is linear, so it may as well come before the mean: where that is less work, it reads the states once instead
    of every label's mean of them.
    """

    def __init__(self, width: int, hidden: Sequence[int], shares: NDArray[np.float32], *, sparse: bool = False) -> None:
        super().__init__()
        self.queries = nn.Embedding(len(shares), width, sparse=sparse)
        nn.init.xavier_uniform_(self.queries.weight)
        self.scorer = Scorer(width, hidden, shares.mean(keepdims=True))
        self._widest = max(hidden, default=0)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Logits of all labels, (documents, labels)."""
        queries = self.queries.weight
        given = self._given(states, len(queries))
        parts = self._parts(states, len(queries))
        return torch.cat([self._logits(mask, queries[part], *given) for part in parts], dim=1)

    def among(self, states: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
        """Logits of each document's own labels, (documents, candidates)."""
        given = self._given(states, labels.shape[1])
        parts = [labels[:, part] for part in self._parts(states, labels.shape[1])]
        return torch.cat([self._logits(mask, self.queries(part), *given) for part in parts], dim=1)

    def loss(self, states: Tensor, mask: Tensor, targets: Tensor, worth: Tensor | None = None) -> Tensor:
        """Mean binary cross-entropy over documents and labels; true ones weigh what they are worth, (labels,)."""
        counts = None if worth is None else torch.where(targets > 0, worth, 1.0)
        return self.judged(states, mask, targets, counts=counts)[0] / targets.numel()

    def judged(
        self,
        states: Tensor,
        mask: Tensor,
        targets: Tensor,
        *,
        labels: Tensor | None = None,
        counts: Tensor | None = None,
        plus: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The sum of binary cross-entropies, and the logits, which no gradient flows through.

        Of all labels, or of each document's own `labels`, (documents, candidates); `counts` are weights of theirs, and
        `plus` is added to their logits. Each chunk's share of the gradient is taken while the chunk is at hand, so no
        chunk outlives its turn and nothing is computed twice.
        """

        def share(part: slice, queries: Tensor, *rest: Tensor) -> tuple[Tensor, Tensor]:
            more, given = (rest[0], rest[1:]) if plus is not None else (None, rest)
            logits = self._logits(mask, queries, *given)
            if more is not None:
                logits = logits + more.squeeze(2)
            weight = None if counts is None else counts[:, part]
            loss = F.binary_cross_entropy_with_logits(logits, targets[:, part], weight, reduction="sum")
            return loss, logits.detach()

        cut = [self.queries.weight if labels is None else self.queries(labels)]
        if plus is not None:
            cut.append(plus.unsqueeze(2))
        parts = self._parts(states, targets.shape[1])
        loss, logits = _Chunks.apply(share, parts, len(cut), *cut, *self._given(states, targets.shape[1]))  # type: ignore[no-untyped-call]
        return loss, logits

    def weights(self, states: Tensor, mask: Tensor, label: int) -> Tensor:
        """How one label looks at the documents, (documents, longest)."""
        return attention(states, mask, self.queries.weight[label : label + 1])[:, 0]

    def _given(self, states: Tensor, labels: int) -> tuple[Tensor, ...]:
        """What so many labels' logits are made of: states and the scorer's weights and biases, two for each layer.

        If the first layer comes before the mean, what it made of the states stands in the place of its two.
        """
        weight, bias, *others = self.scorer.parameters()
        longest, (made, width) = states.shape[1], weight.shape
        if longest * made * (width + labels) < labels * width * (longest + made):  # products in a document
            return states, F.linear(states, weight, bias), *others
        return states, weight, bias, *others

    @staticmethod
    def _logits(mask: Tensor, queries: Tensor, states: Tensor, *given: Tensor) -> Tensor:
        looks = attention(states, mask, queries)
        if len(given) % 2 == 0:
            return Scorer.scored(looks @ states, *given).squeeze(2)
        made, *others = given
        means = looks @ made
        return (Scorer.scored(F.relu(means), *others) if others else means).squeeze(2)

    def _parts(self, states: Tensor, labels: int) -> list[slice]:
        documents, longest, width = states.shape
        size = max(1, _ROOM // (documents * (longest + width + self._widest)))
        return [slice(start, start + size) for start in range(0, labels, size)]


class _Chunks(torch.autograd.Function):
    """The sum of losses over parts of labels, and their logits; gradients are collected on the way forward.

    `share` takes a part, that part of the first `cut` tensors, which have labels as their last dimension but one, and
    the other tensors whole. Gradients of these are sums over parts, and kept with 32 bits: with fewer, what later parts
    add would be lost.
    """

    @staticmethod
    def forward(
        ctx: Any, share: Callable[..., tuple[Tensor, Tensor]], parts: list[slice], cut: int, *tensors: Tensor
    ) -> tuple[Tensor, Tensor]:
        total, logits = tensors[0].new_zeros(()), []
        gradients = [torch.empty_like(t) for t in tensors[:cut]]
        gradients += [torch.zeros_like(t, dtype=torch.promote_types(t.dtype, torch.float32)) for t in tensors[cut:]]
        for part in parts:
            mine = [tensor[..., part, :] for tensor in tensors[:cut]]
            leaves = [tensor.detach().requires_grad_() for tensor in (*mine, *tensors[cut:])]
            with torch.enable_grad():
                loss, made = share(part, *leaves)
            found = torch.autograd.grad(loss, leaves)
            for whole, gradient in zip(gradients[:cut], found, strict=False):
                whole[..., part, :] = gradient
            for whole, gradient in zip(gradients[cut:], found[cut:], strict=True):
                whole += gradient
            total += loss.detach()
            logits.append(made)
        ctx.save_for_backward(*(slope.to(t.dtype) for slope, t in zip(gradients, tensors, strict=True)))
        joined = torch.cat(logits, dim=1)
        ctx.mark_non_differentiable(joined)
        return total, joined

    @staticmethod
    def backward(ctx: Any, scale: Tensor, _: Tensor) -> Any:
        return None, None, None, *(scale * gradient for gradient in ctx.saved_tensors)
