"""Random numbers that a network begins with: those of a seed, or none where weights are at hand already."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


@contextmanager
def chance_of(seed: int) -> Iterator[None]:
    """Random numbers that depend on a seed alone, and leave the caller's as they were."""
    with torch.random.fork_rng(range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


class Undrawn(TorchFunctionMode):
    """Random numbers are not drawn: for tensors without memory, torch would import its compiler for that, 70 MB."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.__name__ in ("normal_", "uniform_", "kaiming_uniform_"):  # of tensors, and of torch.nn.init
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))
