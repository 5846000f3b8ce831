"""A document as one vector: what was made of its states, and beside that its words as a bag."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.bag import Sized, WordBag
from umpteen.networks.words import Words


class Whole(nn.Module):
    """Vectors (documents, states) and tokens to vectors (documents, width)."""

    def __init__(self, states: int, words: Words, bag: int, *, dropout: float) -> None:
        """`bag` is the width of the bag, 0 for none; `dropout` the share of its numbers left out in a step."""
        super().__init__()
        self.width = states + bag
        self.bag = WordBag(len(words), bag, dropout=words.dropout.p) if bag else None
        self.sized, self.dropout = Sized(bag), nn.Dropout(dropout)

    def forward(self, states: Tensor, tokens: Tensor) -> Tensor:
        if self.bag is None:
            return states
        return torch.cat([states, self.dropout(F.relu(self.sized(self.bag(tokens))))], dim=1)
