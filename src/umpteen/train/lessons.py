"""Documents in batches together with what a teacher says of each: labels of its neighbours, and their parents."""

from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from umpteen.text.teacher import Lessons
from umpteen.text.vocabulary import Tokens
from umpteen.train.batches import Batch, Rows, Source


@dataclass(frozen=True, kw_only=True)
class TaughtBatch(Batch):
    """Documents as a network sees them that is taught."""

    nodes: Tensor  # (documents, most) labels and parents taught, padded with -1
    weights: Tensor  # (documents, most) how much each counts
    voted: Tensor  # (documents, most) labels of neighbours, padded with -1
    shares: Tensor  # (documents, most) of the neighbours' votes


class TaughtSource(Source):
    """Documents to take batches from, each with its lesson."""

    def __init__(self, source: Source, lessons: Lessons, *, alike: bool) -> None:
        super().__init__(source.tokens, source.Y, source.device)
        self.worth, self.numbers = source.worth, source.numbers
        self._nodes = _rows(_weighed(lessons.nodes, alike=alike))
        self._voted = _rows(lessons.labels)

    def take(self, rows: Rows) -> "TaughtSource":
        """The documents at these places as a source of their own."""
        taken = super().take(rows)
        assert isinstance(taken, TaughtSource)
        taken._nodes, taken._voted = self._nodes.take(rows), self._voted.take(rows)
        return taken

    def batch(self, rows: Rows, *, step: int = 1) -> TaughtBatch:
        """The documents at these places."""
        plain = super().batch(rows, step=step)
        nodes, weights = self._padded(self._nodes, rows)
        voted, shares = self._padded(self._voted, rows)
        known = plain.tokens, plain.positives, plain.values, plain.worth
        return TaughtBatch(*known, nodes=nodes, weights=weights, voted=voted, shares=shares)

    def _padded(self, taught: Tokens, rows: Rows) -> tuple[Tensor, Tensor]:
        ids, values = taught.padded(rows)
        assert values is not None
        return torch.from_numpy(ids - 1).to(self.device), torch.from_numpy(values).to(self.device)


def _weighed(nodes: sparse.csr_array, *, alike: bool) -> sparse.csr_array:
    """What labels and parents count: all alike, for a mean as printed; or by votes, with squares that sum to 1.

    The latter keeps a sum of vectors about as long as one of them, however many are added.
    """
    counts = np.diff(nodes.indptr)
    values = np.ones(nodes.nnz, np.float32) if alike else nodes.data
    rows = np.repeat(np.arange(len(counts)), counts)
    sums = np.bincount(rows, values if alike else values**2, minlength=len(counts))
    lengths = np.maximum(sums if alike else np.sqrt(sums), 1e-12)
    weights = (values / lengths[rows]).astype(np.float32)
    return sparse.csr_array((weights, nodes.indices, nodes.indptr), shape=nodes.shape)


def _rows(matrix: sparse.csr_array) -> Tokens:
    """Columns counted from 1, since 0 pads."""
    return Tokens((matrix.indices + 1).astype(np.int32), matrix.indptr.astype(np.int64), matrix.data.astype(np.float32))
