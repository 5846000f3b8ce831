"""Scorer: fully connected layers with ReLU between them, down to a logit for each label, or for one."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F


class Scorer(nn.Module):
    """Layers of the widths given, then an output for each of `shares`, which it begins by answering."""

    def __init__(self, width: int, hidden: Sequence[int], shares: NDArray[np.float32]) -> None:
        super().__init__()
        widths = (width, *hidden, len(shares))
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight)  # type: ignore[arg-type]
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
        with torch.no_grad():
            self.last.bias.copy_(torch.logit(torch.from_numpy(shares), eps=1e-6))

    @property
    def last(self) -> nn.Linear:
        """The layer of the outputs."""
        layer = self.layers[-1]
        assert isinstance(layer, nn.Linear)
        return layer

    def forward(self, x: Tensor) -> Tensor:
        return self.scored(x, *self.parameters())

    @staticmethod
    def scored(x: Tensor, *weights: Tensor) -> Tensor:
        """The same with these weights and biases, in turn."""
        pairs = list(zip(weights[::2], weights[1::2], strict=True))
        for weight, bias in pairs[:-1]:
            x = F.relu(F.linear(x, weight, bias))
        return F.linear(x, *pairs[-1])
