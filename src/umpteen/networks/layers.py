"""Layers: fully connected ones before the labels' scores, each normalised over the batch, with ReLU and dropout."""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.dropping import Dropping


class Layers(nn.Sequential):
    """Layers of the widths given, of which the first is the input's; without any, the input as it is."""

    def __init__(self, widths: Sequence[int], *, dropout: float) -> None:
        super().__init__()
        self.width = widths[-1]
        for before, after in pairwise(widths):
            self.extend([nn.Linear(before, after, bias=False), *finish(after, dropout=dropout)])


def finish(width: int, *, dropout: float) -> tuple[nn.Module, ...]:
    """What follows a linear layer."""
    return Norm(width), nn.ReLU(), Dropping(dropout)


class Norm(nn.BatchNorm1d):
    """Normalises over the batch; a single document, which has no spread, by what earlier batches had."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) == 1:
            return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        return super().forward(x)
