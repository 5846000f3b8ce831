"""Dropout whose random numbers cost next to nothing: on a processor torch's own take a tenth of a training step."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from umpteen.kernels.dropping import LEVELS, kept

_BITS = {torch.float32: torch.int32, torch.bfloat16: torch.int16, torch.float16: torch.int16}
_SEEDS = 1 << 62


class Dropping(nn.Module):
    """Leaves a share of the numbers out of a step, and makes the others larger for it."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, given: Tensor) -> Tensor:
        return dropped(given, self.share, self.training)


def dropped(given: Tensor, share: float, training: bool) -> Tensor:
    """The numbers given; in training a share of them is 0, and the others are as much larger."""
    if not training or not share:
        return given
    if given.device.type != "cpu" or given.dtype not in _BITS:
        return F.dropout(given, share)
    made: Tensor = _Dropped.apply(given, share)  # type: ignore[no-untyped-call]
    return made


class _Dropped(torch.autograd.Function):
    """Remembers the seed alone, since the seed tells again what was left out."""

    @staticmethod
    def forward(ctx: Any, given: Tensor, share: float) -> Tensor:
        ctx.how = int(torch.randint(_SEEDS, ())), round(share * LEVELS), 1 / (1 - share)
        return _kept(given, *ctx.how)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None]:
        return _kept(slope, *ctx.how), None


def _kept(given: Tensor, seed: int, least: int, scale: float) -> Tensor:
    given = given.contiguous()
    made, bits = torch.empty_like(given), _BITS[given.dtype]
    kept(_flat(given, bits), seed, least, _flat(made, bits))
    return made.mul_(scale)


def _flat(tensor: Tensor, bits: torch.dtype) -> Any:
    return tensor.detach().view(-1).view(bits).numpy()
