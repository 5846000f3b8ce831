"""Hierarchy: what stands right above each label, and where that was found: a label file, names, or a label tree.

Nodes are numbered: the labels first, then what stands above some of them and is no label itself.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.space import LabelSpace
from umpteen.labels.tree import balanced

_FACET = "::"  # parts a facet from a tag in names such as role::program
_BRANCH, _LEAF = 16, 16  # of a label tree that stands in for a hierarchy

FILE, FACETS, TREE = "the label file", "facets in the labels' names", "a label tree"
SOURCES = (FILE, FACETS, TREE)


@dataclass(frozen=True)
class Hierarchy:
    """Parents of labels."""

    source: str  # one of SOURCES
    names: tuple[str, ...]  # of the nodes behind the labels
    bounds: NDArray[np.int64]
    parents: NDArray[np.int32]  # nodes right above label l are parents[bounds[l]:bounds[l + 1]]

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return len(self.bounds) - 1

    @property
    def nodes(self) -> int:
        """How many labels and nodes above them there are."""
        return self.labels + len(self.names)

    def above(self, label: int) -> list[int]:
        """The nodes right above a label."""
        return [int(node) for node in self.parents[self.bounds[label] : self.bounds[label + 1]]]

    def reach(self, *, orphans: bool = True) -> sparse.csr_array:
        """What a label brings along, (labels, nodes): itself and its parents; without them, only if `orphans` stay."""
        kept = np.flatnonzero(orphans | (np.diff(self.bounds) > 0))
        own = sparse.csr_array((np.ones(len(kept), np.float32), (kept, kept)), shape=(self.labels, self.nodes))
        up = sparse.csr_array(
            (np.ones(len(self.parents), np.float32), self.parents, self.bounds), shape=(self.labels, self.nodes)
        )
        made = sparse.csr_array(own + up)
        made.sort_indices()
        return made


def hierarchy_of(
    space: LabelSpace, known: NDArray[np.integer], vectors: Callable[[], NDArray[np.float32]], *, seed: int = 0
) -> Hierarchy:
    """The hierarchy of the labels with ids `known`: the given one, that of facets in names, else a label tree.

    `vectors` gives the known labels' vectors, (labels, width), which a tree is grown of.
    """
    keys = [space.keys[label] for label in known.tolist()]
    if space.has_parents:
        return _joined(FILE, keys, [space.parents(label) for label in known.tolist()], lambda k: space.label(k).name)
    facets = [key.split(_FACET)[0].strip() if _FACET in key else "" for key in keys]
    if 2 * sum(map(bool, facets)) > len(keys):
        return _joined(FACETS, keys, [(facet,) if facet else () for facet in facets], lambda facet: facet)
    return _of_tree(keys, vectors(), seed=seed)


def _of_tree(keys: Sequence[str], vectors: NDArray[np.float32], *, seed: int) -> Hierarchy:
    """Labels below the smallest groups of a balanced tree, however they are numbered; groups have no names."""
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    tree = balanced(sparse.csr_array(vectors[order]), branch=_BRANCH, leaf=_LEAF, seed=seed)
    groups = np.empty(len(keys), np.int64)
    groups[order] = tree.groups(len(tree.levels) - 1)
    names = ("",) * (int(groups.max(initial=-1)) + 1)
    return Hierarchy(TREE, names, np.arange(len(keys) + 1), (len(keys) + groups).astype(np.int32))


def _joined(
    source: str, keys: Sequence[str], above: Iterable[tuple[str, ...]], name: Callable[[str], str]
) -> Hierarchy:
    """Number the parents: labels by their places, others behind them."""
    numbers = {key: place for place, key in enumerate(keys)}
    parents, bounds = list[int](), [0]
    for own in above:
        parents += sorted({numbers.setdefault(key, len(numbers)) for key in own})
        bounds.append(len(parents))
    names = tuple(name(key) or key for key in list(numbers)[len(keys) :])
    return Hierarchy(source, names, np.array(bounds, np.int64), np.array(parents, np.int32))
