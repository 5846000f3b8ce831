"""Ranking: the best labels of each document; what every model returns and everything after it reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from umpteen.core.errors import DataError


@dataclass(frozen=True)
class Ranking:
    """The best labels of each document, falling by score; equal scores stand in the order of label ids."""

    labels: NDArray[np.int32]  # (documents, k), padded with -1
    scores: NDArray[np.float32]  # (documents, k), falling, padded with 0

    def __post_init__(self) -> None:
        if self.labels.ndim != 2 or self.labels.shape != self.scores.shape:
            shapes = f"{self.labels.shape} labels and {self.scores.shape} scores"
            raise DataError(f"A ranking takes two matrices of one shape, not {shapes}.")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def depth(self) -> int:
        """How many labels a document can have at most."""
        return int(self.labels.shape[1])

    @classmethod
    def best(cls, labels: ArrayLike, scores: ArrayLike, k: int) -> Self:
        """The k best of unsorted candidates, (documents, candidates) each; candidates of -1 do not count."""
        ids = np.asarray(labels, dtype=np.int32)
        values = np.asarray(scores, dtype=np.float32)
        worth = np.where(ids < 0, -np.inf, values)
        order = np.lexsort((ids, -worth), axis=-1)[:, :k]
        ids, values = np.take_along_axis(ids, order, 1), np.take_along_axis(values, order, 1)
        return cls._padded(ids, np.where(ids < 0, np.float32(0), values), k)

    @classmethod
    def from_dense(cls, scores: ArrayLike, k: int) -> Self:
        """The k best columns of each row of a dense matrix."""
        values = np.asarray(scores, dtype=np.float32)
        order = np.argsort(-values, axis=1, kind="stable")[:, :k].astype(np.int32)
        return cls._padded(order, np.take_along_axis(values, order, 1), k)

    @classmethod
    def from_csr(cls, scores: sparse.csr_array | sparse.csr_matrix, k: int) -> Self:
        """The k best stored entries of each row; entries that are not stored do not count."""
        rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
        order = np.lexsort((scores.indices, -scores.data, rows))
        place = np.arange(len(rows)) - scores.indptr[rows]
        keep = place < k
        labels = np.full((scores.shape[0], k), -1, np.int32)
        values = np.zeros((scores.shape[0], k), np.float32)
        labels[rows[keep], place[keep]] = scores.indices[order][keep]
        values[rows[keep], place[keep]] = scores.data[order][keep]
        return cls(labels, values)

    @classmethod
    def joined(cls, parts: Iterable[Self], k: int) -> Self:
        """Rankings of consecutive documents as one, k deep."""
        found = [p if p.depth == k else cls._padded(p.labels[:, :k], p.scores[:, :k], k) for p in parts]
        if len(found) == 1:
            return found[0]
        if not found:
            return cls(np.empty((0, k), np.int32), np.empty((0, k), np.float32))
        return cls(np.concatenate([p.labels for p in found]), np.concatenate([p.scores for p in found]))

    def top(self, k: int) -> "Ranking":
        """The first k labels of each document."""
        return Ranking(self.labels[:, :k], self.scores[:, :k])

    def above(self, threshold: float) -> "Ranking":
        """Only labels that score at least `threshold`."""
        keep = self.scores >= threshold
        return Ranking(np.where(keep, self.labels, np.int32(-1)), np.where(keep, self.scores, np.float32(0)))

    def csr(self, labels: int, *, scores: bool = True) -> sparse.csr_array:
        """A sparse matrix (documents, labels) of scores, or of ones."""
        keep = self.labels >= 0
        starts = np.concatenate([[0], np.cumsum(keep.sum(axis=1))])
        values = self.scores[keep] if scores else np.ones(starts[-1], np.int64)
        matrix = sparse.csr_array((values, self.labels[keep], starts), shape=(len(self), labels))
        matrix.sort_indices()
        return matrix

    @classmethod
    def _padded(cls, labels: NDArray[np.int32], scores: NDArray[np.float32], k: int) -> Self:
        missing = k - labels.shape[1]
        if missing > 0:
            labels = np.pad(labels, ((0, 0), (0, missing)), constant_values=-1)
            scores = np.pad(scores, ((0, 0), (0, missing)))
        return cls(np.ascontiguousarray(labels, np.int32), np.ascontiguousarray(scores, np.float32))


def merged(labels: NDArray[np.int32], evidence: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Each label of a document once, with the sum of its evidence, both (documents, candidates); -1 elsewhere."""
    order = np.argsort(labels, axis=1, kind="stable")
    ids, evidence = np.take_along_axis(labels, order, 1), np.take_along_axis(evidence, order, 1)
    first = np.ones(ids.shape, bool)
    first[:, 1:] = ids[:, 1:] != ids[:, :-1]
    sums = np.zeros(ids.shape)
    if ids.size:
        sums[first] = np.add.reduceat(evidence.ravel(), np.flatnonzero(first.ravel()))
    return np.where(first, ids, np.int32(-1)), sums


def blended(own: Ranking, other: Ranking, share: float, k: int) -> Ranking:
    """The k best labels where `other` has a share of the scores and `own` the rest; unlisted labels have nothing."""
    labels = np.concatenate([own.labels, other.labels], axis=1)
    parts = [(1 - share) * own.scores.astype(np.float64), share * other.scores.astype(np.float64)]
    return Ranking.best(*merged(labels, np.concatenate(parts, axis=1)), k)
