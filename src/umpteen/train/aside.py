"""Aside: copies of a network's weights that lie in a file, and are in memory only while something is done with them.

Best weights and the mean of weights are touched once in a while, and are as large as the network. The file is mapped
and has no name, so that a stop leaves none behind; where there is no room for it, the copies stay in memory.
"""

import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

_LARGE = 1 << 16  # bytes of a tensor that are worth a place in the file
_BLOCK = 1 << 20  # numbers in memory at a time

Weights = Mapping[str, Tensor]


class Aside:
    """Tensors as large as those given, with their numbers."""

    def __init__(self, weights: Weights) -> None:
        sizes = {name: _room(tensor) for name, tensor in weights.items()}
        self._map = _mapped(sum(sizes.values())) if any(sizes.values()) else None
        self.tensors, at = dict[str, Tensor](), 0
        for name, like in weights.items():
            if self._map is not None and sizes[name]:
                flat = torch.frombuffer(self._map, dtype=like.dtype, count=like.numel(), offset=at)
                self.tensors[name], at = flat.view(like.shape), at + sizes[name]
            else:
                self.tensors[name] = torch.empty_like(like, requires_grad=False)
        self.take(weights)

    def take(self, weights: Weights) -> None:
        """Become a copy of these."""
        for kept, now in self._blocks(weights):
            kept.copy_(now)

    def near(self, weights: Weights, share: float) -> None:
        """Go a share of the way to these; numbers that are counts become theirs."""
        for kept, now in self._blocks(weights):
            kept.lerp_(now, share) if kept.is_floating_point() else kept.copy_(now)

    def give(self, weights: Weights) -> None:
        """Make these what lies here."""
        for kept, now in self._blocks(weights):
            now.copy_(kept)

    def swap(self, weights: Weights) -> None:
        """Exchange what lies here with these."""
        for kept, now in self._blocks(weights):
            before = now.clone()
            now.copy_(kept)
            kept.copy_(before)

    def items(self) -> Iterator[tuple[str, Tensor]]:
        """All tensors by name, each to be used before the next is asked for."""
        for item in self.tensors.items():
            yield item
            self._let_go()

    def _blocks(self, weights: Weights) -> Iterator[tuple[Tensor, Tensor]]:
        """Parts of what lies here and of the same weights there."""
        for name, kept in self.tensors.items():
            now = weights[name].detach()
            if not kept.is_contiguous() or not now.is_contiguous():
                yield kept, now
                continue
            kept, now = kept.view(-1), now.view(-1)
            for start in range(0, kept.numel(), _BLOCK):
                yield kept[start : start + _BLOCK], now[start : start + _BLOCK]
                self._let_go()

    def _let_go(self) -> None:
        """Have the system forget pages in memory; the file has them."""
        if self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)


def _room(tensor: Tensor) -> int:
    """Bytes of the file that a tensor takes, whole pages; 0: it stays in memory."""
    worth = tensor.nbytes >= _LARGE and tensor.device.type == "cpu" and tensor.is_contiguous()
    return -(-tensor.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE if worth else 0


def _mapped(size: int) -> mmap.mmap | None:
    """A file of so many bytes in memory; none where the system cannot do that, or has no room for it."""
    if not hasattr(os, "posix_fallocate") or not hasattr(mmap, "MADV_DONTNEED"):
        return None
    try:
        with tempfile.TemporaryFile(prefix="umpteen-") as file:
            os.posix_fallocate(file.fileno(), 0, size)  # or a full disk would end the process later
            return mmap.mmap(file.fileno(), size)
    except OSError:
        return None
