"""The label graph: an edge where two labels ever meet in a document, or where one stands above the other."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.space import LabelSpace
from umpteen.kernels import walks as kernel
from umpteen.kernels.threads import each, ranges

_BLOCK = 4096  # walks per piece of work


@dataclass(frozen=True)
class Graph:
    """Undirected; `weights` say how often two labels meet, and are empty where that does not count."""

    bounds: NDArray[np.int64]  # neighbours of label n are neighbours[bounds[n]:bounds[n + 1]], rising
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def of_documents(cls, Y: sparse.csr_array, *, weighted: bool) -> "Graph":
        """Labels that training documents have together: the products of the columns of Y, without the diagonal."""
        together = sparse.csr_array(Y.T @ Y).tocoo()
        apart = together.row != together.col
        ends = np.stack([together.row[apart], together.col[apart]], axis=1)
        return cls._of(ends, Y.shape[1], together.data[apart] if weighted else None)

    @classmethod
    def of_hierarchy(cls, space: LabelSpace) -> "Graph":
        """Labels and what stands right above them; what is above and no label itself is a node behind the labels."""
        nodes = {key: number for number, key in enumerate(space.keys)}
        pending, ends = list(space.keys), list[tuple[int, int]]()
        for key in pending:
            for parent in space.label(key).parents:
                if parent not in nodes:
                    nodes[parent] = len(nodes)
                    pending.append(parent)
                ends.append((nodes[key], nodes[parent]))
        found = np.array(ends, np.int64).reshape(-1, 2)
        found = found[found[:, 0] != found[:, 1]]
        return cls._of(np.unique(np.concatenate([found, found[:, ::-1]]), axis=0), len(nodes), None)

    @classmethod
    def _of(cls, ends: NDArray[np.integer], nodes: int, weights: NDArray[np.floating] | None) -> "Graph":
        """Edges in both directions, each once."""
        data = np.ones(len(ends), np.float32) if weights is None else weights.astype(np.float32)
        matrix = sparse.csr_array((data, (ends[:, 0], ends[:, 1])), shape=(nodes, nodes))
        matrix.sort_indices()
        counted = np.empty(0, np.float32) if weights is None else matrix.data
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), counted)

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.bounds) - 1

    def walks(self, *, rounds: int, length: int, seed: int, jobs: int = 0) -> Iterator[NDArray[np.int32]]:
        """One walk from every node in each of the rounds, in blocks (walks, length); rounds differ in their order."""
        random = np.random.default_rng(seed)
        starts = np.concatenate([random.permutation(len(self)).astype(np.int32) for _ in range(rounds)])
        sums = self._running()

        def block(part: tuple[int, int]) -> NDArray[np.int32]:
            chosen = starts[part[0] : part[1]]
            return kernel.walks(self.bounds, self.neighbours, sums, part[0], chosen, length, seed)  # type: ignore[no-any-return]

        return each(block, ranges(len(starts), _BLOCK), jobs=jobs)

    def _running(self) -> NDArray[np.float64]:
        """The running sums of the weights, which begin anew with every node."""
        if not len(self.weights):
            return np.empty(0)
        sums = np.concatenate([[0.0], np.cumsum(self.weights, dtype=np.float64)])
        return np.asarray(sums[1:] - np.repeat(sums[self.bounds[:-1]], np.diff(self.bounds)))
