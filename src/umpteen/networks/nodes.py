"""Nodes: a label tree as tensors, and which of its nodes a document's labels make true.

Level 0 stands right below the root; the last level is the labels. Nodes of a level are numbered in the tree's order, so
a node's children are neighbours, and at the last level numbers are places in that order, not label ids.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from umpteen.labels.tree import Tree, grouped


class Nodes(nn.Module):
    """Who stands below whom. Made of the tree alone, so it is not among a network's weights."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        levels = [*tree.levels[1:], np.arange(len(tree.order) + 1)]
        self.sizes = [len(level) - 1 for level in levels]
        self._keep("order", tree.order)
        self._keep("place", np.argsort(tree.order))
        for number, level in enumerate(levels):
            self._keep(f"bounds{number}", level)
        self.widest, self.narrowest = list[int](), list[int]()  # children of a node, by level
        for number, (level, below) in enumerate(pairwise(levels)):
            first = np.searchsorted(below, level)
            self._keep(f"first{number}", first)
            self.widest.append(int(np.diff(first).max()))
            self.narrowest.append(int(np.diff(first).min()))

    def _keep(self, name: str, numbers: NDArray[np.integer]) -> None:
        self.register_buffer(name, torch.from_numpy(numbers.astype(np.int64)), persistent=False)

    @property
    def last(self) -> int:
        """The level of the labels."""
        return len(self.sizes) - 1

    def places(self, labels: Tensor) -> Tensor:
        """Where labels stand in the tree."""
        return self.get_buffer("place")[labels]

    def labels(self, places: Tensor) -> Tensor:
        """Which labels stand there."""
        return self.get_buffer("order")[places]

    def above(self, places: Tensor, level: int) -> Tensor:
        """The nodes of a level that labels at these places belong to."""
        return torch.searchsorted(self.get_buffer(f"bounds{level}"), places, right=True) - 1

    def parents(self, nodes: Tensor, level: int) -> Tensor:
        """The nodes right above nodes of a level."""
        return torch.searchsorted(self.get_buffer(f"first{level - 1}"), nodes, right=True) - 1

    def beneath(self, nodes: Tensor, level: int) -> tuple[Tensor, Tensor]:
        """The nodes below each of (documents, nodes) of a level, (documents, nodes, widest), and which are there."""
        first = self.get_buffer(f"first{level}")
        start, end = first[nodes].unsqueeze(2), first[nodes + 1].unsqueeze(2)
        found = start + torch.arange(self.widest[level], device=nodes.device)
        there = found < end
        return torch.where(there, found, start), there

    def having(self, Y: sparse.csr_array, level: int) -> sparse.csr_array:
        """Which nodes of a level documents belong under, of the labels that they have."""
        return grouped(Y, self.above(self.get_buffer("place"), level).numpy(force=True))

    def truths(self, positives: Tensor, documents: int, worth: Tensor | None = None) -> "list[Truth]":
        """What pairs of document and label make true on each level; `worth` is what labels count, (labels,)."""
        places, own = self.places(positives[:, 1]), None if worth is None else worth[positives[:, 1]]
        sizes = enumerate(self.sizes)
        return [Truth(positives[:, 0], self.above(places, n), size, documents, own) for n, size in sizes]


@dataclass(frozen=True)
class Truth:
    """The nodes of one level that documents belong under."""

    document: Tensor  # (pairs,)
    node: Tensor  # (pairs,), some more than once
    size: int  # nodes of the level
    documents: int
    worth: Tensor | None = None  # (pairs,) what each counts; of pairs that are the same the most

    def dense(self) -> Tensor:
        """Ones among zeros, (documents, size)."""
        made = torch.zeros(self.documents, self.size, device=self.node.device)
        made[self.document, self.node] = 1
        return made

    def holds(self, nodes: Tensor) -> Tensor:
        """Which of each document's nodes, (documents, nodes), are true."""
        rows = torch.arange(self.documents, device=nodes.device).unsqueeze(1)
        return torch.isin(rows * self.size + nodes, self.document * self.size + self.node)

    def counts(self, nodes: Tensor | None = None) -> Tensor | None:
        """What each document's nodes, (documents, nodes), or all nodes count: false ones 1. None: all 1."""
        if self.worth is None:
            return None
        if nodes is None:
            nodes = torch.arange(self.size, device=self.node.device).expand(self.documents, self.size)
        keys, which = torch.unique(self.document * self.size + self.node, return_inverse=True)
        most = self.worth.new_ones(len(keys) + 1).scatter_reduce(0, which, self.worth, "amax")
        sought = torch.arange(self.documents, device=nodes.device).unsqueeze(1) * self.size + nodes
        place = torch.searchsorted(keys, sought)
        there = torch.cat([keys, keys.new_full((1,), -1)])[place] == sought
        return torch.where(there, most[place], 1.0)

    def padded(self) -> tuple[Tensor, Tensor]:
        """Each document's nodes once, (documents, most of a document), and which are there."""
        pairs: Tensor = torch.unique(self.document * self.size + self.node)
        document, node = pairs // self.size, pairs % self.size
        counts = torch.bincount(document, minlength=self.documents)
        column = torch.arange(len(pairs), device=pairs.device) - (counts.cumsum(0) - counts)[document]
        there = torch.arange(int(counts.max()), device=pairs.device) < counts.unsqueeze(1)
        made = torch.zeros_like(there, dtype=torch.int64)
        made[document, column] = node
        return made, there
