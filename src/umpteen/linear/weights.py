"""Weights of a tree's classifiers, packed by feature for the beam search: what a model folder holds, mapped to memory.

Each weight is its child, in one byte where nodes have at most 256, and a code of one or two bytes into a table of
values per layer. A feature's nodes stand as a list or, where that is shorter, as a bitmap. `kernels/beam.py` reads all
this as it lies on disk.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError, UmpteenError
from umpteen.core.sound import check_kind
from umpteen.core.spill import growing, spill
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import pack as kernel
from umpteen.kernels.sound import is_sound
from umpteen.kernels.threads import ranges

Triples = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]  # feature, child, weight
Bounds = NDArray[np.int64]

_KINDS = ("i4", "u8", "u", "u4", "u2", "u", "f4", "i8", "i8", "i8")  # of the arrays below
_FULL = 0.3  # a row with this share of its node's children gets an entry for each: read in whole sweeps
_MOST = (1 << 32) - (1 << 28)  # weights of a layer: entries are counted in 32 bits, with room for those that fill rows
_TOO_MANY = (
    f"{{:,}} weights are too many for one tree, which holds {_MOST:,}. Raise the setting 'threshold', or train several "
    "models on parts of the labels."
)
_PIECE = 1 << 22  # rows at a time where that saves memory
_LEAST, _USUAL = 1 << 20, 1 << 21  # weights packed at a time, where memory is short and where it is not
_PARTS = 16  # in which weights are packed at most where memory is not short: each looks through all of them
_ROOM = 150  # bytes that packing one takes


@dataclass(frozen=True)
class Weights:
    """Flat arrays over all layers, in the order the kernel takes them."""

    features: NDArray[
        np.int32
    ]  # (features + 2, layers, 2): a feature's first row; where its bitmap begins, or -1 - its list
    words: NDArray[
        np.uint64
    ]  # (words, 2): bitmaps over nodes, with how many rows of the feature stand before each word
    lists: NDArray[Any]  # nodes
    bases: NDArray[np.uint32]  # first entry of each run of rows
    rests: NDArray[np.uint16]  # a row's first entry within its run
    entries: NDArray[Any]  # a child, counted from its node's first, and in the lower bits a code
    scales: NDArray[np.float32]  # (layers, 2): a weight is the first times its code plus the second
    layers: NDArray[np.int64]  # (layers, 3): nodes, start in `starts`, most children
    packing: NDArray[np.int64]  # rows of a run, as a power of two; bits of a code
    starts: NDArray[np.int64]  # for each layer and node its first child, and one more

    @cached_property
    def parts(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        return tuple(getattr(self, item.name) for item in fields(self))

    def layer(self, number: int) -> Triples:
        """A layer's (feature, child, weight) triples."""
        return kernel.unpack(self.parts, number)  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(part.nbytes for part in self.parts)

    def save(self, folder: NewFolder, name: str) -> None:
        """Write all arrays."""
        for item in fields(self):
            folder.array(f"{name}_{item.name}", getattr(self, item.name))

    @classmethod
    def load(cls, folder: Folder, name: str, *, labels: int) -> "Weights":
        """Map what was saved, for a tree of so many labels."""
        made = cls(**{item.name: folder.array(f"{name}_{item.name}") for item in fields(cls)})
        made._check(labels)
        return made

    def _check(self, labels: int) -> None:
        """Raise where the arrays lead out of each other, which the kernel would follow."""
        for item, kind, dimensions in zip(fields(self), _KINDS, (3, 2, 1, 1, 1, 1, 2, 2, 1, 1), strict=True):
            check_kind(getattr(self, item.name), kind, dimensions)
        if max(self.entries.itemsize, self.lists.itemsize) > 4:
            raise DataError("The packed weights have entries of a kind that is not known.")
        layers = len(self.layers)
        shapes = self.features.shape[1:], self.words.shape[1:], self.scales.shape, self.layers.shape, self.packing.shape
        parts = [part for item, part in zip(fields(self), self.parts, strict=True) if item.name != "scales"]
        if shapes != ((layers, 2), (2,), (layers, 2), (layers, 3), (2,)) or not is_sound(*parts, labels):
            raise DataError("The packed weights lead out of their arrays.")


@dataclass(frozen=True)
class _Layer:
    """One layer packed, counted from its own beginnings."""

    firsts: Bounds
    mapped: NDArray[np.bool_]  # features with a bitmap
    words: NDArray[np.uint64]  # (words, 2)
    size: int  # words of a bitmap
    lists: NDArray[Any]
    begins: Bounds
    entries: NDArray[Any]
    scale: NDArray[np.float32]
    starts: Bounds

    def places(self, rows: int, words: int, lists: int) -> NDArray[np.int32]:
        """Each feature's first row and where its nodes stand, behind those of other layers."""
        counts = np.diff(self.firsts)
        bitmap = words + (np.cumsum(self.mapped) - 1) * self.size
        listed = np.where(self.mapped, 0, counts)
        kinds = np.where(self.mapped, bitmap, -1 - (lists + np.cumsum(listed) - listed))
        return np.stack([self.firsts + rows, np.append(kinds, 0)], axis=1).astype(np.int32)


def packed(layers: Iterable[Triples], starts: list[Bounds], *, width: int, bits: int) -> Weights:
    """Pack each layer's triples as they come; `starts` has the first children of its nodes, and one more."""
    most = max(int(np.diff(own).max()) for own in starts)
    if most << bits > 1 << 32:
        raise UmpteenError(
            f"A node with {most:,} children is too large for {bits} bits a weight: set 'bits' to 8, or take a label "
            "tree (plt) with smaller groups."
        )
    kinds = _smallest(most << bits), _smallest(max(map(len, starts)))
    made = [_layer(triples, own, width, bits, *kinds) for triples, own in zip(layers, starts, strict=True)]
    before = {
        name: _before([len(getattr(layer, name)) for layer in made])
        for name in ("words", "lists", "begins", "entries", "starts")
    }
    placed = zip(*(before[name][:-1].tolist() for name in ("begins", "words", "lists")), strict=True)
    shift = max(0, 16 - most.bit_length() - 1)
    begins = _joined(la.begins + n for la, n in zip(made, before["entries"], strict=False))
    begins = _joined([begins, before["entries"][-1:]])
    if begins[-1] >= 1 << 32:
        raise UmpteenError(_TOO_MANY.format(begins[-1]))
    bases = begins[:: 1 << shift].astype(np.uint32)
    return Weights(
        features=np.stack([la.places(*at) for la, at in zip(made, placed, strict=True)], axis=1),
        words=_joined(la.words for la in made),
        lists=_joined(la.lists for la in made),
        bases=bases,
        rests=_joined(_rests(begins, bases, shift)),
        entries=_joined(la.entries for la in made),
        scales=np.stack([la.scale for la in made]),
        layers=np.array(
            [(len(la.starts) - 1, at, np.diff(la.starts).max()) for la, at in zip(made, before["starts"], strict=False)]
        ),
        packing=np.array([shift, bits]),
        starts=np.concatenate([la.starts for la in made]),
    )


def _rests(begins: Bounds, bases: NDArray[np.uint32], shift: int) -> Iterator[NDArray[np.uint16]]:
    for low, high in ranges(len(begins), _PIECE):
        yield (begins[low:high] - bases[np.arange(low, high) >> shift]).astype(np.uint16)


def _layer(
    triples: Triples, starts: Bounds, width: int, bits: int, kind: np.dtype[Any], node_kind: np.dtype[Any]
) -> _Layer:
    """Pack features range by range, as many at a time as memory has room for."""
    if len(triples[0]) > _MOST:
        raise UmpteenError(_TOO_MANY.format(len(triples[0])))
    step, zero = _scaled(triples[2], bits)
    size = (len(starts) + 62) // 64
    firsts, mapped, begins = [np.zeros(1, np.int64)], list[NDArray[np.bool_]](), growing(np.int64)
    words, lists, entries = growing(np.uint64), growing(node_kind), growing(kind)
    rows = count = 0
    for low, high in _ranges(triples[0], width + 1):
        own = triples if high - low > width else kernel.between(*triples, low, high)
        features, children, weights = kernel.fill(*kernel.sort(*own, high - low, int(starts[-1])), starts, _FULL)
        own_begins, nodes, own_firsts, lanes = kernel.rows(features, children, starts, high - low)
        full = np.diff(own_firsts) * 8 * node_kind.itemsize > size * (64 + 8 * node_kind.itemsize)
        bitmaps, ranks, listed = kernel.bitmaps(own_firsts, nodes, full, size)
        words.add(np.stack([bitmaps.ravel(), ranks.ravel().astype(np.uint64)], axis=1).ravel())
        lists.add(listed)
        entries.add(np.rint(weights / step + zero).astype(np.int32) | lanes << bits)
        begins.add(own_begins + count)
        firsts.append(own_firsts[1:] + rows)
        mapped.append(full)
        rows, count = rows + len(own_begins), count + len(weights)
    return _Layer(
        np.concatenate(firsts),
        np.concatenate(mapped),
        words.whole().reshape(-1, 2),
        size,
        lists.whole(),
        begins.whole(),
        entries.whole(),
        np.array([step, -zero * step], np.float32),
        starts,
    )


def _ranges(features: NDArray[np.int32], width: int) -> Iterator[tuple[int, int]]:
    """Ranges of features with so many weights that packing them takes a part of what memory is left, and never much."""
    limit = spill()
    most = max(_LEAST, limit.left() // _ROOM) if limit is not None else max(_USUAL, len(features) // _PARTS)
    if len(features) <= most:
        yield 0, width
        return
    ends = np.cumsum(kernel.counted(features, width))
    low = 0
    while low < width:
        before = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield low, min(high, width)
        low = high


def _scaled(weights: NDArray[np.float32], bits: int) -> tuple[float, np.float64]:
    """The step between evenly spaced codes, and the code that is exactly 0."""
    low, high = min(0.0, float(weights.min(initial=0))), max(0.0, float(weights.max(initial=0)))
    step = (high - low) / ((1 << bits) - 2) or 1.0
    return step, np.ceil(-low / step)


def _joined(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Arrays behind each other."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    made = growing(parts[0].dtype)
    for part in parts:
        made.add(part.ravel())
    return made.whole().reshape(-1, *parts[0].shape[1:])


def _before(sizes: list[int]) -> Bounds:
    return np.concatenate([[0], np.cumsum(sizes)])


def _smallest(count: int) -> np.dtype[Any]:
    """The smallest type for numbers below `count`."""
    return np.dtype(np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32)
