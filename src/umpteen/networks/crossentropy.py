"""Binary cross-entropy of a linear layer over many labels, with its gradient worked out by hand.

How the sum grows with a score is the score's probability, less 1 where the label is there. That is one array of the
scores' size, kept where it fits; else labels go through in chunks, and the backward pass computes their scores again.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

_MANY = 1000  # labels from which on reduced precision is worth it, where it is allowed
_ROOM = 1 << 24  # scores kept for the backward pass, at most


@dataclass(frozen=True)
class Raised:
    """Scores to which something is added."""

    pairs: Tensor  # (pairs, 2), documents and labels, each pair once
    plus: Tensor  # (pairs,)


def cross_entropy(
    hidden: Tensor,
    layer: tuple[Tensor, Tensor],
    positives: Tensor,
    worth: Tensor | None = None,
    raised: Raised | None = None,
) -> Tensor:
    """The sum over all labels, (documents,), given the layer's weight and bias and the pairs (document, label) there.

    Labels that are there weigh what they are `worth`, (labels,).
    """
    device = hidden.device.type
    if torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device) and len(layer[1]) >= _MANY:
        hidden = hidden.to(torch.get_autocast_dtype(device))
    pairs, plus = (raised.pairs, raised.plus) if raised is not None else (None, None)
    known = _Known(positives, worth, pairs)
    made: Tensor = _CrossEntropy.apply(hidden, *layer, plus, known)  # type: ignore[no-untyped-call]
    return made


@dataclass(frozen=True)
class _Known:
    """What has no gradient."""

    positives: Tensor
    worth: Tensor | None
    raised: Tensor | None

    def scores(self, hidden: Tensor, weight: Tensor, bias: Tensor, plus: Tensor | None, part: slice) -> Tensor:
        """Scores of the labels of a chunk, in the layer's own precision."""
        low = hidden.dtype
        scores = F.linear(hidden, weight[part].to(low), bias[part].to(low)).to(bias.dtype)
        if self.raised is not None and plus is not None:
            inside, places = _inside(self.raised, part)
            scores[places] += plus[inside].to(scores.dtype)
        return scores

    def losses(self, scores: Tensor, part: slice) -> Tensor:
        """Their share of the sum, (documents,)."""
        inside, places = _inside(self.positives, part)
        own, worth = scores[places], self._worth(inside)
        return F.softplus(scores).sum(dim=1).index_add(0, places[0], worth * F.softplus(-own) - F.softplus(own))

    def slopes(self, scores: Tensor, part: slice) -> Tensor:
        """What the scores become: how the sum grows with each."""
        inside, places = _inside(self.positives, part)
        slopes = scores.sigmoid_()
        slopes[places] = (slopes[places] - 1) * self._worth(inside)
        return slopes

    def _worth(self, inside: Tensor) -> Tensor | float:
        return 1.0 if self.worth is None else self.worth[self.positives[inside, 1]]


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *given: Any) -> Tensor:
        *tensors, known = given
        hidden, _, bias, _ = tensors
        ctx.known, kept = known, None
        total: Tensor = bias.new_zeros(len(hidden))
        parts = _chunks(hidden, bias)
        for part in parts:
            scores = known.scores(*tensors, part)
            total += known.losses(scores, part)
            kept = known.slopes(scores, part) if len(parts) == 1 else None
        ctx.save_for_backward(*tensors, kept)
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        *tensors, kept = ctx.saved_tensors
        hidden, weight, bias, plus = tensors
        known, low = ctx.known, hidden.dtype
        to_hidden, to_weight, to_bias = torch.zeros_like(hidden), torch.empty_like(weight), torch.empty_like(bias)
        to_plus = None if plus is None else torch.zeros_like(plus)
        for part in _chunks(hidden, bias):
            slopes = kept if kept is not None else known.slopes(known.scores(*tensors, part), part)
            slopes = slopes * given[:, None]
            if to_plus is not None:
                inside, places = _inside(known.raised, part)
                to_plus[inside] = slopes[places].to(to_plus.dtype)
            to_bias[part] = slopes.sum(dim=0)
            slopes = slopes.to(low)
            to_hidden += slopes @ weight[part].to(low)
            if low == weight.dtype:
                torch.mm(slopes.T, hidden, out=to_weight[part])  # no copy of what may be the largest array there is
            else:
                to_weight[part] = slopes.T @ hidden
        return to_hidden, to_weight, to_bias, to_plus, None


def _chunks(hidden: Tensor, bias: Tensor) -> list[slice]:
    """Labels that go through at once."""
    size = max(1, _ROOM // max(1, len(hidden)))
    return [slice(first, min(first + size, len(bias))) for first in range(0, len(bias), size)]


def _inside(pairs: Tensor, part: slice) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Which pairs have a label of a chunk; their documents, and labels counted from the chunk's first."""
    inside = (pairs[:, 1] >= part.start) & (pairs[:, 1] < part.stop)
    chosen = pairs[inside]
    return inside, (chosen[:, 0], chosen[:, 1] - part.start)
