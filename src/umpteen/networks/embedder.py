"""Embedder: documents to the space of label vectors, by two layers; several of them side by side, each its own.

A document should lie where the mean of its labels' vectors lies. Beside that, a head may learn the labels themselves
from where documents lie; its weights begin as the label vectors and become finer ones.
"""

from copy import deepcopy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.dropping import dropped
from umpteen.networks.layers import Norm
from umpteen.networks.network import Documents, Network
from umpteen.networks.outputs import Outputs
from umpteen.networks.words import Strung, Words

_SPREAD = 0.1  # of what features' vectors begin as where the hidden layer is normalised
_SCALE = 10.0  # what the head's logits begin as many times of

Kept = tuple[Tensor, list[Outputs | None]]  # label vectors and heads


class Member(nn.Module):
    """Features, a hidden layer with or without ReLU, a linear layer, unit length."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        shares: NDArray[np.float32],
        *,
        width: int,
        relu: bool,
        normed: bool,
        dropouts: tuple[float, float, float],
        head: bool,
        sparse: bool,
    ) -> None:
        super().__init__()
        hidden = vectors.shape[1]
        self.relu, self.dropouts = relu, dropouts
        self.words = Words(vectors, sparse=sparse)
        self.shift = nn.Parameter(torch.zeros(hidden))
        self.norm = Norm(hidden) if normed else None
        self.last = nn.Linear(hidden, width)
        self.scale = nn.Parameter(torch.tensor(_SCALE), requires_grad=head)
        self.outputs = Outputs(width, len(shares)) if head else None

    def forward(self, batch: Documents, strung: Strung) -> Tensor:
        """Where documents lie, (documents, width)."""
        assert batch.values is not None
        of_features, of_hidden, of_last = self.dropouts
        values = dropped(batch.values, of_features, self.training)
        inner = self.words.summed(strung, values) + self.shift
        inner = inner if self.norm is None else self.norm(inner)
        inner = dropped(F.relu(inner) if self.relu else inner, of_hidden, self.training)
        return F.normalize(dropped(self.last(inner), of_last, self.training), dim=1)

    def loss(self, batch: Documents, strung: Strung, wanted: Tensor, head: float) -> Tensor:
        """Smooth L1 distances to where documents should lie, summed over dimensions, and the head's cross-entropy."""
        found = self(batch, strung)
        apart = F.smooth_l1_loss(found, wanted, reduction="none").sum(dim=1)
        if self.outputs is not None:
            apart = apart + head * self.outputs.cross_entropy(self.scale * found, batch.positives, batch.worth)
        return apart.mean()


class Embedder(Network):
    """Members, and the label vectors that documents are drawn to."""

    def __init__(self, members: list[Member], labels: int, *, unit: bool, head: float) -> None:
        super().__init__()
        self.labels, self.unit, self.head = labels, unit, head
        self.members = nn.ModuleList(members)
        self.register_buffer("label_vectors", torch.zeros(labels, members[0].last.out_features))
        self.label_vectors: Tensor

    @torch.no_grad()
    def begin(self, label_vectors: NDArray[np.float32]) -> None:
        """Take label vectors as targets, begin the heads with them, and let members begin apart from each other."""
        self.label_vectors.copy_(torch.from_numpy(label_vectors))
        for member in self.each():
            features = len(member.words.table.weight)
            member.words.redraw(_SPREAD if member.norm is not None else (3 * features) ** -0.5)  # as layers begin
            if member.outputs is not None:
                member.outputs.layer.weight.copy_(F.normalize(self.label_vectors, dim=1))

    def each(self) -> list[Member]:
        """The members."""
        return [member for member in self.members if isinstance(member, Member)]

    def embedded(self, batch: Documents) -> Tensor:
        """Where documents lie for all members together, (documents, members x width), of unit length."""
        strung = Strung.of(batch.tokens)
        parts: list[Tensor] = [member(batch, strung) for member in self.each()]
        return torch.cat(parts, dim=1).div(len(parts) ** 0.5)

    def wanted(self, batch: Documents) -> Tensor:
        """Where documents should lie: at the mean of their labels' vectors, (documents, width)."""
        counts = torch.bincount(batch.positives[:, 0], minlength=len(batch.tokens))
        starts = F.pad(counts.cumsum(0)[:-1], (1, 0))
        means = F.embedding_bag(batch.positives[:, 1], self.label_vectors, starts, mode="mean")
        return F.normalize(means, dim=1) if self.unit else means

    def loss(self, batch: Documents) -> Tensor:
        strung, wanted = Strung.of(batch.tokens), self.wanted(batch)
        return torch.stack([member.loss(batch, strung, wanted, self.head) for member in self.each()]).sum()

    def heads(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights (labels, members x width) and biases (labels, members) that turn `embedded` into members' logits."""
        weights, biases = list[Tensor](), list[Tensor]()
        for member in self.each():
            if member.outputs is not None:
                weights.append(member.outputs.layer.weight * member.scale * len(self.members) ** 0.5)
                biases.append(member.outputs.layer.bias)
        if not weights:
            return np.empty((0, 0), np.float32), np.empty((0, 0), np.float32)
        return torch.cat(weights, dim=1).numpy(force=True), torch.stack(biases, dim=1).numpy(force=True)

    def head_weights(self) -> list[Tensor]:
        """Weights and biases of the heads."""
        layers = [member.outputs.layer for member in self.each() if member.outputs is not None]
        return [weights for layer in layers for weights in (layer.weight, layer.bias)]

    def head_loss(self, found: Tensor, positives: Tensor) -> Tensor:
        """The heads' cross-entropy where documents lie as `embedded` says."""
        parts = found.mul(len(self.members) ** 0.5).chunk(len(self.members), dim=1)
        losses = [
            member.outputs.cross_entropy(member.scale.detach() * part, positives).mean()
            for member, part in zip(self.each(), parts, strict=True)
            if member.outputs is not None
        ]
        return torch.stack(losses).sum()

    def kept(self) -> Kept:
        """A copy of what learning more documents changes."""
        return self.label_vectors, [deepcopy(member.outputs) for member in self.each()]

    def restore(self, kept: Kept) -> None:
        """Become again what was kept."""
        self.label_vectors, heads = kept
        self.labels = len(self.label_vectors)
        for member, head in zip(self.each(), heads, strict=True):
            member.outputs = head

    @torch.no_grad()
    def grow(self, places: NDArray[np.integer], label_vectors: NDArray[np.float32], lie: NDArray[np.float32]) -> None:
        """New labels before these places of the older ones: their vectors, and where documents with them lie.

        A head's weights for a new label point to where its documents lie for the member, with the length and the
        bias that others have on the average.
        """
        self.label_vectors = _inserted(self.label_vectors, places, torch.from_numpy(label_vectors))
        parts = np.split(lie, len(self.members), axis=1)
        for member, part in zip(self.each(), parts, strict=True):
            if member.outputs is None:
                continue
            layer = member.outputs.layer
            pointed = F.normalize(torch.from_numpy(part).to(layer.weight), dim=1) * layer.weight.norm(dim=1).mean()
            biases = layer.bias.mean().expand(len(places))
            layer.weight = nn.Parameter(_inserted(layer.weight, places, pointed))
            layer.bias = nn.Parameter(_inserted(layer.bias, places, biases))
            layer.out_features = len(layer.bias)
        self.labels += len(places)


def _inserted(rows: Tensor, places: NDArray[np.integer], new: Tensor) -> Tensor:
    """Rows with new ones before the places named, which rise."""
    made = np.insert(rows.numpy(force=True), places, new.numpy(force=True), axis=0)
    return torch.from_numpy(made).to(rows.device)
