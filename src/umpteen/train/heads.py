"""Heads taught again: labels' own weights learn from where new documents lie, and older ones, so as not to forget."""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from umpteen.networks.embedder import Embedder

_OLDER = 4  # older documents read again for each new one, at most
_BATCH = 128
_RATE = 0.001


def teach_heads(
    network: Embedder,
    vectors: NDArray[np.float32],
    Y: sparse.csr_array,
    *,
    new: int,
    epochs: int,
    seed: int,
) -> None:
    """Go through the last `new` documents, and a sample of those before them, as they lie for all members together.

    The network itself stays, so that older documents stay where they lie.
    """
    if not network.head or not epochs:
        return
    older = len(vectors) - new
    random = np.random.default_rng([seed, older])
    optimiser = torch.optim.Adam(network.head_weights(), lr=_RATE)
    device = network.label_vectors.device
    for _ in range(epochs):
        again = random.choice(older, min(older, _OLDER * new), replace=False)
        order = random.permutation(np.concatenate([again, np.arange(older, len(vectors))]))
        for start in range(0, len(order), _BATCH):
            rows = np.sort(order[start : start + _BATCH])
            positives = torch.from_numpy(np.stack(Y[rows].nonzero(), axis=1).astype(np.int64)).to(device)
            optimiser.zero_grad()
            network.head_loss(torch.from_numpy(vectors[rows]).to(device), positives).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
