"""The dual cooperative network of TReaderXML: a text is read beside what a teacher says of it, then both together.

The teacher says the mean of the descriptions of labels that similar documents have, (documents, description, width).
Both branches read with weights of their own, a word-by-word layer reads the teacher and then the text, and what it
makes of them is pooled, narrowed and turned into a logit for each label.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.crossentropy import Raised
from umpteen.networks.dropping import Dropping
from umpteen.networks.network import Documents, Network
from umpteen.networks.outputs import Outputs
from umpteen.networks.pooling import largest_of, mean_of
from umpteen.networks.reading import Reading, SelfAttention
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words

_HALF = -0.4328  # where softplus is a half
_BEND = 3.0  # so a vote in twenty is where shares begin to count by their logarithm
POOLINGS = ("mean+max", "mean", "max", "flatten")


@dataclass(frozen=True)
class Shape:
    """What the network is made of."""

    reading: str  # one of reading.WAYS
    heads: int
    pooling: str  # one of POOLINGS
    bottleneck: int
    votes: bool  # whether neighbours' votes are added to labels' logits, where there is a teacher
    bag: int  # width of the bag of the text's words that stands beside the bottleneck, 0 for none
    skip: float  # share of the documents in a step without it
    relu: bool  # after the bottleneck, of numbers levelled first
    pace: float  # share of the rate at which all before the labels and the bag learn
    dropout: float
    length: int  # words of a text, at most


class Taught(Documents, Protocol):
    """Documents with what they are taught."""

    @property
    def nodes(self) -> Tensor:
        """Labels and parents taught, (documents, most), padded with -1."""

    @property
    def weights(self) -> Tensor:
        """How much each of these counts, (documents, most); as printed, one by their number."""

    @property
    def voted(self) -> Tensor:
        """Labels that neighbours have, (documents, most), padded with -1."""

    @property
    def shares(self) -> Tensor:
        """The share of the votes for each of these, (documents, most)."""


class Votes(nn.Module):
    """What a share of the neighbours' votes adds to a logit: nothing for none, and never less for more."""

    def __init__(self) -> None:
        super().__init__()
        self.height, self.bend = nn.Parameter(torch.tensor(_HALF)), nn.Parameter(torch.tensor(_BEND))

    def forward(self, shares: Tensor) -> Tensor:
        return F.softplus(self.height) * torch.log1p(shares * self.bend.exp())


class Cooperating(Network):
    """Text and teacher, read apart and then together."""

    def __init__(
        self, words: Words, descriptions: NDArray[np.int32] | None, shares: NDArray[np.float32], shape: Shape
    ) -> None:
        """Without `descriptions` of labels and parents, (nodes, words), there is no teacher.

        `shares` of the documents that labels have are what it answers before it is led or has learnt anything.
        """
        super().__init__()
        self.words, self.labels, self.shape = words, len(shares), shape
        width, heads, taught = words.width, shape.heads, descriptions is not None
        self.student = Reading(shape.reading, width, heads)
        self.teacher = Reading(shape.reading, width, heads) if taught else None
        self.together = SelfAttention(width, heads, masked=True)
        self.dropout = Dropping(shape.dropout)
        table = np.pad(descriptions, ((0, 1), (0, 0))) if descriptions is not None else np.zeros((1, 0))
        self.register_buffer("descriptions", torch.from_numpy(table.astype(np.int64)), persistent=False)
        self.descriptions: Tensor  # the last is that of padding
        self.longest = table.shape[1] + shape.length  # states of a document, at most
        pooled = {"mean+max": 2 * width, "flatten": self.longest * width}.get(shape.pooling, width)
        self.bottleneck = nn.Linear(pooled, shape.bottleneck, bias=False)
        self.level = nn.LayerNorm(shape.bottleneck) if shape.relu else None  # or units die: ReLU would answer 0 for all
        self.whole = Whole(shape.bottleneck, words, shape.bag, dropout=shape.dropout, skip=shape.skip)
        self.outputs = Outputs(self.whole.width, self.labels)
        read = (self.words, self.student, self.teacher, self.together, self.bottleneck)
        self.slow = [weight for part in read if part is not None for weight in part.parameters()]
        self.pace = shape.pace
        usual = torch.from_numpy(shares)
        with torch.no_grad():
            self.outputs.layer.bias.copy_(torch.logit(usual, eps=1e-6))
        self.votes = Votes() if shape.votes and taught else None
        if self.votes is not None:
            nn.init.zeros_(self.outputs.layer.weight)  # what votes say is where it begins, unless labels are led

    def lead(self, documents: Callable[[], Iterable[Tensor]], Y: sparse.csr_array) -> None:
        if self.whole.bag is not None:
            self.whole.lying(documents(), Y).into(self.outputs.layer)
            self.led = [self.outputs.layer.weight, self.outputs.layer.bias]

    # From documents to one vector each ------------------------------------------------------------------------------

    def said(self, batch: Taught) -> tuple[Tensor, Tensor]:
        """The weighted sum of the descriptions taught, (documents, description, width), and where it says anything."""
        nodes, places = torch.unique(batch.nodes, return_inverse=True)  # -1, padding, is the last description: no words
        tokens = self.descriptions[nodes]  # (nodes, description)
        taught = batch.weights.new_zeros(len(places), len(nodes)).scatter_add(1, places, batch.weights)
        summed = taught @ self.words.table(tokens).flatten(1)
        vectors: Tensor = self.words.dropout(summed.view(len(places), tokens.shape[1], self.words.width))
        return vectors, (taught > 0).to(summed.dtype) @ (tokens != 0).to(summed.dtype) > 0

    def read(self, batch: Taught) -> tuple[Tensor, Tensor]:
        """States before both are read together, and where they are."""
        mask = batch.mask
        states = self.student(self.words(batch.tokens), mask)
        if self.teacher is None:
            return states, mask
        said, there = self.said(batch)
        return torch.cat([self.teacher(said, there), states], dim=1), torch.cat([there, mask], dim=1)

    def hidden(self, batch: Taught) -> Tensor:
        """Documents at the bottleneck and as bags, (documents, bottleneck + bag)."""
        states, there = self.read(batch)
        return self._narrowed(self.together(states, there), there, batch)

    def _narrowed(self, states: Tensor, there: Tensor, batch: Taught) -> Tensor:
        narrow: Tensor = self.bottleneck(self.dropout(self._pooled(states, there)))
        if self.level is not None:
            narrow = self.dropout(F.relu(self.level(narrow)))
        return self.whole(narrow, batch.tokens)  # type: ignore[no-any-return]

    def _pooled(self, states: Tensor, there: Tensor) -> Tensor:
        kind = self.shape.pooling
        if kind == "flatten":
            held = states * there.unsqueeze(2)
            return F.pad(held, (0, 0, 0, self.longest - held.shape[1])).flatten(1)
        pools = [mean_of(states, there)] if "mean" in kind else []
        return torch.cat([*pools, *([largest_of(states, there)] if "max" in kind else [])], dim=1)

    # From vectors to labels -----------------------------------------------------------------------------------------

    def forward(self, batch: Taught) -> Tensor:  # type: ignore[override]
        logits: Tensor = self.outputs(self.hidden(batch))
        if self.votes is None:
            return logits
        pairs, shares = _pairs(batch)
        return logits.index_put((pairs[:, 0], pairs[:, 1]), self.votes(shares), accumulate=True)

    def loss(self, batch: Taught) -> Tensor:  # type: ignore[override]
        """Binary cross-entropy, summed over labels, mean over documents."""
        hidden, raised = self.hidden(batch), None
        if self.votes is not None:
            pairs, shares = _pairs(batch)
            raised = Raised(pairs, self.votes(shares))
        return self.outputs.cross_entropy(hidden, batch.positives, batch.worth, raised).mean()

    def best(self, batch: Taught, k: int) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        hidden = self.hidden(batch)
        labels, logits = self.outputs.best(hidden, min(k, self.labels))
        if self.votes is not None and batch.voted.shape[1]:
            labels, logits = self._with_votes(batch, hidden, labels, logits)
        logits, order = logits.topk(min(k, self.labels), dim=1)
        return labels.gather(1, order), torch.sigmoid(logits)

    def _with_votes(self, batch: Taught, hidden: Tensor, labels: Tensor, logits: Tensor) -> tuple[Tensor, Tensor]:
        """The best labels and those voted for; votes only add, so no others can be among the best."""
        assert self.votes is not None
        pairs, shares = _pairs(batch)
        there = batch.voted >= 0
        raised = logits.new_full(batch.voted.shape, -torch.inf)
        raised[there] = self.outputs.at(hidden, pairs) + self.votes(shares)
        twice = (labels.unsqueeze(2) == batch.voted.unsqueeze(1)).any(dim=2)
        logits = logits.masked_fill(twice, -torch.inf)
        return torch.cat([labels, batch.voted.clamp(min=0)], dim=1), torch.cat([logits, raised], dim=1)

    def logit(self, batch: Taught, label: int) -> Tensor:  # type: ignore[override]
        return self._logit(batch, self.hidden(batch), label)

    def _logit(self, batch: Taught, hidden: Tensor, label: int) -> Tensor:
        rows = torch.arange(len(hidden), device=hidden.device)
        own = self.outputs.at(hidden, torch.stack([rows, torch.full_like(rows, label)], dim=1))
        if self.votes is None:
            return own
        shares = (batch.shares * (batch.voted == label)).sum(dim=1)
        raised: Tensor = own + self.votes(shares)
        return raised

    def attention(self, batch: Taught, label: int) -> Tensor:  # type: ignore[override]
        """How much of the label's attention each word gets where both are read together, (documents, longest).

        Self-attention is the same for all labels. A weight counts as far as the label's logit rises with it, over all
        heads and places; what goes to the teacher's words is left out, so the rest may be less than 1.
        """
        with torch.enable_grad():
            states, there = self.read(batch)
            made, weights = self.together.looked(states, there)
            logit = self._logit(batch, self._narrowed(made, there, batch), label)
            (slope,) = torch.autograd.grad(logit.sum(), weights)
        useful = (slope * weights).clamp(min=0).sum(dim=(1, 2))  # (documents, description + longest)
        shares = useful / useful.sum(dim=1, keepdim=True).clamp(min=1e-12)
        return shares[:, -batch.tokens.shape[1] :].detach()


def _pairs(batch: Taught) -> tuple[Tensor, Tensor]:
    """Pairs (document, label) that were voted for, and the shares of the votes."""
    there = batch.voted >= 0
    rows = there.nonzero()[:, 0]
    return torch.stack([rows, batch.voted[there]], dim=1), batch.shares[there]
