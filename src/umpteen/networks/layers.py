"""Layers: fully connected ones before the labels' scores, each normalised over the batch, with ReLU and dropout."""

from collections.abc import Sequence
from itertools import pairwise

from torch import nn


class Layers(nn.Sequential):
    """Layers of the widths given, of which the first is the input's; without any, the input as it is."""

    def __init__(self, widths: Sequence[int], *, dropout: float) -> None:
        super().__init__()
        self.width = widths[-1]
        for before, after in pairwise(widths):
            self.extend([nn.Linear(before, after, bias=False), *finish(after, dropout=dropout)])


def finish(width: int, *, dropout: float) -> tuple[nn.Module, ...]:
    """What follows a linear layer."""
    return nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(dropout)
