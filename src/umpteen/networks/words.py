"""Words: token ids to vectors, with dropout; their gradient is sparse, so a step costs only the words it saw."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


class Words(nn.Module):
    """An embedding that starts from given vectors and stays as it is or learns."""

    def __init__(self, vectors: NDArray[np.float32], *, learn: bool, dropout: float) -> None:
        super().__init__()
        self.table = nn.Embedding(vectors.shape[0], vectors.shape[1], padding_idx=0, sparse=learn)
        with torch.no_grad():
            self.table.weight.copy_(torch.from_numpy(vectors))
            self.table.weight[0] = 0
        self.table.weight.requires_grad_(learn)
        self.dropout = nn.Dropout(dropout)

    @property
    def width(self) -> int:
        """Numbers in a vector."""
        return self.table.embedding_dim

    def forward(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.dropout(self.table(tokens))  # (documents, longest, width)
        return vectors
