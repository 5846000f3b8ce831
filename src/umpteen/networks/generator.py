"""Generator and discriminator: one scores every node at the top of a label tree, the other candidates further down."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import logit
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.attention import LabelAttention
from umpteen.networks.scorer import Scorer
from umpteen.networks.thin import products
from umpteen.networks.whole import Lying


@dataclass(frozen=True)
class Reading:
    """What an encoder made of documents."""

    states: Tensor  # (documents, longest, width)
    mask: Tensor  # (documents, longest), where there are words
    whole: Tensor  # (documents, whole), each document as one vector


class Pooled(nn.Module):
    """A generator that sees each document as one vector; cheap, whatever the number of nodes."""

    def __init__(self, whole: int, shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.scorer = Scorer(whole, (), shares)

    def forward(self, reading: Reading) -> Tensor:
        """Logits of all nodes, (documents, nodes)."""
        return self.scorer(reading.whole)  # type: ignore[no-any-return]

    def judged(self, reading: Reading, targets: Tensor, counts: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The sum of binary cross-entropies, each times its `counts`, and the logits, without a gradient."""
        logits = self(reading)
        return F.binary_cross_entropy_with_logits(logits, targets, counts, reduction="sum"), logits.detach()


class Attending(nn.Module):
    """A generator of which every node attends to the words in its own way."""

    def __init__(self, width: int, layers: Sequence[int], shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.attend = LabelAttention(width, layers, shares)

    def forward(self, reading: Reading) -> Tensor:
        """Logits of all nodes, (documents, nodes)."""
        return self.attend(reading.states, reading.mask)  # type: ignore[no-any-return]

    def judged(self, reading: Reading, targets: Tensor, counts: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The sum of binary cross-entropies, each times its `counts`, and the logits, without a gradient."""
        return self.attend.judged(reading.states, reading.mask, targets, counts=counts)


class Discriminator(nn.Module):
    """Tells which candidates are right: each attends to the words, or meets the document as a whole, or both.

    `shares` says of each node how often it will be right where it is a candidate. `meet` is the width of the vectors
    by which nodes and whole documents meet, 0 for none. Gradients of nodes that are no candidates are left out, unless
    all are (`dense`).
    """

    def __init__(
        self,
        width: int,
        whole: int,
        layers: Sequence[int],
        shares: NDArray[np.float32],
        *,
        meet: int,
        dense: bool,
        attends: bool = True,
    ) -> None:
        super().__init__()
        self.attend = LabelAttention(width, layers, shares, sparse=not dense) if attends else None
        self.met = nn.Embedding(len(shares), meet, sparse=not dense) if meet else None
        self.usual = nn.Embedding(len(shares), 1, sparse=not dense) if meet else None
        self.view = nn.Linear(whole, meet) if meet else None
        self.start = None if attends else nn.Parameter(torch.logit(torch.tensor(shares.mean()), eps=1e-6))
        if self.met is not None and self.usual is not None:
            nn.init.zeros_(self.met.weight)
            usual = logit(np.clip(shares, 1e-6, 1 - 1e-6)) - logit(np.clip(shares.mean(), 1e-6, 1 - 1e-6))
            with torch.no_grad():
                self.usual.weight.copy_(torch.from_numpy(usual).unsqueeze(1))

    def forward(self, reading: Reading, nodes: Tensor) -> Tensor:
        """Logits of each document's own nodes, (documents, candidates)."""
        met = self._meeting(reading, nodes)
        return met if self.attend is None else self.attend.among(reading.states, reading.mask, nodes) + met

    def judged(
        self, reading: Reading, targets: Tensor, *, nodes: Tensor | None = None, counts: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The sum of binary cross-entropies over `nodes` that count, or all; and the logits, without a gradient."""
        met = self._meeting(reading, nodes)
        if self.attend is None:
            return F.binary_cross_entropy_with_logits(met, targets, counts, reduction="sum"), met.detach()
        plus = met if self.met is not None else None
        return self.attend.judged(reading.states, reading.mask, targets, labels=nodes, counts=counts, plus=plus)

    @torch.no_grad()
    def lead(self, lying: Lying, axes: Tensor) -> None:
        """Let nodes meet documents where those of theirs lie, seen along axes of the bags, which come last."""
        assert self.met is not None and self.view is not None
        seen, bag = axes.shape
        self.view.weight[:seen] = 0
        self.view.weight[:seen, -bag:] = axes
        self.view.bias[:seen] = -lying.middle
        self.met.weight[:, :seen] = lying.directions

    def _meeting(self, reading: Reading, nodes: Tensor | None) -> Tensor:
        """What nodes gain by being usual and by meeting documents as wholes; and their start, unless they attend."""
        start = reading.whole.new_zeros(()) if self.start is None else self.start
        if self.met is None or self.usual is None or self.view is None:
            return start
        view = self.view(reading.whole)
        if nodes is None:
            return start + F.linear(view, self.met.weight, self.usual.weight[:, 0])
        met: Tensor = self.usual(nodes).squeeze(2)
        return start + met + products(self.met.weight, nodes, view, sparse=self.met.sparse)
