"""A document as one vector: what was made of its states, and beside that its words as a bag."""

import torch
from torch import Tensor, nn

from umpteen.networks.bag import Sized, WordBag
from umpteen.networks.words import Words


class Whole(nn.Module):
    """Vectors (documents, states) and tokens to vectors (documents, width)."""

    def __init__(self, states: int, words: Words, bag: int, *, dropout: float) -> None:
        """`bag` is the width of the bag, 0 for none; `dropout` the share of its numbers left out in a step."""
        super().__init__()
        self.width, self.bag = states + bag, None
        if bag:
            counted = WordBag(len(words), bag, dropout=words.dropout.p)
            self.bag = nn.Sequential(counted, Sized(bag), nn.ReLU(), nn.Dropout(dropout))

    def forward(self, states: Tensor, tokens: Tensor) -> Tensor:
        return states if self.bag is None else torch.cat([states, self.bag(tokens)], dim=1)
