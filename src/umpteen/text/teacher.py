"""Teacher knowledge: for each document the nearest training documents, the labels they have, and what is above these.

A training document is never its own neighbour, so its own labels have no part in what it is taught.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.progress import bar
from umpteen.text.index import Index, Vectors

_BLOCK = 4096  # documents looked up at a time
_MORE = 8  # neighbours looked for beyond those wanted where near duplicates are left out


@dataclass(frozen=True)
class Near:
    """The nearest training documents of each document, nearest first."""

    documents: NDArray[np.int32]  # (documents, k), -1 for none
    cosines: NDArray[np.float32]  # (documents, k), 0 for none

    def votes(self, sharpness: float) -> NDArray[np.float32]:
        """How much each counts, (documents, k); together 1 in a document that has any."""
        there = self.documents >= 0
        nearest = np.where(there, self.cosines, -1).max(axis=1, initial=-1.0, keepdims=True)
        weights = np.where(there, np.exp(sharpness * np.minimum(self.cosines - nearest, 0)), 0).astype(np.float32)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.float32(1e-12))
        return weights


@dataclass(frozen=True)
class Lessons:
    """What documents are taught: rows of shares of votes, between 0 and 1, by label and by node."""

    labels: sparse.csr_array  # (documents, labels)
    nodes: sparse.csr_array  # (documents, nodes), labels and their parents: the teacher sets

    def __len__(self) -> int:
        return int(self.labels.shape[0])


class Teacher:
    """Training documents by their vectors, with their labels, and what labels bring along."""

    def __init__(self, index: Index, Y: sparse.csr_array, reach: sparse.csr_array) -> None:
        self.index, self.Y, self.reach = index, Y, reach

    @classmethod
    def of(cls, vectors: Vectors, Y: sparse.csr_array, reach: sparse.csr_array, *, jobs: int = 0) -> "Teacher":
        """Documents with vectors of unit length and labels (documents, labels), which reach (labels, nodes)."""
        return cls(Index.of(vectors, clusters=1, seed=0, jobs=jobs), Y, reach)

    def nearest(self, vectors: Vectors, k: int, *, jobs: int = 0) -> Near:
        """The k nearest of documents that are not among its own."""
        return _filled(*self._search(vectors, k, jobs), k)

    def nearest_others(self, k: int, *, duplicates: float = 1.0, jobs: int = 0) -> Near:
        """The k nearest of each of its own documents, itself left out, and all whose cosine is above `duplicates`."""
        spare = 0 if duplicates >= 1 else _MORE * k
        found, cosines = self._search(self.index.vectors, k + 1 + spare, jobs)
        wanted = (found >= 0) & (found != np.arange(len(found))[:, None])
        if duplicates < 1:
            wanted &= cosines <= duplicates
        order = np.argsort(~wanted, axis=1, kind="stable")[:, :k]
        found = np.where(wanted, found, -1)
        return _filled(np.take_along_axis(found, order, axis=1), np.take_along_axis(cosines, order, axis=1), k)

    def _search(self, vectors: Vectors, k: int, jobs: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The k nearest of its documents, and cosines."""
        found = [(np.empty((0, min(k, len(self.index))), np.int32), np.empty((0, min(k, len(self.index))), np.float32))]
        with bar("Looking for similar documents", len(vectors)) as line:
            for start in range(0, len(vectors), _BLOCK):
                found.append(self.index.nearest(vectors[start : start + _BLOCK], k, probes=1, jobs=jobs))
                line.advance(len(found[-1][0]))
        documents, squares = (np.concatenate([*part]) for part in zip(*found, strict=True))
        nothing = ~vectors.any(axis=1, keepdims=True) | self._blank[documents]  # is near to nothing
        return np.where(nothing, -1, documents), (1 - squares / 2).astype(np.float32)

    @cached_property
    def _blank(self) -> NDArray[np.bool_]:
        """Which of its documents have no known word."""
        return np.asarray(~self.index.vectors.any(axis=1), bool)

    def lessons(self, near: Near, sharpness: float) -> Lessons:
        """What the neighbours bring: the share of their votes for each label, and the most of it for each node."""
        there = near.documents >= 0
        bounds = np.concatenate([[0], there.sum(axis=1).cumsum()])
        votes = sparse.csr_array(
            (near.votes(sharpness)[there], near.documents[there], bounds), shape=(len(there), len(self.index))
        )
        labels = sparse.csr_array(votes @ self.Y)
        nodes = sparse.csr_array(labels @ self.reach)
        nodes.data = np.minimum(nodes.data, 1)
        return Lessons(labels, nodes)


def _filled(found: NDArray[np.int32], cosines: NDArray[np.floating], k: int) -> Near:
    """Columns for k neighbours, whether there are so many or not."""
    there = found >= 0
    pad = ((0, 0), (0, max(0, k - found.shape[1])))
    documents = np.pad(np.where(there, found, -1).astype(np.int32), pad, constant_values=-1)
    return Near(documents, np.pad(np.where(there, cosines, 0).astype(np.float32), pad))


def unit_rows(vectors: NDArray[np.floating]) -> Vectors:
    """Rows of length one; those of nothing stay so."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(lengths, 1e-12), np.float32)
