"""A network's rankings of documents, in batches of about the same length."""

import numpy as np
import torch

from umpteen.core import code, heap
from umpteen.core.ranking import Ranking
from umpteen.networks.network import Network
from umpteen.train.batches import Source, cut, fit_for

_STEP = 8  # lengths are multiples of it, since torch makes and keeps kernels for every shape of a batch
_MANY = 16  # batches after which memory may be tidied: single texts are not kept waiting


@torch.inference_mode()
def ranked(network: Network, source: Source, k: int, *, batch: int, tokens: int) -> Ranking:
    """The k best labels of each document, in the order they stand in `source`."""
    network.eval()
    depth = min(k, network.labels)
    labels, scores = np.full((len(source), depth), -1, np.int32), np.zeros((len(source), depth), np.float32)
    tokens, lengths = fit_for(source.device, tokens, learning=False), -(-source.tokens.lengths // _STEP) * _STEP
    for number, rows in enumerate(cut(np.arange(len(source)), lengths, batch=batch, tokens=tokens), 1):
        best, values = network.best(source.batch(rows, step=_STEP), depth)
        found = Ranking.best(best.cpu().numpy(), values.float().cpu().numpy(), depth)
        labels[rows], scores[rows] = found.labels, found.scores
        if number % _MANY == 0:
            heap.tidy()
        if number == _MANY:
            code.let_go()  # what the first batches needed to make their kernels
    return Ranking.joined([Ranking(labels, scores)], k)
