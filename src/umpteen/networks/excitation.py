"""Excitation: how much each number of each word's vector counts, by two small layers; the attention of Rank-AE."""

from torch import Tensor, nn


class Excitation(nn.Module):
    """Attention (documents, longest, width), between 0 and 1, to vectors of the same shape."""

    def __init__(self, width: int, *, reduction: int) -> None:
        super().__init__()
        narrow = max(1, width // reduction)
        self.layers = nn.Sequential(nn.Linear(width, narrow), nn.ReLU(), nn.Linear(narrow, width), nn.Sigmoid())

    def forward(self, vectors: Tensor) -> Tensor:
        return self.layers(vectors)  # type: ignore[no-any-return]
