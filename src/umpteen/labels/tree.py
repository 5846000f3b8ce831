"""Label trees: similar labels side by side, in nested groups.

A tree is an order of the labels and, for each level, where its groups begin in that order; groups of a level lie inside
groups of the level above. The top is one group of all, below the last level each label stands alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.progress import bar
from umpteen.core.sound import check_bounds, check_kind
from umpteen.core.spill import growing
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import cluster as kernel
from umpteen.kernels.halve import halve
from umpteen.kernels.lanes import LANES
from umpteen.kernels.spread import Shared, fixed, spread
from umpteen.kernels.threads import each, ranges

_ROUNDS, _GAIN = 30, 1e-4

Bounds = NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """Labels in tree order, and the groups of each level."""

    order: NDArray[np.int32]  # label ids
    levels: tuple[Bounds, ...]  # starts of groups, and the number of labels at the end; from the top down

    def layers(self) -> list[tuple[Bounds, Bounds]]:
        """For each level: its groups, and the groups or single labels below."""
        below = (*self.levels[1:], np.arange(len(self.order) + 1))
        return [*zip(self.levels, below, strict=True)]

    def shallow(self, branch: int, height: int | None = None) -> "Tree":
        """A tree of halvings made wide: groups with up to `branch` parts, on `height` levels (as many as it takes).

        The lowest groups stay; above them, as often as `height` says, stand those so many halvings up that they have
        `branch` parts, and then the root, with all that is left as its parts.
        """
        step = branch.bit_length() - 1
        kept = self.levels[:0:-step][:height]
        return Tree(self.order, (self.levels[0], *kept[::-1]))

    def above(self, level: int) -> "Tree":
        """The part that ends with the groups of a level, which are numbered in their order."""
        last = self.levels[level]
        upper = tuple(np.searchsorted(last, bounds) for bounds in self.levels[:level])
        return Tree(np.arange(len(last) - 1, dtype=np.int32), upper)

    def groups(self, level: int) -> NDArray[np.int64]:
        """The group of each label on a level."""
        found = np.empty(len(self.order), np.int64)
        found[self.order] = np.repeat(np.arange(len(self.levels[level]) - 1), np.diff(self.levels[level]))
        return found

    def save(self, folder: NewFolder, name: str) -> None:
        """Write all that `load` needs."""
        folder.array(f"{name}_order", self.order)
        folder.json(f"{name}_levels", [level.tolist() for level in self.levels])

    @classmethod
    def load(cls, folder: Folder, name: str) -> "Tree":
        """The same as was saved."""
        order, levels = folder.array(f"{name}_order"), [np.array(level) for level in folder.json(f"{name}_levels")]
        check_kind(order, "i4")
        for level in levels:
            check_bounds(level, len(level) - 1, len(order))
        return cls(order, tuple(levels))

    def grown(self, new: NDArray[np.int32], beside: NDArray[np.int64]) -> "tuple[Tree, NDArray[np.int64]]":
        """The tree with each `new` label right behind the label at place `beside`; and the old labels' new places."""
        before = np.sort(beside)
        levels = tuple(level + np.searchsorted(before, level) for level in self.levels)
        places = np.arange(len(self.order))
        return Tree(np.insert(self.order, beside + 1, new), levels), places + np.searchsorted(before, places)


def profiles(X: sparse.csr_array, T: sparse.csr_array, *, most: int = 0, jobs: int = 0) -> sparse.csr_array:
    """Where the documents of each row of T (labels, documents) lie: rows of length one.

    Each has at most `most` entries, those that lie highest above the mean of all documents; 0 keeps all.
    """
    x = X.indptr, X.indices, X.data
    shared = (*x, kernel.mean(*map(fixed, x[1:]), X.shape[1], X.shape[0]), T.indptr, T.indices, most)
    columns, values, sizes = growing(np.int32), growing(np.float32), [np.zeros(1, np.int64)]
    blocks = ranges(T.shape[0], max(1, min(1024, T.shape[0] // 64)))
    with bar("Label profiles", T.shape[0]) as line:
        for part in spread(_profiled, shared, blocks, jobs=jobs):
            columns.add(part[0])
            values.add(part[1])
            sizes.append(np.diff(part[2]))
            line.advance(len(sizes[-1]))
    bounds = np.concatenate(sizes).cumsum()
    return sparse.csr_array((values.whole(), columns.whole(), bounds), shape=(T.shape[0], X.shape[1]))


def _profiled(shared: Shared, part: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float32], Bounds]:
    return kernel.profiles(*shared[:-1], *part, shared[-1])  # type: ignore[no-any-return]


def flat(labels: int) -> Tree:
    """All labels right below the root."""
    return Tree(np.arange(labels, dtype=np.int32), (np.array([0, labels]),))


def balanced(
    vectors: sparse.csr_array, *, branch: int, leaf: int, height: int | None = None, seed: int = 0, jobs: int = 0
) -> Tree:
    """Groups of equal size, halved until none has more than `leaf` labels, then made shallow and wide."""
    count = vectors.shape[0]
    halvings = max(0, (-(-count // leaf) - 1).bit_length())
    order = np.arange(count)
    levels = [np.array([0, count])]
    with bar("Growing the label tree", halvings) as line:
        for number in range(1, halvings + 1):
            levels.append(_halved(vectors, order, levels[-1], seed=seed * 1_000_003 + number * 7919, jobs=jobs))
            line.advance()
    return Tree(order.astype(np.int32), tuple(levels)).shallow(branch, height)


def unbalanced(vectors: sparse.csr_array, *, branch: int, leaf: int, depth: int, seed: int = 0, jobs: int = 0) -> Tree:
    """Groups of any size: each with more than `leaf` labels is split into at most `branch`, `depth` times over."""
    order = np.arange(vectors.shape[0])
    bounds = np.array([0, len(order)])
    levels = [bounds]
    with bar("Growing the label tree", depth) as line:
        while len(levels) <= depth and np.diff(bounds).max() > leaf:
            bounds = _split(vectors, order, bounds, branch=branch, leaf=leaf, seed=seed, jobs=jobs)
            levels.append(bounds)
            line.advance()
    return Tree(order.astype(np.int32), tuple(levels))


def _split(
    vectors: sparse.csr_array, order: NDArray[np.int64], bounds: Bounds, *, branch: int, leaf: int, seed: int, jobs: int
) -> Bounds:
    """Order each group of more than `leaf` by its parts; the bounds of the parts."""
    sizes = np.diff(bounds)
    large = np.argsort(-sizes, kind="stable")[: (sizes > leaf).sum()]  # the dearest first
    inner = jobs if len(large) == 1 else 1  # threads within a group, or one for each

    def parted(group: int) -> Bounds:
        start, end = bounds[group], bounds[group + 1]
        members = order[start:end].copy()
        parts = _parts(vectors, members, branch, seed=(seed, int(start), int(end)), jobs=inner)
        order[start:end] = members[np.argsort(parts, kind="stable")]
        return start + np.bincount(parts).cumsum()  # type: ignore[no-any-return]

    return np.unique(np.concatenate([bounds, *each(parted, large.tolist(), jobs=jobs)]))


def _parts(
    vectors: sparse.csr_array, members: NDArray[np.int64], branch: int, *, seed: tuple[int, int, int], jobs: int
) -> NDArray[np.int32]:
    """The part of each member, by spherical k-means from random members."""
    count = min(branch, len(members))
    parts = np.full(len(members), -1, np.int32)
    parts[np.random.default_rng(seed).choice(len(members), count, replace=False)] = np.arange(count)
    wide = LANES if jobs != 1 else count

    def block(part: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        room = np.zeros((vectors.shape[1], LANES), np.float32)
        return kernel.nearest(vectors.indptr, vectors.indices, vectors.data, members, parts, *part, room)  # type: ignore[no-any-return]

    before = -np.inf
    for _ in range(_ROUNDS):
        chosen, best = map(np.stack, zip(*each(block, ranges(count, wide), jobs=jobs), strict=True))
        mean = float(best.max(axis=0).mean())
        parts = np.take_along_axis(chosen, best.argmax(axis=0)[None], axis=0)[0]
        if mean - before < _GAIN:
            break
        before = mean
    return parts


def _halved(vectors: sparse.csr_array, order: NDArray[np.int64], bounds: Bounds, *, seed: int, jobs: int) -> Bounds:
    """Order each group so that its halves are alike; the bounds of the halves. Groups of one stay."""
    middles, groups = (bounds[:-1] + bounds[1:] + 1) // 2, len(bounds) - 1
    shared = (vectors.indptr, vectors.indices, vectors.data, vectors.shape[1], order, bounds, middles, seed)
    blocks = [*ranges(groups, max(1, min(64, groups // 8)))]
    halves = [*spread(_halves, shared, blocks, jobs=jobs)]
    for (first, last), members in zip(blocks, halves, strict=True):
        order[bounds[first] : bounds[last]] = members
    return np.unique(np.concatenate([bounds, middles]))


def _halves(shared: Shared, block: tuple[int, int]) -> NDArray[np.int64]:
    """The members of some groups, in each the half of like ones before the other."""
    *x, width, order, bounds, middles, seed = shared
    room, found = np.zeros((width, 2), np.float32), list[NDArray[np.int64]]()
    for group in range(*block):
        start, end = bounds[group], bounds[group + 1]
        members, left = order[start:end].copy(), middles[group] - start
        found.append(halve(*x, members, left, room, _ROUNDS, _GAIN, seed + int(start)))
    return np.concatenate(found)


def grouped(Y: sparse.csr_array, groups: NDArray[np.int64]) -> sparse.csr_array:
    """Which groups of labels each row of Y has; labels without a group, behind the others, are left out."""
    known = Y[:, : len(groups)].copy()  # whose bounds change where a row has a group twice
    made = sparse.csr_array(
        (np.ones(known.nnz, Y.dtype), groups[known.indices], known.indptr), shape=(Y.shape[0], int(groups.max()) + 1)
    )
    made.sum_duplicates()
    made.data[:] = 1
    return made
