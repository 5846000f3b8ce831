"""Outputs: the last layer, a score for each label, whose losses and best labels never need all labels at once.

A loss over all labels is made of two sums. Labels that a document has are few and their scores are computed one by
one; what is summed over the others goes through the labels in chunks, which the backward pass computes again.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from umpteen.networks.crossentropy import Raised, cross_entropy

_ROOM = 1 << 22  # scores computed at once

Term = Callable[[Tensor, Tensor], Tensor]  # scores (documents, chunk), a number of each document (documents, 1)


class Outputs(nn.Module):
    """A linear layer to the labels; `bounded` scores lie between 0 and 1."""

    def __init__(self, width: int, labels: int, *, bounded: bool = False) -> None:
        super().__init__()
        self.layer = nn.Linear(width, labels)
        nn.init.zeros_(self.layer.bias)  # begun at the labels' shares, rare labels stay behind
        self.bounded = bounded

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return self.layer.out_features

    def forward(self, hidden: Tensor) -> Tensor:
        return self._bound(self.layer(hidden))

    def _bound(self, scores: Tensor) -> Tensor:
        return torch.sigmoid(scores) if self.bounded else scores

    def at(self, hidden: Tensor, pairs: Tensor) -> Tensor:
        """Scores of pairs (document, label), (pairs,).

        Rows are looked up as embeddings: the gradient of plain indexing is summed by threads in any order.
        """
        documents, labels = F.embedding(pairs[:, 0], hidden), F.embedding(pairs[:, 1], self.layer.weight)
        return self._bound((documents * labels).sum(dim=1) + self.layer.bias.index_select(0, pairs[:, 1]))

    def best(self, hidden: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k labels with the largest scores of each document, and these."""
        return best_of([self], [hidden], k)

    def cross_entropy(
        self, hidden: Tensor, positives: Tensor, worth: Tensor | None = None, raised: Raised | None = None
    ) -> Tensor:
        """Binary cross-entropy, summed over labels, (documents,); true ones weigh what they are `worth`, (labels,)."""
        if self.bounded:
            raise ValueError("Cross-entropy takes unbounded scores.")
        return cross_entropy(hidden, (self.layer.weight, self.layer.bias), positives, worth, raised)

    def ranking(self, hidden: Tensor, positives: Tensor, margin: float, worth: Tensor | None = None) -> Tensor:
        """The margin ranking loss of Rank-AE, summed over labels, (documents,); 0 without positives or negatives.

        Each negative is compared with the lowest positive score, each positive with the highest negative; the latter
        comparisons weigh what labels are `worth`.
        """
        own = self.at(hidden, positives)
        lowest = own.new_full((len(hidden),), torch.inf).scatter_reduce(0, positives[:, 0], own, "amin")
        highest = self._highest_negative(hidden, positives)
        there = torch.isfinite(lowest) & torch.isfinite(highest)
        lowest, highest = lowest.where(there, 0), highest.where(there, 0)
        others = self._summed(hidden, lambda scores, low: F.relu(margin + scores - low), lowest[:, None], positives)
        violated = F.relu(margin + highest.index_select(0, positives[:, 0]) - own)
        violated = violated if worth is None else violated * worth[positives[:, 1]]
        return (others + self._by_document(violated, positives, len(hidden))) * there

    def exponential(self, hidden: Tensor, positives: Tensor, sharpness: float = 5.0) -> Tensor:
        """C2AE's loss, the mean of exp(-5 (positive - negative)) over pairs, (documents,); it takes the sum apart."""
        own = self.at(hidden, positives)
        apart = torch.exp(-sharpness * own)
        ones = self._by_document(torch.ones_like(own), positives, len(hidden))
        nothing = hidden.new_zeros(len(hidden), 1)
        others = self._summed(hidden, lambda scores, _: torch.exp(sharpness * scores), nothing, positives)
        pairs = ones * (self.labels - ones)
        return self._by_document(apart, positives, len(hidden)) * others / pairs.clamp(min=1)

    def _highest_negative(self, hidden: Tensor, positives: Tensor) -> Tensor:
        """The largest score of a label that is not there, -inf if there is none, with its gradient."""
        with torch.no_grad():
            value = hidden.new_full((len(hidden),), -torch.inf)
            label = torch.zeros(len(hidden), dtype=torch.int64, device=hidden.device)
            for first, scores in self.chunks(hidden):
                best, place = _without(scores, positives, first, -torch.inf).max(dim=1)
                label = torch.where(best > value, place + first, label)
                value = torch.maximum(best, value)
        pairs = torch.stack([torch.arange(len(hidden), device=hidden.device), label], dim=1)
        return self.at(hidden, pairs).where(torch.isfinite(value), -torch.inf)

    def _summed(self, hidden: Tensor, term: Term, given: Tensor, skip: Tensor) -> Tensor:
        """The sum of `term` over all labels but those in `skip`, (documents,)."""

        def chunk(hidden: Tensor, weight: Tensor, bias: Tensor, given: Tensor, first: int) -> Tensor:
            values = term(self._bound(F.linear(hidden, weight, bias)), given)
            return _without(values, skip, first, 0.0).sum(dim=1)

        size = self._size(hidden)
        if size >= self.labels:
            return chunk(hidden, self.layer.weight, self.layer.bias, given, 0)
        total, first = hidden.new_zeros(len(hidden)), 0
        parts = (torch.split(tensor, size) for tensor in (self.layer.weight, self.layer.bias))
        for weight, bias in zip(*parts, strict=True):
            total = total + checkpoint(chunk, hidden, weight, bias, given, first, use_reentrant=False)
            first += len(bias)
        return total

    def chunks(self, hidden: Tensor) -> Iterator[tuple[int, Tensor]]:
        """All scores, some labels at a time, with the first of them."""
        size = self._size(hidden)
        for first in range(0, self.labels, size):
            weight, bias = self.layer.weight[first : first + size], self.layer.bias[first : first + size]
            yield first, self._bound(F.linear(hidden, weight, bias))

    def _size(self, hidden: Tensor) -> int:
        return max(1, _ROOM // max(1, len(hidden)))

    @staticmethod
    def _by_document(values: Tensor, pairs: Tensor, documents: int) -> Tensor:
        return values.new_zeros(documents).index_add(0, pairs[:, 0], values)


def best_of(parts: Sequence[Outputs], hidden: Sequence[Tensor], k: int) -> tuple[Tensor, Tensor]:
    """The k labels whose mean scores over several layers, each with its own input, are the largest, and these."""
    labels = torch.empty(len(hidden[0]), 0, dtype=torch.int64, device=hidden[0].device)
    values = hidden[0].new_empty(labels.shape)
    for chunks in zip(*(part.chunks(given) for part, given in zip(parts, hidden, strict=True)), strict=True):
        first, scores = chunks[0][0], torch.stack([scores for _, scores in chunks]).mean(dim=0)
        best, places = scores.topk(min(k, scores.shape[1]), dim=1)
        values, order = torch.cat([values, best], dim=1).topk(min(k, values.shape[1] + best.shape[1]), dim=1)
        labels = torch.cat([labels, places + first], dim=1).gather(1, order)
    return labels, values


def _without(values: Tensor, pairs: Tensor, first: int, fill: float) -> Tensor:
    """Values (documents, chunk) with the pairs' places filled, where `first` is the chunk's first label."""
    inside = (pairs[:, 1] >= first) & (pairs[:, 1] < first + values.shape[1])
    documents, labels = pairs[inside, 0], pairs[inside, 1] - first
    return values.index_put((documents, labels), values.new_tensor(fill))
