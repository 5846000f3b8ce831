"""Scorer: fully connected layers with ReLU between them, down to `outputs` numbers."""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional as F


class Scorer(nn.Module):
    """Layers of the widths given, then the output; `apply` runs them with weights from elsewhere."""

    def __init__(self, width: int, hidden: Sequence[int], outputs: int) -> None:
        super().__init__()
        widths = (width, *hidden, outputs)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight)  # type: ignore[arg-type]
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        return self.scored(x, *self.parameters())

    @staticmethod
    def scored(x: Tensor, *weights: Tensor) -> Tensor:
        """The same with these weights and biases, in turn."""
        pairs = list(zip(weights[::2], weights[1::2], strict=True))
        for weight, bias in pairs[:-1]:
            x = F.relu(F.linear(x, weight, bias))
        return F.linear(x, *pairs[-1])
