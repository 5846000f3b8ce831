"""Data-parallel steps: the processes of a torch group each take a share of the batch, and average their gradients.

Whoever starts such a group (a Ray cluster, torchrun) trains with it; a process by itself is a group of one.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from umpteen.networks.network import Documents, Network

Loss = Callable[[Documents], Tensor]


def place() -> tuple[int, int]:
    """The number of this process in its group, and how many there are."""
    if not (distributed.is_available() and distributed.is_initialized()):
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def share(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What this process takes of some rows; too few for everyone, and each takes them all."""
    number, count = place()
    return rows if len(rows) < count else rows[number::count]


def weight(rows: NDArray[np.int64]) -> float:
    """What this process's share counts in the mean over the group."""
    return len(share(rows)) * place()[1] / len(rows) if len(rows) >= place()[1] else 1.0


def mean(value: float) -> float:
    """The mean of a number over the group, the same to the last bit for all."""
    _, count = place()
    if count == 1:
        return value
    total = torch.tensor([value], dtype=torch.float64)
    distributed.all_reduce(total)
    return float(total) / count


def together(network: Network, loss: Loss) -> Loss:
    """The loss of a network, whose gradients then are the group's mean."""
    if place()[1] == 1:
        return loss
    return DistributedDataParallel(_Lossy(network, loss), find_unused_parameters=True)


class _Lossy(nn.Module):
    """A network that answers with its loss, which is what DistributedDataParallel can follow."""

    def __init__(self, network: Network, loss: Loss) -> None:
        super().__init__()
        self.network = network
        self._loss = loss

    def forward(self, batch: Documents) -> Tensor:
        """The loss of a batch."""
        return self._loss(batch)
