"""A bag of words: each word has a vector of its own in a layer, rare words count more, and order does not count."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from umpteen.networks.dropping import Dropping
from umpteen.networks.words import Words

_SPREAD = 0.05  # deviation of the numbers that vectors begin as: small ones learn fast

_LEAST = 1e-6  # added to squares, so that nothing is divided by 0


class WordBag(nn.Module):
    """Documents as sums of their words' vectors, (documents, width)."""

    def __init__(self, words: int, width: int, *, dropout: float) -> None:
        """`dropout` is the share of the words left out in a step."""
        super().__init__()
        self.table = Words(np.zeros((words, width), np.float32))
        self.table.redraw(_SPREAD)
        self.register_buffer("rarity", torch.ones(words))
        self.rarity: Tensor
        self.dropout = Dropping(dropout)

    def weigh(self, rarity: NDArray[np.float32]) -> None:
        """Let words count by how rare they are, (words,)."""
        self.rarity.copy_(torch.from_numpy(rarity))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.table.summed(tokens, self.dropout(self.rarity[tokens]))


class Sized(nn.Module):
    """Vectors (documents, width) brought to one size, then scaled and moved number by number.

    Out of training the size counts as given, so that what words add to an answer can be told from its gradient.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, vectors: Tensor) -> Tensor:
        size = (vectors.square().mean(dim=1, keepdim=True) + _LEAST).rsqrt()
        return vectors * (size if self.training else size.detach()) * self.weight + self.bias
