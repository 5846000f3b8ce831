"""Words: ids of words or features to vectors; with sparse gradients, a step costs only what it saw."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.dropping import Dropping
from umpteen.networks.thin import summed

MANY = 10_000  # vectors from which on sparse gradients are cheaper than dense ones


class Words(nn.Module):
    """An embedding that starts from given vectors and stays as it is or learns."""

    def __init__(
        self, vectors: NDArray[np.float32], *, learn: bool = True, dropout: float = 0.0, sparse: bool = True
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(vectors.shape[0], vectors.shape[1], padding_idx=0, sparse=learn and sparse)
        with torch.no_grad():
            if learn or self.table.weight.is_meta or vectors[0].any():
                self.table.weight.copy_(torch.from_numpy(vectors))
                self.table.weight[0] = 0
            else:
                self.table.weight.data = torch.from_numpy(vectors)  # what nobody changes need not be there twice
        self.table.weight.requires_grad_(learn)
        self.dropout = Dropping(dropout)

    def __len__(self) -> int:
        return self.table.num_embeddings

    @property
    def width(self) -> int:
        """Numbers in a vector."""
        return self.table.embedding_dim

    @torch.no_grad()
    def redraw(self, spread: float) -> None:
        """Begin with other random numbers that deviate by `spread`."""
        self.table.weight[2:].normal_(0, spread)

    def forward(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.dropout(self.table(tokens))  # (documents, longest, width)
        return vectors

    def summed(self, tokens: "Tensor | Strung", values: Tensor) -> Tensor:
        """The sum of each document's vectors times their values, (documents, width), never a vector at a time."""
        at = tokens if isinstance(tokens, Strung) else Strung.of(tokens)
        return summed(self.table.weight, at.ids, at.starts, values[at.mask], sparse=self.table.sparse)


@dataclass(frozen=True)
class Strung:
    """Words of documents one after the other, for several tables that sum the same words."""

    mask: Tensor  # (documents, longest): where there are words
    ids: Tensor  # (words)
    starts: Tensor  # (documents)

    @classmethod
    def of(cls, tokens: Tensor) -> "Strung":
        """Where words stand in documents that are filled up with 0, (documents, longest)."""
        mask = tokens != 0
        return cls(mask, tokens[mask], F.pad(mask.sum(dim=1).cumsum(0)[:-1], (1, 0)))
