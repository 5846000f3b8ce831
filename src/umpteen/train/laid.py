"""Where a network lays documents: vectors of unit length, for those that vote on others' labels."""

from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from umpteen.networks.network import Documents
from umpteen.train.batches import Source, cut

_TOGETHER = 1024  # documents laid at a time


class Laying(Protocol):
    """A network that lays documents."""

    def eval(self) -> object:
        """Lay them as in tagging."""

    def embedded(self, batch: Documents) -> Tensor:
        """Where documents lie, (documents, width), of unit length."""


@torch.inference_mode()
def laid(network: Laying, source: Source, rows: NDArray[np.int64] | None = None, *, tokens: int) -> NDArray[np.float32]:
    """Where documents lie, (documents, width), in the order of `rows`; without them all."""
    network.eval()
    chosen = np.arange(len(source)) if rows is None else rows
    found = np.empty((len(chosen), 0), np.float32)
    for part in cut(np.arange(len(chosen)), source.tokens.lengths[chosen], batch=_TOGETHER, tokens=tokens):
        vectors = network.embedded(source.batch(chosen[part])).float().numpy(force=True)
        if not found.shape[1]:
            found = np.empty((len(chosen), vectors.shape[1]), np.float32)
        found[part] = vectors
    return found
