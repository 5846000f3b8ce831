"""A document as one vector: what was made of its states, and beside that its words as a bag."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from umpteen.networks.bag import Sized, WordBag
from umpteen.networks.dropping import Dropping
from umpteen.networks.words import Words

_ROUNDING = 1e-5  # of sums of numbers of 32 bits


@dataclass(frozen=True)
class Lying:
    """Where documents of each label lie, by their bags."""

    directions: Tensor  # (labels, width), from the middle to the mean of a label's documents, of length 1
    middle: Tensor  # (width,), the mean of all documents

    @torch.no_grad()
    def into(self, layer: nn.Linear) -> None:
        """Let the outputs of a layer over whole documents, whose bags come last, begin there."""
        layer.weight[:, -len(self.middle) :] = self.directions
        layer.bias.sub_(self.directions @ self.middle)

    def axes(self, most: int) -> Tensor:
        """The orthogonal directions, (at most `most`, width), in which labels differ most."""
        square = (self.directions.T @ self.directions).numpy(force=True)
        found = np.linalg.eigh(square.astype(np.float64)).eigenvectors.T[::-1][:most]  # few labels make it singular
        return torch.from_numpy(found.astype(np.float32)).to(self.directions.device)


class Whole(nn.Module):
    """Vectors (documents, states) and tokens to vectors (documents, width)."""

    def __init__(self, states: int, words: Words, bag: int, *, dropout: float, skip: float = 0.0) -> None:
        """`bag` is the width of the bag, 0 for none; `dropout` the share of its numbers left out in a step.

        `skip` is the share of documents in a step that have none, so that what was read has to answer by itself.
        """
        super().__init__()
        self.states, self.width, self.bag, self.skip = states, states + bag, None, skip
        if bag:
            counted = WordBag(len(words), bag, dropout=words.dropout.share)
            self.bag = nn.Sequential(counted, Sized(bag), nn.ReLU(), Dropping(dropout))

    def forward(self, states: Tensor, tokens: Tensor) -> Tensor:
        if self.bag is None:
            return states
        bags = self.bag(tokens)
        if self.training and self.skip:
            bags = bags * (torch.rand(len(bags), 1, device=bags.device) >= self.skip)
        return torch.cat([states, bags], dim=1)

    @torch.no_grad()
    def lying(self, documents: Iterable[Tensor], Y: sparse.csr_array, onto: Tensor | None = None) -> Lying:
        """Where documents with each label lie: batches of tokens, in the order of Y's rows.

        With `onto`, some directions, their bags as seen along these.
        """
        assert self.bag is not None
        self.bag.eval()
        width = self.width - self.states if onto is None else len(onto)
        sums, whole, at = np.zeros((Y.shape[1], width), np.float32), np.zeros(width), 0
        for tokens in documents:
            bags = self.bag(tokens) if onto is None else self.bag(tokens) @ onto.T
            rows = bags.numpy(force=True)
            have = sparse.csr_array(Y[at : at + len(rows)].T.astype(np.float32))
            there = np.flatnonzero(np.diff(have.indptr))  # few of very many labels
            sums[there] += have[there] @ rows
            whole, at = whole + rows.sum(axis=0, dtype=np.float64), at + len(rows)
        self.bag.train()
        middle, counts = (whole / at).astype(np.float32), np.asarray(Y.sum(axis=0), np.float32)
        sums -= np.outer(counts, middle)
        lengths = np.linalg.norm(sums, axis=1)
        nowhere = lengths <= _ROUNDING * counts * np.linalg.norm(middle)  # labels that no document has, or all have
        sums /= np.where(nowhere, np.inf, lengths)[:, None]
        device = next(self.bag.parameters()).device
        return Lying(torch.from_numpy(sums).to(device), torch.from_numpy(middle).to(device))
